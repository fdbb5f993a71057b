//! The formats, and what goes with them.

use std::fs;

use serde_json::{Value, json};

use super::{FAILS, QUIET, folder, ids, lint, report_of, text};

/// A capture with two mistakes, one of which can be repaired; a wide character, a tab and a comment in the way.
const TWO: &str = "import torch\n\nopt = torch.optim.Adam([torch.ones(1, device=\"cuda\")])\nx = torch.ones(4, device=\"cuda\")\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n\topt.step()\n\t数 = [\"数\", x.sum().item()]  # read\n";

/// The notebook of a capture in its last cell, as Jupyter writes it.
fn notebook() -> String {
    let (first, second) = FAILS.split_at(FAILS.find("with").expect("it captures"));
    let code = |source: &str| json!({"cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": source.split_inclusive('\n').collect::<Vec<_>>()});
    let cells = [
        json!({"cell_type": "markdown", "metadata": {}, "source": ["# A graph\n"]}),
        code(first),
        code(second),
    ];
    let whole = json!({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5});
    format!("{whole:#}\n")
}

#[test]
fn exactly_what_is_meant_is_underlined() {
    let folder = folder(&[("two.py", TWO)]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--width", "100"], "")));
}

#[test]
fn places_in_a_notebook_are_those_of_its_cells() {
    let folder = folder(&[("n.ipynb", &notebook())]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--width", "100"], "")));
    let report = report_of(&lint(folder.path(), &["--json"], ""));
    let location = &report["findings"][0]["location"];
    assert_eq!(location["cell"], json!({"number": 2, "line": 8}));
}

#[test]
fn json_has_the_columns() {
    let folder = folder(&[("two.py", TWO)]);
    let report = report_of(&lint(folder.path(), &["--json"], ""));
    let location = &report["findings"][1]["location"];
    assert_eq!(
        location,
        &json!({"file": "two.py", "line": 7, "column": 12, "end_line": 7, "end_column": 26, "cell": null, "function": "<module>"})
    );
    assert_eq!(report["findings"][0]["labels"][0]["location"]["column"], 7);
}

#[test]
fn a_syntax_error_is_shown_at_its_place() {
    let folder = folder(&[("broken.py", "x = 数 (\ny = = 1\n")]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--width", "80"], "")));
}

#[test]
fn editors_read_a_line_a_finding() {
    let folder = folder(&[
        ("two.py", TWO),
        ("broken.py", "x = = 1\n"),
        ("n.ipynb", &notebook()),
    ]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--format", "concise"], "")));
}

#[test]
fn annotations_of_github_have_the_place_twice() {
    let folder = folder(&[("two.py", TWO), ("n.ipynb", &notebook())]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--format", "github"], "")));
}

/// A capture that takes more steps than one file is given: each function calls the one before twice.
fn endless() -> String {
    let calls = (1..20).fold(String::new(), |text, at| {
        let before = at - 1;
        format!("{text}def f{at}(x):\n    return f{before}(f{before}(x))\n")
    });
    format!(
        "import torch\n\n\ndef f0(x):\n    return x + 1\n{calls}x = torch.ones(4, device=\"cuda\")\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    y = f19(x)\n    print(y.sum().item())\n"
    )
}

#[test]
fn people_read_that_a_file_was_evaluated_in_part() {
    let folder = folder(&[("endless.py", &endless())]);
    let done = lint(folder.path(), &["--width", "100"], "");
    assert_eq!(done.status.code(), Some(0));
    insta::assert_snapshot!(text(&done));
}

#[test]
fn editors_read_that_a_file_was_evaluated_in_part() {
    let folder = folder(&[("endless.py", &endless())]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--format", "concise"], "")));
}

#[test]
fn annotations_say_that_a_file_was_evaluated_in_part() {
    let folder = folder(&[("endless.py", &endless())]);
    insta::assert_snapshot!(text(&lint(folder.path(), &["--format", "github"], "")));
}

#[test]
fn json_says_that_a_file_was_evaluated_in_part() {
    let folder = folder(&[("endless.py", &endless())]);
    let note = &report_of(&lint(folder.path(), &["--json"], ""))["notes"][0];
    assert_eq!(note["level"], "note");
    assert_eq!(note["location"]["file"], "endless.py");
    let counts = lint(folder.path(), &["--json", "--statistics"], "");
    let counts: Value = serde_json::from_slice(&counts.stdout).expect("it is JSON");
    assert_eq!(counts["unfinished"], 1);
}

#[test]
fn sarif_says_that_a_file_was_evaluated_in_part() {
    let folder = folder(&[("endless.py", &endless())]);
    let log = lint(folder.path(), &["--format", "sarif"], "");
    let log: Value = serde_json::from_slice(&log.stdout).expect("it is JSON");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "note");
    let place = &notification["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "endless.py");
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let folder = folder(&[
        ("two.py", TWO),
        ("broken.py", "x = = 1\n"),
        ("n.ipynb", &notebook()),
    ]);
    let sarif = report_of(&lint(folder.path(), &["--format", "sarif"], ""));
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = list(&run["tool"]["driver"]["rules"]);
    let results = list(&run["results"]);
    assert_eq!(results.len(), 3);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("it has a rule");
        assert_eq!(
            rules[usize::try_from(index).expect("it is small")]["id"],
            result["ruleId"]
        );
        assert!(["error", "warning", "note"].contains(&string(&result["level"])));
        assert!(!string(&result["message"]["text"]).is_empty());
        let places = list(&result["locations"])
            .iter()
            .chain(list(&result["relatedLocations"]));
        for place in places {
            let place = &place["physicalLocation"];
            assert!(!string(&place["artifactLocation"]["uri"]).is_empty());
            assert!(place["region"]["startLine"].as_u64() >= Some(1), "{place}");
        }
    }
    let region = &results[2]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        region,
        &json!({"startLine": 7, "startColumn": 12, "endLine": 7, "endColumn": 26})
    );
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(list(&invocation["toolExecutionNotifications"]).len(), 1);
}

#[test]
fn a_notebooks_region_is_in_the_file() {
    let notebook = notebook();
    let folder = folder(&[("n.ipynb", &notebook)]);
    let sarif = report_of(&lint(folder.path(), &["--format", "sarif"], ""));
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let line = place["region"]["startLine"]
        .as_u64()
        .expect("it has a line");
    let line = notebook
        .lines()
        .nth(usize::try_from(line).expect("it is small") - 1);
    assert!(line.is_some_and(|it| it.contains(".item()")), "{place}");
}

/// A text with the fixes of SARIF's results applied, which do not touch each other. All are of this text.
fn with_fixes(text: &str, results: &[Value]) -> String {
    let offset = |line: &Value, column: &Value| {
        let number = |it: &Value| usize::try_from(it.as_u64().expect("a number")).expect("small");
        let before = text.split_inclusive('\n').take(number(line) - 1);
        let line = before.clone().map(str::len).sum::<usize>();
        let columns = text[line..].chars().take(number(column) - 1);
        line + columns.map(char::len_utf8).sum::<usize>()
    };
    let fixes = results.iter().filter_map(|it| it["fixes"].as_array());
    let mut edits: Vec<_> = fixes
        .flatten()
        .flat_map(|fix| list(&fix["artifactChanges"][0]["replacements"]))
        .map(|it| {
            let region = &it["deletedRegion"];
            let start = offset(&region["startLine"], &region["startColumn"]);
            let end = offset(&region["endLine"], &region["endColumn"]);
            (start..end, string(&it["insertedContent"]["text"]))
        })
        .collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in edits {
        text.replace_range(range, new);
    }
    text
}

#[test]
fn fixes_of_sarif_are_those_that_fix_makes() {
    let folder = folder(&[("two.py", TWO)]);
    let sarif = report_of(&lint(folder.path(), &["--format", "sarif"], ""));
    let results = list(&sarif["runs"][0]["results"]);
    let fix = &results[0]["fixes"][0];
    assert_eq!(fix["description"]["text"], "pass `capturable=True`");
    let change = &fix["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "two.py");
    lint(folder.path(), &["--fix"], "");
    let fixed = fs::read_to_string(folder.path().join("two.py")).expect("it is there");
    assert_ne!(fixed, TWO);
    assert_eq!(with_fixes(TWO, results), fixed);
}

#[test]
fn sarif_has_no_fix_that_is_unsafe_or_does_not_help() {
    let useless = "import torch\nfrom torch import nn\n\nfirst, second = nn.Linear(8, 8).cuda(), nn.Linear(8, 8).cuda()\noptimizer = torch.optim.Adam(first.parameters(), capturable=True)\noptimizer.add_param_group({\"params\": second.parameters(), \"capturable\": False})\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    optimizer.step()\n";
    let folder = folder(&[
        ("unsafe.py", FAILS),
        ("useless.py", useless),
        ("n.ipynb", &notebook()),
    ]);
    let sarif = report_of(&lint(folder.path(), &["--format", "sarif"], ""));
    let results = list(&sarif["runs"][0]["results"]);
    assert_eq!(results.len(), 3);
    assert!(
        results.iter().all(|it| it["fixes"].is_null()),
        "{results:?}"
    );
}

#[test]
fn a_repair_that_the_help_names_is_not_named_twice() {
    let program = "import torch\nimport torch.utils.checkpoint as c\n\n\ndef f(x):\n    return c.checkpoint(torch.relu, x, use_reentrant=True, preserve_rng_state=False)\n\n\nf = torch.cuda.make_graphed_callables(f, (torch.ones(4, device=\"cuda\", requires_grad=True),))\n";
    let folder = folder(&[("reentrant.py", program)]);
    let report = report_of(&lint(folder.path(), &["--json"], ""));
    assert_eq!(
        report["findings"][0]["help"],
        json!([
            "pass `use_reentrant=False` to `torch.utils.checkpoint.checkpoint`; `cgsan lint --fix` can do it"
        ])
    );
}

#[test]
fn statistics_count_by_id() {
    let folder = folder(&[("two.py", TWO), ("fails.py", FAILS), ("quiet.py", QUIET)]);
    let output = lint(folder.path(), &["--statistics"], "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output), @r"
    2  CG101      host-sync-in-capture
    1  CG129  [*] optimizer-not-capturable
    cgsan: 3 findings (3 files, for PyTorch 2.11; `--fix` repairs 1)
    ");
    let counted = report_of(&lint(folder.path(), &["--statistics", "--json"], ""));
    assert_eq!(
        (&counted["files"], &counted["findings"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(
        counted["statistics"][1],
        json!({"id": "CG129", "name": "optimizer-not-capturable", "count": 1, "repairable": 1})
    );
    let refused = lint(folder.path(), &["--statistics", "--format", "sarif"], "");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_report_goes_to_the_file_that_is_named() {
    let folder = folder(&[("fails.py", FAILS)]);
    let output = lint(folder.path(), &["--json", "--output", "report.json"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output), "");
    let report = fs::read_to_string(folder.path().join("report.json")).expect("it is there");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(report["findings"][0]["id"], "CG101");
    let nowhere = lint(folder.path(), &["--output", "no/folder"], "");
    assert_ne!(nowhere.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("create the folder first"));
}

#[test]
fn quiet_leaves_the_findings() {
    let folder = folder(&[("quiet.py", QUIET)]);
    let output = lint(folder.path(), &["--quiet"], "");
    assert_eq!(
        (output.status.code(), text(&output)),
        (Some(0), String::new())
    );
    fs::write(folder.path().join("fails.py"), FAILS).expect("it can be written");
    let output = lint(folder.path(), &["-q", "--format", "concise"], "");
    let title = "CG101 `.item()` reads a value from the device inside a capture";
    assert_eq!(text(&output), format!("fails.py:8:12: {title}\n"));
}

#[test]
fn colours_are_for_terminals() {
    let folder = folder(&[("fails.py", FAILS)]);
    assert!(!text(&lint(folder.path(), &[], "")).contains('\x1b'));
    assert!(text(&lint(folder.path(), &["--color", "always"], "")).contains('\x1b'));
    // Links that a terminal opens begin so.
    assert!(!text(&lint(folder.path(), &["--color", "always"], "")).contains("\x1b]8;"));
}

#[test]
fn standard_input_has_the_name_that_it_is_given() {
    let folder = folder(&[]);
    let named = lint(
        folder.path(),
        &["-", "--format", "concise", "--stdin-filename", "a.py"],
        TWO,
    );
    assert!(
        text(&named).starts_with("a.py:6:2: CG129 "),
        "{}",
        text(&named)
    );
    let nameless = lint(folder.path(), &["-", "--json"], TWO);
    assert_eq!(ids(&nameless), ["CG129", "CG101"]);
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("it is a list")
}

fn string(value: &Value) -> &str {
    value.as_str().expect("it is a string")
}
