//! `cgsan run --memory`, and what a finding about memory says a change would save.

mod support;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use support::{root, temporary_folder};

/// The report of a run with `--memory`, and what the program printed.
fn memory_of(program: &Path) -> (Value, String) {
    let folder = temporary_folder().expect("a folder");
    let report = folder.path().join("report.json");
    let python = support::python();
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["run", "--virtual", "--memory", "--json", "--output"])
        .arg(&report)
        .arg("--")
        .args([python.as_os_str(), program.as_os_str()] as [&OsStr; 2])
        .output()
        .expect("cgsan runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(&report).expect("a report");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (serde_json::from_str(&text).expect("JSON"), stdout)
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn totals_are_those_of_pytorch() {
    let (report, stdout) = memory_of(&root().join("tests/memory/totals.py"));
    let moments = report["memory"][0]["moments"].as_array().expect("moments");
    let said: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert_eq!(said.len(), moments.len(), "{moments:#?}");
    for (said, told) in said.iter().zip(moments) {
        assert_eq!(said["moment"], told["moment"]);
        assert_eq!(said["reserved"], told["reserved"], "{said} {told}");
        assert_eq!(said["allocated"], told["allocated"], "{said} {told}");
        assert_eq!(said["inactive_split"], told["split"], "{said} {told}");
        let number = |value: &Value| value.as_u64().expect("a number");
        let active = number(&told["allocated"]) + number(&told["pending"]);
        assert_eq!(number(&said["active"]), active, "{said} {told}");
        let pools = told["pools"].as_array().expect("pools").iter().map(|it| {
            let id = format!("[{}, {}]", it["pool"][0], it["pool"][1]);
            (id, (number(&it["reserved"]), number(&it["allocated"])))
        });
        let wanted = said["pools"]
            .as_object()
            .expect("pools")
            .iter()
            .map(|(id, it)| (id.clone(), (number(&it[0]), number(&it[1]))));
        assert_eq!(
            wanted.collect::<BTreeMap<_, _>>(),
            pools.collect::<BTreeMap<_, _>>(),
            "{said}"
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn peaks_of_captures_and_of_their_eager_runs_are_those_of_pytorch() {
    let (report, stdout) = memory_of(&root().join("tests/memory/warmed.py"));
    let said: Value = serde_json::from_str(&stdout).expect("a line of JSON");
    let graphs = report["memory"][0]["graphs"].as_array().expect("graphs");
    let told = |field: &str| {
        let values = graphs.iter().map(|it| it[field].clone());
        Value::Array(values.collect())
    };
    assert_eq!(told("peak"), said["captured"], "{graphs:#?}");
    assert_eq!(told("eager_peak"), said["eager"], "{graphs:#?}");
    assert_eq!(report["memory"][0]["virtual_gpu"], true);
    assert_eq!(told("executable"), serde_json::json!([null, null, null]));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_picture_is_drawn_by_a_run_and_again_from_its_trace() {
    let folder = temporary_folder().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let program = root().join("tests/memory/warmed.py");
    let cgsan = || Command::new(env!("CARGO_BIN_EXE_cgsan"));
    let run = cgsan()
        .args(["run", "--virtual", "--save"])
        .arg(at("trace"))
        .arg("--memory-timeline")
        .arg(at("run.svg"))
        .arg("--")
        .args([support::python().as_os_str(), program.as_os_str()] as [&OsStr; 2])
        .output()
        .expect("cgsan runs");
    assert!(run.status.success());
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!said.contains("memory in PyTorch's allocator"), "{said}");
    let report = cgsan()
        .args(["report", "--memory-timeline"])
        .args([at("report.svg"), at("trace")])
        .output()
        .expect("cgsan runs");
    assert!(report.status.success());
    let read = |name: &str| std::fs::read_to_string(at(name)).expect("a picture");
    let picture = read("run.svg");
    assert_eq!(picture, read("report.svg"));
    for part in [
        "capture 3 at ",
        "warmed.py:36",
        "most held: ",
        "most reserved: ",
    ] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
}

/// The most that a run had reserved.
fn peak(report: &Value) -> f64 {
    let moments = report["memory"][0]["moments"].as_array().expect("moments");
    let reserved = moments.iter().filter_map(|it| it["reserved"].as_f64());
    reserved.fold(0.0, f64::max)
}

/// The saving that a report's finding of this id gives, in MiB, and whether it was tried.
fn saving(report: &Value, id: &str) -> (f64, bool) {
    let findings = report["findings"].as_array().expect("findings");
    let finding = findings
        .iter()
        .find(|it| it["id"] == id)
        .expect("the finding");
    let notes = finding["notes"].as_array().expect("notes");
    let note = notes
        .iter()
        .filter_map(Value::as_str)
        .find(|it| it.contains(" saves "));
    let note = note.expect("what a change saves");
    let (_, rest) = note.split_once(" saves ").expect("a size");
    let size = rest.split(' ').next().expect("a number");
    (
        size.parse().expect("a number"),
        note.contains("tried with the recorded"),
    )
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_a_change_saves_is_what_the_repaired_twin_saves() {
    let examples = [
        ("cg302_static_inputs_per_graph", "CG302"),
        ("cg303_pool_per_graph", "CG303"),
        ("cg304_eager_cannot_reuse_graph_pool", "CG304"),
        ("cg305_fragmentation_across_pools", "CG305"),
        ("cg306_recycling_deferred_by_record_stream", "CG306"),
        ("cg307_gradient_accumulator_on_other_stream", "CG307"),
        ("cg308_free_suppressed_in_capture", "CG308"),
        ("cg309_pool_leaked_by_failed_capture", "CG309"),
    ];
    let compared = support::in_parallel(&examples, |(folder, id)| {
        let program = |name: &str| root().join("examples").join(folder).join(name);
        let (fails, _) = memory_of(&program("fails.py"));
        let (fixed, _) = memory_of(&program("fixed.py"));
        let (saved, tried) = saving(&fails, id);
        let end = |report: &Value| {
            let moments = report["memory"][0]["moments"].as_array().expect("moments");
            moments
                .last()
                .and_then(|it| it["reserved"].as_f64())
                .expect("a size")
        };
        // What leaks counts in the end.
        let of: fn(&Value) -> f64 = if *id == "CG309" { end } else { peak };
        let real = (of(&fails) - of(&fixed)) / f64::from(1 << 20);
        (*id, saved, real, tried)
    });
    for (id, saved, real, tried) in compared {
        println!("{id}: {saved} MiB predicted, {real} MiB saved by the repaired twin");
        assert!(tried, "{id} was not tried");
        assert!(
            (saved - real).abs() <= real * 0.05,
            "{id}: {saved} of {real} MiB"
        );
    }
}
