//! CG205, CG222: optimizers whose numbers change and whose gradients are dropped, while a graph is replayed.

use cgsan_trace::{AgentEvent, GradientBuffer, OptimizerChange};

use crate::support::{LEGACY, ORIGIN, Program, tensor};

const PARAMETER: u64 = 0x1000;
const OTHER: u64 = 0x2000;
const GRADIENT: u64 = 0x1_0000;

/// Captures a gradient at line 6 and, at line 7, `captured`; then goes through `body` and replays at line 10.
fn training(captured: impl FnOnce(&mut Program), body: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.line(2);
    program.make("ones", LEGACY, &[], PARAMETER);
    program.make("ones", LEGACY, &[], OTHER);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", PARAMETER, GRADIENT);
        captured(it.line(7));
    });
    program.agent(AgentEvent::GraphCaptured {
        graph: 1,
        pool: Some((0, 1)),
        names: Vec::new(),
    });
    body(&mut program);
    program.line(10).replay(1);
    program
}

fn steps(program: &mut Program) {
    program.at(&[
        "torch/optim/sgd.py:360 _multi_tensor_sgd",
        "train.py:7 <module>",
    ]);
    writes(program);
}

fn writes(program: &mut Program) {
    let parameter = tensor(PARAMETER);
    program.operator(
        "add_",
        ORIGIN,
        &[parameter.clone(), tensor(GRADIENT)],
        &[parameter],
    );
}

fn changes(program: &mut Program, key: &str, parameter: u64) {
    program.agent(AgentEvent::OptimizerChanged {
        graph: 1,
        replay: 2,
        changes: vec![OptimizerChange {
            name: format!("optimizer.param_groups[0]['{key}']"),
            key: key.to_owned(),
            captured: "0.1".to_owned(),
            now: "0.05".to_owned(),
            parameters: vec![parameter],
        }],
    });
}

fn has_gradients(program: &mut Program) {
    program.agent(AgentEvent::GradientBuffers {
        graph: 1,
        buffers: vec![GradientBuffer {
            gradient: GRADIENT,
            parameter: PARAMETER,
        }],
    });
}

#[test]
fn the_learning_rate_of_a_captured_step_changes() {
    let mut program = training(steps, |it| changes(it, "lr", PARAMETER));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn another_number_of_a_captured_step_changes() {
    let mut program = training(steps, |it| changes(it, "weight_decay", PARAMETER));
    assert_eq!(program.ids(), ["CG205"]);
}

#[test]
fn numbers_of_a_step_that_is_not_captured_may_change() {
    let mut program = training(|_| {}, |it| changes(it, "lr", PARAMETER));
    assert_eq!(program.ids(), [""; 0]);
    let mut program = training(writes, |it| changes(it, "lr", PARAMETER));
    assert_eq!(program.ids(), [""; 0]);
    let mut program = training(steps, |it| changes(it, "lr", OTHER));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_gradients_that_a_graph_writes_are_dropped() {
    let mut program = training(
        |_| {},
        |it| {
            has_gradients(it);
            it.line(9).free(GRADIENT);
        },
    );
    insta::assert_snapshot!(program.describe());
}

#[test]
fn gradients_that_are_kept_are_no_mistake() {
    let mut program = training(|_| {}, has_gradients);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_graph_that_reads_its_gradients_itself_needs_no_name_for_them() {
    let mut program = training(steps, |it| {
        has_gradients(it);
        it.line(9).free(GRADIENT);
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn gradients_of_parameters_that_are_gone_are_left_alone() {
    let mut program = training(
        |_| {},
        |it| {
            has_gradients(it);
            it.line(9).free(GRADIENT);
            it.free(PARAMETER);
        },
    );
    assert!(!program.ids().contains(&"CG222"));
}
