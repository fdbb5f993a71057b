//! `cgsan export` and `cgsan report` on the traces of many ranks.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use support::{cgsan, fleet, python, root};

/// How many ranks there are, and of how many events each.
const RANKS: u32 = 1000;
const EVENTS: usize = 100;

fn report(folder: &Path, traces: &[&str]) -> Value {
    let output = cgsan(folder, &[&["report", "--json"], traces].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

/// The ids of a report with how often each was found, and in how many processes.
fn found(report: &Value) -> Vec<(&str, u64, usize)> {
    let findings = report["findings"].as_array().expect("a list");
    let found = findings.iter().map(|finding| {
        let processes = finding["processes"].as_array().expect("a list");
        let count = finding["count"].as_u64().expect("a number");
        (
            finding["id"].as_str().expect("an id"),
            count,
            processes.len(),
        )
    });
    found.collect()
}

#[test]
fn a_thousand_ranks_are_one_report() {
    let folder = tempfile::tempdir().expect("a folder");
    fleet::write(&folder.path().join("traces"), RANKS, EVENTS);
    let report = report(folder.path(), &["traces"]);
    assert_eq!(report["coverage"]["processes"], RANKS);
    assert_eq!(found(&report), [("CG101", 10, 10), ("CG403", 1, 1)]);
    let ranks = report["findings"][0]["processes"]
        .as_array()
        .expect("a list");
    let ranks: Vec<u64> = ranks.iter().filter_map(|it| it["rank"].as_u64()).collect();
    let failing: Vec<u64> = (0..RANKS)
        .filter(|it| fleet::fails(*it))
        .map(u64::from)
        .collect();
    assert_eq!(ranks, failing);
    assert_eq!(report["findings"][0]["processes"][0]["host"], "node-1");
    assert_eq!(report["notes"], json!([]));
}

#[test]
fn a_trace_that_cannot_be_read_is_told_and_a_folder_without_any_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let traces = folder.path().join("traces");
    fleet::write(&traces, 2, EVENTS);
    fs::write(traces.join("lost.cgsan"), "garbage").expect("a file");
    let told = report(folder.path(), &["traces"]);
    assert_eq!(told["coverage"]["processes"], 2);
    let note = told["notes"][0]["text"].as_str().expect("a note");
    assert!(note.contains("lost.cgsan"), "{note}");

    fs::create_dir(folder.path().join("empty")).expect("a folder");
    for command in [&["report"][..], &["export", "--output", "tables"]] {
        let refused = cgsan(folder.path(), &[command, &["empty"]].concat());
        assert_eq!(refused.status.code(), Some(2));
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(told.contains("empty: it holds no traces"), "{told}");
        let named = cgsan(folder.path(), &[command, &["traces/lost.cgsan"]].concat());
        assert_eq!(named.status.code(), Some(2));
    }
    let left = fs::read_dir(folder.path().join("tables")).expect("a folder");
    assert_eq!(left.count(), 0, "what is not whole leaves nothing");
}

#[test]
fn tables_that_cannot_be_written_are_told_and_those_of_before_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    fleet::write(&folder.path().join("traces"), 2, EVENTS);
    let export = ["export", "--output", "tables", "traces"];
    assert!(cgsan(folder.path(), &export).status.success());
    let events = folder.path().join("tables/events.parquet");
    let before = fs::read(&events).expect("a table");
    assert!(before.starts_with(b"PAR1") && before.ends_with(b"PAR1"));

    let command = format!(
        "ulimit -f 1; exec {} {}",
        env!("CARGO_BIN_EXE_cgsan"),
        export.join(" ")
    );
    let refused = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path())
        .output()
        .expect("sh starts");
    assert_eq!(refused.status.code(), Some(125), "{refused:?}");
    assert_eq!(fs::read(&events).expect("a table"), before);
    let count = fs::read_dir(folder.path().join("tables"))
        .expect("a folder")
        .count();
    assert_eq!(count, 5, "no draft is left");
}

#[test]
#[ignore = "needs DuckDB and Polars; `cargo xtask test` runs it"]
fn the_documented_queries_give_the_same_in_duckdb_and_polars() {
    let folder = tempfile::tempdir().expect("a folder");
    fleet::write(&folder.path().join("traces"), RANKS, EVENTS);
    let page = root().join("docs/export.md");
    let documented = fs::read_to_string(&page).expect("the page");
    let command = documented
        .lines()
        .find_map(|line| line.trim().strip_prefix("cgsan export "))
        .expect("the page has the command");
    let (command, _) = command.split_once('#').expect("it is explained");
    let words: Vec<&str> = ["export"]
        .into_iter()
        .chain(command.split_whitespace())
        .collect();
    let exported = cgsan(folder.path(), &words);
    assert!(exported.status.success(), "{exported:?}");

    let output = Command::new(python())
        .arg(root().join("tests/export/queries.py"))
        .arg(page)
        .current_dir(folder.path())
        .output()
        .expect("Python starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let mut answers: BTreeMap<String, Vec<Value>> =
        serde_json::from_slice(&output.stdout).expect("JSON");
    let duckdb = answers.remove("duckdb").expect("DuckDB's answers");
    assert_eq!(answers.remove("polars").expect("those of Polars"), duckdb);

    let [failures, slowest, refusing, captures, operators, endings] = &duckdb[..] else {
        panic!("the page has other queries: {duckdb:?}");
    };
    let failing: Vec<u32> = (0..RANKS).filter(|it| fleet::fails(*it)).collect();
    assert_eq!(failures[0][0], "CG101");
    assert_eq!(failures[0][2], failing.len());
    assert_eq!(failures[0][3], failing[0]);
    assert_eq!(failures[1][0], "CG403");
    assert_eq!(slowest[0][0], fleet::SLOW);
    assert_eq!(
        slowest[4][0], 0,
        "four captures of the slow rank, then others"
    );
    assert_eq!(refusing[0][0], "/job/train.py");
    assert_eq!(refusing[0][2], "cuStreamSynchronize");
    assert_eq!(refusing[0][4], failing.len());
    for (row, rank) in captures.as_array().expect("rows").iter().zip(&failing) {
        assert_eq!(row, &json!([rank, 3]));
    }
    assert_eq!(captures[failing.len()], json!([0, 4]));
    assert_eq!(operators[0][0], "c10d::allreduce_");
    assert_eq!(endings, &json!([]));
}
