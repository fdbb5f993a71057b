//! CG108, CG109: backward passes that reach the default stream.

use cgsan_model::CaptureMode;

use crate::support::{LEGACY, MAIN, ORIGIN, Program, SIDE};

const REFUSED: &str =
    "CUDA error: operation would make the legacy stream depend on a capturing blocking stream";

/// The captured backward pass at line 10, which ends by making `leaf` wait.
fn captured_backward(program: &mut Program, leaf: cgsan_model::Stream) {
    program.line(8).begin_graph(CaptureMode::Global);
    program.line(9).autograd_sequence(6).launch(ORIGIN);
    let backward = [
        "train.py:10 <module>",
        "torch/autograd/graph.py:800 _engine_run_backward",
    ];
    program.at(&backward).launch(ORIGIN);
    program.thread(107, "pt_autograd_0").native();
    program.launch(ORIGIN);
    program.wait_stream(leaf, ORIGIN);
    program.thread(MAIN.0, "MainThread").at(&backward);
    if leaf == LEGACY {
        program.in_flight("torch.AcceleratorError", REFUSED);
    } else {
        program.wait_stream(ORIGIN, leaf);
    }
}

#[test]
fn a_node_made_on_the_default_stream() {
    let mut program = Program::new();
    program.line(6).autograd_sequence(4).launch(LEGACY);
    // An operation without a node leaves the number as it was.
    program.line(7).autograd_sequence(4).launch(LEGACY);
    captured_backward(&mut program, LEGACY);
    program.autograd(&[
        ("MulBackward0", Some(5), None),
        ("AddBackward0", Some(3), None),
        ("AccumulateGrad", None, Some("x")),
    ]);
    program.line(8).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_same_node_made_on_a_side_stream_is_no_failure() {
    let mut program = Program::new();
    program.line(6).autograd_sequence(4).launch(SIDE);
    captured_backward(&mut program, SIDE);
    program.line(8).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn an_accumulator_kept_alive_from_an_earlier_forward() {
    let mut program = Program::new();
    program.line(6).autograd_sequence(4).launch(LEGACY);
    program.line(7).launch(LEGACY);
    captured_backward(&mut program, LEGACY);
    program.autograd(&[
        ("MulBackward0", Some(5), None),
        ("AccumulateGrad", None, Some("model.weight")),
    ]);
    program.line(8).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn accumulators_of_ddp() {
    let mut program = Program::new();
    program.at(&[
        "train.py:5 <module>",
        "torch/nn/parallel/distributed.py:800 DistributedDataParallel.__init__",
        "torch/distributed/utils.py:280 _sync_module_states",
    ]);
    program.launch(LEGACY);
    captured_backward(&mut program, LEGACY);
    program.autograd(&[
        ("AddmmBackward0", Some(5), None),
        ("AccumulateGrad", None, Some("model.module.weight")),
    ]);
    program.line(8).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_node_on_the_default_stream_beside_ddp() {
    let mut program = Program::new();
    program.at(&[
        "train.py:5 <module>",
        "torch/nn/parallel/distributed.py:800 DistributedDataParallel.__init__",
    ]);
    program.launch(LEGACY);
    program.line(6).autograd_sequence(4).launch(LEGACY);
    captured_backward(&mut program, LEGACY);
    program.autograd(&[("AddBackward0", Some(3), None)]);
    program.line(8).end_graph();
    assert_eq!(program.ids(), ["CG108"]);
}
