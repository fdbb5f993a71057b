//! Parts of a program, such as tests, are judged by themselves.

use cgsan_diagnose::{Part, diagnose, narrow};
use cgsan_model::{Call, CaptureMode};
use cgsan_trace::AgentEvent;

use crate::support::{LEGACY, ORIGIN, Program, exec, tensor};

const X: u64 = 0x1000;
const Y: u64 = 0x2000;

fn part(program: &mut Program, name: &str) {
    let name = name.to_owned();
    program.agent(AgentEvent::PartBegins { name });
}

/// The ids of what is found in a part; `None` if the program has none of this name.
fn found(program: &mut Program, part: Part<'_>) -> Option<Vec<&'static str>> {
    let mut trace = program.trace();
    narrow(&mut trace, part).then(|| {
        let report = diagnose(&trace);
        report.findings.iter().map(|finding| finding.id).collect()
    })
}

/// A capture that fails because a value is read.
fn reads_a_value(program: &mut Program) {
    program.at(&["test.py:4 test"]);
    program.begin_graph(CaptureMode::Global);
    program.at(&["test.py:5 test"]).item(ORIGIN);
    program.at(&["test.py:4 test"]).end_graph();
}

#[test]
fn a_part_is_charged_with_what_it_does() {
    let mut program = Program::new();
    part(&mut program, "first");
    reads_a_value(&mut program);
    part(&mut program, "second");
    part(&mut program, "third");
    reads_a_value(&mut program);
    reads_a_value(&mut program);
    let ids = |name| found(&mut program, Part::Named(name));
    assert_eq!(
        ["first", "second", "third", "fourth"].map(ids),
        [Some(vec!["CG101"]), Some(vec![]), Some(vec!["CG101"]), None]
    );
}

#[test]
fn the_last_of_several_parts_of_a_name_counts() {
    let mut program = Program::new();
    part(&mut program, "flaky");
    reads_a_value(&mut program);
    part(&mut program, "flaky");
    assert_eq!(found(&mut program, Part::Named("flaky")), Some(vec![]));
}

#[test]
fn a_program_that_names_no_part_is_one() {
    let mut program = Program::new();
    reads_a_value(&mut program);
    let all = Some(vec!["CG101"]);
    assert_eq!(found(&mut program, Part::Named("any")), all);
    assert_eq!(found(&mut program, Part::Untold), all);
}

#[test]
fn what_was_told_is_not_told_again() {
    let mut program = Program::new();
    part(&mut program, "first");
    reads_a_value(&mut program);
    program.agent(AgentEvent::PartsTold);
    assert_eq!(found(&mut program, Part::Untold), Some(vec![]));
    program.begin_graph(CaptureMode::Global);
    program.item(ORIGIN);
    program.end_graph();
    assert_eq!(found(&mut program, Part::Untold), Some(vec!["CG101"]));
}

#[test]
fn graphs_and_tensors_of_an_earlier_part_are_known() {
    let mut program = Program::new();
    part(&mut program, "captures");
    program
        .at(&["test.py:3 graph"])
        .make("ones", LEGACY, &[], X);
    program.at(&["test.py:5 graph"]).graph(1, |it| {
        it.at(&["test.py:6 graph"]).captured("mul", X, Y);
    });
    part(&mut program, "replays");
    program.at(&["test.py:8 test"]).replay(1);
    program.at(&["test.py:9 test"]).free(X);
    program
        .at(&["test.py:10 test"])
        .make("randn", LEGACY, &[], X);
    program.at(&["test.py:11 test"]).replay(1);
    let mut whole = program.ids();
    whole.dedup();
    assert_eq!(whole.len(), 1);
    assert_eq!(found(&mut program, Part::Named("captures")), Some(vec![]));
    assert_eq!(found(&mut program, Part::Named("replays")), Some(whole));
}

#[test]
fn what_a_function_does_in_another_part_is_another_matter() {
    let call = |program: &mut Program, line: u32, is_captured: bool, names: &[(u32, &str)]| {
        let stream = if is_captured { ORIGIN } else { LEGACY };
        for (inner, name) in names {
            program.at(&[
                &format!("test.py:{line} test"),
                &format!("model.py:{inner} step"),
            ]);
            program.operator(name, stream, &[tensor(X)], &[tensor(X)]);
        }
    };
    let (short, long): (&[_], &[_]) = (
        &[(5, "mul"), (8, "add")],
        &[(5, "mul"), (7, "clamp"), (8, "add")],
    );
    let program = |is_parted: bool| {
        let mut program = Program::new();
        program.block(X);
        for names in [short, long, short] {
            call(&mut program, 20, false, names);
        }
        if is_parted {
            part(&mut program, "captures");
        }
        program.at(&["test.py:23 test"]);
        program.graph(1, |it| call(it, 24, true, long));
        program.at(&["test.py:26 test"]).replay(1).replay(1);
        found(&mut program, Part::Named("captures"))
    };
    assert_eq!(program(false), Some(vec!["CG201"]));
    assert_eq!(program(true), Some(vec![]));
}

#[test]
fn graphs_that_are_gone_are_left_out() {
    let entries = |graphs: u64| {
        let mut program = Program::new();
        program.make("ones", LEGACY, &[], X);
        for _ in 0..graphs {
            part(&mut program, "before");
            program.graph(1, |it| {
                it.captured("mul", X, Y);
            });
            program.replay(1).free(Y);
            program.call(Call::GraphExecDestroy { exec: exec(1) });
        }
        part(&mut program, "last");
        let mut trace = program.trace();
        assert!(narrow(&mut trace, Part::Named("last")));
        trace.entries().len()
    };
    assert_eq!(entries(1), entries(20));
}
