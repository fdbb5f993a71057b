//! CG203, CG211, CG212, CG213, CG218: what the agent tells of names, containers, values and hooks.

use cgsan_trace::{
    AgentEvent, CodeLine, HostChange, KeptOutput, OfParameter, Rebound, SkippedHook, StorageKind,
    StorageName, Uses,
};

use crate::support::{LEGACY, Program, tensor};

const X: u64 = 0x1000;
const NEW: u64 = 0x2000;
const OUTPUT: u64 = 0x1_0000;

/// Captures `OUTPUT = X * 2` at line 6 as graph 1, of which the agent tells what `name` leads to, and goes to line 10.
fn capturing(name: &str, address: u64, kind: StorageKind) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, OUTPUT);
    });
    let name = name.to_owned();
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: vec![StorageName {
            name,
            address,
            kind,
        }],
    });
    program.line(10);
    program
}

/// Captures the graph and replays it at line 10, after `body`.
fn replaying(body: impl FnOnce(&mut Program)) -> Program {
    let mut program = capturing("y", OUTPUT, StorageKind::Output);
    body(&mut program);
    program.line(10).replay(1);
    program
}

fn rebound() -> Rebound {
    Rebound {
        name: "batch".to_owned(),
        kind: StorageKind::Input,
        old: X,
        new: NEW,
        same_tensor: false,
        same_shape: true,
        same_dtype: true,
        function: None,
        file: Some("train.py".to_owned()),
        line: Some(9),
        still_held_by: Vec::new(),
    }
}

fn after_rebinding(rebound: Rebound) -> Program {
    replaying(|it| {
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![rebound],
            uses: None,
            parameters: None,
        });
    })
}

#[test]
fn a_name_leads_to_another_tensor() {
    insta::assert_snapshot!(after_rebinding(rebound()).describe());
}

#[test]
fn the_old_tensor_is_freed_when_its_name_is_rebound() {
    let mut program = replaying(|it| {
        it.line(8).make("ones", LEGACY, &[], NEW).line(9).free(X);
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 1,
            names: vec![rebound()],
            uses: None,
            parameters: None,
        });
    });
    assert_eq!(program.ids(), ["CG203"]);
}

/// What is found where the region, run again at the replay at which a name leads elsewhere, is given what lies at `addresses` as before.
fn the_region_still_reads(addresses: Vec<u64>) -> Vec<&'static str> {
    let mut program = replaying(|it| {
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![rebound()],
            uses: None,
            parameters: None,
        });
        it.agent(AgentEvent::TwinCompared {
            graph: 1,
            replay: 2,
            operators: 1,
            differences: Vec::new(),
            stopped: None,
            draws: false,
            moved: None,
            cause: None,
            fixed: None,
            still_read: Some(addresses),
            set_by: None,
            arguments: None,
            constants: None,
        });
    });
    program.ids()
}

#[test]
fn the_region_does_not_use_the_name_that_was_rebound() {
    assert_eq!(the_region_still_reads(vec![X]), [""; 0]);
    assert_eq!(the_region_still_reads(Vec::new()), ["CG203"]);
}

#[test]
fn a_name_leads_to_a_tensor_of_another_shape() {
    let mut program = after_rebinding(Rebound {
        same_shape: false,
        ..rebound()
    });
    assert_eq!(program.ids(), [""; 0]);
}

/// A name of a parameter leads to another tensor.
fn parameter_rebound(rebound: Rebound, now: bool) -> Program {
    replaying(|it| {
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![rebound],
            uses: None,
            parameters: Some(vec![OfParameter { then: true, now }]),
        });
    })
}

#[test]
fn a_parameter_is_replaced_by_a_larger_one() {
    let larger = Rebound {
        same_shape: false,
        ..rebound()
    };
    insta::assert_snapshot!(parameter_rebound(larger, true).describe());
}

#[test]
fn a_parameter_is_computed_anew_at_each_call() {
    insta::assert_snapshot!(parameter_rebound(rebound(), false).describe());
}

#[test]
fn the_old_tensor_has_a_name_of_its_own() {
    let mut program = after_rebinding(Rebound {
        still_held_by: vec!["static".to_owned()],
        ..rebound()
    });
    assert_eq!(program.ids(), [""; 0]);
}

/// The same, where the capture, at line 6, uses one name or the other.
fn the_old_tensor_has_a_name_and_the_capture_uses(rebound_is_used: bool) -> Program {
    let used = vec![("train.py".to_owned(), 6)];
    let (rebound_uses, still_held) = if rebound_is_used {
        (used, Vec::new())
    } else {
        (Vec::new(), used)
    };
    replaying(|it| {
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![Rebound {
                still_held_by: vec!["start".to_owned()],
                ..rebound()
            }],
            uses: Some(vec![Uses {
                rebound: rebound_uses,
                still_held,
            }]),
            parameters: None,
        });
    })
}

