//! Functions that capture what they are given: PyTorch's `make_graphed_callables` and those of other packages.

use std::rc::Rc;

use super::module_tree::TRAINING;
use super::state::capture::CaptureKind;
use super::state::event::Event;
use super::state::object::{Entry, Graph, Own};
use super::{Interp, Kind, answers};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::TextRange;

/// What a function of PyTorch's or of a package has to do with captures.
fn meaning_of(full: &str) -> Option<Meaning> {
    match full {
        "torch.cuda.make_graphed_callables" => Some(Meaning::MakesGraphed),
        _ => packages::meaning_of(full),
    }
}

/// Whether a function is captured that this is given, or that it decorates.
fn captures(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Captures | Meaning::CapturesDecorated)
}

/// Calls the function, if it captures something.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let meaning = meaning_of(full)?;
    if meaning == Meaning::MakesGraphed {
        return Some(make(interp, args, range));
    }
    let first = args
        .positional
        .first()
        .or_else(|| args.named.first().map(|it| &it.1));
    match first {
        Some(function) if meaning == Meaning::Captures => {
            Some(wrapped(interp, &function.clone(), range))
        }
        // As a decorator with arguments of its own.
        _ if captures(meaning) => {
            let site = interp.at(range);
            let named = args
                .named
                .iter()
                .map(|(name, value)| (Some(Rc::clone(name)), value.clone()))
                .collect();
            Some(interp.new_object(Kind::Library(Own::Decorator(Rc::from(full), named)), site))
        }
        _ => None,
    }
}

/// What a decorator of these makes of `value`.
pub(super) fn decorate<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    named: &[(Option<Rc<str>>, Value<'p>)],
    value: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let is_off = named
        .iter()
        .any(|(name, value)| name.as_deref() == Some("use_graphs") && value.truth() != Some(true));
    if is_off {
        return value;
    }
    if meaning_of(full).is_some_and(captures) {
        wrapped(interp, &value, range)
    } else {
        Value::Unknown
    }
}

/// A callable that is captured with the arguments of its first calls, of which nothing is known yet.
fn wrapped<'p>(interp: &mut Interp<'p>, function: &Value<'p>, range: TextRange) -> Value<'p> {
    let site = interp.at(range);
    let args = Args {
        open: true,
        ..Args::default()
    };
    capture(interp, function, &args, false, range);
    let wrapper = interp.new_object(Kind::Library(Own::Graphed(function.clone(), site)), site);
    if let Value::Object(cell) = wrapper
        && let Some(object) = interp.heap.object_mut(cell)
    {
        let first = Value::Bool(Some(true));
        object.fields.insert(Rc::from(FIRST_CALL), first);
    }
    wrapper
}

/// The field of a wrapper that was not called yet.
const FIRST_CALL: &str = "<first call>";
/// The field of a graphed callable that has what it gives.
const OUTPUT: &str = "<output>";
/// The field of a graphed callable that has its graph.
const GRAPH: &str = "<graph>";

/// A graphed callable is called: nothing of its function runs again, and it gives the same tensors each time.
pub(super) fn called<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(object) = interp.heap.object(cell) else {
        return Value::Unknown;
    };
    if let (Kind::Library(Own::Graphed(module, _)), Some(Value::Bool(Some(false)))) =
        (&object.kind, object.fields.get(TRAINING))
    {
        // It was graphed in training mode, and runs itself in the other.
        let module = module.clone();
        return interp.call(&module, args.clone(), range);
    }
    let (Kind::Library(Own::Graphed(function, _)), is_first, graph) = (
        object.kind.clone(),
        object.fields.contains_key(FIRST_CALL),
        object.fields.get(GRAPH).cloned(),
    ) else {
        return Value::Unknown;
    };
    if is_first {
        if let Some(object) = interp.heap.object_mut(cell) {
            object.fields.remove(FIRST_CALL);
        }
        capture(interp, &function, args, false, range);
    } else {
        interp.emit(Event::GraphLaunched {
            by: "a graphed callable",
            range,
        });
    }
    let values: Vec<_> = args.all().cloned().collect();
    if !values.iter().any(|it| matches!(it, Value::Extension(_))) {
        return Value::Unknown;
    }
    let result = interp.derived(&values, interp.at(range));
    let Value::Extension(tensor) = &result else {
        return result;
    };
    let loops = Rc::clone(&interp.loops.around);
    interp.library.replays += 1;
    let number = interp.library.replays;
    let captured = match graph {
        Some(Value::Object(graph)) => interp.graph_mut(graph).and_then(|graph| {
            graph.replayed = Some(loops);
            graph.written = Some(number);
            graph.capture
        }),
        _ => None,
    };
    let first = output(interp, cell, *tensor);
    let grad = interp.flow.grad
        && captured.is_some_and(|it| interp.library.captures[it.0].gives_gradients);
    if let Some(tensor) = interp.heap.tensor_mut(*tensor) {
        tensor.requires_grad |= grad;
        tensor.leaf &= !grad;
        tensor.history = None;
        tensor.captured = captured;
        tensor.view_of = first;
    }
    answers::given(interp, *tensor, range)
}

