//! What PyTorch refuses before CUDA is asked.

use cgsan_model::{Call, CaptureMode};
use cgsan_trace::Argument;

use crate::support::{DEVICE, LEGACY, ORIGIN, Program, host, observed, tensor};

/// A capture at line 4 that is left because PyTorch's C++ threw `message` under these frames.
fn refused(frames: &[&str], message: &str) -> Program {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .at(frames)
        .refuse(message)
        .in_flight("RuntimeError", message);
    program.line(4).end_graph();
    program.at(frames).uncaught("RuntimeError", message);
    program
}

const COPY: &str = "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned.";
const GENERATOR: &str = "Attempt to increase offset for a CUDA generator not in capture mode.";
const SEED: &str = "Cannot call CUDAGeneratorImpl::current_seed during CUDA graph capture. If you need this call to be \
                    captured, please file an issue.";

#[test]
fn a_copy_of_unpinned_memory() {
    let mut program = refused(&["train.py:5 <module>"], COPY);
    insta::assert_snapshot!(program.describe());
}

/// The help of the finding where an operator is given these tensors, and a copy in it is refused.
fn help_where_it_copies(operator: &str, given: &[Argument]) -> Vec<String> {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .line(5)
        .operator("add", ORIGIN, &[tensor(0x1000)], &[tensor(0x1000)])
        .begin_operator(operator, given)
        .begin_operator("copy_", &[host(0x9000), tensor(0x2000)])
        .refuse(COPY)
        .in_flight("RuntimeError", COPY);
    program.line(4).end_graph();
    let mut report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG102");
    std::mem::take(&mut report.findings[0].help)
}

#[test]
fn an_operator_that_copies_what_it_finds_is_to_be_called_elsewhere() {
    let outside =
        ["compute it outside of the captured region: before it begins, or after `replay()`"];
    let on_gpu = [tensor(0x1000)];
    assert_eq!(help_where_it_copies("linalg_svd", &on_gpu), outside);
    // What the program gave is what is copied.
    assert_eq!(help_where_it_copies("to", &on_gpu).len(), 2);
    let index = [tensor(0x1000), Argument::List(vec![host(0x9000)])];
    assert_eq!(help_where_it_copies("index", &index).len(), 2);
}

#[test]
fn a_refusal_that_the_program_caught_is_no_failure() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).refuse(COPY);
    program.line(4).end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn a_capture_that_was_never_ended() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(5).refuse(COPY).uncaught("RuntimeError", COPY);
    assert_eq!(program.ids(), ["CG102"]);
}

#[test]
fn the_refusal_and_not_the_join_that_it_skipped() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .line(5)
        .wait_stream(crate::support::SIDE, crate::support::ORIGIN);
    program.line(6).launch(crate::support::SIDE);
    program.line(7).refuse(COPY).in_flight("RuntimeError", COPY);
    program.line(4).end_graph();
    let report = program.diagnose();
    let ids: Vec<_> = report.findings.iter().map(|it| it.id).collect();
    assert_eq!(ids, ["CG102"]);
    assert!(
        observed(&report.findings[0]).consequences[0]
            .text
            .contains("904")
    );
}

