//! References to what graphs write: each is meant to be what some replay wrote, though all refer to what the last one
//! wrote.

use super::state::event::Event;
use super::state::tensor::Answer;
use super::{Cell, Interp};
use crate::interp::value::{CellId, Form, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// An operand of an operation that a graph writes.
#[derive(Clone, Copy, Debug)]
struct Operand {
    tensor: CellId,
    root: CellId,
    /// The replay that it is meant to have come from.
    replay: u32,
    /// What is known of the reference, unless it is the graph's own.
    answer: Option<Answer>,
}

/// The program refers to a value here, by a name, an attribute or as a part of something: it means what was written last.
pub(super) fn referred<'p>(
    interp: &mut Interp<'p>,
    value: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let Value::Extension(cell) = value else {
        return value;
    };
    match last_replay(interp, cell) {
        Some(replay) if answer_of(interp, cell).is_none() => {
            let answer = Answer {
                replay,
                site: interp.at(range),
                by_call: false,
            };
            Value::Extension(reference(interp, cell, answer))
        }
        _ => value,
    }
}

/// `name = other_name`: the new name means what the other does.
pub(super) fn renamed<'p>(
    interp: &mut Interp<'p>,
    value: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let Value::Extension(cell) = value else {
        return value;
    };
    let answer = interp.heap.tensor(cell).and_then(|it| it.answer);
    match answer {
        Some(answer) if interp.flow.captures.is_empty() => {
            let answer = Answer {
                site: interp.at(range),
                by_call: false,
                ..answer
            };
            Value::Extension(reference(interp, cell, answer))
        }
        _ => referred(interp, value, range),
    }
}

/// A function is left whose caller gets this; `before` is how many replays there were when it began. What it replayed itself
/// is its answer.
pub(super) fn returned<'p>(interp: &mut Interp<'p>, value: Value<'p>, before: u32) -> Value<'p> {
    if interp.library.replays == before {
        return value;
    }
    each_tensor(interp, value, |interp, cell| {
        let replay = last_replay(interp, cell).filter(|it| *it > before);
        match interp.call_site() {
            Some(site) => by_call(interp, cell, replay, site),
            None => cell,
        }
    })
}

/// A graphed callable gives this tensor, which its graph has just written.
pub(super) fn given<'p>(interp: &mut Interp<'p>, cell: CellId, range: TextRange) -> Value<'p> {
    let (replay, site) = (last_replay(interp, cell), interp.at(range));
    Value::Extension(by_call(interp, cell, replay, site))
}

/// What a call at this site gives, if it made this replay.
fn by_call(interp: &mut Interp<'_>, cell: CellId, replay: Option<u32>, site: Site) -> CellId {
    match replay {
        Some(replay) => {
            let answer = Answer {
                replay,
                site,
                by_call: true,
            };
            reference(interp, cell, answer)
        }
        None => cell,
    }
}

/// A tensor, or each one of a tuple, with another one in its place.
fn each_tensor<'p>(
    interp: &mut Interp<'p>,
    value: Value<'p>,
    other: impl Fn(&mut Interp<'p>, CellId) -> CellId,
) -> Value<'p> {
    match &value {
        Value::Extension(cell) => Value::Extension(other(interp, *cell)),
        Value::List(cell) => {
            let tuple = interp.heap.list(*cell);
            let Some(tuple) = tuple.filter(|it| it.exact && it.form == Form::Other) else {
                return value;
            };
            let mut items = tuple.items.clone();
            let mut is_other = false;
            for item in &mut items {
                if let Value::Extension(cell) = item {
                    let before = std::mem::replace(cell, other(interp, *cell));
                    is_other |= before != *cell;
                }
            }
            if is_other {
                interp.new_list(items, true)
            } else {
                value
            }
        }
        _ => value,
    }
}

/// `dictionary[key] = value`: what is stored. The same statement may have stored what an earlier replay wrote under another
/// key.
pub(super) fn entered<'p>(
    interp: &mut Interp<'p>,
    container: &Value<'p>,
    key: &Value<'p>,
    value: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let (Value::Dict(dictionary), Some(key)) = (container, key.as_text()) else {
        return value;
    };
    let value = referred(interp, value, range);
    let Value::Extension(tensor) = value else {
        return value;
    };
    let (Some(mine), Cell::Dict(items)) = (answer_of(interp, tensor), interp.heap.get(*dictionary))
    else {
        return value;
    };
    let root = interp.root(tensor);
    let is_overwritten = items.iter().any(|(other, item)| match item {
        Value::Extension(item) if **other != *key => {
            let earlier = answer_of(interp, *item).is_some_and(|it| it.replay < mine.replay);
            earlier && interp.root(*item) == root && is_stored_at(interp, *item, mine)
        }
        _ => false,
    });
    if is_overwritten {
        interp.emit(Event::OutputKept { tensor, range });
    }
    value
}

