//! CG218: gradients that replays write anew, where the program means them to be added.

use cgsan_trace::{AgentEvent, StaticGradient};

use crate::support::{LEGACY, MAIN, ORIGIN, Program, tensor};

const WEIGHT: u64 = 0x1000;
const INPUT: u64 = 0x2000;
/// The gradient of an eager backward pass.
const EAGER: u64 = 0x4000;
const LOOKED_AT: u64 = 0x5000;
/// The gradient, in the pool of the graph.
const GRADIENT: u64 = 0x1_0000;

const AUTOGRAD: (u32, &str) = (200, "pt_autograd_0");

fn weight_and_input() -> Program {
    let mut program = Program::new();
    program
        .line(3)
        .make("ones", LEGACY, &[], WEIGHT)
        .make("zeros", LEGACY, &[], INPUT);
    program
}

/// Captures `GRADIENT = INPUT * WEIGHT` at line 7; the agent tells that it is the gradient of the weight.
fn capture(program: &mut Program) {
    program.line(6).graph(1, |it| {
        it.line(7)
            .make("mul", ORIGIN, &[tensor(INPUT), tensor(WEIGHT)], GRADIENT);
    });
    program.agent(AgentEvent::Gradients {
        graph: 1,
        replay: 1,
        gradients: vec![StaticGradient {
            name: "weight".to_owned(),
            address: GRADIENT,
            of_graph: 1,
        }],
        tensors: Some(vec![WEIGHT]),
    });
}

/// A new batch at line 9, and its replay at line 10.
fn replay(program: &mut Program) {
    program
        .line(9)
        .operator("fill_", LEGACY, &[tensor(INPUT)], &[tensor(INPUT)]);
    program.line(10).replay(1);
}

fn update(program: &mut Program) {
    let given = [tensor(WEIGHT), tensor(GRADIENT)];
    program
        .line(11)
        .operator("add_", LEGACY, &given, &[tensor(WEIGHT)]);
}

fn look(program: &mut Program, gradient: u64) {
    program.line(12).eager("sum", gradient, LOOKED_AT);
}

fn training(replays: usize) -> Program {
    let mut program = weight_and_input();
    capture(&mut program);
    for _ in 0..3 {
        for _ in 0..replays {
            replay(&mut program);
        }
        update(&mut program);
    }
    program
}

#[test]
fn several_batches_come_before_each_update() {
    insta::assert_snapshot!(training(2).describe());
}

#[test]
fn each_batch_has_its_update() {
    assert_eq!(training(1).ids(), [""; 0]);
}

#[test]
fn the_program_adds_the_gradients_itself() {
    let mut program = weight_and_input();
    capture(&mut program);
    for _ in 0..2 {
        for _ in 0..2 {
            replay(&mut program);
            let given = [tensor(EAGER), tensor(GRADIENT)];
            program
                .line(11)
                .operator("add_", LEGACY, &given, &[tensor(EAGER)]);
        }
        update(&mut program);
    }
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn one_update_is_skipped() {
    let mut program = training(1);
    replay(&mut program);
    replay(&mut program);
    update(&mut program);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_graph_is_timed_without_new_data() {
    let mut program = weight_and_input();
    capture(&mut program);
    for _ in 0..4 {
        program.line(10).replay(1);
    }
    update(&mut program);
    assert_eq!(program.ids(), [""; 0]);
}

/// Looks at the gradient after each replay; before the capture, at that of each eager backward pass, which adds to the last.
fn looking(adds_eagerly: bool) -> Program {
    let mut program = weight_and_input();
    program.line(7).eager("mul", INPUT, EAGER);
    for _ in 0..2 {
        look(&mut program, EAGER);
        program.line(7).eager("mul", INPUT, 0x6000);
        if adds_eagerly {
            program.thread(AUTOGRAD.0, AUTOGRAD.1).at(&[]);
            let given = [tensor(EAGER), tensor(0x6000)];
            program.operator("add_", LEGACY, &given, &[tensor(EAGER)]);
            program.thread(MAIN.0, "MainThread");
        }
    }
    capture(&mut program);
    for _ in 0..3 {
        replay(&mut program);
        look(&mut program, GRADIENT);
    }
    program
}

#[test]
fn eager_passes_add_to_a_gradient_that_replays_write_anew() {
    let mut program = looking(true);
    assert_eq!(program.ids(), ["CG218"]);
}

#[test]
fn the_gradient_of_each_batch_is_looked_at() {
    assert_eq!(looking(false).ids(), [""; 0]);
}
