//! `tensor[index]`.

use super::state::event::{Event, Pageable, Wait};
use super::state::tensor::{Device, Elements};
use super::{Interp, host, tensors};
use crate::interp::value::{CellId, Form, Value};
use crate::syntax::ast::TextRange;

/// What a part of an index does to a tensor's dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It picks one: a number.
    Picks,
    /// It keeps a dimension: a slice.
    Keeps,
    /// It adds one: `None`.
    Adds,
    /// It looks elements up: a list or a tensor.
    LooksUp,
    /// It takes those that a mask says.
    Masks,
    /// Nothing is known.
    Unknown,
}

/// Reads elements of a tensor.
pub(crate) fn read<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    index: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let Value::Extension(cell) = tensor else {
        return Value::Unknown;
    };
    let parts = parts(interp, index);
    let mut found = Vec::new();
    for value in &parts {
        let part = part(interp, *cell, value, range);
        if part == Part::Masks {
            masked(interp, *cell, value, range);
        }
        found.push(part);
    }
    if found
        .iter()
        .any(|it| matches!(it, Part::LooksUp | Part::Masks))
    {
        let operands: Vec<_> = std::iter::once(tensor.clone())
            .chain(
                parts
                    .into_iter()
                    .filter(|it| matches!(it, Value::Extension(_))),
            )
            .collect();
        let result = tensors::operation(interp, &operands, range);
        keep_elements(interp, *cell, &result);
        return result;
    }
    // What is looked up by something unknown may be a copy, which no replay overwrites.
    let is_view = parts
        .iter()
        .zip(&found)
        .all(|(value, part)| *part != Part::Unknown || value.as_external() == Some("Ellipsis"));
    if !is_view && interp.flow.captures.is_empty() {
        let site = interp.at(range);
        let result = interp.derived(std::slice::from_ref(tensor), site);
        interp.may_be_itself(&result, *cell);
        return result;
    }
    let rank = rank(interp, *cell, &found);
    let result = interp.view(*cell, range);
    interp.has_rank(&result, rank);
    // It is a part, and at most as large as the whole.
    if let Value::Extension(part) = result
        && let Some(part) = interp.heap.tensor_mut(part)
    {
        part.bytes = None;
    }
    result
}

/// Writes `value` to elements of a tensor.
pub(crate) fn written<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    index: &Value<'p>,
    value: &Value<'p>,
    range: TextRange,
) {
    let Value::Extension(cell) = tensor else {
        return;
    };
    let parts = parts(interp, index);
    let mut found = Vec::new();
    for value in &parts {
        found.push(part(interp, *cell, value, range));
    }
    let is_number = matches!(value, Value::Number(_) | Value::Bool(_));
    let mask = parts
        .iter()
        .zip(&found)
        .find(|(_, part)| **part == Part::Masks)
        .map(|(mask, _)| mask);
    if let (Some(mask), Value::Extension(_)) = (mask, value) {
        masked(interp, *cell, mask, range);
    }
    let looks_up = found.contains(&Part::LooksUp);
    let picks_one = rank(interp, *cell, &found) == Some(0);
    if is_number && mask.is_none() && (looks_up || picks_one) {
        // An index that was read has ended the capture before.
        if on(interp, *cell) == Some(Device::Cuda) && !reads_index(interp, &parts) {
            host::copied(interp, Pageable::Element, range);
        }
    } else if let Value::Extension(source) = value
        && !is_filled(interp, *source, rank(interp, *cell, &found))
    {
        super::transfers::copied(interp, tensor, value, false, range);
    }
}

/// Whether one of the parts is a number on the device.
fn reads_index<'p>(interp: &Interp<'p>, parts: &[Value<'p>]) -> bool {
    parts.iter().any(|it| match it {
        Value::Extension(index) => interp
            .heap
            .tensor(*index)
            .is_some_and(|it| it.rank == Some(0) && it.device == Device::Cuda),
        _ => false,
    })
}

