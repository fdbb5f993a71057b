//! CG219: the workspace that a library keeps for its stream.

use crate::support::{LEGACY, ORIGIN, Program, tensor};

const X: u64 = 0x1000;
const Y: u64 = 0x2000;
const WORKSPACE: u64 = 0x4000;
const OTHER: u64 = 0x5000;
/// In the pool of the graph.
const OUTPUT: u64 = 0x1_0000;

/// At line 4 the first `name` on the capture's stream allocates something beside its result; at line 7 one is captured. `body`
/// comes before the replay at line 10.
fn multiplying(name: &str, body: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program
        .line(4)
        .begin_operator(name, &[tensor(X), tensor(X)])
        .block(Y)
        .block(WORKSPACE)
        .launch(ORIGIN)
        .end_operator(&[tensor(Y)]);
    program.line(6).graph(1, |it| {
        it.line(7)
            .make(name, ORIGIN, &[tensor(X), tensor(X)], OUTPUT);
    });
    body(&mut program);
    program.line(10).replay(1);
    program
}

#[test]
fn a_workspace_that_the_graph_uses_is_freed() {
    let mut program = multiplying("mm", |it| {
        it.line(8).free(WORKSPACE);
        it.line(9).make("ones", LEGACY, &[], WORKSPACE);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_workspace_is_kept() {
    let mut program = multiplying("mm", |it| {
        it.line(9).make("ones", LEGACY, &[], OTHER);
    });
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_workspace_is_freed_after_the_last_replay() {
    let mut program = multiplying("mm", |_| {});
    program.line(11).free(WORKSPACE);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn what_another_operator_leaves_behind_is_no_workspace() {
    let mut program = multiplying("mul", |it| {
        it.line(8).free(WORKSPACE);
    });
    assert_eq!(program.ids(), [""; 0]);
}
