//! What changes a module with all that is in it: moving, casting, freezing.

use super::modules::{self, PARAMETER};
use super::state::object::Own;
use super::state::tensor::{Device, Elements, Swap};
use super::{Cell, Interp, Kind, module_tree, storage};
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

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
pub(super) fn change(interp: &mut Interp<'_>, module: CellId, how: Change) {
    for part in module_tree::everything(interp, module) {
        change_part(interp, part, how);
    }
}

fn change_part(interp: &mut Interp<'_>, part: CellId, how: Change) {
    match (interp.heap.edit(part), how) {
        (Cell::Extension(tensor), Change::Device(device)) => tensor.device = device,
        (Cell::Extension(tensor), Change::Elements(elements)) => tensor.elements = elements,
        (Cell::Extension(tensor), Change::RequiresGrad(on)) => tensor.requires_grad = on,
        (Cell::Object(object), Change::Device(device)) => object.about.device = device,
        (Cell::Object(object), _) => {
            let device = object.about.device;
            let is_unmade = matches!(&object.kind, Kind::Library(Own::Module(name, _)) if modules::has_parameters(name))
                && !object.fields.contains_key(PARAMETER);
            if is_unmade
                && let Value::Extension(parameter) =
                    modules::parameter(interp, part, device, TextRange::default())
            {
                change_part(interp, parameter, how);
            }
        }
        _ => {}
    }
}

/// `module.weight = parameter`.
pub(crate) fn parameter_set<'p>(
    interp: &mut Interp<'p>,
    module: CellId,
    value: &Value<'p>,
    range: TextRange,
) {
    let held = interp
        .heap
        .object(module)
        .filter(|it| matches!(it.kind, Kind::Library(Own::Module(..))))
        .and_then(|it| it.fields.get(PARAMETER));
    if let (Some(Value::Extension(held)), Value::Extension(new)) = (held, value)
        && !interp.may_share(*held, *new)
    {
        storage::swapped(interp, *held, Swap::Parameter, range);
    }
}

/// The module for whose parameters a tensor stands.
fn module_of(interp: &Interp<'_>, parameter: CellId) -> Option<CellId> {
    interp.find_cell(|cell| match cell {
        Cell::Object(object) => {
            matches!(object.fields.get(PARAMETER), Some(Value::Extension(it)) if *it == parameter)
        }
        _ => false,
    })
}

/// Gradients no longer flow to a tensor. Where it stands for the parameters of a module, this holds for all of them.
pub(crate) fn frozen(interp: &mut Interp<'_>, tensor: CellId) {
    interp.library.freezes_some |= interp.doubt() > 0;
    let owner = module_of(interp, tensor);
    change(interp, owner.unwrap_or(tensor), Change::RequiresGrad(false));
}

/// The parameters of a module are moved or cast: those that are not so already get other memory.
pub(super) fn swapped(
    interp: &mut Interp<'_>,
    parameters: &[CellId],
    how: Change,
    range: TextRange,
) {
    for parameter in parameters {
        let is_other = interp.heap.tensor(*parameter).is_some_and(|it| match how {
            Change::Device(to) => {
                it.device != to && it.device != Device::Unknown && to != Device::Unknown
            }
            Change::Elements(to) => {
                it.elements != to && it.elements != Elements::Unknown && to != Elements::Unknown
            }
            Change::RequiresGrad(_) => false,
        });
        if is_other {
            storage::swapped(interp, *parameter, Swap::Moved, range);
        }
    }
}
