//! Functions that make tensors.

use super::families::elements;
use super::state::event::{Event, Pageable};
use super::state::tensor::{Device, Elements};
use super::{Interp, host, names};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// Functions that make a tensor of a given size.
const OF_SIZE: [&str; 16] = [
    "empty",
    "zeros",
    "ones",
    "rand",
    "randn",
    "randint",
    "full",
    "arange",
    "linspace",
    "logspace",
    "eye",
    "randperm",
    "empty_strided",
    "normal",
    "range",
    "scalar_tensor",
];
/// Functions that make one like another.
const LIKE: [&str; 7] = [
    "empty_like",
    "zeros_like",
    "ones_like",
    "rand_like",
    "randn_like",
    "full_like",
    "randint_like",
];
/// Functions that make one of values of the host.
const OF_VALUES: [&str; 4] = ["tensor", "as_tensor", "asarray", "from_numpy"];
/// Classes of tensors by the type of their elements, called with values or with a size.
const CLASSES: [&str; 9] = [
    "Tensor",
    "FloatTensor",
    "DoubleTensor",
    "HalfTensor",
    "BFloat16Tensor",
    "LongTensor",
    "IntTensor",
    "BoolTensor",
    "ByteTensor",
];

/// Calls the function, if it is one that makes tensors.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    // Between tensors, it is an operator.
    let is_operator =
        name == "normal" && matches!(args.positional.first(), Some(Value::Extension(_)));
    if is_operator {
        None
    } else if OF_SIZE.contains(&name) {
        Some(of_size(interp, name, args, range))
    } else if LIKE.contains(&name) {
        Some(like(interp, name, args, range))
    } else if OF_VALUES.contains(&name) {
        Some(of_values(interp, name, args, range))
    } else if CLASSES.contains(&name) {
        Some(of_class(interp, Device::Host, args, range))
    } else if name
        .strip_prefix("cuda.")
        .is_some_and(|name| CLASSES[1..].contains(&name))
    {
        Some(of_class(interp, Device::Cuda, args, range))
    } else {
        None
    }
}

/// `torch.cuda.FloatTensor(...)` and its kin.
fn of_class<'p>(
    interp: &mut Interp<'p>,
    device: Device,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    if device == Device::Cuda && matches!(args.positional.first(), Some(Value::List(_))) {
        host::copied(
            interp,
            Pageable::Built("torch.cuda's class of tensors", None),
            range,
        );
    }
    let site = interp.at(range);
    let tensor = interp.new_tensor(device, site);
    interp.works(&[], device, true, range);
    Value::Extension(tensor)
}

fn of_size<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let device = device(interp, args);
    let bytes = size(interp, name, args, Value::as_integer);
    let at_most = size(interp, name, args, Value::at_most);
    if device == Device::Cuda {
        let values: Vec<_> = args.positional.clone();
        interp.emit(Event::Created {
            sizes: &values,
            bytes,
            range,
        });
        if let Some(capture) = interp.graph_capture() {
            interp.library.captures[capture.0].bytes += bytes.unwrap_or(0);
        }
    }
    if let Some(generator) = args.name("generator") {
        let generator = generator.clone();
        interp.emit(Event::Drawn {
            generator: &generator,
            range,
        });
    }
    let result = finish(interp, args, device, range);
    let rank = rank_of_size(interp, name, args);
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(cell)
    {
        tensor.bytes = bytes;
        tensor.at_most = at_most;
        tensor.rank = rank;
        if args.name("dtype").is_none() && !args.open {
            tensor.elements = filled_with(name, args);
        }
    }
    if device == Device::Cuda && name.starts_with("empty") {
        interp.emit(Event::Allocates { range });
        interp.makes_memory();
    } else {
        interp.works(&[], device, true, range);
    }
    result
}

/// What a tensor is made of that is made without a `dtype`.
fn filled_with(name: &str, args: &Args<'_>) -> Elements {
    if name != "full" {
        return Elements::Other;
    }
    match args.get(1, "fill_value") {
        Some(Value::Number(_)) => Elements::Other,
        Some(Value::Bool(_)) => Elements::Bool,
        _ => Elements::Unknown,
    }
}