/// Whether a host's number may fill the elements that are written, which copies nothing.
fn is_filled(interp: &Interp<'_>, source: CellId, written: Option<usize>) -> bool {
    interp
        .heap
        .tensor(source)
        .is_some_and(|it| it.device == Device::Host && it.rank == Some(0))
        && written != Some(0)
}

/// The parts of an index: those of a tuple, or itself.
fn parts<'p>(interp: &Interp<'p>, index: &Value<'p>) -> Vec<Value<'p>> {
    match index {
        Value::List(cell) => match interp.heap.list(*cell) {
            Some(list) if list.form == Form::Other && list.exact => list.items.clone(),
            Some(list) if list.form == Form::Other => vec![Value::Unknown],
            _ => vec![index.clone()],
        },
        _ => vec![index.clone()],
    }
}

/// What a part of an index does. What is found of it is said.
fn part<'p>(interp: &mut Interp<'p>, tensor: CellId, index: &Value<'p>, range: TextRange) -> Part {
    match index {
        Value::Slice(parts) => {
            super::waits::indexed_by_slice(interp, index, range);
            interp.emit(Event::Sized {
                sizes: &parts[..],
                range,
            });
            Part::Keeps
        }
        Value::None => Part::Adds,
        Value::Number(_) => Part::Picks,
        Value::List(list) => {
            if !is_of_numbers(interp, *list) {
                return Part::Unknown;
            }
            if on(interp, tensor) == Some(Device::Cuda) {
                host::copied(interp, Pageable::Index("a list"), range);
            }
            Part::LooksUp
        }
        Value::Extension(index) => by_tensor(interp, *index, range),
        _ => Part::Unknown,
    }
}

fn by_tensor(interp: &mut Interp<'_>, index: CellId, range: TextRange) -> Part {
    let Some(found) = interp.heap.tensor(index).cloned() else {
        return Part::Unknown;
    };
    match (found.elements, found.rank) {
        (_, Some(0)) => {
            host::read(
                interp,
                index,
                Wait::Read("an index that is a tensor"),
                range,
            );
            if found.elements == Elements::Bool {
                Part::Unknown
            } else {
                Part::Picks
            }
        }
        (Elements::Bool, _) => Part::Masks,
        _ => Part::LooksUp,
    }
}

/// Elements are taken by a mask: how many there are, the device decides.
fn masked<'p>(interp: &mut Interp<'p>, tensor: CellId, mask: &Value<'p>, range: TextRange) {
    let Value::Extension(mask) = mask else { return };
    if on(interp, *mask) == Some(Device::Host) {
        return;
    }
    host::read(interp, tensor, Wait::Shape("indexing with a mask"), range);
}

fn on(interp: &Interp<'_>, tensor: CellId) -> Option<Device> {
    interp.heap.tensor(tensor).map(|it| it.device)
}

/// Whether a list is certainly one of numbers, of which there is at least one.
fn is_of_numbers(interp: &Interp<'_>, list: CellId) -> bool {
    interp.heap.list(list).is_some_and(|list| {
        list.form == Form::List
            && !list.items.is_empty()
            && list
                .items
                .iter()
                .all(|it| matches!(it, Value::Number(_) | Value::Bool(_)))
    })
}

/// How many dimensions are left, where that is known.
fn rank(interp: &Interp<'_>, tensor: CellId, parts: &[Part]) -> Option<usize> {
    let mut rank = interp.heap.tensor(tensor)?.rank?;
    for part in parts {
        rank = match part {
            Part::Picks => rank.checked_sub(1)?,
            Part::Keeps => rank,
            Part::Adds => rank + 1,
            Part::LooksUp | Part::Masks | Part::Unknown => return None,
        };
    }
    Some(rank)
}

/// What is looked up in a tensor is of the same kind.
fn keep_elements<'p>(interp: &mut Interp<'p>, from: CellId, result: &Value<'p>) {
    let elements = interp
        .heap
        .tensor(from)
        .map_or(Elements::Unknown, |it| it.elements);
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(*cell)
    {
        tensor.elements = elements;
    }
}
