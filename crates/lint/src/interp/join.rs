//! What is known of an object of PyTorch's after two branches that changed it.

use super::heap::Heap;
use super::object::{Kind, Object, Progress};
use super::value::Value;

/// A context that does nothing: `contextlib.nullcontext()`.
pub(crate) const PLAIN_CONTEXT: &str = "<plain context>";

/// What is known of an object that is as the one or as the other says.
pub(crate) fn kinds<'p>(heap: &mut Heap<'p>, left: Kind<'p>, right: Kind<'p>) -> Kind<'p> {
    match (left, right) {
        (Kind::Stream(mut left), Kind::Stream(right)) => {
            left.member = left.member.or(right.member);
            left.lost |= right.lost;
            left.worked_outside = left.worked_outside.or(right.worked_outside);
            advance(&mut left.knows, &right.knows);
            Kind::Stream(left)
        }
        (Kind::Event(mut left), Kind::Event(right)) => {
            left.recorded = right.recorded.or(left.recorded);
            Kind::Event(left)
        }
        (Kind::Graph(mut left), Kind::Graph(right)) => {
            left.capture = left.capture.max(right.capture);
            left.replayed = left.replayed.or(right.replayed);
            left.written = left.written.filter(|it| right.written == Some(*it));
            left.reset |= right.reset;
            left.awaits_instantiation |= right.awaits_instantiation;
            left.lost |= right.lost;
            left.copies = left.copies.max(right.copies);
            left.one_of.extend(right.one_of);
            for generator in right.generators {
                if !left.generators.contains(&generator) {
                    left.generators.push(generator);
                }
            }
            Kind::Graph(left)
        }
        (Kind::Compiled(mut left), Kind::Compiled(right)) => {
            left.called |= right.called;
            Kind::Compiled(left)
        }
        // Where one way went through it, nothing may be left.
        (Kind::Lazy(None), _) | (_, Kind::Lazy(None)) => Kind::Lazy(None),
        (Kind::Queue(left), Kind::Queue(right)) => Kind::Queue(heap.join(left, right)),
        (left, _) => left,
    }
}

/// What is known of a context that is one of two, of which one captures.
pub(crate) fn contexts<'p>(
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
            Kind::Capture(_) => Some(Context::Capture),
            Kind::Holding(..) | Kind::OnStream(_) | Kind::Grad(..) => Some(Context::Plain),
            _ => None,
        },
        _ => None,
    }
}

/// Adds to what is known of streams' progress.
pub(crate) fn advance(knows: &mut Progress, other: &Progress) {
    for (stream, done) in other {
        let mine = knows.entry(*stream).or_default();
        *mine = (*mine).max(*done);
    }
}
