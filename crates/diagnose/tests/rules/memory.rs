//! CG103, CG104, CG124, CG128: memory and finalizers.

use cgsan_diagnose::diagnose;
use cgsan_model::{Call, CaptureMode, ExecId, GraphId, Restricted};
use cgsan_trace::{Entry, Record};

use crate::support::{LEGACY, ORIGIN, Program, observed};

/// A capture at line 4, with `body` at line 6.
fn capture(body: impl FnOnce(&mut Program)) -> Program {
    Program::capturing(&["train.py:6 <module>"], body)
}

#[test]
fn another_library_allocates() {
    let mut program = capture(|it| {
        it.call(Call::Restricted(Restricted::Malloc));
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn pytorch_allocates_on_the_default_stream() {
    let mut program = capture(|it| {
        it.allocate(LEGACY);
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG103");
    assert!(report.findings[0].notes[0].contains("the default stream"));
}

#[test]
fn pytorch_allocates_on_the_capturing_stream() {
    let mut program = capture(|it| {
        it.allocate(ORIGIN);
    });
    assert!(program.ids().is_empty());
}

#[test]
fn pinned_memory_is_allocated() {
    let mut program = capture(|it| {
        it.call(Call::Restricted(Restricted::HostAlloc));
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_value_is_read_through_pinned_memory() {
    let mut trace = capture(|it| {
        it.call(Call::Restricted(Restricted::HostAlloc));
    })
    .trace();
    let allocates = |entry: &Entry| matches!(&entry.record, Record::Call(call) if call.call == Call::Restricted(Restricted::HostAlloc));
    let position = trace.entries().iter().position(allocates).unwrap();
    for (operator, id) in [
        ("empty_memory_format", "CG104"),
        ("_local_scalar_dense", "CG101"),
    ] {
        trace.name_operator(position, operator.to_owned());
        let ids: Vec<_> = diagnose(&trace).findings.iter().map(|it| it.id).collect();
        assert_eq!(ids, [id], "{operator}");
    }
}

#[test]
fn a_graph_is_dropped() {
    let exec = ExecId(0x77);
    let mut program = Program::new();
    let graph = GraphId(0x66);
    program.call(Call::GraphCreate { graph });
    program.call(Call::GraphInstantiate {
        graph,
        exec,
        auto_free: false,
    });
    program.line(4).begin_graph(CaptureMode::Global);
    program.line(6).call(Call::GraphExecDestroy { exec });
    program.line(4).end_graph();
    insta::assert_snapshot!(program.describe());
}

#[test]
fn memory_runs_out() {
    let message = "CUDA out of memory. Tried to allocate 43.55 GiB.";
    let mut program = capture(|it| {
        it.allocate_in_vain(ORIGIN);
        it.throw("N3c1016OutOfMemoryErrorE", message);
        it.in_flight("torch.OutOfMemoryError", message);
    });
    insta::assert_snapshot!(program.describe());
}

#[test]
fn memory_runs_out_by_a_limit_of_pytorch() {
    let message = "CUDA out of memory. Tried to allocate 256.00 MiB.";
    let mut program = capture(|it| {
        it.throw("N3c1016OutOfMemoryErrorE", message);
        it.in_flight("torch.OutOfMemoryError", message);
    });
    let report = program.diagnose();
    assert_eq!(report.findings[0].id, "CG128");
    assert!(observed(&report.findings[0]).call.is_none());
}

#[test]
fn memory_runs_out_and_the_retry_is_refused() {
    let mut program = capture(|it| {
        it.allocate_in_vain(ORIGIN);
        it.call(Call::Restricted(Restricted::Free));
    });
    assert_eq!(program.ids(), ["CG128"]);
}

#[test]
fn memory_runs_out_and_the_retry_succeeds() {
    let mut program = capture(|it| {
        it.allocate_in_vain(ORIGIN);
        it.allocate(ORIGIN);
    });
    assert!(program.ids().is_empty());
}
