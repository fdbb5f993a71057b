//! What a report leaves out: by options, comments, `pyproject.toml` and baselines.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{RECORDED, cgsan, root, written};

/// The file that the recorded trace points into, at line 11.
const FILE: &str = "examples/cg105_stream_not_forked/fails.py";
const LINE: usize = 11;

/// A folder with the recorded trace and the program that it is of, whose line 11 ends in a comment.
fn folder(comment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fs::read_to_string(root().join(FILE)).expect("the program");
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    lines[LINE - 1].push_str(comment);
    fs::create_dir_all(folder.path().join(FILE).parent().expect("a folder")).expect("a folder");
    fs::write(folder.path().join(FILE), lines.join("\n")).expect("a file");
    fs::copy(root().join(RECORDED), folder.path().join("a.cgsan")).expect("a file");
    folder
}

/// What `cgsan report --strict` says in its last lines, and its status.
fn strict(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let arguments = [&["report", "--strict", "a.cgsan"], arguments].concat();
    let output = cgsan(folder, &arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    (in_one_line(&text), output.status.code())
}

/// The words of a text, wherever its lines end.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_finding_is_left_out_by_options_comments_configuration_and_baselines() {
    let plain = folder("");
    assert_eq!(strict(plain.path(), &[]).1, Some(1));
    for (arguments, by) in [
        (["--ignore", "CG1"], "--ignore"),
        (["--select", "CG2"], "--select"),
        (
            ["--write-baseline", "known.json"],
            "the baseline known.json",
        ),
        (["--baseline", "known.json"], "the baseline known.json"),
    ] {
        let (text, status) = strict(plain.path(), &arguments);
        let last = format!("; 1 finding left out by {by}");
        assert!(text.ends_with(&last), "{arguments:?}: {text}");
        assert_eq!(status, Some(0), "{arguments:?}");
    }
    let commented = folder("  # cgsan: ignore[CG105]");
    let (text, status) = strict(commented.path(), &[]);
    assert!(
        text.ends_with("left out by comments in the source"),
        "{text}"
    );
    assert_eq!(status, Some(0));
    let configuration = plain.path().join("pyproject.toml");
    for table in [
        "[tool.cgsan]\nignore = [\"CG105\"]\n",
        "[tool.cgsan]\nselect = [\"CG2\"]\n",
        "[tool.cgsan.per-file-ignores]\n\"examples/**\" = [\"CG1\"]\n",
    ] {
        fs::write(&configuration, table).expect("a file");
        let (text, status) = strict(plain.path(), &[]);
        assert!(
            text.ends_with("left out by pyproject.toml"),
            "{table}: {text}"
        );
        assert_eq!(status, Some(0));
    }
    // The command line goes before the file, and what is for the linter alone is not for runs.
    fs::write(&configuration, "[tool.cgsan]\nignore = [\"CG1\"]\n").expect("a file");
    assert_eq!(strict(plain.path(), &["--select", "CG105"]).1, Some(1));
    fs::write(&configuration, "[tool.cgsan.lint]\nignore = [\"CG1\"]\n").expect("a file");
    assert_eq!(strict(plain.path(), &[]).1, Some(1));
}

#[test]
fn a_baseline_of_a_run_knows_lines_that_moved() {
    let folder = folder("");
    assert_eq!(
        strict(folder.path(), &["--write-baseline", "known.json"]).1,
        Some(0)
    );
    let path = folder.path().join(FILE);
    let source = fs::read_to_string(&path).expect("the program");
    let known = fs::read_to_string(folder.path().join("known.json")).expect("a baseline");
    let line = source.lines().nth(LINE - 1).expect("a line").trim();
    assert!(
        known.contains(&format!("\"line\": {}", Value::from(line))),
        "{known}"
    );
    // Another line in its place is another finding.
    let other = source.replace(line, "y = other()");
    fs::write(&path, other).expect("a file");
    assert_eq!(
        strict(folder.path(), &["--baseline", "known.json"]).1,
        Some(1)
    );
}

#[test]
fn what_leaves_nothing_out_is_told() {
    let commented = folder("  # cgsan: ignore[CG102, cg1o5]");
    let configuration = "[tool.cgsan]\nignore = [\"CG999\"]\n";
    fs::write(commented.path().join("pyproject.toml"), configuration).expect("a file");
    let (text, status) = strict(commented.path(), &["--ignore", "CG3", "--width", "300"]);
    assert_eq!(status, Some(1));
    for told in [
        "`--ignore CG3` left nothing out",
        "[tool.cgsan] names `CG999`, and no id begins with it",
        "no id begins with `cg1o5`; did you mean `CG105`?",
    ] {
        assert!(text.contains(told), "{told} is missing in: {text}");
    }
    let wrong = cgsan(
        commented.path(),
        &["report", "--ignore", "cg105", "a.cgsan"],
    );
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        said.contains("--ignore: no id begins with `cg105`"),
        "{said}"
    );
}

#[test]
fn what_is_left_out_stays_in_what_programs_read() {
    let commented = folder("  # cgsan: ignore[CG105]");
    let report = |format| -> Value {
        let output = cgsan(commented.path(), &["report", "--format", format, "a.cgsan"]);
        serde_json::from_str(&written(&output)).expect("it is JSON")
    };
    let json = report("json");
    assert_eq!(json["findings"], Value::Array(Vec::new()));
    assert_eq!(json["left_out"][0]["by"], "comments in the source");
    assert_eq!(json["left_out"][0]["finding"]["id"], "CG105");
    let result = &report("sarif")["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "CG105");
    assert_eq!(result["suppressions"][0]["kind"], "inSource");
}

#[test]
fn where_nothing_was_judged_strict_fails_unless_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let arguments = [&["run", "--virtual"], arguments, &["--", "true"]].concat();
        let output = cgsan(folder.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (said, output.status.code())
    };
    assert_eq!(run(&[]).1, Some(0));
    assert_eq!(run(&["--strict", "--allow-nothing"]).1, Some(0));
    let (said, status) = run(&["--strict"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("error: --strict: nothing was judged: the program started no Python"),
        "{said}"
    );
    assert!(said.contains("--allow-nothing"), "{said}");
}
