//! Objects of PyTorch and of Python's threads: what calling them and their methods does.

use std::rc::Rc;

use super::{
    arrays, autograd, averaged, contexts, cuda, distributions, graphed, host, module_tree, modules,
    optimizers, threads,
};
use crate::interp::event::Wait;
use crate::interp::hooks::When;
use crate::interp::object::{CaptureArguments, Entry, Kind, Mode};
use crate::interp::value::{CellId, Value};
use crate::interp::{Args, CaptureKind, Event, Interp, finalizers};
use crate::syntax::ast::TextRange;

/// Calls an object.
pub(crate) fn call<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    args: Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(kind) = interp.heap.object(cell).map(|it| it.kind.clone()) else {
        return Value::Unknown;
    };
    match kind {
        Kind::Module(name, parts) => modules::call(interp, cell, &name, &parts, args, range),
        Kind::Ddp(module, built) => {
            let result = interp.call(&module, args, range);
            if let (Value::Tensor(result), Some(built)) = (&result, built)
                && let Some(tensor) = interp.heap.tensor_mut(*result)
                && tensor.requires_grad
            {
                tensor.ddp = Some(built);
            }
            result
        }
        Kind::Averaged(model, ..) => interp.call(&model, args, range),
        Kind::Graphed(..) => graphed::called(interp, cell, &args, range),
        Kind::Compiled(compiled) => {
            interp.emit(Event::CompiledCalled {
                compiled: &compiled,
                range,
            });
            if let Some(Kind::Compiled(it)) = interp.heap.object_mut(cell).map(|it| &mut it.kind) {
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
        Kind::Decorator(..) | Kind::Grad(..) | Kind::Autocast(..) => {
            let function = Value::Object(cell);
            match args.positional.into_iter().next() {
                Some(value) => super::decorators::decorate(interp, &function, value, range),
                None => Value::Unknown,
            }
        }
        _ => interp.call_unknown(&args),
    }
}

/// An attribute that an object has without it being set, unless it is a method.
pub(crate) fn attribute<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    range: TextRange,
) -> Option<Value<'p>> {
    match &interp.heap.object(cell)?.kind {
        Kind::Module(..) if matches!(name, "weight" | "bias") => {
            Some(modules::method(interp, cell, name, &Args::default(), range))
        }
        Kind::Distribution(..) => distributions::attribute(interp, cell, name, range),
        _ => None,
    }
}

