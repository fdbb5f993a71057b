//! `torch.nn`'s modules.

use std::rc::Rc;

use super::module_parts::{self, Change};
use super::state::event::Event;
use super::state::hooks::When;
use super::state::object::Own;
use super::state::tensor::{Device, Elements, Swap};
use super::{Cell, Interp, Kind, families, functions, module_tree, names, storage};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// The field of a module that holds the tensor that stands for its parameters.
pub(super) const PARAMETER: &str = "<parameter>";
/// The field of a module that holds the names of its buffers.
pub(super) const BUFFERS: &str = "<buffers>";

/// Makes the module of that name, if there is one.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    full: &Rc<str>,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    let short = full.rsplit('.').next().unwrap_or(full);
    if matches!(short, "DistributedDataParallel") {
        let module = args.get(0, "module").cloned().unwrap_or(Value::Unknown);
        let built = interp.is_on_default_stream().then_some(site);
        // It compares and distributes the parameters, which makes the communicator.
        if args.name("process_group").is_none() {
            interp.library.groups.default.is_new = false;
        }
        return Some(interp.new_object(Kind::Library(Own::Ddp(module, built)), site));
    }
    if !names::is_module(full) {
        return None;
    }
    let device = match args.name("device") {
        Some(value) => names::device(value).unwrap_or(Device::Unknown),
        None => interp.flow.default_device,
    };
    let parts: Vec<_> = args.positional.clone();
    let module = interp.new_object(Kind::Library(Own::Module(Rc::clone(full), parts)), site);
    if let Value::Object(cell) = module {
        module_parts::change(interp, cell, Change::Device(device));
        if let Some(dtype) = args.name("dtype") {
            let elements = families::elements(dtype);
            module_parts::change(interp, cell, Change::Elements(elements));
        }
    }
    Some(module)
}

/// Calls a module of PyTorch's.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    parts: &[Value<'p>],
    args: Args<'p>,
    range: TextRange,
) -> Value<'p> {
    interp.with_hooks(cell, args, range, |interp, args| {
        forward(interp, cell, name, parts, &args, range)
    })
}

fn forward<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    parts: &[Value<'p>],
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let short = name.rsplit('.').next().unwrap_or(name);
    if short == "Sequential" {
        let mut value = args.positional.first().cloned().unwrap_or(Value::Unknown);
        for part in parts {
            value = interp.call(part, Args::of(vec![value]), range);
        }
        return value;
    }
    let device = interp
        .heap
        .object(cell)
        .map_or(Device::Unknown, |it| it.about.device);
    let mut values: Vec<_> = args.all().cloned().collect();
    if depends_on_mode(short) {
        interp.emit(Event::ModeUsed {
            module: cell,
            range,
        });
    }
    if has_parameters(name) {
        // The parameters are operands like any other.
        values.push(parameter(interp, cell, device, range));
    }
    let result = functions::operator(interp, short, &Args::of(values), range);
    match short {
        "LSTM" | "GRU" | "RNN" | "MultiheadAttention" => interp.new_list(vec![result], false),
        _ => result,
    }
}

/// One tensor that stands for a module's parameters.
pub(super) fn parameter<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    device: Device,
    range: TextRange,
) -> Value<'p> {
    if let Some(known) = interp
        .heap
        .object(cell)
        .and_then(|it| it.fields.get(PARAMETER).cloned())
    {
        if let Value::Extension(known) = &known
            && let Some(tensor) = interp.heap.tensor_mut(*known)
        {
            tensor.device = device;
        }
        return known;
    }
    let (site, loops) = interp
        .heap
        .object(cell)
        .map_or((interp.at(range), Rc::from([])), |it| {
            (it.made, Rc::clone(&it.loops))
        });
    let bytes = bytes_of_parameters(interp, cell);
    let tensor = interp.new_tensor(device, site);
    if let Some(tensor) = interp.heap.tensor_mut(tensor) {
        tensor.at_most = bytes;
        tensor.loops = loops;
        tensor.requires_grad = true;
        tensor.captured = None;
        tensor.escaped = true;
        tensor.inference = false;
    }
    if let Some(object) = interp.heap.object_mut(cell) {
        object
            .fields
            .insert(Rc::from(PARAMETER), Value::Extension(tensor));
    }
    Value::Extension(tensor)
}

/// About as many bytes as a module's parameters have: their sizes are the numbers that it is made from.
fn bytes_of_parameters(interp: &Interp<'_>, module: CellId) -> Option<i64> {
    let Kind::Library(Own::Module(_, parts)) = &interp.heap.object(module)?.kind else {
        return None;
    };
    let sizes = parts.iter().flat_map(|it| match it {
        Value::List(list) => interp.heap.list(*list).map_or(&[][..], |it| &it.items),
        value => std::slice::from_ref(value),
    });
    let mut sizes = sizes.filter(|it| !matches!(it, Value::Number(it) if it.fraction.is_some()));
    sizes.try_fold(4_i64, |bytes, it| bytes.checked_mul(it.at_most()?))
}

