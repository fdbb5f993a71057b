//! Python's own functions, and those of its standard library that matter here.

use std::rc::Rc;

use super::decorators::{IDENTITY, makes_transparent};
use super::state::event::Event;
use super::state::object::Own;
use super::{
    Cell, Interp, Kind, arrays, comparisons, contexts, data, functional, standard, tensors, threads,
};
use crate::interp::lazy::Lazy;
use crate::interp::numbers::Reading;
use crate::interp::records::DATACLASS;
use crate::interp::value::{Form, Function, FunctionKind, List, Number, Value};
use crate::interp::{Args, finalizers};
use crate::syntax::ast::TextRange;

/// The number of the program's own process.
const OWN_PROCESS: &str = "<own process>";

/// Calls a function that is not PyTorch's. What it gives may refer to its arguments, where nothing is known of that.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let result = known(interp, name, args, range);
    if matches!(result, Value::Unknown) && !name.starts_with("weakref.") {
        for value in args.all() {
            interp.heap.forget(value);
        }
    }
    result
}

fn known<'p>(interp: &mut Interp<'p>, name: &str, args: &Args<'p>, range: TextRange) -> Value<'p> {
    let site = interp.at(range);
    let elsewhere = contexts::call(interp, name, args, range)
        .or_else(|| threads::call(interp, name, args, range))
        .or_else(|| functional::call(interp, name, args, range));
    if let Some(result) = elsewhere {
        return result;
    }
    let first = args.positional.first().cloned();
    match name {
        "print" => {
            for value in &args.positional {
                interp.formatted(value, range);
            }
            interp.emit(Event::GraphBreak {
                what: "`print` is called",
                range,
            });
            Value::None
        }
        "str" | "repr" | "format" => {
            if let Some(value) = first {
                interp.formatted(&value, range);
            }
            Value::Text(None)
        }
        "ascii" | "bin" | "chr" | "hex" | "oct" => {
            if let Some(value) = first {
                super::waits::converted(interp, &value, name, range);
            }
            Value::Text(None)
        }
        "float" | "int" | "bool" | "complex" | "round" | "operator.index" | "operator.truth"
        | "operator.not_" => {
            let mut value = first.unwrap_or(Value::Unknown);
            if name == "bool" {
                return Value::Bool(interp.truth_of(&value, range));
            }
            if let Some(number) = interp.special(&value, &format!("__{name}__"), Vec::new(), range)
            {
                value = number;
            }
            arrays::read(interp, &value, range);
            // Tensors have no `__round__`.
            if name != "round" {
                super::waits::converted(interp, &value, name, range);
            }
            match (name, value) {
                ("int", value @ Value::Number(_)) => value,
                (_, Value::Number(number)) => Value::Number(Number {
                    constant: None,
                    fraction: None,
                    most: None,
                    ..number
                }),
                ("bool", value) => Value::Bool(value.truth()),
                _ => Value::number(),
            }
        }
        "range" => {
            for value in &args.positional {
                super::waits::converted(interp, value, "range", range);
            }
            range_of(interp, args)
        }
        "len" => {
            let value = first.unwrap_or(Value::Unknown);
            let length = interp.special(&value, "__len__", Vec::new(), range);
            length.unwrap_or_else(Value::number)
        }
        "id" | "hash" | "ord" => Value::number(),
        "isinstance" => Value::Bool(match args.positional.as_slice() {
            [value, class] => super::classes::is_instance(interp, value, class),
            _ => None,
        }),
        "any" | "all" => {
            if let Some(value) = first {
                arrays::read(interp, &value, range);
            }
            Value::Bool(None)
        }
        "dataclasses.dataclass" => Value::External(Rc::from(DATACLASS)),
        "dataclasses.field" => {
            let made_by = args.name("default_factory").cloned();
            let is_made = made_by.is_some();
            let default = args.name("default").cloned();
            let value = made_by.or(default).unwrap_or(Value::Unknown);
            interp.new_object(Kind::Field(value, is_made), site)
        }
        "staticmethod" | "classmethod" | "property" => match first {
            Some(Value::Function(function)) => {
                let mut function = Function::clone(&function);
                function.kind = match name {
                    "staticmethod" => FunctionKind::Static,
                    "classmethod" => FunctionKind::Class,
                    _ => FunctionKind::Property,
                };
                Value::Function(Rc::new(function))
            }
            other => other.unwrap_or(Value::Unknown),
        },
        "hasattr" | "callable" | "issubclass" => Value::Bool(None),
        "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter" => {
            if let Some(value) = &first {
                arrays::read_elements(interp, value, range);
            }
            if name == "sorted" {
                comparisons::ordered(interp, name, args, range);
            }
            listed(interp, name, first.as_ref())
        }
        "dict" | "collections.OrderedDict" | "collections.defaultdict" => {
            let items = args.named.iter().cloned().collect();
            if let Some(value) = &first {
                interp.heap.forget(value);
            }
            Value::Dict(interp.heap.add(Cell::Dict(items)))
        }
        "enumerate" => {
            if let Some(pairs) = first.as_ref().and_then(|it| enumerated(interp, it)) {
                return pairs;
            }
            let id = interp.next_loop_id();
            let item = match &first {
                Some(value) => any_item(interp, value),
                None => Value::Unknown,
            };
            let index = Value::Number(Number::varying(id));
            let pair = interp.new_list(vec![index, item], true);
            let list = match &first {
                Some(Value::List(cell)) => interp.heap.list(*cell),
                _ => None,
            };
            let count = list.and_then(List::length);
            interp.one_for(vec![pair], count)
        }
        "zip" => zip(interp, args),
        "map" if args.positional.len() > 1 => {
            let mut values = args.positional.clone();
            let function = values.remove(0);
            interp.new_lazy(Lazy::Map(function, values), range)
        }
        "filter" if args.positional.len() == 2 => {
            let (function, values) = (args.positional[0].clone(), args.positional[1].clone());
            interp.new_lazy(Lazy::Filter(function, values), range)
        }
        "next" => {
            let value = first.unwrap_or(Value::Unknown);
            interp.next_of(&value, range)
        }
        "min" | "max" | "sum" | "abs" | "divmod" | "pow" => {
            for value in &args.positional {
                arrays::read(interp, value, range);
            }
            if matches!(name, "min" | "max") {
                comparisons::ordered(interp, name, args, range);
            }
            let tensors = tensors_of(interp, name, args);
            if tensors.is_empty() {
                match first {
                    Some(Value::Number(number)) => Value::Number(Number {
                        constant: None,
                        fraction: None,
                        most: None,
                        ..number
                    }),
                    _ => Value::Unknown,
                }
            } else {
                tensors::operation(interp, &tensors, range)
            }
        }
        "getattr" => match (&first, args.positional.get(1).and_then(Value::as_text)) {
            (Some(object), Some(name)) => {
                let name = name.to_owned();
                let value = interp.attribute(object, &name, range);
                interp.attribute_read(object, &name, &value, Reading::Value, range);
                value
            }
            _ => Value::Unknown,
        },
        name if name == IDENTITY => first.unwrap_or(Value::Unknown),
        name if makes_transparent(name) => Value::External(Rc::from(IDENTITY)),
        "gc.collect" => {
            finalizers::collected(interp, range);
            Value::number()
        }
        "weakref.ref" | "weakref.WeakMethod" => {
            interp.new_object(Kind::Weak(first.unwrap_or(Value::Unknown)), site)
        }
        "signal.signal" => {
            if let (Some(signal), Some(handler)) = (first, args.positional.get(1).cloned()) {
                interp.registered.signals.push((signal, handler));
            }
            Value::Unknown
        }
        "signal.raise_signal" => signalled(interp, first, range),
        "os.getpid" => Value::External(Rc::from(OWN_PROCESS)),
        "os.kill" if first.as_ref().and_then(Value::as_external) == Some(OWN_PROCESS) => {
            signalled(interp, args.positional.get(1).cloned(), range)
        }
        "atexit.register" => {
            let mut values = args.positional.clone();
            if values.is_empty() {
                return Value::Unknown;
            }
            let function = values.remove(0);
            interp
                .registered
                .at_exit
                .push((function.clone(), values, site));
            function
        }
        "ctypes.CDLL" | "ctypes.cdll.LoadLibrary" => {
            interp.new_object(Kind::Library(Own::SharedLibrary), site)
        }
        _ => standard::call(interp, name, args, range),
    }
}

