//! Calls of objects: what modules, compiled functions and their kin do before Python's own way is left to it.

use super::state::capture::CaptureKind;
use super::state::event::Event;
use super::state::object::Own;
use super::{Interp, Kind, graphed, modules};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// Calls an object.
pub(crate) fn call<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    args: Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(object) = interp.heap.object(cell) else {
        return Value::Unknown;
    };
    let class = match object.kind {
        Kind::Instance(class) => Some(class),
        _ => None,
    };
    let class = class.filter(|it| interp.is_module_class(*it));
    let is_module = class.is_some() || matches!(object.kind, Kind::Library(Own::Module(..)));
    let replaced = object.fields.get("forward").filter(|_| is_module).cloned();
    // `module.forward = run` takes the place of what its class does.
    if let Some(forward) = replaced {
        return interp.with_hooks(cell, args, range, |it, args| it.call(&forward, args, range));
    }
    let kind = object.kind.clone();
    if let Some(class) = class {
        return call_module(interp, cell, class, args, range);
    }
    match kind {
        Kind::Library(Own::Module(name, parts)) => {
            modules::call(interp, cell, &name, &parts, args, range)
        }
        Kind::Library(Own::Ddp(module, built)) => {
            let result = interp.call(&module, args, range);
            if let (Value::Extension(result), Some(built)) = (&result, built)
                && let Some(tensor) = interp.heap.tensor_mut(*result)
                && tensor.requires_grad
            {
                tensor.ddp = Some(built);
            }
            result
        }
        Kind::Library(Own::Averaged(model, ..)) => interp.call(&model, args, range),
        Kind::Library(Own::Graphed(..)) => graphed::called(interp, cell, &args, range),
        Kind::Library(Own::Compiled(compiled)) => {
            interp.emit(Event::CompiledCalled {
                compiled: &compiled,
                range,
            });
            if let Some(Kind::Library(Own::Compiled(it))) =
                interp.heap.object_mut(cell).map(|it| &mut it.kind)
            {
                it.called = true;
            }
            if compiled.graphs && interp.flow.captures.is_empty() {
                let function = compiled.function.clone();
                interp.capturing(CaptureKind::Compiler, Value::Unknown, range, |interp| {
                    interp.call(&function, args, range)
                })
            } else {
                interp.call(&compiled.function, args, range)
            }
        }
        Kind::Library(
            Own::Decorator(..) | Own::Grad(..) | Own::Inference(_) | Own::Autocast(..),
        ) => {
            let function = Value::Object(cell);
            match args.positional.into_iter().next() {
                Some(value) => super::decorators::decorate(interp, &function, value, range),
                None => Value::Unknown,
            }
        }
        Kind::Library(_) => interp.call_unknown(&args),
        _ => interp.call_object(cell, args, range),
    }
}

/// Calls a module of a class of the project.
fn call_module<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    class: CellId,
    args: Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let method = interp
        .class_attribute(class, "__call__")
        .or_else(|| interp.class_attribute(class, "forward"));
    match method {
        Some(method) => interp.with_hooks(cell, args, range, |it, args| {
            it.call(&method, args.after(Value::Object(cell)), range)
        }),
        None => interp.call_unknown(&args),
    }
}
