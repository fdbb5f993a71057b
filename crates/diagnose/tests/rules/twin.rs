//! CG201, CG202, CG203, CG204, CG205, CG207, CG213, CG217, CG220: what the region of a graph would do now, as the agent tells it.

use cgsan_trace::{
    AgentEvent, Argument, StackFrame, TwinCause, TwinDifference, TwinKind, TwinOperator, TwinUse,
};

use crate::support::{LEGACY, ORIGIN, Program, tensor};

const INPUT: u64 = 0x1000;
const OTHER: u64 = 0x2000;
const THIRD: u64 = 0x3000;
const MADE: u64 = 0x1_0000;

/// Captures `mul` of the input at line 6, then goes through `body` and replays at line 10.
fn replaying(body: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.at(&["train.py:2 <module>"]);
    program.make("ones", LEGACY, &[], INPUT);
    program.make("ones", LEGACY, &[], OTHER);
    program.at(&["train.py:5 <module>"]).graph(1, |it| {
        it.at(&["train.py:6 <module>"]).captured("mul", INPUT, MADE);
    });
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: Vec::new(),
    });
    body(&mut program);
    program.at(&["train.py:10 <module>"]).replay(1);
    program
}

fn operator(name: &str, line: u32) -> TwinOperator {
    TwinOperator {
        operator: name.to_owned(),
        stack: vec![StackFrame {
            file: "train.py".to_owned(),
            function: "<module>".to_owned(),
            line,
        }],
    }
}

/// `mul` differs in something, from `captured` to `eager`.
fn difference(kind: TwinKind, captured: &str, eager: &str) -> TwinDifference {
    TwinDifference {
        kind,
        then: Some(operator("aten.mul.Tensor", 6)),
        now: Some(operator("aten.mul.Tensor", 6)),
        captured: Some(captured.to_owned()),
        eager: Some(eager.to_owned()),
        address: None,
        address_now: None,
        name: None,
        used: None,
        view: None,
        asked: None,
    }
}

fn other_tensor(address: u64, address_now: u64) -> TwinDifference {
    TwinDifference {
        address: Some(address),
        address_now: Some(address_now),
        ..difference(TwinKind::Tensor, "", "")
    }
}

fn compared(program: &mut Program, replay: u64, differences: Vec<TwinDifference>) {
    compared_for(program, replay, differences, None);
}

/// The same, for what the program has switched or registered.
fn compared_for(
    program: &mut Program,
    replay: u64,
    differences: Vec<TwinDifference>,
    cause: Option<TwinCause>,
) {
    program.agent(outcome(replay, differences, cause, None));
}

/// What was told of a replay; with the functions that set what the region differs for.
fn outcome(
    replay: u64,
    differences: Vec<TwinDifference>,
    cause: Option<TwinCause>,
    set_by: Option<Vec<StackFrame>>,
) -> AgentEvent {
    AgentEvent::TwinCompared {
        graph: 1,
        replay,
        operators: 1,
        differences,
        stopped: None,
        draws: false,
        moved: None,
        cause,
        fixed: None,
        still_read: None,
        set_by,
        arguments: None,
        constants: None,
    }
}

/// What is found if the region does something else at the first replay.
fn ids(differences: Vec<TwinDifference>) -> Vec<&'static str> {
    replaying(|it| compared(it, 1, differences)).ids()
}