/// How many dimensions a tensor of a given size has, if that is known.
fn rank_of_size<'p>(interp: &Interp<'p>, name: &str, args: &Args<'p>) -> Option<usize> {
    match name {
        "scalar_tensor" => return Some(0),
        "arange" | "linspace" | "logspace" | "randperm" | "range" => return Some(1),
        "eye" => return Some(2),
        "normal" | "empty_strided" => return None,
        _ => {}
    }
    let sizes = match name {
        // The bounds stand before the size.
        "randint" => args.positional.last().or_else(|| args.name("size")),
        _ => args.get(0, "size"),
    };
    match sizes {
        Some(Value::List(list)) => interp
            .heap
            .list(*list)
            .filter(|list| list.exact)
            .map(|list| list.items.len()),
        // One alone may be a list of them.
        Some(first) if name != "full" && name != "randint" && !args.open => {
            let several = args.positional.len() > 1;
            (several || matches!(first, Value::Number(_))).then_some(args.positional.len())
        }
        _ => None,
    }
}

fn like<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let given = args.name("device").and_then(names::device);
    let model = match args.positional.first() {
        Some(Value::Extension(cell)) => interp.heap.tensor(*cell).cloned(),
        _ => None,
    };
    let device = given.unwrap_or_else(|| model.as_ref().map_or(Device::Unknown, |it| it.device));
    let result = finish(interp, args, device, range);
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(cell)
    {
        tensor.bytes = model.as_ref().and_then(|it| it.bytes);
        tensor.at_most = model.as_ref().and_then(|it| it.at_most);
        tensor.rank = model.as_ref().and_then(|it| it.rank);
        if args.name("dtype").is_none() {
            tensor.elements = model.map_or(Elements::Unknown, |it| it.elements);
        }
    }
    if device == Device::Cuda && name == "empty_like" {
        interp.emit(Event::Allocates { range });
        interp.makes_memory();
    } else {
        interp.works(&[], device, true, range);
    }
    result
}

fn of_values<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let source = args.get(0, "data").cloned().unwrap_or(Value::Unknown);
    let device = if name == "from_numpy" {
        Device::Host
    } else {
        device(interp, args)
    };
    if let (Some(tensor), "from_numpy" | "as_tensor" | "asarray", false) = (
        super::arrays::tensor_of(interp, &source),
        name,
        device == Device::Cuda,
    ) {
        return interp.view(tensor, range);
    }
    super::arrays::read(interp, &source, range);
    if let Value::Extension(cell) = &source {
        let from = interp
            .heap
            .tensor(*cell)
            .map_or(Device::Unknown, |it| it.device);
        let stays = args.name("device").is_none() && name != "tensor";
        if name != "tensor" && (stays || from == device) {
            return source;
        }
        let device = if args.name("device").is_none() {
            from
        } else {
            device
        };
        super::transfers::moved(interp, &source, device, false, range);
        return finish(interp, args, device, range);
    }
    if device == Device::Cuda && is_of_host(&source) {
        host::copied(interp, Pageable::Built(name, args.node), range);
    }
    let result = finish(interp, args, device, range);
    shaped_by(interp, &result, &source, args);
    interp.works(&[], device, true, range);
    result
}

/// A tensor that is made of values has their shape, and their type where no other is named.
fn shaped_by<'p>(interp: &mut Interp<'p>, result: &Value<'p>, source: &Value<'p>, args: &Args<'p>) {
    let kind = |value: &Value<'p>| match value {
        Value::Bool(_) => Elements::Bool,
        Value::Number(_) => Elements::Other,
        _ => Elements::Unknown,
    };
    let (elements, rank) = match source {
        Value::List(list) => match interp.heap.list(*list).and_then(|it| it.items.first()) {
            Some(first) => (kind(first), (kind(first) != Elements::Unknown).then_some(1)),
            None => (Elements::Unknown, None),
        },
        value => (kind(value), (kind(value) != Elements::Unknown).then_some(0)),
    };
    let bytes = bytes_of_numbers(interp, source);
    if let Value::Extension(cell) = result
        && let Some(tensor) = interp.heap.tensor_mut(*cell)
    {
        tensor.rank = rank;
        if args.name("dtype").is_none() && !args.open {
            tensor.elements = elements;
            tensor.bytes = bytes;
            tensor.at_most = bytes;
        }
    }
}

