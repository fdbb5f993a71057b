//! `cgsan lint` on the command line: what it reads, how it writes, what it repairs, and how it ends.

mod arguments;
mod files;
mod output;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

const FAILS: &str = "\
import torch

x = torch.ones(8, device=\"cuda\")
graph = torch.cuda.CUDAGraph()


def loss(value):
    return value.sum().item()


with torch.cuda.graph(graph):
    y = x + 1
    loss(y)
graph.replay()
";

const QUIET: &str = "import torch\n\nx = torch.ones(8)\nprint(x.sum().item())\n";

/// A folder with these files, none of which is known to git.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    folder
}

fn lint(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(CGSAN)
        .arg("lint")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("VIRTUAL_ENV")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
    // It may end before it has read all.
    let _ = child
        .stdin
        .take()
        .expect("it is piped")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("cgsan ends")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is UTF-8")
}

fn report_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

fn ids(output: &Output) -> Vec<String> {
    report_of(output)["findings"]
        .as_array()
        .expect("there is a list")
        .iter()
        .map(|it| it["id"].as_str().expect("it has an id").to_owned())
        .collect()
}

#[test]
fn a_finding_shows_the_calls_that_lead_to_it() {
    let folder = folder(&[("fails.py", FAILS)]);
    let output = lint(folder.path(), &["fails.py", "--width", "90"], "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output));
}

#[test]
fn the_exit_status_tells_findings_from_wrong_arguments() {
    let folder = folder(&[("fails.py", FAILS), ("quiet.py", QUIET)]);
    let status = |arguments: &[&str]| lint(folder.path(), arguments, "").status.code();
    assert_eq!(status(&["quiet.py"]), Some(0));
    assert_eq!(status(&["."]), Some(1));
    assert_eq!(status(&["missing.py"]), Some(2));
    assert_eq!(status(&["--torch", "new"]), Some(2));
    assert_eq!(status(&["--select", "CG999"]), Some(2));
    assert_eq!(status(&["--ignore", "cg1"]), Some(2));
    assert_eq!(status(&["--select", "CG2"]), Some(0));
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_looked_at() {
    let folder = folder(&[("fails.py", FAILS), ("n.ipynb", "{\"cells\": 3}")]);
    fs::write(folder.path().join("latin.py"), b"x = '\xe9'\n").expect("it can be written");
    let output = lint(folder.path(), &["--width", "200"], "");
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(
        text.contains("CG101") && text.contains("--> n.ipynb\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "error: this file was not checked: it is not UTF-8; save it as UTF-8\n--> latin.py\n"
        ),
        "{text}"
    );
}

#[test]
fn a_folder_without_python_is_told() {
    let output = lint(folder(&[("a.txt", FAILS)]).path(), &[], "");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no Python file"));
}

#[test]
fn folders_are_searched_and_gitignore_is_respected() {
    let folder = folder(&[
        ("src/fails.py", FAILS),
        ("build/fails.py", FAILS),
        ("src/notes.txt", FAILS),
        (".gitignore", "build/\n"),
    ]);
    let report = report_of(&lint(folder.path(), &["--json"], ""));
    let files: Vec<_> = report["findings"]
        .as_array()
        .expect("there is a list")
        .iter()
        .map(|it| it["location"]["file"].clone())
        .collect();
    assert_eq!(files, ["src/fails.py"]);
}

#[test]
fn standard_input_is_looked_at_and_repaired() {
    let folder = folder(&[]);
    let fails = "import torch\ng = torch.cuda.CUDAGraph()\nx = torch.ones(4, device=\"cuda\")\nwith torch.cuda.graph(g):\n    y = x + torch.tensor([1.0], device=\"cuda\")\n";
    let found = lint(
        folder.path(),
        &["-", "--json", "--stdin-filename", "a.py"],
        fails,
    );
    assert_eq!(ids(&found), ["CG102"]);
    let repaired = lint(folder.path(), &["-", "--fix"], fails);
    assert_eq!(repaired.status.code(), Some(0));
    assert_eq!(
        text(&repaired),
        "import torch\ng = torch.cuda.CUDAGraph()\nx = torch.ones(4, device=\"cuda\")\nstatic_value = torch.tensor([1.0], device=\"cuda\")\nwith torch.cuda.graph(g):\n    y = x + static_value\n"
    );
}

#[test]
fn a_notebook_is_one_program() {
    let cell = |source: &str| json!({"cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": source});
    let (first, second) = FAILS.split_at(FAILS.find("with").expect("it captures"));
    let notebook = json!({
        "cells": [cell(first), cell(second)],
        "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
    });
    let folder = folder(&[("notebook.ipynb", &notebook.to_string())]);
    assert_eq!(ids(&lint(folder.path(), &["--json"], "")), ["CG101"]);
}

#[test]
fn a_repair_of_a_notebook_touches_the_lines_that_change_alone() {
    // As no program writes it: what is not to be changed must survive all the same.
    let notebook = |capture: &str| {
        format!(
            "{{\"nbformat\": 4,   \"nbformat_minor\": 2, \"metadata\": {{\"x\": 1.50}},\n \"cells\": [\n\
             {{\"cell_type\":\"markdown\",\"metadata\":{{}},\"source\":\"\\u0041\"}},\n\
             {{\"cell_type\":\"code\",\"metadata\":{{}},\"execution_count\":null,\"outputs\":[],\n\
             \"source\":[\"%matplotlib inline\\n\",\"import torch\\n\", \"g = torch.cuda.CUDAGraph()\\n\", \"x = torch.ones(4, device='cuda')\"]}},\n\
             {{\"source\": [\n  {capture}\n ], \"cell_type\":\"code\",\"metadata\":{{}},\"execution_count\":7,\"outputs\":[]}}]}}"
        )
    };
    let with = "\"with torch.cuda.graph(g):\\n\"";
    let before = notebook(&format!(
        "{with},\n  \"    y = x + torch.tensor([1.0], device='cuda')\""
    ));
    let after = notebook(&format!(
        "\"static_value = torch.tensor([1.0], device='cuda')\\n\",\n  {with},\n  \"    y = x + static_value\""
    ));
    let folder = folder(&[("notebook.ipynb", &before)]);
    let path = folder.path().join("notebook.ipynb");
    let shown = text(&lint(folder.path(), &["--diff"], ""));
    assert!(shown.contains("+  \"static_value = "), "{shown}");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), before);
    assert_eq!(lint(folder.path(), &["--fix"], "").status.code(), Some(0));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), after);
}