/// Whether a tensor was stored where this one is.
fn is_stored_at(interp: &Interp<'_>, tensor: CellId, other: Answer) -> bool {
    answer_of(interp, tensor).is_some_and(|it| it.site == other.site)
}

/// What a loop goes through is used turn by turn: each means what was written last.
pub(super) fn in_turn<'p>(interp: &mut Interp<'p>, value: Value<'p>) -> Value<'p> {
    if interp.library.replays == 0 {
        return value;
    }
    each_tensor(interp, value, |interp, cell| referent(interp, cell))
}

/// A generator or the like was gone through at once; `before` is how many replays there were then. What collects all of it
/// keeps each of its values.
pub(super) fn drained<'p>(
    interp: &mut Interp<'p>,
    list: &Value<'p>,
    before: u32,
    collects: bool,
    range: TextRange,
) {
    let Value::List(cell) = list else { return };
    if interp.library.replays == before {
        return;
    }
    let Some(found) = interp.heap.list(*cell) else {
        return;
    };
    let (exact, items) = (found.exact, found.items.clone());
    if collects {
        let operands = operands(interp, &items);
        let stands_for_several =
            |it: &Operand| !exact && it.answer.is_some_and(|it| it.by_call && it.replay > before);
        let overwritten = operands
            .iter()
            .find(|it| it.answer.is_some() && (is_behind(it, &operands) || stands_for_several(it)));
        if let Some(it) = overwritten.copied() {
            interp.emit(Event::OutputKept {
                tensor: it.tensor,
                range,
            });
        }
    }
    let items: Vec<_> = items.into_iter().map(|it| in_turn(interp, it)).collect();
    if let Cell::List(list) = interp.heap.edit(*cell) {
        list.items = items;
    }
}

/// An operation reads these.
pub(super) fn used<'p>(interp: &mut Interp<'p>, values: &[Value<'p>], range: TextRange) {
    if interp.library.replays == 0 || !interp.flow.captures.is_empty() {
        return;
    }
    interp.reads(values, range);
    let operands = operands(interp, values);
    let found = operands.iter().find_map(|it| {
        let answer = it.answer?;
        let is_overwritten = last_replay(interp, it.root).is_some_and(|last| last > it.replay);
        let is_meant = is_behind(it, &operands);
        (is_overwritten && is_meant).then_some((it.tensor, answer))
    });
    let Some((tensor, answer)) = found else {
        return;
    };
    interp.emit(Event::OutputUsedLate {
        tensor,
        answer,
        range,
    });
}

fn operands<'p>(interp: &Interp<'p>, values: &[Value<'p>]) -> Vec<Operand> {
    let tensors = values.iter().flat_map(|it| interp.tensors_of(it));
    tensors
        .filter_map(|tensor| {
            let root = interp.root(tensor);
            let last = last_replay(interp, root)?;
            let answer = answer_of(interp, tensor);
            Some(Operand {
                tensor,
                root,
                replay: answer.map_or(last, |it| it.replay),
                answer,
            })
        })
        .collect()
}

/// Whether one of the others is the same output, and meant to have come from a later replay.
fn is_behind(operand: &Operand, others: &[Operand]) -> bool {
    let mut others = others.iter();
    others.any(|it| it.root == operand.root && it.replay > operand.replay)
}

/// A reference to a tensor: another object of the interpreter's, the same memory.
fn reference(interp: &mut Interp<'_>, cell: CellId, answer: Answer) -> CellId {
    let of = referent(interp, cell);
    let Some(mut tensor) = interp.heap.tensor(of).cloned() else {
        return cell;
    };
    tensor.view_of = Some(of);
    tensor.answer = Some(answer);
    interp.heap.add(Cell::Extension(tensor))
}

/// What a reference refers to.
fn referent(interp: &Interp<'_>, cell: CellId) -> CellId {
    interp.heap.referent(cell)
}

/// What is known of a reference, or of the one that a view was made of.
fn answer_of(interp: &Interp<'_>, cell: CellId) -> Option<Answer> {
    /// How long chains of views are gone along.
    const LONGEST: usize = 6;
    let mut next = Some(cell);
    for _ in 0..LONGEST {
        let tensor = interp.heap.tensor(next?)?;
        if tensor.answer.is_some() {
            return tensor.answer;
        }
        next = tensor.view_of;
    }
    None
}

/// The last replay of the graph that writes a tensor, where it is certain which graph that is.
fn last_replay(interp: &Interp<'_>, cell: CellId) -> Option<u32> {
    if interp.library.replays == 0 || !interp.flow.captures.is_empty() {
        return None;
    }
    let id = interp.heap.tensor(cell)?.captured?;
    let capture = &interp.library.captures[id.0];
    // What was captured in a loop stands for several.
    let is_one = interp.loops.around.starts_with(&capture.loops);
    let graph = interp.graph(capture.graph?).filter(|_| is_one)?;
    graph.written.filter(|_| graph.capture == Some(id))
}
