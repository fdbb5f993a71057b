//! Each format of each command, and where it goes.

use std::fs;

use cgsan_render::FORMS;

use super::{RECORDED, cgsan, report, root, written};

#[test]
fn annotations_of_a_report() {
    insta::assert_snapshot!(report("github"));
}

#[test]
fn a_report_as_junit_writes_it() {
    let text = report("junit");
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let suite = document.root_element().first_element_child();
    assert_eq!(suite.and_then(|it| it.attribute("tests")), Some("1"));
    insta::assert_snapshot!(text);
}

#[test]
fn a_report_as_a_page() {
    insta::assert_snapshot!(report("markdown"));
}

#[test]
fn a_run_in_which_nothing_was_judged_did_not_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |format: &str| {
        let arguments = [
            "run",
            "--virtual",
            "--format",
            format,
            "--output",
            "out",
            "true",
        ];
        written(&cgsan(folder.path(), &arguments));
        fs::read_to_string(folder.path().join("out")).expect("a report")
    };
    let xml = run("junit");
    let document = roxmltree::Document::parse(&xml).expect("it is XML");
    let skipped = document.descendants().find(|it| it.has_tag_name("skipped"));
    let why = skipped.and_then(|it| it.attribute("message"));
    assert_eq!(why, Some("nothing was judged: nothing was recorded"));
    assert!(run("markdown").starts_with("## cgsan: nothing was judged\\: nothing was recorded\n"));
    assert!(run("github").contains("::notice title=cgsan::nothing was judged"));
    assert_eq!(run("json"), {
        let arguments = ["run", "--virtual", "--json", "--output", "out", "true"];
        written(&cgsan(folder.path(), &arguments));
        fs::read_to_string(folder.path().join("out")).expect("a report")
    });
}

#[test]
fn lint_writes_a_case_for_each_id_and_one_if_there_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = || {
        let output = cgsan(folder.path(), &["lint", "--format", "junit"]);
        let text = String::from_utf8(output.stdout).expect("it is UTF-8");
        let document = roxmltree::Document::parse(&text).expect("it is XML");
        let cases = document
            .descendants()
            .filter(|it| it.has_tag_name("testcase"));
        let case = |it: roxmltree::Node<'_, '_>| {
            let name = it.attribute("name").unwrap_or_default().to_owned();
            let state = it
                .first_element_child()
                .map(|it| it.tag_name().name().to_owned());
            (name, state)
        };
        cases.map(case).collect::<Vec<_>>()
    };
    fs::write(folder.path().join("a.py"), "x = 1\n").expect("a file");
    assert_eq!(cases(), [("no findings".to_owned(), None)]);
    let capture = "import torch\nx = torch.ones(4, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n";
    let twice = format!("{capture}    x.sum().item()\n{capture}    x.item()\n");
    fs::write(folder.path().join("a.py"), twice).expect("a file");
    fs::write(folder.path().join("b.py"), "x = = 1\n").expect("a file");
    let state = |name: &str, state: &str| (name.to_owned(), Some(state.to_owned()));
    assert_eq!(
        cases(),
        [state("CG101", "failure"), state("errors", "error")]
    );
}

#[test]
fn a_format_is_chosen_once() {
    for arguments in [
        &["report", "--json", "--format", "sarif", RECORDED][..],
        &["lint", "--statistics", "--format", "junit"],
        &["lint", "--statistics", "--format", "markdown"],
    ] {
        let refused = cgsan(&root(), arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_report_takes_the_place_of_a_file_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = root().join(RECORDED);
    let trace = trace.to_str().expect("it is UTF-8");
    fs::write(folder.path().join("out"), "old").expect("a file");
    for format in FORMS.iter().map(|it| it.name) {
        let to = |to: &str| {
            let arguments = ["report", "--format", format, "--output", to, trace];
            cgsan(folder.path(), &arguments)
        };
        assert_eq!(written(&to("out")), "");
        let text = fs::read_to_string(folder.path().join("out")).expect("a report");
        assert!(text.contains("CG105") && text.ends_with('\n'), "{format}");
        assert_eq!(to("/dev/full").status.code(), Some(125), "{format}");
        assert_eq!(to("no/folder").status.code(), Some(125), "{format}");
    }
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 1, "nothing else is left there");
}

#[test]
fn findings_make_a_strict_run_fail_in_each_format() {
    let shared = FORMS.iter().map(|it| it.name);
    for format in ["text", "json"].into_iter().chain(shared) {
        let strict = cgsan(
            &root(),
            &["report", "--strict", "--format", format, RECORDED],
        );
        assert_eq!(strict.status.code(), Some(1), "{format}");
    }
}