#[test]
fn the_capture_uses_the_name_that_was_rebound_and_no_other() {
    let mut program = the_old_tensor_has_a_name_and_the_capture_uses(true);
    assert_eq!(program.ids(), ["CG203"]);
}

#[test]
fn the_capture_uses_the_name_that_the_old_tensor_still_has() {
    let mut program = the_old_tensor_has_a_name_and_the_capture_uses(false);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn pytorch_gives_a_module_another_tensor() {
    let mut program = replaying(|it| {
        it.at(&[
            "train.py:8 <module>",
            "/v/lib/python3.11/site-packages/torch/nn/modules/module.py:2639 Module.load_state_dict",
        ])
        .idle_operator("detach", &[tensor(NEW)], &[tensor(NEW)]);
        it.line(10).agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 1,
            names: vec![Rebound {
                line: None,
                ..rebound()
            }],
            uses: None,
            parameters: None,
        });
    });
    let report = program.diagnose();
    let lines: Vec<u32> = report
        .findings
        .iter()
        .filter_map(|finding| Some(finding.location.as_ref()?.line))
        .collect();
    assert_eq!(lines, [8]);
}

#[test]
fn the_program_writes_into_the_old_tensor() {
    let mut program = replaying(|it| {
        it.operator("copy_", LEGACY, &[tensor(X), tensor(NEW)], &[tensor(X)]);
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 2,
            names: vec![rebound()],
            uses: None,
            parameters: None,
        });
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_name_of_what_the_graph_does_not_read_is_rebound() {
    let mut program = after_rebinding(Rebound {
        old: 0x7000,
        ..rebound()
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_name_goes_from_the_input_of_one_graph_to_that_of_the_next() {
    let mut program = replaying(|it| {
        it.line(7).make("ones", LEGACY, &[], NEW);
        it.graph(2, |it| {
            it.captured("mul", NEW, OUTPUT + 0x1000);
        });
        it.agent(AgentEvent::InputsRebound {
            graph: 1,
            replay: 1,
            names: vec![rebound()],
            uses: None,
            parameters: None,
        });
    });
    program.replay(2);
    assert_eq!(program.ids(), [""; 0]);
}

fn keeping(entries: u64) -> Program {
    keeping_among(entries, &[])
}

/// A list keeps the output, where `gradients` are gradients.
fn keeping_among(entries: u64, gradients: &[u64]) -> Program {
    replaying(|it| {
        it.agent(AgentEvent::OutputsKept {
            graph: 1,
            replay: 4,
            containers: vec![KeptOutput {
                name: Some("outputs".to_owned()),
                type_name: "list".to_owned(),
                entries,
                address: OUTPUT,
            }],
            gradients: Some(gradients.to_vec()),
            growing: None,
            added: Some(vec![Some(("train.py".to_owned(), 11))]),
        });
    })
}

#[test]
fn a_list_keeps_the_same_output_again_and_again() {
    insta::assert_snapshot!(keeping(3).describe());
}

#[test]
fn a_list_keeps_a_buffer_that_was_there_before_the_capture() {
    let mut program = capturing("outputs", X, StorageKind::Input);
    program.agent(AgentEvent::OutputsKept {
        graph: 1,
        replay: 4,
        containers: vec![KeptOutput {
            name: Some("results".to_owned()),
            type_name: "list".to_owned(),
            entries: 3,
            address: X,
        }],
        gradients: None,
        growing: None,
        added: None,
    });
    program.line(10).replay(1);
    let text = program.describe();
    assert!(text.contains("CG211"), "{text}");
    let note = "`outputs` was made before the capture, and the graph writes its output into it";
    assert!(text.contains(note), "{text}");
}

#[test]
fn a_list_keeps_the_same_gradient_again_and_again() {
    insta::assert_snapshot!(keeping_among(3, &[OUTPUT]).describe());
}

#[test]
fn a_list_has_the_output_once() {
    assert_eq!(keeping(1).ids(), [""; 0]);
}

fn counting(change: HostChange) -> Program {
    counting_at(change, None)
}

fn counting_at(change: HostChange, lines: Option<Vec<CodeLine>>) -> Program {
    replaying(|it| {
        it.agent(AgentEvent::HostState {
            graph: 1,
            replay: 4,
            changes: vec![change],
            lines: lines.map(|lines| vec![lines]),
        });
    })
}

fn count() -> HostChange {
    HostChange {
        name: "self.seen".to_owned(),
        before: "8".to_owned(),
        after: "12".to_owned(),
        is_length: false,
        moved: false,
        file: Some("train.py".to_owned()),
        line: Some(7),
    }
}

#[test]
fn a_count_changes_in_the_capture_alone() {
    insta::assert_snapshot!(counting(count()).describe());
}

#[test]
fn a_count_is_kept_beside_the_replays() {
    let mut program = counting(HostChange {
        moved: true,
        ..count()
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn items_are_taken_from_an_iterator() {
    let taken = HostChange {
        before: "generator".to_owned(),
        after: "generator".to_owned(),
        ..count()
    };
    let mut program = counting_at(taken, Some(vec![code_line(7, 6, 8)]));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_capture_is_the_first_to_set_a_value() {
    let mut program = counting(HostChange {
        before: "0".to_owned(),
        after: "1".to_owned(),
        ..count()
    });
    assert_eq!(program.ids(), [""; 0]);
}

/// A count of which the capture is the first to be seen.
fn from_nothing() -> HostChange {
    HostChange {
        before: "0".to_owned(),
        ..count()
    }
}

/// A line of a function; that of the captured operator is on line 6.
fn code_line(line: u32, first: u32, last: u32) -> CodeLine {
    CodeLine {
        file: "train.py".to_owned(),
        line,
        first,
        last,
        sets_up: false,
    }
}

#[test]
fn a_line_counts_at_each_call() {
    let mut program = counting_at(from_nothing(), Some(vec![code_line(2, 1, 2)]));
    assert_eq!(program.ids(), ["CG212"]);
}

#[test]
fn no_line_counts_at_each_call() {
    assert_eq!(counting_at(count(), Some(Vec::new())).ids(), [""; 0]);
}

#[test]
fn of_two_lines_that_of_the_captured_function_counts() {
    let lines = vec![code_line(2, 1, 2), code_line(7, 6, 8)];
    let mut program = counting_at(from_nothing(), Some(lines));
    assert!(program.describe().contains("[train.py:7]"));
    let both = vec![code_line(5, 5, 6), code_line(7, 6, 8)];
    assert_eq!(counting_at(from_nothing(), Some(both)).ids(), [""; 0]);
}

#[test]
fn the_captured_function_has_a_line_that_sets_up() {
    let set_up = CodeLine {
        sets_up: true,
        ..code_line(6, 6, 8)
    };
    let lines = vec![code_line(7, 6, 8), set_up];
    assert_eq!(counting_at(from_nothing(), Some(lines)).ids(), [""; 0]);
}

#[test]
fn random_numbers_are_drawn_in_the_capture() {
    let drawn = HostChange {
        name: "Python's random numbers".to_owned(),
        before: String::new(),
        after: String::new(),
        file: None,
        line: None,
        ..count()
    };
    let lines = vec![code_line(6, 6, 8), code_line(7, 6, 8)];
    insta::assert_snapshot!(counting_at(drawn, Some(lines)).describe());
}

#[test]
fn what_the_agent_told_last_of_the_host_counts() {
    let mut program = replaying(|it| {
        for changes in [vec![count()], Vec::new()] {
            it.agent(AgentEvent::HostState {
                graph: 1,
                replay: 4,
                changes,
                lines: None,
            });
        }
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_hook_inside_a_graphed_module_does_not_run() {
    let mut program = replaying(|it| {
        it.agent(AgentEvent::HooksSkipped {
            graph: 1,
            replay: 1,
            hooks: vec![SkippedHook {
                module: "encoder.0".to_owned(),
                kind: "forward".to_owned(),
                hook: "log".to_owned(),
                file: Some("train.py".to_owned()),
                line: Some(8),
            }],
        });
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_graphed_module_without_hooks_is_left_alone() {
    let mut program = replaying(|it| {
        it.agent(AgentEvent::HooksSkipped {
            graph: 1,
            replay: 1,
            hooks: Vec::new(),
        });
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn what_is_told_of_a_graph_that_no_capture_made_is_left_alone() {
    let mut program = replaying(|it| {
        it.agent(AgentEvent::OutputsKept {
            graph: 2,
            replay: 4,
            containers: vec![KeptOutput {
                name: None,
                type_name: "list".to_owned(),
                entries: 3,
                address: OUTPUT,
            }],
            gradients: None,
            growing: None,
            added: None,
        });
    });
    assert_eq!(program.ids(), [""; 0]);
}
