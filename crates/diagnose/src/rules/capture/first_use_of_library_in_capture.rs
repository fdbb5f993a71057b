//! CG120: a library sets itself up on its first use, inside a capture.

use cgsan_finding::Confidence;
use cgsan_model::Call;

use crate::history::{Step, stack};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG120",
    check: Check::Failure(check),
};

/// Signal: the refused call was made inside a library, or Triton or cuDNN was tuning a kernel. A wait for the stream is none that sets a
/// library up: `cusolverDnXsyevd` waits after any warm-up (recorded on an H200, CUDA 13.0).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let waits = matches!(failure.call(), Some(Call::StreamSynchronize { .. }));
    if failure.actor() == Actor::Other || (waits && failure.library().is_some()) {
        return None;
    }
    let (library, note) = if let Some(function) = failure.library() {
        let note = format!("`{function}` allocates or frees memory, which a capture forbids");
        (library_of(function), note)
    } else if failure.says(&["warmup iterations occurred before capture"]) || tunes_cudnn(failure) {
        let note = "cuDNN times its algorithms on the first use of each shape".to_owned();
        (&CUDNN, note)
    } else if tunes_triton(failure) {
        let note = "Triton times its configurations on the first call with each shape".to_owned();
        (&TRITON, note)
    } else {
        return None;
    };
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg120::title(library.name),
        format!("the first use of {} sets it up", library.name),
    )
    .note(note)
    .help(says::cg120::warm_up(library.warm_up));
    Some(match failure.actor() {
        Actor::Autograd => verdict.help(
            "the backward pass runs in a thread of its own with its own handles, so the warm-up must include \
             `backward()`",
        ),
        _ => verdict,
    })
}

/// Whether the refused call is the wait with which PyTorch begins to time cuDNN's algorithms: a wait for the device that
/// nobody asked for by name, from the very frames that cuDNN then works for.
fn tunes_cudnn(failure: &Failure<'_, '_>) -> bool {
    let (Some(wait), Some(run)) = (failure.refused(), failure.capture) else {
        return false;
    };
    let history = failure.history;
    let is_cudnn = |step: Step<'_>| {
        let library = step.record.library.map(|name| history.trace.string(name));
        library.is_some_and(|name| name.starts_with(CUDNN.prefix))
    };
    let ended = run
        .ended
        .map_or(history.trace.entries().len(), |step| step.position);
    matches!(wait.record.call, Call::DeviceSynchronize { .. })
        && wait.record.stack.is_some()
        && history.between(wait.position, ended).any(|step| {
            step.thread == wait.thread && step.record.stack == wait.record.stack && is_cudnn(step)
        })
}

fn tunes_triton(failure: &Failure<'_, '_>) -> bool {
    failure.inside().iter().any(|frame| {
        stack::is_torch_file(frame, "triton/runtime/")
            || stack::is_torch_file(frame, "triton/testing.py")
    })
}

/// A library, and how to make it ready.
struct Library {
    prefix: &'static str,
    name: &'static str,
    warm_up: &'static str,
}

const CUDNN: Library = Library {
    prefix: "cudnn",
    name: "cuDNN",
    warm_up: says::cg120::CUDNN,
};

const TRITON: Library = Library {
    prefix: "triton",
    name: "Triton",
    warm_up: "launch the same kernel once with arguments of the same shapes and dtypes",
};

/// By the prefix of their functions, longer ones before those they begin with.
const LIBRARIES: &[Library] = &[
    Library {
        prefix: "cublasLt",
        name: "cuBLASLt",
        warm_up: "run one matrix product of the same dtype, e.g. `a @ a`, on a side stream",
    },
    Library {
        prefix: "cublas",
        name: "cuBLAS",
        warm_up: says::cg120::CUBLAS,
    },
    CUDNN,
    Library {
        prefix: "cusolver",
        name: "cuSOLVER",
        warm_up: says::cg120::CUSOLVER,
    },
    Library {
        prefix: "cusparseLt",
        name: "cuSPARSELt",
        warm_up: "run the same semi-structured sparse operation once",
    },
    Library {
        prefix: "cusparse",
        name: "cuSPARSE",
        warm_up: "run the same sparse operation once",
    },
    Library {
        prefix: "cufft",
        name: "cuFFT",
        warm_up: says::cg120::CUFFT,
    },
    Library {
        prefix: "curand",
        name: "cuRAND",
        warm_up: "draw once from the same generator",
    },
    Library {
        prefix: "nccl",
        name: "NCCL",
        warm_up: "run one collective of the same kind in the same process group",
    },
];

const OTHER: Library = Library {
    prefix: "",
    name: "a library",
    warm_up: "run the same operation once",
};

fn library_of(function: &str) -> &'static Library {
    LIBRARIES
        .iter()
        .find(|library| function.starts_with(library.prefix))
        .unwrap_or(&OTHER)
}
