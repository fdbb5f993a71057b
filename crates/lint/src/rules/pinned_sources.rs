//! CG208: the host overwrites what a replay has yet to copy.

use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::value::{CellId, Value};
use crate::interp::{Cell, Interp};
use crate::syntax::ast::{Expr, TextRange, UnaryOp};

/// The source of a captured copy is written while a replay may still read it.
pub(crate) static OVERWRITTEN: Rule = Rule::new("CG208", Confidence::Likely);

/// The host has waited: no replay reads any more.
pub(crate) fn waited(interp: &mut Interp<'_>) {
    let sources: Vec<CellId> = interp
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
            && let Cell::Tensor(tensor) = interp.heap.edit(source)
        {
            tensor.in_flight = None;
            tensor.landed = now;
        }
    }
}

/// A loop has gone on while this was true: `while not event.query()` waits.
pub(crate) fn polled(interp: &mut Interp<'_>, test: &Expr) {
    let asked = test
        .as_unary_op_expr()
        .filter(|it| it.op == UnaryOp::Not)
        .and_then(|it| it.operand.as_call_expr())
        .and_then(|it| it.func.as_attribute_expr());
    if asked.is_some_and(|it| it.attr.as_str() == "query") {
        waited(interp);
    }
}

/// A tensor is written in place.
pub(crate) fn written<'p>(interp: &mut Interp<'p>, target: &Value<'p>, range: TextRange) {
    let Value::Tensor(cell) = target else { return };
    let root = interp.root(*cell);
    let Some((replay, _)) = interp.heap.tensor(root).and_then(|it| it.in_flight) else {
        return;
    };
    let site = interp.at(range);
    let draft = Draft::new(
        &OVERWRITTEN,
        site,
        "the host writes what the last replay may not have copied yet",
    )
    .label(replay, "this replay copies it, some time later")
    .note("`replay()` returns before the device has run it")
    .help("wait for the replay first, or use two buffers in turn")
    .repair(Repair::Wait(site));
    interp.report(draft);
}