/// `range(...)`: a number that stands for all of them.
fn range_of<'p>(interp: &mut Interp<'p>, args: &Args<'p>) -> Value<'p> {
    let (first, end) = match args.positional.as_slice() {
        _ if args.open => (None, None),
        [end] => (Some(0), Some(end)),
        [first, end] => (first.as_integer(), Some(end)),
        _ => (None, None),
    };
    let count = end
        .and_then(Value::as_integer)
        .zip(first)
        .map(|(end, first)| end - first);
    let number = Value::Number(Number {
        most: end.and_then(Value::at_most).map(|it| it - 1),
        ..Number::default()
    });
    let numbers = interp.one_for(vec![number], count.and_then(|it| usize::try_from(it).ok()));
    interp.formed(numbers, Form::Range)
}

/// What `list`, `tuple` and their kin make of an argument.
fn listed<'p>(interp: &mut Interp<'p>, name: &str, first: Option<&Value<'p>>) -> Value<'p> {
    let form = match name {
        "list" | "sorted" => Form::List,
        "set" | "frozenset" => Form::Set,
        _ => Form::Other,
    };
    let listed = match first {
        Some(value @ Value::Object(_)) if name == "iter" => return value.clone(),
        // The same elements, though in another list.
        Some(Value::List(cell)) if matches!(name, "list" | "tuple" | "iter") => {
            return Value::List(*cell);
        }
        Some(Value::List(cell)) => {
            let items = interp
                .heap
                .list(*cell)
                .map(|it| it.items.clone())
                .unwrap_or_default();
            interp.new_list(items, false)
        }
        Some(Value::Extension(_)) => interp.new_list(Vec::new(), false),
        None => interp.new_list(Vec::new(), true),
        Some(_) => return Value::Unknown,
    };
    interp.formed(listed, form)
}

