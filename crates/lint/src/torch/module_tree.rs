//! What modules are made of: their submodules and parameters.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::state::capture::CaptureId;
use super::state::event::Event;
use super::state::object::Own;
use super::state::tensor::Device;
use super::{Cell, Interp, Kind, modules};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// The attribute that says whether a module is in training mode.
pub(crate) const TRAINING: &str = "training";
/// How deep modules are looked into.
const DEEPEST: usize = 8;

/// `module.children()` and its kin: the modules in it, with names if those are asked for.
pub(super) fn submodules<'p>(interp: &mut Interp<'p>, cell: CellId, name: &str) -> Value<'p> {
    let found = if name.ends_with("children") {
        let parts = inside(interp, cell, 1).into_iter();
        parts.filter(|it| is_module(interp, *it)).collect()
    } else {
        modules(interp, cell)
    };
    let items = found
        .into_iter()
        .map(|module| {
            let module = Value::Object(module);
            if name.starts_with("named") {
                interp.new_list(vec![Value::Text(None), module], true)
            } else {
                module
            }
        })
        .collect();
    interp.new_list(items, true)
}

/// `module.apply(function)`: calls it with each module.
pub(super) fn apply<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    function: &Value<'p>,
    range: TextRange,
) -> Value<'p> {
    let mut found = modules(interp, cell);
    // It comes behind its parts.
    found.rotate_left(1);
    for module in found {
        interp.call(function, Args::of(vec![Value::Object(module)]), range);
    }
    Value::Object(cell)
}

/// `module.train(...)` and `module.eval()`: the mode of a module and of all that is in it.
pub(super) fn set_training<'p>(interp: &mut Interp<'p>, cell: CellId, name: &str, args: &Args<'p>) {
    let on = match args.get(0, "mode") {
        None if args.open => None,
        None => Some(name == "train"),
        Some(mode) => mode.truth(),
    };
    for module in modules(interp, cell) {
        interp.emit(Event::ModeSet {
            module,
            training: on,
        });
        if let Some(object) = interp.heap.object_mut(module) {
            object.fields.insert(Rc::from(TRAINING), Value::Bool(on));
        }
    }
}

/// Whether a module is in training mode, where known; nothing is where it is no module.
pub(super) fn mode(interp: &Interp<'_>, module: &Value<'_>) -> Option<bool> {
    let cell = module.cell().filter(|it| is_module(interp, *it))?;
    match interp.heap.object(cell)?.fields.get(TRAINING) {
        None => Some(true),
        Some(mode) => mode.truth(),
    }
}

/// Whether gradients flow to parameters of a module.
pub(super) fn is_trained(interp: &Interp<'_>, module: &Value<'_>) -> bool {
    let Some(cell) = module.cell().filter(|it| is_module(interp, *it)) else {
        return false;
    };
    let mut all = modules(interp, cell).into_iter();
    all.any(|it| !own_parameters(interp, it).is_empty() || has_trained_weight(interp, it))
}

/// Whether a module of PyTorch's certainly has a weight, and gradients flow to it.
fn has_trained_weight(interp: &Interp<'_>, cell: CellId) -> bool {
    let Some(object) = interp.heap.object(cell) else {
        return false;
    };
    // Layers that normalize may be made without.
    let has_weight = matches!(&object.kind, Kind::Library(Own::Module(name, _))
        if modules::has_parameters(name) && !name.contains("Norm"));
    has_weight
        && match object.fields.get(modules::PARAMETER) {
            Some(Value::Extension(it)) => {
                interp.heap.tensor(*it).is_some_and(|it| it.requires_grad)
            }
            Some(_) => false,
            // It is made when it is used first.
            None => true,
        }
}

/// A module of PyTorch's in a module of the program whose weight a capture certainly does not use, though gradients flow
/// to it: where it was made.
pub(crate) fn unused_in(interp: &Interp<'_>, module: CellId, capture: CaptureId) -> Option<Site> {
    let all = modules(interp, module);
    let is_long = |it: &CellId| {
        matches!(interp.heap.object(*it).map(|it| &it.kind),
            Some(Kind::Library(Own::Module(name, _))) if name.contains("ModuleList") || name.contains("ModuleDict"))
    };
    // Not all that is in them is followed.
    if interp.library.freezes_some || all.iter().any(is_long) {
        return None;
    }
    all.into_iter()
        .find(|it| has_trained_weight(interp, *it) && !is_used(interp, *it, capture))
        .and_then(|it| Some(interp.heap.object(it)?.made))
}

/// Whether a capture may use the weight of a module of PyTorch's, which others may share.
fn is_used(interp: &Interp<'_>, module: CellId, capture: CaptureId) -> bool {
    let Some(object) = interp.heap.object(module) else {
        return true;
    };
    if object.open || object.about.device != Device::Cuda {
        return true;
    }
    let is_set = ["weight", "bias"]
        .iter()
        .any(|it| object.fields.contains_key(*it));
    let Some(Value::Extension(weight)) = object.fields.get(modules::PARAMETER) else {
        return is_set;
    };
    is_set
        || interp.library.captures[capture.0]
            .inputs
            .contains_key(&interp.root(*weight))
        || is_shared(interp, module, *weight)
}

/// Whether another module has a weight of this one's.
fn is_shared(interp: &Interp<'_>, module: CellId, weight: CellId) -> bool {
    let own = interp.heap.object(module).map(|it| &it.fields);
    interp
        .find_cell(|cell| {
            let fields = match cell {
                Cell::Object(object) => &object.fields,
                _ => return false,
            };
            let is_own = own.is_some_and(|own| std::ptr::eq(own, fields));
            !is_own
                && ["weight", "bias"].iter().any(
                    |it| matches!(fields.get(*it), Some(Value::Extension(it)) if *it == weight),
                )
        })
        .is_some()
}

