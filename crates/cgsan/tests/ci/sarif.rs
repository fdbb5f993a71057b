//! SARIF, checked with the schema that OASIS published.

use std::fs;

use serde_json::{Value, json};

use super::schema::faults;
use super::{RECORDED, cgsan, report, root};

const SCHEMA: &str = include_str!("schema/sarif-schema-2.1.0.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

/// A log of SARIF, after it was checked.
fn checked(text: &[u8]) -> Value {
    let log: Value = serde_json::from_slice(text).expect("it is JSON");
    assert_eq!(faults(&schema(), &log), [""; 0]);
    log
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let good = checked(report("sarif").as_bytes());
    for (pointer, value) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/message", json!({})),
        ("/runs/0/results/0/occurrenceCount", json!(0)),
        ("/runs/0/tool/driver/name", json!(null)),
        ("/runs/0/tool/driver/rules/0/helpUri", json!("no link")),
    ] {
        let mut log = good.clone();
        *log.pointer_mut(pointer).expect("it is there") = value;
        assert!(!faults(&schema(), &log).is_empty(), "{pointer}");
    }
}

#[test]
fn a_report_is_what_the_schema_says() {
    let mut log = checked(report("sarif").as_bytes());
    let rule = &mut log["runs"][0]["tool"]["driver"]["rules"][0];
    let help = rule["help"]["text"].as_str().expect("there is help");
    assert!(help.contains("wait_stream"), "{help}");
    let link = rule["helpUri"].as_str().expect("there is a link");
    assert!(link.starts_with("https://"), "{link}");
    // The whole entry of the catalogue is tested elsewhere.
    rule["help"] = json!("…");
    rule["fullDescription"] = json!("…");
    insta::assert_snapshot!(format!("{log:#}"));
}

#[test]
fn several_processes_and_no_findings_are_what_the_schema_says() {
    let twice = cgsan(
        &root(),
        &["report", "--format", "sarif", RECORDED, RECORDED],
    );
    let log = checked(&twice.stdout);
    assert_eq!(log["runs"][0]["results"][0]["occurrenceCount"], 2);
    let folder = tempfile::tempdir().expect("a folder");
    let run = [
        "run",
        "--virtual",
        "--format",
        "sarif",
        "--output",
        "out",
        "true",
    ];
    assert_eq!(cgsan(folder.path(), &run).status.code(), Some(0));
    let log = checked(&fs::read(folder.path().join("out")).expect("a report"));
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn what_lint_writes_is_what_the_schema_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "import torch\nopt = torch.optim.Adam([torch.ones(1, device='cuda')])\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    opt.step()\n    x = torch.ones(1, device='cuda').item()\n";
    for (name, text) in [("a: b ü.py", program), ("broken.py", "x = = 1\n")] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let log = checked(&cgsan(folder.path(), &["lint", "--format", "sarif"]).stdout);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    assert!(results.iter().any(|it| it["fixes"].is_array()));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
}
