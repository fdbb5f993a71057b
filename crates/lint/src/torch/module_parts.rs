//! What changes a module with all that is in it: moving, casting, freezing.

use super::modules::{self, PARAMETER};
use crate::interp::object::Kind;
use crate::interp::value::{CellId, Device, Elements, Value};
use crate::interp::{Cell, Interp};
use crate::syntax::ast::TextRange;

/// How deep modules are gone through.
const DEEPEST: usize = 8;

/// What becomes of a module's tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// They are moved.
    Device(Device),
    /// They are cast.
    Elements(Elements),
    /// Gradients flow to them from now on, or no longer.
    RequiresGrad(bool),
}

/// Changes a module and all that is in it.
pub(super) fn change<'p>(interp: &mut Interp<'p>, module: &Value<'p>, how: Change) {
    change_to(interp, module, how, DEEPEST);
}

fn change_to<'p>(interp: &mut Interp<'p>, part: &Value<'p>, how: Change, depth: usize) {
    if depth == 0 {
        return;
    }
    interp.spend_many(1);
    match part {
        Value::Object(cell) => {
            for part in parts(interp, *cell, how) {
                change_to(interp, &part, how, depth - 1);
            }
        }
        Value::List(cell) => {
            let items = interp
                .heap
                .list(*cell)
                .map(|it| it.items.clone())
                .unwrap_or_default();
            for item in items {
                change_to(interp, &item, how, depth - 1);
            }
        }
        Value::Tensor(cell) => {
            if let Some(tensor) = interp.heap.tensor_mut(*cell) {
                match how {
                    Change::Device(device) => tensor.device = device,
                    Change::Elements(elements) => tensor.elements = elements,
                    Change::RequiresGrad(on) => tensor.requires_grad = on,
                }
            }
        }
        _ => {}
    }
}

/// What is in a module, which is changed itself.
fn parts<'p>(interp: &mut Interp<'p>, cell: CellId, how: Change) -> Vec<Value<'p>> {
    let Some(object) = interp.heap.object_mut(cell) else {
        return Vec::new();
    };
    if let Change::Device(device) = how {
        object.device = device;
    }
    let device = object.device;
    let mut parts: Vec<_> = object.fields.values().cloned().collect();
    let kind = object.kind.clone();
    match kind {
        Kind::Module(name, items) => {
            parts.extend(items);
            let short = name.rsplit('.').next().unwrap_or(&name);
            if !matches!(how, Change::Device(_)) && modules::has_parameters(short) {
                parts.push(modules::parameter(
                    interp,
                    cell,
                    device,
                    TextRange::default(),
                ));
            }
        }
        Kind::Ddp(module, _) | Kind::Graphed(module, _) => parts.push(module),
        Kind::Instance(_) => {}
        _ => return Vec::new(),
    }
    parts
}

/// Gradients no longer flow to a tensor. Where it stands for the parameters of a module, this holds for all of them.
pub(crate) fn frozen(interp: &mut Interp<'_>, tensor: CellId) {
    let owner = interp.find_cell(|cell| match cell {
        Cell::Object(object) => {
            matches!(object.fields.get(PARAMETER), Some(Value::Tensor(it)) if *it == tensor)
        }
        _ => false,
    });
    let part = owner.map_or(Value::Tensor(tensor), Value::Object);
    change(interp, &part, Change::RequiresGrad(false));
}