/// The first buffer of a module and of all that is in it to which gradients flow, by its name.
pub(crate) fn trained_buffer(interp: &Interp<'_>, module: CellId) -> Option<Rc<str>> {
    modules(interp, module).into_iter().find_map(|it| {
        let fields = &interp.heap.object(it)?.fields;
        let Some(Value::List(names)) = fields.get(modules::BUFFERS) else {
            return None;
        };
        let is_trained = |name: &&str| match fields.get(*name) {
            Some(Value::Extension(it)) => {
                interp.heap.tensor(*it).is_some_and(|it| it.requires_grad)
            }
            _ => false,
        };
        let names = interp.heap.list(*names)?.items.iter();
        names
            .filter_map(Value::as_text)
            .find(is_trained)
            .map(Rc::from)
    })
}

/// One tensor that stands for the parameters of a module and of all that is in it.
pub(super) fn parameter<'p>(interp: &mut Interp<'p>, cell: CellId, range: TextRange) -> Value<'p> {
    let device = |interp: &Interp<'p>, cell| {
        let object = interp.heap.object(cell);
        object.map_or(Device::Unknown, |it| it.about.device)
    };
    let here = device(interp, cell);
    let own = modules::parameter(interp, cell, here, range);
    let Value::Extension(tensor) = own else {
        return own;
    };
    let mut parts = own_parameters(interp, cell);
    for module in modules(interp, cell).into_iter().skip(1) {
        parts.extend(own_parameters(interp, module));
        let there = device(interp, module);
        let parameter = modules::parameter(interp, module, there, range);
        parts.extend(interp.tensors_of(&parameter));
    }
    interp.stands_for(tensor, parts);
    own
}

/// The parameters of a module, and of all that is in it, of which something is known already.
pub(super) fn known_parameters(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let mut parameters = Vec::new();
    for module in modules(interp, cell) {
        parameters.extend(own_parameters(interp, module));
        let fields = interp.heap.object(module).map(|it| &it.fields);
        if let Some(Value::Extension(tensor)) = fields.and_then(|it| it.get(modules::PARAMETER)) {
            parameters.push(*tensor);
        }
    }
    parameters.sort();
    parameters.dedup();
    parameters
}

/// The parameters that a module of the program has as attributes.
fn own_parameters(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let Some(object) = interp.heap.object(cell) else {
        return Vec::new();
    };
    let mut parameters: Vec<_> = object
        .fields
        .values()
        .filter_map(|value| match value {
            Value::Extension(cell) => Some(*cell),
            _ => None,
        })
        .filter(|cell| {
            let tensor = interp.heap.tensor(*cell);
            tensor.is_some_and(|it| it.requires_grad && it.leaf)
        })
        .collect();
    parameters.sort();
    parameters
}

/// A module and those in it, each once.
pub(super) fn modules(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let parts = everything(interp, cell).into_iter();
    parts
        .filter(|it| *it == cell || is_module(interp, *it))
        .collect()
}

/// A module and all that is in it: modules, parameters and buffers, each once.
pub(super) fn everything(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let mut found = vec![cell];
    found.extend(inside(interp, cell, DEEPEST));
    found
}

/// What is in a module, down to a depth.
fn inside(interp: &Interp<'_>, cell: CellId, depth: usize) -> Vec<CellId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::from_iter([cell]);
    collect(interp, cell, depth, &mut seen, &mut found);
    found
}

fn collect(
    interp: &Interp<'_>,
    cell: CellId,
    depth: usize,
    seen: &mut FxHashSet<CellId>,
    found: &mut Vec<CellId>,
) {
    if depth == 0 {
        return;
    }
    interp.spend_many(1);
    for part in parts(interp, cell) {
        if seen.insert(part) {
            found.push(part);
            collect(interp, part, depth - 1, seen, found);
        }
    }
}

/// What a module has as attributes or elements, in the order that it was made in.
fn parts(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let Some(object) = interp.heap.object(cell) else {
        return Vec::new();
    };
    let fields = object.fields.values();
    let mut parts: Vec<_> = match &object.kind {
        Kind::Instance(class) if interp.may_be_module_class(*class) => {
            fields.filter_map(own_cell).collect()
        }
        Kind::Library(Own::Module(_, items)) => {
            let lists = items.iter().filter_map(|it| match it {
                Value::List(list) => interp.heap.list(*list),
                _ => None,
            });
            let listed = lists.flat_map(|it| &it.items);
            let all = items.iter().chain(fields).chain(listed);
            all.filter_map(own_cell).collect()
        }
        Kind::Library(Own::Ddp(module, _) | Own::Graphed(module, _)) => {
            own_cell(module).into_iter().collect()
        }
        _ => Vec::new(),
    };
    parts.sort();
    parts
}

/// The cell of an object or a tensor.
fn own_cell(value: &Value<'_>) -> Option<CellId> {
    match value {
        Value::Object(cell) | Value::Extension(cell) => Some(*cell),
        _ => None,
    }
}

/// Whether a cell is a module that the program made.
pub(crate) fn is_new_module(interp: &Interp<'_>, cell: CellId) -> bool {
    is_module(interp, cell) && interp.heap.object(cell).is_some_and(|it| !it.open)
}

/// Whether a cell is a module.
pub(crate) fn is_module(interp: &Interp<'_>, cell: CellId) -> bool {
    match interp.heap.object(cell).map(|it| &it.kind) {
        Some(Kind::Instance(class)) => interp.is_module_class(*class),
        Some(Kind::Library(Own::Module(..) | Own::Ddp(..))) => true,
        _ => false,
    }
}
