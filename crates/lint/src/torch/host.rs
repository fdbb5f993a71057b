//! The host waits for the device, or reads what is there.

use super::state::event::{Event, Pageable, Wait};
use super::state::object::Own;
use super::state::tensor::Device;
use super::{Cell, Interp, Kind, arrays};
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::{Expr, TextRange, UnaryOp};

/// How deep containers are searched for a tensor.
pub(super) const DEEPEST: usize = 3;
/// How many of their elements are looked at.
const WIDEST: usize = 16;

/// The host waits.
pub(super) fn waited(interp: &mut Interp<'_>, wait: Wait, range: TextRange) {
    waits(interp, wait, false, range);
}

/// The host asks for numbers of a tensor.
pub(super) fn read(interp: &mut Interp<'_>, tensor: CellId, wait: Wait, range: TextRange) {
    let Some(device) = interp.heap.tensor(tensor).map(|it| it.device) else {
        return;
    };
    if device == Device::Host {
        read_own(interp, tensor, range);
        return;
    }
    waits(interp, wait, device == Device::Unknown, range);
    interp.reads(&[Value::Extension(tensor)], range);
}

/// The host reads a tensor of its own.
pub(super) fn read_own(interp: &mut Interp<'_>, tensor: CellId, range: TextRange) {
    if interp.flow.captures.is_empty() {
        interp.emit(Event::HostRead { tensor, range });
    }
}

/// The host waits; `unknown` says whether that is not certain. Outside captures, all that was to be done is then done.
fn waits(interp: &mut Interp<'_>, wait: Wait, unknown: bool, range: TextRange) {
    interp.emit(Event::HostWaits {
        wait,
        unknown,
        range,
    });
    if interp.graph_capture().is_some() {
        return;
    }
    match wait {
        Wait::Device => interp.all_may_be_over(),
        Wait::Stream(stream) => interp.host_waits_for(Some(stream)),
        Wait::Read(_) | Wait::Shape(_) | Wait::Copy | Wait::Check(_) => {
            interp.host_waits_for(interp.flow.stream);
        }
    }
    let is_elsewhere = interp.flow.foreign.is_some() || interp.is_compiling();
    if !is_elsewhere {
        over(interp);
    }
}

/// Memory is copied between the device and the host, where it is not pinned: the host waits for the stream that copies.
pub(super) fn copied<'p>(interp: &mut Interp<'p>, what: Pageable<'_, 'p>, range: TextRange) {
    interp.emit(Event::Copied { what, range });
    interp.host_waits_for(interp.flow.stream);
}

/// The host has waited: no replay reads any more.
pub(super) fn over(interp: &mut Interp<'_>) {
    let sources: Vec<CellId> = interp
        .library
        .captures
        .iter()
        .flat_map(|it| it.sources.iter().map(|it| it.0))
        .collect();
    let now = interp.heap.next().0;
    for source in sources {
        if interp
            .heap
            .tensor(source)
            .is_some_and(|it| it.in_flight.is_some())
            && let Cell::Extension(tensor) = interp.heap.edit(source)
        {
            tensor.in_flight = None;
            tensor.landed = now;
        }
    }
}

/// A loop has gone on while this was true: `while not event.query()` waits.
pub(super) fn polled<'p>(interp: &mut Interp<'p>, test: &'p Expr) {
    let asked = test
        .as_unary_op_expr()
        .filter(|it| it.op == UnaryOp::Not)
        .and_then(|it| it.operand.as_call_expr())
        .and_then(|it| it.func.as_attribute_expr());
    let Some(asked) = asked.filter(|it| it.attr.as_str() == "query") else {
        return;
    };
    let kind = match interp.peek(&asked.value) {
        Some(Value::Object(cell)) => interp.heap.object(cell).map(|it| &it.kind),
        _ => None,
    };
    if matches!(kind, Some(Kind::Library(Own::Event(_) | Own::Stream(_)))) {
        over(interp);
        interp.all_may_be_over();
    }
}

/// Python asks for the truth of a value.
pub(super) fn truth<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    arrays::read(interp, value, range);
    if let Value::Extension(cell) = value {
        read(interp, *cell, Wait::Read("a condition"), range);
    }
}

/// Python compares values, or wants a number or an index of one. A compiler follows that by itself.
pub(super) fn asked<'p>(
    interp: &mut Interp<'p>,
    value: &Value<'p>,
    what: &'static str,
    range: TextRange,
) {
    arrays::read(interp, value, range);
    if let Value::Extension(cell) = value
        && !interp.is_compiling()
    {
        read(interp, *cell, Wait::Read(what), range);
    }
}

/// A value is turned into text.
pub(super) fn formatted<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
    arrays::read(interp, value, range);
    if let Some(tensor) = tensor_in(interp, value, DEEPEST) {
        read(interp, tensor, Wait::Read("the text of a tensor"), range);
    }
}

/// The tensor that a value is, or one of the device that it holds: containers are turned into text with what is in them.
pub(super) fn tensor_in<'p>(
    interp: &Interp<'p>,
    value: &Value<'p>,
    depth: usize,
) -> Option<CellId> {
    let parts: Vec<&Value<'p>> = match value {
        Value::Extension(tensor) => return Some(*tensor),
        Value::List(list) if depth > 0 => {
            interp.heap.list(*list)?.items.iter().take(WIDEST).collect()
        }
        Value::Dict(dict) if depth > 0 => match interp.heap.get(*dict) {
            Cell::Dict(items) if items.len() <= WIDEST => items.values().collect(),
            _ => return None,
        },
        _ => return None,
    };
    interp.spend_many(1);
    parts
        .into_iter()
        .filter_map(|it| tensor_in(interp, it, depth - 1))
        .filter(|it| {
            interp
                .heap
                .tensor(*it)
                .is_some_and(|it| it.device == Device::Cuda)
        })
        .min()
}