#[test]
fn what_is_wanted_can_be_said_in_pyproject() {
    let fails = folder(&[("src/fails.py", FAILS), ("tests/fails.py", FAILS)]);
    let with = |table: &str| {
        fs::write(fails.path().join("pyproject.toml"), table).expect("it can be written");
        lint(fails.path(), &["--json"], "")
    };
    assert_eq!(ids(&with("[tool.cgsan.lint]\n")).len(), 2);
    assert_eq!(
        ids(&with("[tool.cgsan.lint]\nignore = [\"CG1\"]\n")).len(),
        0
    );
    let some = "[tool.cgsan.lint.per-file-ignores]\n\"tests/*\" = [\"CG101\"]\n";
    assert_eq!(ids(&with(some)).len(), 1);
    for (table, named) in [
        ("[tool.cgsan.lnt]\n", "unknown field `lnt`"),
        ("[tool]\ncgsan = 5\n", "invalid type"),
        ("[tool.cgsan]\nlint = 5\n", "invalid type"),
        ("[tool.cgsan.lint]\ntorch = \"new\"\n", "new"),
    ] {
        let refused = with(table);
        assert_eq!(refused.status.code(), Some(2), "{table}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(named), "{table}: {said}");
    }
    let all = "[tool.cgsan]\nignore = [\"CG101\"]\n[tool.cgsan.lint]\nignore = [\"CG2\"]\n";
    assert_eq!(ids(&with(all)).len(), 0);
    let no_id = with("[tool.cgsan]\nignore = [\"CG999\"]\n");
    assert_eq!((ids(&no_id).len(), no_id.status.code()), (2, Some(1)));
    assert!(text(&no_id).contains("no id begins with it"));
    let wrong = with("[tool.cgsan.lint]\nignores = []\n");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("unknown field"));
}

#[test]
fn comments_leave_out_what_is_on_their_line_and_say_what_they_are_good_for() {
    let line = "    return value.sum().item()";
    assert!(FAILS.contains(line), "{FAILS}");
    let with = |comment: &str| {
        let program = FAILS.replace(line, &format!("{line}  # cgsan: {comment}"));
        let folder = folder(&[("fails.py", &program)]);
        let output = lint(folder.path(), &["--width", "200"], "");
        (text(&output), output.status.code())
    };
    for comment in ["ignore[CG101]", "ignore[CG1, CG203]", "ignore"] {
        let (said, status) = with(comment);
        assert_eq!(status, Some(0), "{said}");
        let last = "1 finding left out by comments in the source";
        assert!(said.trim_end().ends_with(last), "{said}");
    }
    let (said, _) = with("ignore[CG1, CG203]");
    assert!(
        said.contains("`cgsan lint` finds no CG203 on this line"),
        "{said}"
    );
    let (said, status) = with("ignore[CG102]");
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("`cgsan lint` finds no CG102 on this line"),
        "{said}"
    );
    // What only a run can find is left to it.
    let (said, _) = with("ignore[CG101, CG405]");
    assert!(!said.contains("note"), "{said}");
}

#[test]
fn a_baseline_hides_what_is_known_though_lines_move() {
    let folder = folder(&[("fails.py", FAILS)]);
    let written = lint(folder.path(), &["--write-baseline", "known.json"], "");
    assert_eq!(written.status.code(), Some(0));
    fs::write(
        folder.path().join("fails.py"),
        format!("# a line more\n{FAILS}"),
    )
    .expect("it can be written");
    let known = lint(folder.path(), &["--baseline", "known.json"], "");
    assert_eq!(known.status.code(), Some(0), "{}", text(&known));
    let wrong = lint(folder.path(), &["--baseline", "fails.py"], "");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_difference_is_shown_and_nothing_is_changed() {
    let fails = "import torch\nopt = torch.optim.Adam([torch.ones(1, device=\"cuda\")])\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    opt.step()\n";
    let folder = folder(&[("fails.py", fails)]);
    let output = lint(folder.path(), &["--diff"], "");
    assert!(
        text(&output).contains(
            "+opt = torch.optim.Adam([torch.ones(1, device=\"cuda\")], capturable=True)\n"
        )
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("fails.py")).expect("it is there"),
        fails
    );
    lint(folder.path(), &["--fix"], "");
    assert_eq!(lint(folder.path(), &["--fix"], "").status.code(), Some(0));
}

#[test]
fn broken_python_is_said_and_the_rest_is_looked_at() {
    let folder = folder(&[("broken.py", "def f(:\n"), ("fails.py", FAILS)]);
    let report = report_of(&lint(folder.path(), &["--json"], ""));
    assert_eq!(report["notes"][0]["location"]["file"], "broken.py");
    assert_eq!(report["findings"][0]["id"], "CG101");
}
