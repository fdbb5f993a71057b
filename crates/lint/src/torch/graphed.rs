//! Functions that capture what they are given: PyTorch's `make_graphed_callables` and those of other packages.

use std::rc::Rc;

use super::module_tree::{self, TRAINING};
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

/// Calls the function, if it captures something.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let captures = meaning_of(full) == Some(Meaning::MakesGraphed);
    let is_pytorch = full.starts_with("torch.");
    captures.then(|| make(interp, args, is_pytorch, range))
}

/// The field of a graphed callable that has what it gives.
const OUTPUT: &str = "<output>";
/// The field of a graphed callable that has its graph.
const GRAPH: &str = "<graph>";
/// The field of a graphed module that has the mode which it was graphed in.
const GRAPHED_IN: &str = "<graphed in>";
/// The field of a callable that was graphed where gradients were off: it has no graph for the backward pass.
const WITHOUT_BACKWARD: &str = "<without backward>";
/// The field of a callable that PyTorch's own function graphed.
const BY_PYTORCH: &str = "<by PyTorch>";

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
    let is_without = object.fields.contains_key(WITHOUT_BACKWARD);
    let (Kind::Library(Own::Graphed(function, graphed)), graph, by_pytorch) = (
        object.kind.clone(),
        object.fields.get(GRAPH).cloned(),
        object.fields.contains_key(BY_PYTORCH),
    ) else {
        return Value::Unknown;
    };
    let is_eager = is_eager(interp, cell, &function);
    if by_pytorch {
        interp.emit(Event::GraphedCalled {
            graphed: cell,
            args,
            is_eager,
            range,
        });
    }
    if is_eager {
        return interp.call(&function, args.clone(), range);
    }
    interp.emit(Event::GraphLaunched {
        by: "a graphed callable",
        range,
    });
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
    let has_backward = captured.is_some_and(|it| interp.library.captures[it.0].gives_gradients);
    // The node of autograd takes the parameters as arguments, whether there is a graph for its backward pass or not.
    let is_without = is_without && module_tree::is_trained(interp, &function);
    let grad = interp.flow.grad && (has_backward || is_without);
    if grad && is_without {
        interp.emit(Event::GraphedWithoutBackward {
            output: *tensor,
            graphed,
        });
    }
    if let Some(tensor) = interp.heap.tensor_mut(*tensor) {
        tensor.requires_grad |= grad;
        tensor.leaf &= !grad;
        tensor.history = None;
        tensor.captured = captured;
        tensor.view_of = first;
    }
    answers::given(interp, *tensor, range)
}

/// Whether a graphed module runs itself: it is in another mode than when it was graphed.
fn is_eager<'p>(interp: &Interp<'p>, cell: CellId, module: &Value<'p>) -> bool {
    let field = |name| interp.heap.object(cell)?.fields.get(name)?.truth();
    match field(GRAPHED_IN) {
        Some(graphed_in) => {
            module_tree::mode(interp, module).is_some_and(|mode| mode != graphed_in)
        }
        // What is not known further was graphed in training mode.
        None => field(TRAINING) == Some(false),
    }
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

fn make<'p>(
    interp: &mut Interp<'p>,
    args: &Args<'p>,
    by_pytorch: bool,
    range: TextRange,
) -> Value<'p> {
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
    let options = by_pytorch.then(|| Options {
        allows_unused: match args.name("allow_unused_input") {
            None if args.open => None,
            None => Some(false),
            Some(allows) => allows.truth(),
        },
    });
    let Value::List(cell) = &callables else {
        let sample = sample(interp, &samples);
        return one(interp, &callables, &sample, options, range);
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
            one(interp, function, &sample, options, range)
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

/// How PyTorch's own function is to graph.
#[derive(Clone, Copy, Debug)]
struct Options {
    /// Whether outputs need not depend on all inputs, where known.
    allows_unused: Option<bool>,
}

/// Captures one callable: its forward, and its backward if there is one.
fn one<'p>(
    interp: &mut Interp<'p>,
    function: &Value<'p>,
    args: &Args<'p>,
    options: Option<Options>,
    range: TextRange,
) -> Value<'p> {
    let graph = capture(interp, function, args, range);
    let captured = match graph {
        Value::Object(cell) => interp.graph(cell).and_then(|it| it.capture),
        _ => None,
    };
    if let (Some(options), Some(capture)) = (options, captured) {
        interp.emit(Event::CallableGraphed {
            callable: function,
            sample: args,
            allows_unused: options.allows_unused,
            capture,
            range,
        });
    }
    let is_off = !interp.flow.grad && interp.flow.inference == Some(false);
    let graphed_in = module_tree::mode(interp, function);
    let site = interp.at(range);
    let graphed = interp.new_object(Kind::Library(Own::Graphed(function.clone(), site)), site);
    if let Value::Object(cell) = graphed
        && let Some(object) = interp.heap.object_mut(cell)
    {
        object.fields.insert(Rc::from(GRAPH), graph);
        if graphed_in.is_some() {
            object
                .fields
                .insert(Rc::from(GRAPHED_IN), Value::Bool(graphed_in));
        }
        if options.is_some() {
            object.fields.insert(Rc::from(BY_PYTORCH), Value::None);
        }
        if options.is_some() && is_off {
            object
                .fields
                .insert(Rc::from(WITHOUT_BACKWARD), Value::None);
        }
    }
    if options.is_some() && matches!(function, Value::Function(_)) {
        interp.library.graphed_function = Some(site);
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
        interp.run_backward(&result, range);
    });
    interp.capturing(CaptureKind::Callable, graph.clone(), range, |interp| {
        let result = interp.call(function, args.clone(), range);
        super::autograd::noted(interp);
        note_gradients(interp, &result);
        interp.run_backward(&result, range);
        result
    });
    graph
}
