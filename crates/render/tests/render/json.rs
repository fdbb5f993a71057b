//! JSON, and that it is what the schema says.

use cgsan_finding::{Coverage, Gap, Note, NoteLevel, Report};
use cgsan_render::{Ending, Run, json};
use serde_json::{Value, json};

use crate::schema::faults;
use crate::{graphs, memory, sample};

const SCHEMA: &str = include_str!("../../schema/report.v1.json");

fn run() -> Run {
    Run {
        program: vec!["python".to_owned(), "train.py".to_owned()],
        ending: Ending::Status(1),
        ..Run::default()
    }
}

fn parse(report: &Report, run: &Run) -> Value {
    serde_json::from_str(&json(report, run)).expect("the output is JSON")
}

/// Reports that between them fill every field.
fn reports() -> Vec<Report> {
    let mut reports = sample::all();
    reports.push(Report::default());
    reports.push(Report {
        memory: Some(vec![memory::two_graphs()]),
        ..Report::default()
    });
    reports.push(Report {
        graphs: Some(vec![graphs::two_streams()]),
        ..Report::default()
    });
    reports.push(Report {
        coverage: Some(Coverage {
            captures: 2,
            operators: Some(7),
            processes: 2,
            ranks: vec![0, 1],
            not_watched: vec![
                Gap::new("calls to CUDA", Some("another tool watches them")),
                Gap::new("operators", None),
            ],
            ..Coverage::default()
        }),
        ..Report::default()
    });
    reports[0].notes = vec![
        Note {
            level: NoteLevel::Error,
            ..Note::new("the trace was cut off", None)
        },
        Note::new(
            "a function is missing",
            Some(sample::place("train.py", 4, "step")),
        ),
    ];
    reports
}

#[test]
fn a_report_as_json() {
    insta::assert_snapshot!(json(&sample::other_thread(), &run()));
}

#[test]
fn the_promised_fields_are_there() {
    let document = parse(&sample::other_thread(), &run());
    assert_eq!(document["version"], 1);
    let finding = &document["findings"][0];
    assert_eq!(finding["id"], "CG112");
    assert_eq!(finding["confidence"], "confirmed");
    assert_eq!(finding["location"]["line"], 5);
    assert_eq!(finding["call"]["function"], "cuMemHostAlloc");
    assert_eq!(finding["call"]["code"], 900);
    assert_eq!(finding["thread"]["name"], "Thread-1 (pin)");
    assert_eq!(finding["capture"]["mode"], "global");
    assert_eq!(finding["consequences"][0]["id"], "CG190");
}

#[test]
fn every_report_fulfils_the_schema() {
    let schema = schema();
    for report in reports() {
        for ending in [Ending::Status(0), Ending::Status(1), Ending::Signal(9)] {
            let document = parse(&report, &Run { ending, ..run() });
            assert_eq!(faults(&schema, &document), [""; 0]);
        }
    }
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = schema();
    let good = parse(&sample::host_sync(), &run());
    let wrong = [
        ("/version", json!(2)),
        ("/exit", json!("1")),
        ("/findings/0/id", json!("CG1")),
        ("/findings/0/confidence", json!("certain")),
        ("/findings/0/location", json!({"file": "a.py"})),
        ("/findings/0/location/column", json!("7")),
        ("/findings/0/location/cell", json!({"number": 1})),
        ("/findings/0/call/code", json!("900")),
        ("/findings/0/thread", json!(1)),
        ("/notes", json!(null)),
        ("/coverage", json!(1)),
    ];
    for (pointer, value) in wrong {
        let mut document = good.clone();
        *document.pointer_mut(pointer).expect("it is there") = value;
        assert!(!faults(&schema, &document).is_empty(), "{pointer}");
    }
    let mut document = good;
    document["surprise"] = json!(true);
    assert!(!faults(&schema, &document).is_empty());
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}