/// The bytes of a tensor that is made of these numbers, where they are written out.
fn bytes_of_numbers<'p>(interp: &Interp<'p>, source: &Value<'p>) -> Option<i64> {
    let numbers = match source {
        Value::List(list) => &interp.heap.list(*list).filter(|it| it.exact)?.items[..],
        number => std::slice::from_ref(number),
    };
    let are_integers = numbers.iter().all(|it| it.as_integer().is_some());
    let each = if are_integers { 8 } else { 4 };
    let are_numbers = numbers.iter().all(|it| matches!(it, Value::Number(_)));
    let count = i64::try_from(numbers.len()).ok()?;
    are_numbers.then(|| each * count)
}

/// Whether a value is certainly one of the host: what a tensor is made of is copied then.
fn is_of_host(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Number(_) | Value::Bool(_) | Value::List(_) | Value::External(_) | Value::Unknown
    )
}

fn device<'p>(interp: &Interp<'p>, args: &Args<'p>) -> Device {
    match args.name("device") {
        Some(Value::None) => interp.flow.default_device,
        Some(value) => names::device(value).unwrap_or(Device::Unknown),
        None if args.open => Device::Unknown,
        None => interp.flow.default_device,
    }
}

fn finish<'p>(
    interp: &mut Interp<'p>,
    args: &Args<'p>,
    device: Device,
    range: TextRange,
) -> Value<'p> {
    let site = interp.at(range);
    let cell = interp.new_tensor(device, site);
    let pinned = args.name("pin_memory").map(Value::truth);
    let requires_grad = args.name("requires_grad").and_then(Value::truth) == Some(true);
    let elements = args.name("dtype").map_or(Elements::Unknown, elements);
    let inference = interp.flow.inference == Some(true);
    if let Some(tensor) = interp.heap.tensor_mut(cell) {
        if let Some(pinned) = pinned {
            tensor.pinned = pinned;
        }
        tensor.requires_grad = requires_grad;
        tensor.elements = elements;
        tensor.inference = inference;
    }
    if pinned == Some(Some(true)) {
        interp.emit(Event::Pinned {
            what: "pinned memory is allocated",
            range,
        });
    }
    Value::Extension(cell)
}

/// The bytes of a tensor of a given size, where `known` knows the numbers it is made of.
fn size<'p>(
    interp: &Interp<'p>,
    name: &str,
    args: &Args<'p>,
    known: impl Fn(&Value<'p>) -> Option<i64>,
) -> Option<i64> {
    let usual = match name {
        "empty" | "zeros" | "ones" | "rand" | "randn" | "full" => 4,
        "randint" => 8,
        "arange" if args.positional.len() == 1 => 8,
        _ => return None,
    };
    let each = match args.name("dtype") {
        None => usual,
        Some(Value::External(name)) => match &**name {
            "torch.uint8" | "torch.int8" | "torch.bool" => 1,
            "torch.float16" | "torch.bfloat16" | "torch.half" | "torch.int16" => 2,
            "torch.float64" | "torch.double" | "torch.int64" | "torch.long" => 8,
            _ => 4,
        },
        Some(_) => return None,
    };
    let given = match name {
        // The bounds stand before the size.
        "randint" => args.name("size").or_else(|| args.positional.last()),
        _ => args.get(0, "size"),
    };
    let sizes = match given {
        Some(Value::List(cell)) => interp.heap.list(*cell).filter(|it| it.exact)?.items.clone(),
        Some(_) if name != "randint" && !args.open => args.positional.clone(),
        _ => return None,
    };
    sizes
        .iter()
        .try_fold(each, |product: i64, it| product.checked_mul(known(it)?))
}