/// The tensors that a function of Python's computes with: its arguments, or what the list has that `sum` adds up.
fn tensors_of<'p>(interp: &Interp<'p>, name: &str, args: &Args<'p>) -> Vec<Value<'p>> {
    let tensors = |values: &[Value<'p>]| -> Vec<Value<'p>> {
        values
            .iter()
            .filter(|it| matches!(it, Value::Extension(_)))
            .cloned()
            .collect()
    };
    match args.positional.first() {
        Some(Value::List(list)) if matches!(name, "sum" | "min" | "max") => interp
            .heap
            .list(*list)
            .map(|list| tensors(&list.items))
            .unwrap_or_default(),
        _ => tensors(&args.positional),
    }
}

/// The program sends itself a signal: its handler runs at once.
fn signalled<'p>(
    interp: &mut Interp<'p>,
    signal: Option<Value<'p>>,
    range: TextRange,
) -> Value<'p> {
    let known = |signal: &Value<'p>| {
        let mut handlers = interp.registered.signals.iter().rev();
        handlers.find(|(of, _)| of.same(signal))
    };
    let handler = signal.as_ref().and_then(known).map(|(_, it)| it.clone());
    if let (Some(signal), Some(handler)) = (signal, handler) {
        interp.call(&handler, Args::of(vec![signal, Value::Unknown]), range);
    }
    Value::None
}

/// What a list or a list of modules has in it, and whether that is all.
pub(super) fn items<'p>(interp: &Interp<'p>, value: &Value<'p>) -> Option<(Vec<Value<'p>>, bool)> {
    match value {
        Value::List(cell) => {
            let list = interp.heap.list(*cell)?;
            Some((list.items.clone(), list.exact))
        }
        Value::Object(cell) => match &interp.heap.object(*cell)?.kind {
            Kind::Library(Own::Module(name, parts)) if name.ends_with("ModuleList") => {
                items(interp, parts.first()?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The pairs that `enumerate` makes of objects, each of which is gone through.
fn enumerated<'p>(interp: &mut Interp<'p>, value: &Value<'p>) -> Option<Value<'p>> {
    let (items, exact) = items(interp, value)?;
    let objects = items.iter().all(|it| matches!(it, Value::Object(_)));
    if !exact || !objects {
        return None;
    }
    let varies = Some(interp.next_loop_id());
    let pairs = (0..)
        .zip(items)
        .map(|(index, item)| {
            let index = Value::Number(Number {
                constant: Some(index),
                fraction: None,
                most: None,
                varies,
            });
            interp.new_list(vec![index, item], true)
        })
        .collect();
    Some(interp.new_list(pairs, true))
}

/// Any of those that a value gives one by one.
fn any_item<'p>(interp: &mut Interp<'p>, value: &Value<'p>) -> Value<'p> {
    let item = match value {
        Value::List(cell) => interp.heap.any_item(*cell),
        Value::Object(cell) => data::batch(interp, *cell),
        _ => None,
    };
    item.unwrap_or(Value::Unknown)
}

fn zip<'p>(interp: &mut Interp<'p>, args: &Args<'p>) -> Value<'p> {
    let lists: Vec<_> = args
        .positional
        .iter()
        .map(|value| items(interp, value))
        .collect();
    let exact = lists
        .iter()
        .all(|it| it.as_ref().is_some_and(|(_, exact)| *exact));
    if exact && !lists.is_empty() {
        let length = lists
            .iter()
            .flatten()
            .map(|(items, _)| items.len())
            .min()
            .unwrap_or(0);
        let rows = (0..length)
            .map(|row| {
                let items = lists
                    .iter()
                    .flatten()
                    .map(|(items, _)| items[row].clone())
                    .collect();
                interp.new_list(items, true)
            })
            .collect();
        return interp.new_list(rows, true);
    }
    let items = args
        .positional
        .iter()
        .map(|value| match value {
            Value::Extension(cell) => super::tensors::row(interp, *cell),
            value => any_item(interp, value),
        })
        .collect();
    let row = interp.new_list(items, true);
    interp.new_list(vec![row], false)
}
