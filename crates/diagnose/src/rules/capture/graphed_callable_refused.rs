//! CG134: what `make_graphed_callables` refuses, and what its result refuses.

use cgsan_finding::Confidence;

use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG134",
    check: Check::Failure(check),
};

/// Where an exception has to come from to be about a graphed callable.
enum Below {
    /// Its text names `make_graphed_callables`, or nothing else has it.
    Anything,
    /// `make_graphed_callables`, at any depth.
    Graphing,
    /// `torch/cuda/graphs.py`, with no code of the program below it.
    Itself,
    /// The backward pass of a graphed callable.
    Backward,
    /// No frame says so: PyTorch refuses a second derivative before it calls one. A callable was graphed before.
    Graphed,
}

/// A refusal: parts of its text in PyTorch 2.6 to 2.15, where it comes from, what is wrong at the line, and what helps.
struct Refusal {
    texts: &'static [&'static str],
    below: Below,
    here: &'static str,
    help: &'static str,
}

const REFUSALS: &[Refusal] = &[
    Refusal {
        texts: &["Modules must not have hooks registered at the time they are passed"],
        below: Below::Anything,
        here: "the module given here has hooks",
        help: says::cg134::HOOKS,
    },
    Refusal {
        texts: &["only parameters may be trainable. All buffers must have"],
        below: Below::Anything,
        here: "a buffer of the module given here requires a gradient",
        help: says::cg134::BUFFER,
    },
    Refusal {
        texts: &["sample_args for each callable must contain only Tensors"],
        below: Below::Anything,
        here: "an argument given here is no tensor",
        help: says::cg134::TENSORS_ONLY,
    },
    Refusal {
        texts: &["appears to not have been used in the"],
        below: Below::Graphing,
        here: "an input or a parameter of the callable given here has no part in its outputs",
        help: says::cg134::UNUSED,
    },
    Refusal {
        texts: &[
            "grad requires non-empty inputs",
            "`inputs` argument to `grad()` cannot be empty",
        ],
        below: Below::Graphing,
        here: "nothing that the callable is given requires a gradient, and an output does",
        help: says::cg134::PARAMETERS,
    },
    Refusal {
        texts: &["object has no attribute 'requires_grad'"],
        below: Below::Itself,
        here: "the callable given here returns something that is no tensor",
        help: "let it return tensors alone",
    },
    Refusal {
        texts: &["object has no attribute 'data_ptr'"],
        below: Below::Itself,
        here: "the graphed callable is given something that is no tensor",
        help: says::cg134::LIKE_SAMPLES,
    },
    Refusal {
        texts: &[
            "make_graphed_autograd_function.<locals>.functionalized() got an unexpected keyword argument",
            "make_graphed_forward.<locals>.new_fwd() got an unexpected keyword argument",
        ],
        below: Below::Anything,
        here: "the graphed callable is called with a keyword",
        help: says::cg134::BY_POSITION,
    },
    Refusal {
        texts: &[
            "must implement the jvp function for custom autograd.Function",
            "autograd.Function with functorch transforms",
        ],
        below: Below::Itself,
        here: "a transform of functions is applied to the graphed callable",
        help: "transform the callable, and graph the result",
    },
    Refusal {
        texts: &[
            "replay without a preceding successful capture",
            "capture_end() must have been called before calling instantiate",
        ],
        below: Below::Backward,
        here: "the graphed callable has no graph for this backward pass",
        help: says::cg134::WITH_GRADIENTS,
    },
    Refusal {
        texts: &[
            "trying to differentiate twice a function that was marked with @once_differentiable",
        ],
        below: Below::Graphed,
        here: "a graphed callable is differentiated a second time",
        help: "compute the first derivative inside of the callable that is graphed",
    },
];

/// Signal: an exception that ends the program, in words of `torch/cuda/graphs.py`, or of autograd below it.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.thrown()?.reported?;
    let is_it = |it: &&Refusal| failure.says(it.texts) && is_below(failure, &it.below);
    let refusal = REFUSALS.iter().find(is_it)?;
    let confidence = match refusal.below {
        Below::Graphed => Confidence::Likely,
        _ => Confidence::Confirmed,
    };
    let verdict = Verdict::new(
        confidence,
        "a graphed callable cannot be made or used like this",
        refusal.here,
    );
    Some(verdict.help(refusal.help))
}

fn is_below(failure: &Failure<'_, '_>, below: &Below) -> bool {
    const FILE: &str = "cuda/graphs.py";
    const GRAPHING: &str = "make_graphed_callables";
    let has = |function| {
        let mut frames = failure.stack.iter();
        frames.any(|frame| stack::is_torch_function(frame, FILE, function))
    };
    let began_in_graphing = || {
        let captures = failure.history.captures.iter();
        captures
            .map(|run| failure.history.stack_of(run.began))
            .any(|began| {
                let mut frames = began.iter();
                frames.any(|frame| stack::is_torch_function(frame, FILE, GRAPHING))
            })
    };
    match below {
        Below::Anything => true,
        Below::Graphing => has(GRAPHING),
        Below::Itself => failure
            .inside()
            .iter()
            .any(|frame| stack::is_torch_file(frame, FILE)),
        Below::Backward => has("backward"),
        Below::Graphed => began_in_graphing(),
    }
}
