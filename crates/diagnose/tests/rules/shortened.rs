//! What was recorded first gives way to what was found in it: the report is that of the whole trace, as far as it can be.

use cgsan_diagnose::{diagnose, shorten};
use cgsan_finding::Report;
use cgsan_model::{Call, CaptureMode};
use cgsan_trace::{Counted, Record, Trace};

use crate::support::{LEGACY, ORIGIN, Program, exec, observed};

const X: u64 = 0x1000;
const Y: u64 = 0x2000;

/// A time in which things were only counted.
fn gap(program: &mut Program) {
    program.push(Record::Counted(Counted {
        calls: 1,
        ..Counted::default()
    }));
}

/// A capture that fails because a value is read.
fn reads_a_value(program: &mut Program, line: u32) {
    let with = format!("train.py:{line} step");
    program.at(&[&with]).begin_graph(CaptureMode::Global);
    let reads = format!("train.py:{} step", line + 1);
    program.at(&[&reads]).item(ORIGIN);
    program.at(&[&with]).end_graph();
}

/// A trace whose entries gave way up to the last gap.
fn shortened(program: &mut Program) -> (Trace, Vec<u8>) {
    let bytes = shorten(program.trace(), &program.bytes(), 0).expect("a place to cut");
    (Trace::parse(&bytes).expect("a trace"), bytes)
}

fn ids(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|it| it.id).collect()
}

#[test]
fn what_was_found_stays_and_is_counted_on() {
    let mut program = Program::new();
    reads_a_value(&mut program, 4);
    gap(&mut program);
    reads_a_value(&mut program, 4);
    gap(&mut program);
    reads_a_value(&mut program, 4);
    let whole = diagnose(&program.trace());
    let (trace, bytes) = shortened(&mut program);
    assert!(trace.summarized().is_some_and(|it| it.entries > 10));
    assert!(trace.entries().len() < program.trace().entries().len() / 2);
    let report = diagnose(&trace);
    assert_eq!((ids(&report), ids(&whole)), (vec!["CG101"], vec!["CG101"]));
    let [short, whole] = [&report, &whole].map(|it| observed(&it.findings[0]));
    assert_eq!((short.count, whole.count), (3, 3));
    assert_eq!(short.processes.len(), 1);
    let coverage = report.coverage.expect("it was watched");
    assert_eq!((coverage.captures, coverage.processes), (3, 1));
    assert!(report.notes.iter().any(|it| it.text.contains("gave way")));
    // There is no later place to cut it.
    assert_eq!(shorten(trace, &bytes, 0), None);
}

#[test]
fn a_replay_harms_what_was_captured_before() {
    let mut program = Program::new();
    program
        .at(&["train.py:3 main"])
        .make("ones", LEGACY, &[], X);
    program.at(&["train.py:5 main"]).graph(1, |it| {
        it.at(&["train.py:6 main"]).captured("mul", X, Y);
    });
    program.at(&["train.py:7 main"]).replay(1);
    gap(&mut program);
    program.at(&["train.py:8 main"]).replay(1);
    program.at(&["train.py:9 main"]).free(X);
    program
        .at(&["train.py:10 main"])
        .make("randn", LEGACY, &[], X);
    program.at(&["train.py:11 main"]).replay(1);
    let whole = program.ids();
    assert_eq!(whole.len(), 1);
    let (trace, _) = shortened(&mut program);
    assert_eq!(ids(&diagnose(&trace)), whole);
}

#[test]
fn a_graph_whose_replays_gave_way_is_not_unused() {
    for is_replayed in [false, true] {
        let mut program = Program::new();
        program
            .at(&["train.py:3 main"])
            .make("ones", LEGACY, &[], X);
        program.at(&["train.py:5 main"]).graph(1, |it| {
            it.at(&["train.py:6 main"]).captured("mul", X, Y);
        });
        if is_replayed {
            program.at(&["train.py:7 main"]).replay(1);
        }
        gap(&mut program);
        for result in [0x3000, 0x4000, 0x5000] {
            program.at(&["train.py:6 main"]).eager("mul", X, result);
        }
        let (trace, _) = shortened(&mut program);
        // It may be replayed later, or was before: neither is known.
        assert_eq!(ids(&diagnose(&trace)), [""; 0]);
    }
}

#[test]
fn graphs_that_are_gone_leave_nothing_behind() {
    let length = |captures: u64| {
        let mut program = Program::new();
        program
            .at(&["train.py:3 main"])
            .make("ones", LEGACY, &[], X);
        for number in 0..captures {
            program.at(&["train.py:5 main"]).graph(1, |it| {
                it.at(&["train.py:6 main"]).captured("mul", X, Y);
            });
            program.at(&["train.py:7 main"]).replay(1).free(Y);
            program.call(Call::GraphExecDestroy { exec: exec(1) });
            program.push(Record::Watched {
                on: number % 2 == 0,
            });
            gap(&mut program);
        }
        program.at(&["train.py:9 main"]).eager("mul", X, Y);
        let (trace, bytes) = shortened(&mut program);
        let report = diagnose(&trace);
        let coverage = report.coverage.expect("it was watched");
        assert_eq!(coverage.captures, captures);
        bytes.len()
    };
    let [few, many] = [20, 200].map(length);
    assert!(many < few + 100, "{few} and {many} bytes");
}
