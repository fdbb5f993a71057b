//! Texts of strangers in names of files and in messages: they are shown, and mean nothing to who reads the format.

use std::fs;

use super::{cgsan, trace_with, written};

/// Markup of HTML, XML and Markdown, commands of GitHub, and what a terminal obeys.
const HOSTILE: &str = "</summary></details><script>alert(1)</script>&lt;]]>\"'\n\n# x\n````\n|`[a](http://b.c)\r\n::error::x\n::add-mask::y%0A,z:\u{1b}[31m\u{202e}\u{fffe}\u{7f}";

/// A report on a trace whose file names and messages are hostile.
fn report(format: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = |text: &str| match text.strip_suffix("fails.py") {
        Some(_) => format!("{HOSTILE}.py"),
        None if text.contains("CUDA error") => format!("{HOSTILE}{text}"),
        None => text.to_owned(),
    };
    fs::write(folder.path().join("trace"), trace_with(hostile)).expect("a file");
    let report = written(&cgsan(
        folder.path(),
        &["report", "--format", format, "trace"],
    ));
    assert!(report.contains("CG105"), "{report}");
    let is_obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert_eq!(report.find(is_obeyed), None, "{report:?}");
    report
}

#[test]
fn no_command_of_github_is_made() {
    let report = report("github");
    let known = ["::error ", "::notice ", "::warning "];
    for line in report.lines() {
        assert!(known.iter().any(|it| line.starts_with(it)), "{line}");
    }
    assert_eq!(
        report
            .lines()
            .filter(|it| it.contains("title=cgsan CG105"))
            .count(),
        1
    );
}

#[test]
fn no_element_of_xml_is_made() {
    let text = report("junit");
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let mut names: Vec<&str> = document
        .descendants()
        .filter(roxmltree::Node::is_element)
        .map(|it| it.tag_name().name())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "failure",
            "system-out",
            "testcase",
            "testsuite",
            "testsuites"
        ]
    );
    assert!(text.contains("&lt;script&gt;"));
}

#[test]
fn sarif_holds_the_texts_as_they_are() {
    let log: serde_json::Value = serde_json::from_str(&report("sarif")).expect("it is JSON");
    let result = &log["runs"][0]["results"][0];
    let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str();
    let uri = uri.expect("there is a file");
    assert!(
        uri.bytes()
            .all(|it| it.is_ascii_graphic() && !b"<>\"`\\".contains(&it)),
        "{uri}"
    );
    let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(steps.to_string().contains("<script>"), "{steps}");
}

#[test]
fn no_markup_of_a_page_is_made() {
    super::page::check(&report("markdown"));
}
