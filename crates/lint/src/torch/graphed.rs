//! Functions that capture what they are given: PyTorch's `make_graphed_callables` and those of well-known libraries.

use std::rc::Rc;

use crate::interp::value::{Kind, Value};
use crate::interp::{Args, CaptureKind, Interp};
use crate::rules;
use crate::syntax::ast::TextRange;

/// Functions with the parameters of `torch.cuda.make_graphed_callables`.
const MAKERS: [&str; 5] = [
    "torch.cuda.make_graphed_callables",
    "transformer_engine.pytorch.make_graphed_callables",
    "transformer_engine.pytorch.graph.make_graphed_callables",
    "megatron.core.transformer.cuda_graphs.make_graphed_callables",
    "apex.contrib.make_graphed_callables",
];

/// Wrappers that capture a callable at its first calls.
const WRAPPERS: [&str; 4] = [
    "megatron.core.full_cuda_graph.FullCudaGraphWrapper",
    "tensordict.nn.CudaGraphModule",
    "tensordict.nn.cudagraphs.CudaGraphModule",
    "lightning.fabric.utilities.cuda_graphs.graphed",
];

/// Calls the function, if it is one of these.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    if MAKERS.contains(&full) {
        return Some(make(interp, args, range));
    }
    if WRAPPERS.contains(&full) {
        let Some(function) = args.positional.first().cloned() else {
            let site = interp.at(range);
            let named = args
                .named
                .iter()
                .map(|(name, value)| (Some(Rc::clone(name)), value.clone()))
                .collect();
            return Some(interp.new_object(Kind::Decorator(Rc::from(full), named), site));
        };
        return Some(one(
            interp,
            &function,
            &Args {
                open: true,
                ..Args::default()
            },
            false,
            range,
        ));
    }
    None
}

fn make<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let callables = args.get(0, "callables").cloned().unwrap_or(Value::Unknown);
    let samples = args
        .get(1, "sample_args")
        .cloned()
        .unwrap_or(Value::Unknown);
    rules::nesting::capture_begins(interp, CaptureKind::Callable, range);
    let Value::List(cell) = &callables else {
        let sample = sample(interp, &samples);
        return one(interp, &callables, &sample, true, range);
    };
    let functions = interp
        .heap
        .list(*cell)
        .map(|it| it.items.clone())
        .unwrap_or_default();
    let exact = interp.heap.list(*cell).is_some_and(|it| it.exact);
    let samples = match &samples {
        Value::List(cell) => interp
            .heap
            .list(*cell)
            .map(|it| it.items.clone())
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    let graphed = functions
        .iter()
        .enumerate()
        .map(|(at, function)| {
            let values = samples.get(at).cloned().unwrap_or(Value::Unknown);
            let sample = sample(interp, &values);
            one(interp, function, &sample, true, range)
        })
        .collect();
    interp.new_list(graphed, exact)
}

fn sample<'p>(interp: &Interp<'p>, samples: &Value<'p>) -> Args<'p> {
    match samples {
        Value::List(cell) => match interp.heap.list(*cell) {
            Some(list) if list.exact => Args::of(list.items.clone()),
            _ => Args {
                open: true,
                ..Args::default()
            },
        },
        _ => Args {
            open: true,
            ..Args::default()
        },
    }
}

/// Captures one callable: its forward, and its backward if there is one.
fn one<'p>(
    interp: &mut Interp<'p>,
    function: &Value<'p>,
    args: &Args<'p>,
    backward: bool,
    range: TextRange,
) -> Value<'p> {
    let site = interp.at(range);
    let args = args.clone();
    let nested = interp.graph_capture().is_some();
    if !nested && !matches!(function, Value::Unknown) {
        let called = function.clone();
        // What is made at the first call is there before the capture.
        interp.on_side_stream(range, |interp| interp.call(&called, args.clone(), range));
        interp.capturing(CaptureKind::Callable, range, |interp| {
            let result = interp.call(&called, args, range);
            if backward {
                rules::autograd::noted(interp);
            }
            result
        });
    }
    interp.new_object(Kind::Graphed(function.clone(), site), site)
}
