//! What is known of PyTorch's objects and tensors after two ways that changed them.

use std::rc::Rc;

use super::hooks::REMOVED;
use super::object::{CudaEvent, Own, Progress};
use super::tensor::join_tensors;
use crate::interp::value::{CellId, Value};
use crate::torch::{Cell, Heap, Kind, Object};

/// A context that does nothing: `contextlib.nullcontext()`.
pub(crate) const PLAIN_CONTEXT: &str = "<plain context>";

/// What is known of an object that is as the one or as the other says.
pub(super) fn objects<'p>(heap: &mut Heap<'p>, left: Own<'p>, right: Own<'p>) -> Own<'p> {
    match (left, right) {
        (Own::Stream(mut left), Own::Stream(right)) => {
            left.member = left.member.or(right.member);
            left.lost |= right.lost;
            left.worked_outside = left.worked_outside.or(right.worked_outside);
            advance(&mut left.knows, &right.knows);
            Own::Stream(left)
        }
        (Own::Event(mut left), Own::Event(right)) => {
            left.one_of_several |= right.one_of_several;
            left.recorded = match (left.recorded, right.recorded) {
                // Who waits for it may wait for either.
                (Some(left), Some(mut right)) => {
                    advance(&mut right.knows, &left.knows);
                    Some(right)
                }
                (left, right) => right.or(left),
            };
            Own::Event(left)
        }
        (Own::Graph(mut left), Own::Graph(right)) => {
            left.capture = left.capture.max(right.capture);
            left.replayed = left.replayed.or(right.replayed);
            left.written = left.written.filter(|it| right.written == Some(*it));
            left.launched = left.launched.filter(|it| right.launched == Some(*it));
            left.reset |= right.reset;
            left.empty &= right.empty;
            left.awaits_instantiation |= right.awaits_instantiation;
            left.lost |= right.lost;
            left.copies = left.copies.max(right.copies);
            left.one_of.extend(right.one_of);
            for generator in right.generators {
                if !left.generators.contains(&generator) {
                    left.generators.push(generator);
                }
            }
            Own::Graph(left)
        }
        (Own::Compiled(mut left), Own::Compiled(right)) => {
            left.called |= right.called;
            Own::Compiled(left)
        }
        (Own::Queue(left), Own::Queue(right)) => Own::Queue(heap.join(left, right)),
        (left, _) => left,
    }
}

/// A graph, or an event, that is one of two.
pub(super) fn one_of_two<'p>(heap: &mut Heap<'p>, a: CellId, b: CellId) -> Option<Value<'p>> {
    let (left, right) = (heap.object(a)?, heap.object(b)?);
    if let (Kind::Library(Own::Event(one)), Kind::Library(Own::Event(other))) =
        (&left.kind, &right.kind)
        && one.may_be_asked()
        && other.may_be_asked()
    {
        let mut joined = left.clone();
        joined.kind = Kind::Library(Own::Event(CudaEvent {
            external: one.external || other.external,
            recorded: None,
            one_of_several: true,
        }));
        return Some(Value::Object(heap.add(Cell::Object(joined))));
    }
    if !matches!(
        (&left.kind, &right.kind),
        (Kind::Library(Own::Graph(_)), Kind::Library(Own::Graph(_)))
    ) {
        return None;
    }
    let (left, right) = (Cell::Object(left.clone()), Cell::Object(right.clone()));
    let mut joined = heap.join_cells(left, right);
    if let Cell::Object(object) = &mut joined
        && let Kind::Library(Own::Graph(graph)) = &mut object.kind
    {
        graph.one_of.extend([a, b]);
    }
    Some(Value::Object(heap.add(joined)))
}

/// What is one of two tensors.
pub(super) fn references<'p>(heap: &mut Heap<'p>, a: CellId, b: CellId) -> Value<'p> {
    if heap.referent(a) == heap.referent(b) {
        return Value::Extension(heap.referent(a));
    }
    let (Some(left), Some(right)) = (heap.tensor(a), heap.tensor(b)) else {
        return Value::Unknown;
    };
    let mut joined = join_tensors(left, right);
    joined.parents = Rc::from([a, b]);
    Value::Extension(heap.add(Cell::Extension(joined)))
}

/// What is done with a stream or a hook, and who refers to a graph, may not be seen from here on.
pub(super) fn lose(heap: &mut Heap<'_>, cell: CellId) {
    let is_new = heap.object(cell).is_some_and(|it| match &it.kind {
        Kind::Library(Own::Stream(stream)) => !stream.default && !stream.lost,
        Kind::Library(Own::Graph(graph)) => !graph.lost,
        Kind::Library(Own::Hook(_)) => !it.fields.contains_key(REMOVED),
        _ => false,
    });
    if !is_new {
        return;
    }
    let Some(object) = heap.object_mut(cell) else {
        return;
    };
    match &mut object.kind {
        Kind::Library(Own::Stream(stream)) => stream.lost = true,
        Kind::Library(Own::Graph(graph)) => graph.lost = true,
        // It may be removed.
        _ => {
            object.fields.insert(Rc::from(REMOVED), Value::Bool(None));
        }
    }
}

/// What is known of a context that is one of two, of which one captures.
pub(super) fn contexts<'p>(
    heap: &Heap<'p>,
    left: &Value<'p>,
    right: &Value<'p>,
) -> Option<Object<'p>> {
    let (one, other) = (context(heap, left)?, context(heap, right)?);
    let capture = [(one, left), (other, right)]
        .into_iter()
        .find_map(|(context, value)| match (context, value) {
            (Context::Capture, Value::Object(cell)) => heap.object(*cell),
            _ => None,
        })?;
    Some(Object {
        kind: Kind::Either(left.clone(), right.clone()),
        ..capture.clone()
    })
}

/// What a context does.
#[derive(Clone, Copy)]
enum Context {
    /// It captures.
    Capture,
    /// It does something else, or nothing.
    Plain,
}

fn context(heap: &Heap<'_>, value: &Value<'_>) -> Option<Context> {
    match value {
        Value::External(name) => (&**name == PLAIN_CONTEXT).then_some(Context::Plain),
        Value::Object(cell) => match heap.object(*cell)?.kind {
            Kind::Library(Own::Capture(_)) => Some(Context::Capture),
            Kind::Holding(..)
            | Kind::Library(Own::OnStream(_) | Own::Grad(..) | Own::Inference(_)) => {
                Some(Context::Plain)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Adds to what is known of streams' progress.
pub(super) fn advance(knows: &mut Progress, other: &Progress) {
    for (stream, done) in other {
        let mine = knows.entry(*stream).or_default();
        *mine = (*mine).max(*done);
    }
}
