//! CG201, CG205, CG207, CG220: functions that ran eagerly in several ways and were captured in one.

use cgsan_trace::{AgentEvent, Argument, TwinArguments};

use crate::support::{LEGACY, ORIGIN, Program, sized, tensor};

const X: u64 = 0x1000;

/// What one call of the function does: an operator for each line, with its arguments.
type Body<'b> = &'b [(u32, &'b str, &'b [Argument])];

/// Calls `step` from a line of the program.
fn call(program: &mut Program, line: u32, is_captured: bool, body: Body<'_>) {
    let stream = if is_captured { ORIGIN } else { LEGACY };
    for (inner, name, arguments) in body {
        program.at(&[
            &format!("train.py:{line} <module>"),
            &format!("train.py:{inner} step"),
        ]);
        program.operator(name, stream, arguments, &[tensor(X)]);
    }
    program.at(&[&format!("train.py:{line} <module>")]);
}

/// Calls `step` eagerly at line 20, once for each body; captures it at line 24, replays at line 26, and calls it eagerly at
/// line 28.
fn program(before: &[Body<'_>], captured: Body<'_>, after: &[Body<'_>]) -> Program {
    program_on(Program::new(), before, captured, after)
}

fn program_on(
    mut program: Program,
    before: &[Body<'_>],
    captured: Body<'_>,
    after: &[Body<'_>],
) -> Program {
    program.at(&["train.py:1 <module>"]).block(X);
    for body in before {
        call(&mut program, 20, false, body);
    }
    program.at(&["train.py:23 <module>"]);
    program.graph(1, |it| call(it, 24, true, captured));
    program.at(&["train.py:26 <module>"]).replay(1).replay(1);
    for body in after {
        call(&mut program, 28, false, body);
    }
    program
}

/// The ids of what is found in it.
fn ids(before: &[Body<'_>], captured: Body<'_>, after: &[Body<'_>]) -> Vec<&'static str> {
    program(before, captured, after).ids()
}

#[test]
fn the_branch_changes_from_call_to_call() {
    let x = &[tensor(X)];
    let small: Body<'_> = &[(5, "mul", x), (8, "add", x)];
    let large: Body<'_> = &[(5, "mul", x), (7, "clamp", x), (8, "add", x)];
    let mut program = program(&[small, large, small], large, &[]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn both_branches_are_computed() {
    let x = &[tensor(X)];
    let step: Body<'_> = &[(5, "mul", x), (7, "clamp", x), (8, "where", x)];
    assert_eq!(ids(&[step, step, step], step, &[]), [""; 0]);
}

#[test]
fn the_first_call_sets_something_up() {
    let x = &[tensor(X)];
    let first: Body<'_> = &[(5, "mul", x), (7, "zeros", x), (8, "add", x)];
    let step: Body<'_> = &[(5, "mul", x), (8, "add", x)];
    assert_eq!(ids(&[first, step, step], step, &[]), [""; 0]);
}

#[test]
fn steps_of_other_states_are_no_calls_of_this_one() {
    const OTHER: u64 = 0x2000;
    let step = |it: &mut Program, line: u32, is_captured: bool, state: u64, rate: f64| {
        let stream = if is_captured { ORIGIN } else { LEGACY };
        it.at(&[&format!("train.py:{line} <module>"), "train.py:5 step"]);
        let state = tensor(state);
        it.operator(
            "mul_",
            stream,
            &[state.clone(), Argument::Float(rate)],
            &[state],
        );
        it.at(&["train.py:1 <module>"]);
    };
    let ids = |others: u64| {
        let mut program = Program::new();
        program.at(&["train.py:1 <module>"]).block(X).block(OTHER);
        step(&mut program, 20, false, others, 0.5);
        step(&mut program, 20, false, others, 0.9);
        step(&mut program, 20, false, X, 0.1);
        step(&mut program, 20, false, X, 0.1);
        program.graph(1, |it| step(it, 24, true, X, 0.1));
        program.at(&["train.py:26 <module>"]).replay(1).replay(1);
        program.ids()
    };
    assert_eq!(ids(OTHER), [""; 0]);
    assert_eq!(ids(X), ["CG205"]);
}

#[test]
fn other_branches_stay_eager() {
    let x = &[tensor(X)];
    let small: Body<'_> = &[(5, "mul", x), (8, "add", x)];
    let large: Body<'_> = &[(5, "mul", x), (7, "clamp", x), (8, "add", x)];
    let found = ids(&[small, large, small], large, &[small, small]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn each_branch_has_a_graph() {
    let x = &[tensor(X)];
    let small: Body<'_> = &[(5, "mul", x), (8, "add", x)];
    let large: Body<'_> = &[(5, "mul", x), (7, "clamp", x), (8, "add", x)];
    let mut program = program(&[small, large, small], large, &[]);
    program.at(&["train.py:30 <module>"]);
    program.graph(2, |it| call(it, 31, true, small));
    program.at(&["train.py:32 <module>"]).replay(2);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_real_gpu_shows_kernels_that_are_no_operators_in_captures_alone() {
    let grid = Argument::List(vec![Argument::Integer(1); 6]);
    let given = &[tensor(X), grid];
    let x = &[tensor(X)];
    let small: Body<'_> = &[(5, "mul", x), (8, "add", x)];
    let large: Body<'_> = &[(5, "mul", x), (7, "kernel::own", given), (8, "add", x)];
    let on = |program: Program| program_on(program, &[small, large, small], large, &[]).ids();
    assert_eq!(on(Program::new()), [""; 0], "all may have been large");
    assert_eq!(on(Program::on_virtual_gpu()), ["CG201"]);
}

/// Calls of `step` that give `name` these arguments besides a tensor, and a capture with the last ones.
fn with_arguments(name: &str, before: &[Argument], captured: &Argument) -> Program {
    let arguments = |own: &Argument| vec![tensor(X), own.clone()];
    let bodies: Vec<Vec<Argument>> = before.iter().map(arguments).collect();
    let bodies: Vec<[(u32, &str, &[Argument]); 1]> =
        bodies.iter().map(|it| [(5, name, &**it)]).collect();
    let bodies: Vec<Body<'_>> = bodies.iter().map(|it| &it[..]).collect();
    let captured = arguments(captured);
    program(&bodies, &[(5, name, &captured)], &[])
}

#[test]
fn a_number_changes_from_call_to_call() {
    let before = [0.5, 0.25, 0.125].map(Argument::Float);
    let mut program = with_arguments("mul", &before, &Argument::Float(0.0625));
    insta::assert_snapshot!(program.describe());
}

/// The ids of what is found where a number varied in eager calls, and the region of the graph, run again at a replay, was still given
/// that of the capture; `given` is what the capture gave to a function of this name.
fn though_the_twin_agrees(
    function: &str,
    given: impl FnOnce(&mut TwinArguments),
    stopped: Option<&str>,
) -> Vec<&'static str> {
    let mut arguments = TwinArguments {
        file: "train.py".to_owned(),
        function: function.to_owned(),
        numbers: false,
        truths: false,
        tensors: true,
        sizes: vec![4],
    };
    given(&mut arguments);
    let before = [0.5, 0.25, 0.125].map(Argument::Float);
    let mut program = with_arguments("mul", &before, &Argument::Float(0.0625));
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: Vec::new(),
    });
    program.agent(AgentEvent::TwinCompared {
        graph: 1,
        replay: 1,
        operators: 1,
        differences: Vec::new(),
        stopped: stopped.map(str::to_owned),
        draws: false,
        moved: Some(false),
        cause: None,
        fixed: Some(false),
        still_read: None,
        set_by: None,
        arguments: Some(vec![arguments]),
        constants: Some(Vec::new()),
    });
    program.ids()
}

#[test]
fn a_number_of_the_state_has_settled_before_the_capture() {
    assert_eq!(though_the_twin_agrees("step", |_| {}, None), [""; 0]);
    let is_given_a_truth = |it: &mut TwinArguments| it.truths = true;
    assert_eq!(
        though_the_twin_agrees("step", is_given_a_truth, None),
        [""; 0]
    );
}

#[test]
fn a_number_that_the_function_is_given_is_told_though_the_twin_agrees() {
    let is_given_it = |it: &mut TwinArguments| it.numbers = true;
    assert_eq!(though_the_twin_agrees("step", is_given_it, None), ["CG205"]);
    assert_eq!(though_the_twin_agrees("other", |_| {}, None), ["CG205"]);
    let stopped = Some("it works with a graph");
    assert_eq!(though_the_twin_agrees("step", |_| {}, stopped), ["CG205"]);
}

#[test]
fn a_number_stays_and_the_value_is_in_a_tensor() {
    let before = [0.5, 0.5, 0.5].map(Argument::Float);
    let mut program = with_arguments("mul", &before, &Argument::Float(0.5));
    assert_eq!(program.ids(), [""; 0]);
    let before = [0x2000, 0x3000, 0x4000].map(tensor);
    assert_eq!(with_arguments("mul", &before, &tensor(X)).ids(), [""; 0]);
}

#[test]
fn a_number_is_another_at_the_first_call() {
    let before = [0.0, 0.9, 0.9].map(Argument::Float);
    let mut program = with_arguments("mul", &before, &Argument::Float(0.9));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn sizes_change_from_call_to_call() {
    let before = [[4], [16], [8]].map(|sizes| sized(X, &sizes));
    let mut program = with_arguments("mul", &before, &sized(X, &[12]));
    insta::assert_snapshot!(program.describe());
}

/// Prefills at line 20 and decode steps at line 22 run eagerly; the steps are captured, and prefills of these sizes go on at a line.
fn served(line: u32, later: &[u64]) -> Vec<&'static str> {
    let of = |size: u64| [sized(X, &[size])];
    let mut program = Program::new();
    program.at(&["train.py:1 <module>"]).block(X);
    for size in [3, 2, 3] {
        call(&mut program, 20, false, &[(5, "mul", &of(size))]);
        call(&mut program, 22, false, &[(5, "mul", &of(1))]);
    }
    program.at(&["train.py:23 <module>"]);
    program.graph(1, |it| call(it, 24, true, &[(5, "mul", &of(1))]));
    for size in later {
        program.at(&["train.py:26 <module>"]).replay(1);
        call(&mut program, line, false, &[(5, "mul", &of(*size))]);
    }
    program.ids()
}

#[test]
fn a_place_that_goes_on_with_other_sizes_is_none_that_the_graph_stands_for() {
    assert_eq!(served(20, &[1, 2]), [""; 0]);
    assert_eq!(served(28, &[1, 2]), ["CG207"], "another place compares");
}

#[test]
fn what_is_larger_in_all_calls_is_another_thing() {
    let before = [[16], [8], [16]].map(|sizes| sized(X, &sizes));
    let mut program = with_arguments("mul", &before, &sized(X, &[4]));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn inputs_are_padded_to_the_largest_size() {
    let before = [[16], [16], [16]].map(|sizes| sized(X, &sizes));
    let mut program = with_arguments("mul", &before, &sized(X, &[16]));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_captured_size_covers_the_others() {
    let before = [[4], [16], [8]].map(|sizes| sized(X, &sizes));
    let mut program = with_arguments("mul", &before, &sized(X, &[16]));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_host_plans_another_part_for_each_call() {
    let before = [0, 4, 8].map(Argument::Integer);
    let mut program = with_arguments("narrow", &before, &Argument::Integer(12));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_part_is_the_same_in_each_call() {
    let before = [4, 4, 4].map(Argument::Integer);
    let mut program = with_arguments("narrow", &before, &Argument::Integer(4));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_function_of_two_places_is_compared_with_itself_by_place() {
    let half = &[tensor(X), Argument::Float(0.5)];
    let whole = &[tensor(X), Argument::Float(1.0)];
    let mut program = Program::new();
    program.at(&["train.py:1 <module>"]).block(X);
    for _ in 0..3 {
        call(&mut program, 20, false, &[(5, "mul", half)]);
        call(&mut program, 21, false, &[(5, "mul", whole)]);
    }
    program.at(&["train.py:23 <module>"]);
    program.graph(1, |it| call(it, 24, true, &[(5, "mul", half)]));
    program.at(&["train.py:26 <module>"]).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_graph_that_is_never_replayed_is_not_compared() {
    let mut program = Program::new();
    program.at(&["train.py:1 <module>"]).block(X);
    for value in [0.5, 0.25, 0.125] {
        let arguments = [tensor(X), Argument::Float(value)];
        call(&mut program, 20, false, &[(5, "mul", &arguments)]);
    }
    program.at(&["train.py:23 <module>"]);
    let arguments = [tensor(X), Argument::Float(0.0625)];
    program.graph(1, |it| call(it, 24, true, &[(5, "mul", &arguments)]));
    assert_eq!(program.ids(), [""; 0]);
}