/// A method of a module.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let itself = Value::Object(cell);
    match name {
        "cuda" => moved(interp, cell, Device::Cuda, range),
        "cpu" => moved(interp, cell, Device::Host, range),
        "to" => {
            let target = args
                .name("device")
                .or_else(|| args.positional.first().filter(|it| !names::is_dtype(it)));
            let elements = args
                .all()
                .find(|it| names::is_dtype(it))
                .map(families::elements);
            if let Some(elements) = elements {
                storage_changes(interp, cell, Change::Elements(elements), range);
                module_parts::change(interp, cell, Change::Elements(elements));
            }
            match target.and_then(names::device) {
                Some(device) => moved(interp, cell, device, range),
                None => itself,
            }
        }
        "half" | "bfloat16" => {
            storage_changes(interp, cell, Change::Elements(Elements::Half), range);
            module_parts::change(interp, cell, Change::Elements(Elements::Half));
            itself
        }
        "float" | "double" => {
            storage_changes(interp, cell, Change::Elements(Elements::Other), range);
            module_parts::change(interp, cell, Change::Elements(Elements::Other));
            itself
        }
        "load_state_dict" => {
            if args.name("assign").and_then(Value::truth) == Some(true) {
                for parameter in module_tree::known_parameters(interp, cell) {
                    storage::swapped(interp, parameter, Swap::Loaded, range);
                }
            }
            interp.call_unknown(args)
        }
        "requires_grad_" => {
            let on = args.get(0, "requires_grad").map(Value::truth);
            interp.library.freezes_some |= on == Some(None) || interp.doubt() > 0;
            let on = on.flatten();
            module_parts::change(interp, cell, Change::RequiresGrad(on.unwrap_or(true)));
            itself
        }
        "eval" | "train" => {
            module_tree::set_training(interp, cell, name, args);
            itself
        }
        "share_memory" => itself,
        "forward" => match interp.heap.object(cell).map(|it| it.kind.clone()) {
            Some(Kind::Library(Own::Module(name, parts))) => {
                forward(interp, cell, &name, &parts, args, range)
            }
            _ => interp.call_unknown(args),
        },
        "register_buffer" | "register_parameter" => {
            if name == "register_buffer" {
                note_buffer(interp, cell, args);
            }
            if let (Some(name), Some(value)) = (
                args.positional.first().and_then(Value::as_text),
                args.positional.get(1),
            ) && let Some(object) = interp.heap.object_mut(cell)
            {
                object.fields.insert(Rc::from(name), value.clone());
            }
            Value::None
        }
        "register_forward_pre_hook" => interp.hook_object(cell, When::Before, args, range),
        "register_forward_hook" => interp.hook_object(cell, When::After, args, range),
        "parameters" | "named_parameters" => {
            let parameter = module_tree::parameter(interp, cell, range);
            interp.new_list(vec![parameter], false)
        }
        "modules" | "named_modules" | "children" | "named_children" => {
            module_tree::submodules(interp, cell, name)
        }
        "apply" => match args.positional.first() {
            Some(function) => {
                let function = function.clone();
                module_tree::apply(interp, cell, &function, range)
            }
            None => Value::Unknown,
        },
        "weight" | "bias" => {
            let device = interp
                .heap
                .object(cell)
                .map_or(Device::Unknown, |it| it.about.device);
            parameter(interp, cell, device, range)
        }
        "zero_grad" | "__init__" => Value::None,
        _ => interp.call_unknown(args),
    }
}

/// Notes the name of a buffer that a module gets.
fn note_buffer<'p>(interp: &mut Interp<'p>, module: CellId, args: &Args<'p>) {
    let Some(name) = args.get(0, "name").filter(|it| it.as_text().is_some()) else {
        return;
    };
    let known = interp.heap.object(module);
    let names = match known.and_then(|it| it.fields.get(BUFFERS)) {
        Some(names) => names.clone(),
        None => interp.new_list(Vec::new(), false),
    };
    if let Value::List(list) = &names
        && let Cell::List(list) = interp.heap.edit(*list)
    {
        list.items.push(name.clone());
    }
    if let Some(object) = interp.heap.object_mut(module) {
        object.fields.insert(Rc::from(BUFFERS), names);
    }
}

/// Parameters of a module may get other memory.
fn storage_changes(interp: &mut Interp<'_>, module: CellId, how: Change, range: TextRange) {
    if !interp.library.captures.is_empty() {
        let parameters = module_tree::known_parameters(interp, module);
        module_parts::swapped(interp, &parameters, how, range);
    }
}

/// A module moves to a device: each parameter that is not there is copied.
fn moved<'p>(
    interp: &mut Interp<'p>,
    module: CellId,
    device: Device,
    range: TextRange,
) -> Value<'p> {
    storage_changes(interp, module, Change::Device(device), range);
    interp.host_waits_for(interp.flow.stream);
    module_parts::change(interp, module, Change::Device(device));
    Value::Object(module)
}

/// Whether modules of that name do something else in training mode.
fn depends_on_mode(name: &str) -> bool {
    name.contains("Dropout") || name.contains("BatchNorm")
}

/// Whether modules of that name, full or short, have parameters.
pub(super) fn has_parameters(name: &str) -> bool {
    let short = name.rsplit('.').next().unwrap_or(name);
    [
        "Linear",
        "Conv",
        "Norm",
        "Embedding",
        "LSTM",
        "GRU",
        "RNN",
        "Attention",
        "Transformer",
        "PReLU",
        "Bilinear",
    ]
    .iter()
    .any(|part| short.contains(part))
}