/// Calls a method of an object that is not the project's own.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(kind) = interp.heap.object(cell).map(|it| it.kind.clone()) else {
        return Value::Unknown;
    };
    let context = contexts::method(interp, cell, &kind, name, args, range);
    let known = context.or_else(|| threads::method(interp, cell, &kind, name, args, range));
    if let Some(result) = known {
        return result;
    }
    let itself = Value::Object(cell);
    let first = args
        .positional
        .first()
        .cloned()
        .or_else(|| args.named.first().map(|it| it.1.clone()));
    match (&kind, name) {
        (Kind::Graph(_), _) => graph(interp, cell, name, args, range),
        (Kind::Dispatch(at), "register") => interp.register_case(cell, *at, args, range),
        (Kind::Stream(_), "wait_stream") => {
            match first {
                Some(Value::Object(other)) => interp.wait_stream(cell, other, range),
                _ => interp.wait_for_unknown(cell),
            }
            Value::None
        }
        (Kind::Stream(_), "wait_event") => {
            match first {
                Some(Value::Object(event)) => interp.wait_event(cell, event, range),
                _ => interp.wait_for_unknown(cell),
            }
            Value::None
        }
        (Kind::Stream(_), "synchronize") => {
            host::waited(interp, Wait::Stream(cell), range);
            host::over(interp);
            Value::None
        }
        (Kind::Stream(_) | Kind::Event(_), "query") => {
            interp.emit(Event::Queried {
                object: cell,
                range,
            });
            Value::Bool(None)
        }
        (Kind::Stream(_), "record_event") => {
            let event = if let Some(Value::Object(event)) = first {
                event
            } else {
                let site = interp.at(range);
                let Value::Object(event) = interp.new_object(
                    Kind::Event(crate::interp::object::CudaEvent::default()),
                    site,
                ) else {
                    return Value::Unknown;
                };
                event
            };
            interp.record_event(event, Some(cell), range);
            Value::Object(event)
        }
        (Kind::Event(_), "record") => {
            let stream = match first {
                Some(Value::Object(stream)) => Some(stream),
                _ => None,
            };
            interp.record_event(cell, stream, range);
            Value::None
        }
        (Kind::Event(_), "wait") => {
            let waiter = match first {
                Some(Value::Object(stream)) => Some(stream),
                _ => interp.flow.stream,
            };
            if let Some(waiter) = waiter {
                interp.wait_event(waiter, cell, range);
            }
            Value::None
        }
        (Kind::Event(_), "synchronize") => {
            interp.emit(Event::HostAwaits { event: cell, range });
            host::over(interp);
            Value::None
        }
        (Kind::Optimizer(optimizer), "step") => {
            interp.with_hooks(cell, args.clone(), range, |interp, args| {
                optimizers::step(interp, cell, optimizer, &args, range)
            })
        }
        (Kind::Optimizer(_), "register_step_pre_hook") => {
            interp.hook_object(cell, When::Before, args, range)
        }
        (Kind::Optimizer(_), "register_step_post_hook") => {
            interp.hook_object(cell, When::After, args, range)
        }
        (Kind::Averaged(..), _) => averaged::method(interp, cell, name, args, range),
        (Kind::Distribution(..), _) => distributions::method(interp, cell, name, args, range),
        (Kind::Scheduler(optimizer), "step") => {
            optimizers::scheduled(interp, optimizer);
            Value::None
        }
        (Kind::Optimizer(_), _) => optimizers::method(interp, cell, name, args),
        (Kind::Hook(_), "remove") => {
            interp.remove_hook(cell);
            Value::None
        }
        (Kind::FunctionContext, _) => autograd::context_method(interp, cell, name, args),
        (Kind::Scaler(_), "scale") => first.unwrap_or(Value::Unknown),
        (Kind::Scaler(scales), "step") => {
            let Some(optimizer @ Value::Object(_)) = first else {
                return interp.call_unknown(args);
            };
            super::optimizers::scaled(interp, *scales, &optimizer, range);
            let step = interp.attribute(&optimizer, "step", range);
            interp.call(&step, Args::default(), range)
        }
        (Kind::Array(_), _) => arrays::method(interp, cell, name, args, range),
        (Kind::Generator, "manual_seed" | "set_state" | "seed") => itself,
        (Kind::Event(_), "elapsed_time") => {
            interp.emit(Event::TimeAsked { event: cell, range });
            if let Some(Value::Object(end)) = first {
                interp.emit(Event::TimeAsked { event: end, range });
            }
            Value::number()
        }
        (
            Kind::SharedLibrary,
            "cudaHostAlloc"
            | "cudaMallocHost"
            | "cudaFreeHost"
            | "cudaHostRegister"
            | "cuMemHostAlloc"
            | "cuMemFreeHost"
            | "cuMemHostRegister_v2",
        ) => {
            interp.emit(Event::PinnedByLibrary {
                function: name,
                range,
            });
            interp.call_unknown(args);
            Value::number()
        }
        (Kind::Module(..) | Kind::Instance(_), _) => {
            modules::method(interp, cell, name, args, range)
        }
        (Kind::Ddp(module, _), "parameters" | "train" | "eval" | "to" | "cuda") => {
            let function = interp.attribute(&module.clone(), name, range);
            interp.call(&function, args.clone(), range)
        }
        (
            Kind::Graphed(function, site),
            "modules" | "children" | "named_modules" | "named_children",
        ) => {
            let part = interp.part_of_graphed(cell, function.clone(), *site);
            let item = if name.starts_with("named") {
                interp.new_list(vec![Value::Text(None), part], true)
            } else {
                part
            };
            interp.new_list(vec![item], false)
        }
        (Kind::Graphed(function, site), "get_submodule")
            if first
                .as_ref()
                .and_then(Value::as_text)
                .is_some_and(|it| !it.is_empty()) =>
        {
            interp.part_of_graphed(cell, function.clone(), *site)
        }
        (Kind::Graphed(..), "train" | "eval") => {
            module_tree::set_training(interp, cell, name, args);
            itself
        }
        (Kind::Graphed(_, site), _) if name.starts_with("register_") => {
            interp.emit(Event::Hooked {
                object: cell,
                graphed: *site,
                range,
            });
            Value::Unknown
        }
        (Kind::Graphed(function, site), "parameters" | "named_parameters") => {
            let function = interp.attribute(&function.clone(), "parameters", range);
            let parameters = interp.call(&function, args.clone(), range);
            if let Value::List(list) = &parameters
                && let Some(Value::Tensor(parameter)) = interp.heap.any_item(*list)
            {
                interp.emit(Event::ParameterGraphed {
                    parameter,
                    graphed: *site,
                });
            }
            parameters
        }
        _ => interp.call_unknown(args),
    }
}

