//! What modules are made of: their submodules and parameters.

use std::rc::Rc;

use super::modules;
use crate::interp::object::Kind;
use crate::interp::value::{CellId, Device, Value};
use crate::interp::{Args, Interp};
use crate::syntax::ast::TextRange;

/// The attribute that says whether a module is in training mode.
pub(super) const TRAINING: &str = "training";
/// How deep modules are looked into.
const DEEPEST: usize = 6;
/// How many parts of a module are looked at.
const MOST_PARTS: usize = 64;

/// `module.children()` and its kin: the modules in it, with names if those are asked for.
pub(super) fn submodules<'p>(interp: &mut Interp<'p>, cell: CellId, name: &str) -> Value<'p> {
    let mut found = Vec::new();
    let depth = if name.ends_with("children") {
        1
    } else {
        DEEPEST
    };
    if name.ends_with("modules") {
        found.push(cell);
    }
    collect(interp, cell, depth, &mut found);
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
    let mut found = Vec::new();
    collect(interp, cell, DEEPEST, &mut found);
    found.push(cell);
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
    let mut found = vec![cell];
    collect(interp, cell, DEEPEST, &mut found);
    for module in found {
        if let Some(object) = interp.heap.object_mut(module) {
            object.fields.insert(Rc::from(TRAINING), Value::Bool(on));
        }
    }
}

/// One tensor that stands for the parameters of a module and of all that is in it.
pub(super) fn parameter<'p>(interp: &mut Interp<'p>, cell: CellId, range: TextRange) -> Value<'p> {
    let device = |interp: &Interp<'p>, cell| {
        let object = interp.heap.object(cell);
        object.map_or(Device::Unknown, |it| it.device)
    };
    let here = device(interp, cell);
    let own = modules::parameter(interp, cell, here, range);
    let Value::Tensor(tensor) = own else {
        return own;
    };
    let mut found = Vec::new();
    collect(interp, cell, DEEPEST, &mut found);
    let mut parts = own_parameters(interp, cell);
    for module in found {
        parts.extend(own_parameters(interp, module));
        let there = device(interp, module);
        let parameter = modules::parameter(interp, module, there, range);
        parts.extend(interp.tensors_of(&parameter));
    }
    interp.stands_for(tensor, parts);
    own
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
            Value::Tensor(cell) => Some(*cell),
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

/// Adds the modules in a module, each once.
fn collect(interp: &Interp<'_>, cell: CellId, depth: usize, found: &mut Vec<CellId>) {
    if depth == 0 {
        return;
    }
    for part in parts(interp, cell) {
        if found.len() >= MOST_PARTS {
            return;
        }
        if !found.contains(&part) && part != cell {
            found.push(part);
            collect(interp, part, depth - 1, found);
        }
    }
}

/// The modules that a module has as attributes or elements, in the order that they were made in.
fn parts(interp: &Interp<'_>, cell: CellId) -> Vec<CellId> {
    let Some(object) = interp.heap.object(cell) else {
        return Vec::new();
    };
    let mut held: Vec<&Value<'_>> = match &object.kind {
        Kind::Instance(class) if interp.is_module_class(*class) => object.fields.values().collect(),
        Kind::Module(_, items) => items.iter().collect(),
        Kind::Ddp(module, _) | Kind::Graphed(module, _) => vec![module],
        _ => return Vec::new(),
    };
    if let [Value::List(list)] = held.as_slice() {
        held = interp
            .heap
            .list(*list)
            .into_iter()
            .flat_map(|it| &it.items)
            .collect();
    }
    let mut parts: Vec<_> = held
        .into_iter()
        .filter_map(|value| match value {
            Value::Object(part) => Some(*part),
            _ => None,
        })
        .filter(|part| match interp.heap.object(*part).map(|it| &it.kind) {
            Some(Kind::Instance(class)) => interp.is_module_class(*class),
            Some(Kind::Module(..) | Kind::Ddp(..)) => true,
            _ => false,
        })
        .collect();
    parts.sort();
    parts
}