/// What the graphed callable gave first: each call gives the same memory.
fn output(interp: &mut Interp<'_>, cell: CellId, tensor: CellId) -> Option<CellId> {
    let object = interp.heap.object_mut(cell)?;
    if let Some(Value::Extension(first)) = object.fields.get(OUTPUT) {
        return Some(*first);
    }
    object
        .fields
        .insert(Rc::from(OUTPUT), Value::Extension(tensor));
    None
}

fn make<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let callables = args
        .get(0, "callables")
        .or_else(|| args.name("modules"))
        .cloned()
        .unwrap_or(Value::Unknown);
    let samples = match args.get(1, "sample_args") {
        Some(samples) => samples.clone(),
        None if args.open => Value::Unknown,
        // Python refuses the call.
        None => return Value::Unknown,
    };
    let before = interp.library.captures.len();
    let meets = interp.meets(CaptureKind::Callable, Entry::Waits);
    interp.emit(Event::CallablesGraphed { meets, range });
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
    share_pool(
        interp,
        before,
        exact && !args.open && args.name("_order").is_none(),
    );
    interp.new_list(graphed, exact)
}

/// All graphs of one call share a pool: those captured since there were `before`. It is not known where one stands for
/// several, or where the call names their order.
fn share_pool(interp: &mut Interp<'_>, before: usize, is_known: bool) {
    let all = interp.library.captures[before..].iter_mut();
    let mut own = all.filter(|it| it.kind == CaptureKind::Callable);
    let Some(first) = own.next() else { return };
    first.pool = first.pool.filter(|_| is_known);
    let pool = first.pool;
    own.for_each(|it| it.pool = pool);
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
    let graph = capture(interp, function, args, backward, range);
    let site = interp.at(range);
    let graphed = interp.new_object(Kind::Library(Own::Graphed(function.clone(), site)), site);
    if let Value::Object(cell) = graphed
        && let Some(object) = interp.heap.object_mut(cell)
    {
        object.fields.insert(Rc::from(GRAPH), graph);
    }
    graphed
}

/// Notes whether gradients flow through what the callable that is captured gives.
fn note_gradients<'p>(interp: &mut Interp<'p>, result: &Value<'p>) {
    let mut tensors = interp.tensors_of(result).into_iter();
    let gives = tensors.any(|it| interp.heap.tensor(it).is_some_and(|it| it.requires_grad));
    if let Some(id) = interp.graph_capture() {
        interp.library.captures[id.0].gives_gradients = gives;
    }
}

/// Calls a function to warm it up, and captures it: the graph.
fn capture<'p>(
    interp: &mut Interp<'p>,
    function: &Value<'p>,
    args: &Args<'p>,
    backward: bool,
    range: TextRange,
) -> Value<'p> {
    let site = interp.at(range);
    let graph = interp.new_object(Kind::Library(Own::Graph(Graph::default())), site);
    if interp.graph_capture().is_some() || matches!(function, Value::Unknown) {
        return graph;
    }
    // What is made at the first call is there before the capture.
    interp.on_side_stream(range, |interp| {
        let result = interp.call(function, args.clone(), range);
        if backward {
            interp.run_backward(&result, range);
        }
    });
    interp.capturing(CaptureKind::Callable, graph.clone(), range, |interp| {
        let result = interp.call(function, args.clone(), range);
        if backward {
            super::autograd::noted(interp);
            note_gradients(interp, &result);
            interp.run_backward(&result, range);
        }
        result
    });
    graph
}
