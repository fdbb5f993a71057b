//! CG119: `torch.compile` compiles during a capture.

use cgsan_finding::Confidence;

use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG119",
    check: Check::Failure(check),
};

/// Signal: between the user's line and the cause, the compiler was at work. Code that is already compiled runs under
/// other functions of the same files.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let compiles = failure.inside().iter().any(|frame| {
        COMPILER.iter().any(|(file, functions)| {
            let function = stack::function_name(frame);
            stack::is_torch_file(frame, file)
                && (functions.is_empty() || functions.iter().any(|it| function.starts_with(it)))
        })
    });
    compiles.then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg119::TITLE,
            "the first call of this compiled function compiles it",
        )
        .note(says::cg119::COMPILING)
        .help(says::cg119::CALL_BEFORE)
        .help(says::cg119::BACKWARD_TOO)
    })
}

/// Files of PyTorch, and how their functions begin that run only while something is compiled or tuned; none: all do.
const COMPILER: [(&str, &[&str]); 4] = [
    ("_dynamo/convert_frame.py", &[]),
    ("_inductor/compile_fx.py", &["compile_fx", "bw_compiler"]),
    ("_inductor/select_algorithm.py", &[]),
    (
        "_inductor/runtime/triton_heuristics.py",
        &["autotune_", "benchmark_", "bench", "coordinate_descent_"],
    ),
];