#[test]
fn a_generator_that_is_not_registered() {
    let mut program = refused(&["train.py:7 <module>"], GENERATOR);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_generator_that_is_not_registered_in_the_words_of_2_12() {
    let message = "RNG op during graph capture but generator is not registered with the capturing graph. Call \
                   graph.register_generator_state() before capture_begin().";
    assert_eq!(refused(&["train.py:7 <module>"], message).ids(), ["CG115"]);
}

#[test]
fn a_stale_node_that_pytorch_2_13_refuses_by_itself() {
    let message = "During CUDA graph capture, autograd node 'SinBackward0' has a stale reference to the default \
                   stream (stream 0) from warmup.";
    let backward = [
        "train.py:10 <module>",
        "torch/autograd/graph.py:979 _engine_run_backward",
    ];
    assert_eq!(refused(&backward, message).ids(), ["CG108"]);
}

#[test]
fn the_rng_state_is_read() {
    let mut program = refused(
        &[
            "train.py:6 <module>",
            "torch/cuda/random.py:40 get_rng_state",
        ],
        SEED,
    );
    insta::assert_snapshot!(program.describe());
}

#[test]
fn checkpointing_reads_the_rng_state() {
    let frames = [
        "train.py:9 <module>",
        "torch/utils/checkpoint.py:480 checkpoint",
        "torch/cuda/random.py:40 get_rng_state",
    ];
    let mut program = refused(&frames, SEED);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn reentrant_checkpointing_under_make_graphed_callables() {
    let message = "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` \
                   parameter to .backward().";
    let mut program = Program::new();
    program.at(&[
        "train.py:12 <module>",
        "torch/cuda/graphs.py:500 make_graphed_callables",
        "torch/autograd/graph.py:800 _engine_run_backward",
        "torch/utils/checkpoint.py:274 CheckpointFunction.backward",
    ]);
    program.uncaught("RuntimeError", message);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_default_stream_is_captured() {
    let message = "CUDA graphs must be captured on a non-default stream.";
    let mut program = Program::new();
    program.at(&[
        "train.py:4 <module>",
        "torch/cuda/graphs.py:110 CUDAGraph.capture_begin",
    ]);
    program.refuse(message).uncaught("RuntimeError", message);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_default_stream_is_captured_without_pytorch() {
    let mut program = Program::new();
    program.line(4).call(Call::StreamBeginCapture {
        stream: LEGACY,
        mode: CaptureMode::Global,
    });
    assert_eq!(program.ids(), ["CG121"]);
}

#[test]
fn a_capture_in_a_capture() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.at(&[
        "train.py:6 <module>",
        "torch/cuda/graphs.py:250 graph.__enter__",
        "torch/cuda/__init__.py:1160 synchronize",
    ]);
    program.call(Call::DeviceSynchronize { device: DEVICE });
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_capture_begun_by_hand_in_a_capture() {
    let frames = [
        "train.py:7 <module>",
        "torch/cuda/graphs.py:110 CUDAGraph.capture_begin",
    ];
    let message = "Cannot register the state during capturing stage. during CUDA graph capture.";
    assert_eq!(refused(&frames, message).ids(), ["CG122"]);
}

#[test]
fn a_replay_in_a_capture() {
    let message = "Cannot prepare for replay during capturing stage. during CUDA graph capture.";
    let frames = [
        "train.py:7 <module>",
        "torch/cuda/graphs.py:140 CUDAGraph.replay",
    ];
    let mut program = refused(&frames, message);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_optimizer_that_is_not_capturable() {
    let message = "Attempting CUDA graph capture of step() for an instance of Adam but param_groups' capturable is False.";
    let frames = [
        "train.py:20 <module>",
        "torch/optim/optimizer.py:520 Optimizer.profile_hook_step.<locals>.wrapper",
        "torch/optim/adam.py:230 Adam.step",
        "torch/optim/optimizer.py:479 Optimizer._cuda_graph_capture_health_check",
    ];
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.at(&frames).in_flight("RuntimeError", message);
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_refusal_in_unknown_words() {
    let mut program = refused(
        &[
            "train.py:5 <module>",
            "torch/nn/functional.py:3000 ctc_loss",
        ],
        "CTCLoss cannot be graph captured with CPU length tensors.",
    );
    insta::assert_snapshot!(program.describe());
}

const OWNED: &str = "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.";

/// A capture at line 4 that ends well, and another at `line`, which PyTorch refuses because of the object.
fn captured_again(line: u32) -> Program {
    let mut program = Program::capturing(&["train.py:5 <module>"], |program| {
        program.launch(crate::support::ORIGIN);
    });
    program
        .at(&[
            &format!("train.py:{line} <module>"),
            "torch/cuda/graphs.py:250 graph.__enter__",
            "torch/cuda/graphs.py:110 CUDAGraph.capture_begin",
        ])
        .refuse(OWNED)
        .uncaught("RuntimeError", OWNED);
    program
}

#[test]
fn a_graph_object_that_was_captured_into_before() {
    insta::assert_snapshot!(captured_again(8).describe());
}

#[test]
fn a_graph_object_that_is_captured_into_in_a_loop() {
    insta::assert_snapshot!(captured_again(4).describe());
}

#[test]
fn the_same_words_from_elsewhere() {
    let mut program = Program::new();
    program.line(4).uncaught("RuntimeError", OWNED);
    assert!(program.ids().is_empty());
}

#[test]
fn callables_graphed_under_autocast_with_its_cache() {
    let mut program = Program::new();
    program
        .at(&[
            "train.py:9 <module>",
            "torch/cuda/graphs.py:367 make_graphed_callables",
        ])
        .uncaught(
            "RuntimeError",
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`.",
        );
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_replay_that_pytorch_refuses_since_an_input_is_gone() {
    const DEAD: &str = "CUDA graph replay detected 1 dead tensor(s).\nDead tensor #1 (data_ptr=0x7f):\n  Deletion Traceback \
                        (Python):\n    File \"train.py\", line 8, in <module>\n        del x\n";
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(4).end_graph();
    program.line(9).uncaught("RuntimeError", DEAD);
    insta::assert_snapshot!(program.describe());
}
