//! CG113, CG119, CG120: libraries and compilers on their first use.

use cgsan_model::{Call, CaptureMode, Restricted};

use crate::support::{DEVICE, MAIN, ORIGIN, Program};

const SETUP_FAILED: &str =
    "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`";

fn capture(body: impl FnOnce(&mut Program)) -> Program {
    Program::capturing(&["train.py:5 <module>"], body)
}

fn first_use(program: &mut Program, function: &str) {
    program
        .library(function)
        .call(Call::Restricted(Restricted::Free));
}

#[test]
fn cublas_makes_its_handle() {
    let mut program = capture(|it| {
        first_use(it, "cublasCreate_v2");
        it.refuse(SETUP_FAILED)
            .in_flight("RuntimeError", SETUP_FAILED);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn cublas_with_a_handle_is_no_failure() {
    let mut program = Program::new();
    program.line(3);
    first_use(&mut program, "cublasCreate_v2");
    program.begin_graph(CaptureMode::Global);
    program.library("cublasGemmEx").launch(ORIGIN);
    program.end_graph();
    assert!(program.ids().is_empty());
}

#[test]
fn cusolver_waits_for_what_it_computes() {
    let mut program = capture(|it| {
        it.library("cusolverDnXsyevd")
            .call(Call::StreamSynchronize { stream: ORIGIN });
        it.refuse("cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR");
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_backward_pass_makes_its_own_handle() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:9 <module>",
            "torch/autograd/graph.py:800 _engine_run_backward",
        ]);
        it.launch(ORIGIN);
        it.thread(107, "pt_autograd_0").native();
        first_use(it, "cublasCreate_v2");
        it.thread(MAIN.0, "MainThread");
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG120");
    assert_eq!(report.findings[0].location.as_ref().unwrap().line, 9);
    assert!(report.findings[0].help.join(" ").contains("backward()"));
}

#[test]
fn nccl_makes_its_communicator() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "torch/distributed/distributed_c10d.py:2800 all_reduce",
        ]);
        first_use(it, "ncclCommInitRankConfig");
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn dynamo_compiles() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "torch/_dynamo/eval_frame.py:900 compile_wrapper",
            "torch/_dynamo/convert_frame.py:2041 ConvertFrame.__call__",
            "/usr/lib/python3.11/contextlib.py:81 inner",
            "torch/cuda/random.py:30 get_rng_state",
        ]);
        it.item(ORIGIN);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_wait_in_compiled_code_is_not_the_compiler() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "torch/_dynamo/eval_frame.py:900 compile_wrapper",
            "train.py:2 f",
        ]);
        it.item(ORIGIN);
    });
    assert_eq!(program.ids(), ["CG101"]);
}

#[test]
fn cudnn_times_its_algorithms() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "torch/nn/modules/conv.py:549 Conv2d.forward",
        ]);
        it.call(Call::DeviceSynchronize { device: DEVICE });
        it.library("cudnnBackendExecute").launch(ORIGIN);
    });
    assert_eq!(program.ids(), ["CG120"]);
}

#[test]
fn a_wait_beside_cudnn_is_not_its_tuning() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "torch/cuda/__init__.py:1160 synchronize",
        ]);
        it.call(Call::DeviceSynchronize { device: DEVICE });
        it.at(&[
            "train.py:8 <module>",
            "torch/nn/modules/conv.py:549 Conv2d.forward",
        ]);
        it.library("cudnnBackendExecute").launch(ORIGIN);
    });
    assert_eq!(program.ids(), ["CG101"]);
}

#[test]
fn triton_tunes() {
    let mut program = capture(|it| {
        it.at(&[
            "train.py:8 <module>",
            "triton/runtime/autotuner.py:200 Autotuner.run",
        ]);
        it.item(ORIGIN);
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG120");
    let location = report.findings[0].location.as_ref().expect("a line");
    assert_eq!(location.file_name(), "train.py");
}