fn graph<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    match name {
        "capture_begin" => {
            let mode = args.get(1, "capture_error_mode");
            let arguments = CaptureArguments {
                entry: Entry::Bare,
                graph: Value::Object(cell),
                pool: args
                    .get(0, "pool")
                    .cloned()
                    .or(args.open.then_some(Value::Unknown)),
                stream: None,
                mode: if args.open {
                    Mode::Unknown
                } else {
                    cuda::mode(mode)
                },
                mode_given: mode.is_some(),
            };
            interp.begin_capture(CaptureKind::Graph, &arguments, range);
            Value::None
        }
        "capture_end" => {
            capture_end(interp, cell, range);
            Value::None
        }
        "instantiate" => {
            if let Some(graph) = interp.graph_mut(cell) {
                graph.awaits_instantiation = false;
            }
            Value::None
        }
        "replay" => {
            if let Some(graph) = interp.graph_mut(cell) {
                graph.awaits_instantiation = false;
            }
            interp.emit(Event::GraphLaunched {
                by: "`replay()`",
                range,
            });
            super::replays::replayed(interp, cell, range);
            Value::None
        }
        "reset" => {
            finalizers::reset(interp, cell, range);
            let mut all = vec![cell];
            while let Some(cell) = all.pop() {
                if let Some(graph) = interp.graph_mut(cell) {
                    graph.reset = true;
                    all.extend(graph.one_of.iter().copied());
                }
            }
            Value::None
        }
        "register_generator_state" => {
            let generators: Vec<_> = args
                .all()
                .map(|it| match it {
                    Value::Object(generator) => Some(*generator),
                    _ => None,
                })
                .collect();
            if let Some(graph) = interp.graph_mut(cell) {
                graph.generators.extend(generators);
            }
            Value::None
        }
        "pool" => {
            let site = interp.at(range);
            interp.new_object(Kind::Pool, site)
        }
        _ => Value::Unknown,
    }
}

fn capture_end(interp: &mut Interp<'_>, graph: CellId, range: TextRange) {
    let open = interp
        .flow
        .captures
        .iter()
        .rev()
        .find(|id| interp.captures[id.0].graph == Some(graph))
        .copied();
    if let Some(id) = open {
        interp.captures[id.0].ended = Some(interp.at(range));
        interp.emit(Event::EndCalled { capture: id, range });
        interp.end_capture(id);
    } else if let Some(id) = interp.flow.foreign
        && interp.captures[id.0].graph == Some(graph)
    {
        interp.emit(Event::EndCalledElsewhere { capture: id, range });
        interp.captures[id.0].ended_elsewhere = true;
    } else if let Some(at) = interp
        .threads
        .left_open
        .iter()
        .position(|id| interp.captures[id.0].graph == Some(graph))
    {
        let id = interp.threads.left_open.remove(at);
        interp.emit(Event::EndCalledElsewhere { capture: id, range });
        interp.end_capture(id);
    }
}

/// A native method of a value, for calls later.
pub(crate) fn bound<'p>(object: &Value<'p>, name: &str) -> Value<'p> {
    Value::Native(Rc::new((object.clone(), name.to_owned())))
}
