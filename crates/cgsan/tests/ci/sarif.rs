//! SARIF 2.1.0.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::{RECORDED, cgsan, report, root, written};

/// A log of SARIF: what the standard says of all of them holds.
fn log_in(text: &[u8]) -> Value {
    let log: Value = serde_json::from_slice(text).expect("it is JSON");
    assert_eq!(log["version"], "2.1.0");
    let name = &log["runs"][0]["tool"]["driver"]["name"];
    assert_eq!(name, "cgsan");
    log
}

#[test]
fn a_report_says_where_and_what_helps() {
    let mut log = log_in(report("sarif").as_bytes());
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
fn processes_are_counted_and_no_findings_are_a_list_too() {
    let twice = cgsan(
        &root(),
        &["report", "--format", "sarif", RECORDED, RECORDED],
    );
    let log = log_in(&twice.stdout);
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
    let log = log_in(&fs::read(folder.path().join("out")).expect("a report"));
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn lint_writes_fixes_and_says_what_could_not_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "import torch\nopt = torch.optim.Adam([torch.ones(1, device='cuda')])\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    opt.step()\n    x = torch.ones(1, device='cuda').item()\n";
    for (name, text) in [("a: b ü.py", program), ("broken.py", "x = = 1\n")] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let log = log_in(&cgsan(folder.path(), &["lint", "--format", "sarif"]).stdout);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    assert!(results.iter().any(|it| it["fixes"].is_array()));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
}

#[test]
#[ignore = "needs Python's packages of the tests; `cargo xtask test` runs it"]
fn logs_are_what_others_take_for_sarif() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    let example = "examples/cg101_host_sync_in_capture/fails.py";
    let linted = cgsan(&root(), &["lint", "--format", "sarif", example]);
    let read = |logs: &[PathBuf]| {
        Command::new(std::env::var_os("CGSAN_TEST_PYTHON").expect("CGSAN_TEST_PYTHON"))
            .arg(root().join("tests/ci/sarif.py"))
            .args(logs)
            .output()
            .expect("Python starts")
    };
    let reported = report("sarif");
    let good = [
        kept("report.sarif", reported.as_bytes()),
        kept("lint.sarif", &linted.stdout),
    ];
    insta::assert_snapshot!(written(&read(&good)));

    let bad = reported.replacen("\"level\": \"error\"", "\"level\": \"fatal\"", 1);
    assert_ne!(bad, reported);
    let refused = read(&[kept("bad.sarif", bad.as_bytes())]);
    assert!(!refused.status.success(), "the reader can refuse a log");
}