#[test]
fn a_number_is_another_one_now() {
    let mut program = replaying(|it| {
        compared(it, 1, vec![difference(TwinKind::Number, "1.0", "0.5")]);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_smaller_number_of_a_kernel_may_be_covered() {
    let of_kernel = |captured, eager| TwinDifference {
        then: Some(operator("triton::scale", 6)),
        ..difference(TwinKind::Number, captured, eager)
    };
    assert_eq!(ids(vec![of_kernel("128", "64")]), [""; 0]);
    assert_eq!(ids(vec![of_kernel("64", "128")]), ["CG205"]);
}

#[test]
fn a_number_in_a_structure_is_told_with_its_place_and_the_name_that_leads_to_it() {
    let field = TwinDifference {
        then: Some(operator("kernel::_Z5scale6Params", 6)),
        address: Some(28),
        address_now: Some(0),
        name: Some("layer.factor".to_owned()),
        ..difference(TwinKind::Field, "2.0", "0.5")
    };
    let text = replaying(|it| compared(it, 1, vec![field])).describe();
    for wanted in [
        "`scale` was captured with 2.0 at byte 28 of its first parameter",
        "`layer.factor` has changed: eager now would give it 0.5",
        "keep `layer.factor` in a tensor on the device and write into it before each replay, with `layer.factor.fill_(…)`",
        "and have the kernel load it from there",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn what_is_larger_is_not_to_be_copied_into_the_tensor_of_the_capture() {
    let help = |bytes| {
        let mut program = replaying(|it| {
            it.at(&["train.py:8 <module>"]).sized_block(THIRD, bytes);
            compared(it, 1, vec![other_tensor(INPUT, THIRD)]);
        });
        let text = program.describe();
        assert!(text.contains("CG203"), "{text}");
        text.contains(".copy_(…)")
    };
    assert!(help(512));
    assert!(!help(1 << 20));
}

#[test]
fn a_larger_tensor_is_not_covered_and_a_smaller_one_is() {
    assert_eq!(ids(vec![difference(TwinKind::Size, "4", "8")]), ["CG207"]);
    assert_eq!(ids(vec![difference(TwinKind::Covered, "8", "4")]), [""; 0]);
    let planned = TwinDifference {
        view: Some("aten::split_with_sizes".to_owned()),
        ..difference(TwinKind::Covered, "8", "4")
    };
    assert_eq!(ids(vec![planned]), ["CG220"]);
    assert_eq!(ids(vec![difference(TwinKind::Offset, "0", "8")]), ["CG220"]);
}

#[test]
fn the_line_that_chose_a_part_does_not_name_who_works_on_it() {
    let mut program = replaying(|it| compared(it, 1, vec![difference(TwinKind::Offset, "0", "8")]));
    let text = program.describe();
    let here = "the capture took the part at element 0 of a tensor here";
    assert!(
        text.contains(here) && text.contains("` works on that part"),
        "{text}"
    );
}

#[test]
fn another_tensor_is_read_now() {
    let mut program = replaying(|it| compared(it, 1, vec![other_tensor(INPUT, OTHER)]));
    insta::assert_snapshot!(program.describe());
}

/// What is found where the region fills one tensor of a ring, and another one by now; `reads` is what it reads besides.
fn the_next_of_a_ring_is_filled(reads: u64) -> Vec<&'static str> {
    let mut program = Program::new();
    program.at(&["train.py:2 <module>"]);
    for address in [INPUT, OTHER, THIRD] {
        program.make("ones", LEGACY, &[], address);
    }
    program.at(&["train.py:5 <module>"]).graph(1, |it| {
        it.at(&["train.py:6 <module>"]);
        it.operator(
            "copy_",
            ORIGIN,
            &[tensor(INPUT), tensor(THIRD)],
            &[tensor(INPUT)],
        );
        if reads == OTHER {
            it.captured("add", OTHER, MADE);
        } else {
            it.operator(
                "copy_",
                ORIGIN,
                &[tensor(OTHER), tensor(reads)],
                &[tensor(OTHER)],
            );
            it.captured("add", OTHER, MADE);
        }
    });
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: Vec::new(),
    });
    compared(&mut program, 1, vec![other_tensor(INPUT, OTHER)]);
    program.at(&["train.py:10 <module>"]).replay(1);
    program.ids()
}

#[test]
fn a_ring_stays_where_it_was_at_the_capture() {
    assert_eq!(the_next_of_a_ring_is_filled(OTHER), ["CG203"]);
}

#[test]
fn buffers_that_are_filled_before_they_are_read_may_take_turns() {
    assert_eq!(the_next_of_a_ring_is_filled(THIRD), [""; 0]);
}

#[test]
fn a_tensor_that_the_program_fills_is_where_it_puts_its_inputs() {
    let mut program = replaying(|it| {
        it.at(&["train.py:8 <module>"]).operator(
            "copy_",
            LEGACY,
            &[tensor(INPUT), tensor(OTHER)],
            &[tensor(INPUT)],
        );
        compared(it, 1, vec![other_tensor(INPUT, OTHER)]);
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn other_operators_at_all_replays_may_be_the_setting_up_of_the_capture() {
    let other = |line| TwinDifference {
        now: Some(operator("aten.add.Tensor", line)),
        ..difference(TwinKind::Operators, "", "")
    };
    assert_eq!(ids(vec![other(7)]), [""; 0]);
    let mut program = replaying(|it| {
        compared(it, 1, Vec::new());
        compared(it, 2, vec![other(7)]);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_name_that_outlives_the_region_leads_to_what_another_operator_gives() {
    let described = |now: Option<TwinOperator>| {
        let mut program = replaying(|it| {
            compared(it, 1, Vec::new());
            let output = TwinDifference {
                now: now.clone(),
                name: Some("y".to_owned()),
                ..difference(TwinKind::Operators, "", "")
            };
            compared(it, 2, vec![output]);
        });
        program.describe()
    };
    let said = [
        described(Some(operator("aten.add.Tensor", 7))),
        described(None),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_tensor_that_the_capture_made_is_changed_now() {
    let made = |used| TwinDifference {
        kind: TwinKind::MadeOnce,
        now: None,
        address: Some(MADE),
        used: Some(used),
        ..difference(TwinKind::MadeOnce, "", "")
    };
    assert_eq!(ids(vec![made(TwinUse::Changed)]), ["CG217"]);
    assert_eq!(ids(vec![made(TwinUse::Read)]), [""; 0]);
    assert_eq!(ids(vec![made(TwinUse::Overwritten)]), [""; 0]);
}

#[test]
fn other_operators_change_the_tensor_that_the_capture_made() {
    let changed = |address, used| TwinDifference {
        now: Some(operator("aten.lerp_.Scalar", 7)),
        address: Some(address),
        used: Some(used),
        ..difference(TwinKind::Operators, "", "")
    };
    assert_eq!(ids(vec![changed(INPUT, TwinUse::Changed)]), [""; 0]);
    assert_eq!(ids(vec![changed(MADE, TwinUse::Read)]), [""; 0]);
    let mut program = replaying(|it| {
        compared(it, 1, Vec::new());
        compared(it, 2, vec![changed(MADE, TwinUse::Changed)]);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_input_that_is_gone_is_told_with_what_is_used_in_its_stead() {
    let larger = TwinDifference {
        address: Some(INPUT),
        address_now: Some(OTHER),
        ..difference(TwinKind::Size, "4", "8")
    };
    for (said, expected) in [
        (Vec::new(), "CG209"),
        (vec![other_tensor(INPUT, OTHER)], "CG203"),
        (vec![larger], "CG207"),
    ] {
        let mut program = replaying(|it| {
            it.at(&["train.py:8 <module>"]).free(INPUT);
            compared(it, 1, said);
        });
        assert_eq!(program.ids(), [expected]);
    }
}

#[test]
fn operators_of_one_name_are_told_apart() {
    let other = |now: TwinOperator, types: Option<(&str, &str)>| {
        let mut program = replaying(|it| {
            compared(it, 1, Vec::new());
            let difference = TwinDifference {
                now: Some(now.clone()),
                captured: types.map(|it| it.0.to_owned()),
                eager: types.map(|it| it.1.to_owned()),
                ..difference(TwinKind::Operators, "", "")
            };
            compared(it, 2, vec![difference]);
        });
        program.describe()
    };
    let said = [
        other(operator("aten.mul.Tensor", 7), None),
        other(operator("aten.mul.Tensor", 6), None),
        other(operator("aten.mul.Scalar", 6), None),
        other(
            operator("aten.mul.Tensor", 6),
            Some(("torch.float32", "torch.bfloat16")),
        ),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_weight_is_written_whose_cast_copy_the_graph_reads() {
    let cast = || TwinDifference {
        now: Some(operator("aten._to_copy.default", 6)),
        address: Some(INPUT),
        address_now: Some(OTHER),
        ..difference(TwinKind::MadeNow, "", "")
    };
    assert_eq!(ids(vec![cast()]), [""; 0]);
    let mut program = replaying(|it| {
        it.at(&["train.py:8 <module>"]).operator(
            "fill_",
            LEGACY,
            &[tensor(OTHER)],
            &[tensor(OTHER)],
        );
        compared(it, 1, vec![cast()]);
    });
    assert_eq!(program.ids(), ["CG204"]);
}

/// A kernel was captured of which nobody knows whether it reads or writes `INPUT`; eager code would give it `OTHER` now.
fn using(after: impl FnOnce(&mut Program)) -> Program {
    let used = |address| match tensor(address) {
        Argument::Tensor(it) => Argument::Used(it),
        other => other,
    };
    let mut program = Program::new();
    program.at(&["train.py:2 <module>"]);
    program.make("ones", LEGACY, &[], INPUT);
    program.make("ones", LEGACY, &[], OTHER);
    program.at(&["train.py:5 <module>"]).graph(1, |it| {
        let grid = Argument::List(vec![Argument::Integer(1); 6]);
        let given = [tensor(INPUT), grid];
        it.at(&["train.py:6 <module>"])
            .operator("kernel::scale", ORIGIN, &given, &[used(INPUT)]);
    });
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: Vec::new(),
    });
    let rebound = || TwinDifference {
        then: Some(operator("kernel::scale", 6)),
        now: Some(operator("kernel::scale", 6)),
        address: Some(INPUT),
        address_now: Some(OTHER),
        name: Some("x".to_owned()),
        ..difference(TwinKind::Tensor, "", "")
    };
    for replay in 1..=2 {
        compared(&mut program, replay, vec![rebound()]);
        program.at(&["train.py:10 <module>"]).replay(1);
    }
    after(&mut program);
    program
}

#[test]
fn what_a_kernel_uses_is_its_input_unless_the_program_looks_at_it() {
    insta::assert_snapshot!(using(|_| {}).describe());
    let mut result = using(|it| {
        it.at(&["train.py:11 <module>"]).eager("mul", INPUT, THIRD);
    });
    assert_eq!(result.ids(), [""; 0]);
    let mut of_its_size = using(|it| {
        it.at(&["train.py:11 <module>"])
            .eager("empty_like", INPUT, THIRD);
    });
    assert_eq!(of_its_size.ids(), ["CG203"]);
}

/// The program asks whether a capture runs and does something else; what that leaves was computed, if it is said to differ or not.
fn asking(differs: Option<bool>) -> Program {
    replaying(|it| {
        let asked = Some(operator("", 4).stack);
        let other = TwinDifference {
            now: Some(operator("aten.nan_to_num.default", 7)),
            asked,
            ..difference(TwinKind::Operators, "", "")
        };
        compared(it, 0, vec![other]);
        if let Some(differs) = differs {
            it.agent(AgentEvent::LeftCompared {
                graph: 1,
                replay: 1,
                differs,
            });
        }
    })
}

#[test]
fn the_program_asks_whether_a_capture_runs_and_does_something_else() {
    insta::assert_snapshot!(asking(None).describe());
}

#[test]
fn what_other_work_leaves_decides_whether_it_matters() {
    assert_eq!(asking(Some(false)).ids(), [""; 0]);
    let text = asking(Some(true)).describe();
    assert!(text.contains("CG202 Likely"), "{text}");
}

#[test]
fn what_looks_at_numbers_that_nobody_computed_is_left_open() {
    let mut program = replaying(|it| {
        let other = TwinDifference {
            now: Some(operator("aten.nan_to_num.default", 7)),
            asked: Some(operator("", 4).stack),
            ..difference(TwinKind::Operators, "", "")
        };
        let mut event = outcome(0, vec![other], None, None);
        if let AgentEvent::TwinCompared { stopped, .. } = &mut event {
            *stopped = Some("it looks at numbers".to_owned());
        }
        it.agent(event);
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn what_eager_callers_of_the_region_set_is_an_argument_of_theirs() {
    let ids = |function: &str| {
        let mut program = Program::new();
        program
            .at(&["train.py:21 prefill", "train.py:6 model"])
            .make("ones", LEGACY, &[], INPUT);
        program.at(&["train.py:5 <module>"]).graph(1, |it| {
            it.at(&["train.py:5 <module>", "train.py:6 model"])
                .captured("mul", INPUT, MADE);
        });
        program.agent(AgentEvent::GraphCaptured {
            graph: 1,
            pool: Some((0, 1)),
            names: vec![],
        });
        let set_by = StackFrame {
            file: "train.py".to_owned(),
            function: function.to_owned(),
            line: 20,
        };
        let number = difference(TwinKind::Number, "1.0", "0.5");
        program.agent(outcome(1, vec![number], None, Some(vec![set_by])));
        program.at(&["train.py:10 <module>"]).replay(1);
        program.ids()
    };
    assert_eq!(ids("prefill"), [""; 0]);
    assert_eq!(ids("set_scale"), ["CG205"]);
}

#[test]
fn only_the_first_thing_that_is_frozen_is_told() {
    let mut program = replaying(|it| {
        compared(it, 1, vec![difference(TwinKind::Size, "4", "8")]);
        it.at(&["train.py:10 <module>"]).replay(1);
        compared(it, 2, vec![difference(TwinKind::Offset, "0", "8")]);
    });
    assert_eq!(program.ids(), ["CG207"]);
}

fn mode() -> TwinCause {
    TwinCause::Mode {
        name: "torch.autocast(\"cuda\")".to_owned(),
        captured: "torch.bfloat16".to_owned(),
        eager: "off".to_owned(),
    }
}

fn hook(added: bool) -> TwinCause {
    TwinCause::Hook {
        added,
        kind: "forward".to_owned(),
        hook: "clip".to_owned(),
        registered: Some(StackFrame {
            file: "train.py".to_owned(),
            function: "<module>".to_owned(),
            line: 8,
        }),
    }
}

/// `mul` runs in code that only one side has.
fn on_one_side(then: bool) -> TwinDifference {
    let mut difference = difference(TwinKind::Operators, "", "");
    if then {
        difference.now = None;
    } else {
        difference.then = None;
    }
    difference
}

#[test]
fn a_mode_was_switched_if_another_replay_was_in_that_of_the_capture() {
    let other = || difference(TwinKind::Operators, "", "");
    let always = replaying(|it| compared_for(it, 1, vec![other()], Some(mode()))).ids();
    assert_eq!(always, [""; 0]);
    let mut program = replaying(|it| {
        compared(it, 1, Vec::new());
        compared_for(it, 2, vec![other()], Some(mode()));
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_hook_was_registered_since_the_capture() {
    let mut program =
        replaying(|it| compared_for(it, 1, vec![on_one_side(false)], Some(hook(true))));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_hook_that_was_there_for_the_capture_alone_may_be_meant_so() {
    let removed = |it: &mut Program, replay| {
        compared_for(it, replay, vec![on_one_side(true)], Some(hook(false)));
    };
    assert_eq!(replaying(|it| removed(it, 1)).ids(), [""; 0]);
    let mut program = replaying(|it| {
        compared(it, 1, Vec::new());
        removed(it, 2);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_parameter_requires_gradients_since_the_capture() {
    let learns = || TwinCause::Learns {
        parameter: Some("self.net.backbone.weight".to_owned()),
        others: 1,
    };
    let always =
        replaying(|it| compared_for(it, 1, vec![on_one_side(false)], Some(learns()))).ids();
    assert_eq!(always, [""; 0]);
    let mut program = replaying(|it| {
        compared(it, 1, Vec::new());
        compared_for(it, 2, vec![on_one_side(false)], Some(learns()));
    });
    insta::assert_snapshot!(program.describe());
}
