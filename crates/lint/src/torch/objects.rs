//! Objects of PyTorch and of Python's threads: what their methods do.

use std::rc::Rc;

use super::state::capture::CaptureKind;
use super::state::destroyed;
use super::state::event::{Event, Wait};
use super::state::hooks::When;
use super::state::object::{CaptureArguments, Entry, Mode, Own};
use super::{
    Interp, Kind, arrays, autograd, averaged, contexts, cuda, distributions, host, module_tree,
    modules, names, optimizers, threads,
};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// An attribute that an object has without it being set, unless it is a method.
pub(crate) fn attribute<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    range: TextRange,
) -> Option<Value<'p>> {
    match &interp.heap.object(cell)?.kind {
        // Its parameters are still those of the module.
        Kind::Library(Own::Graphed(function, _)) if matches!(name, "weight" | "bias") => {
            let function = function.clone();
            Some(interp.attribute(&function, name, range))
        }
        Kind::Library(Own::Graphed(function, site)) if !names::is_module_method(name) => {
            let (function, site) = (function.clone(), *site);
            Some(interp.part_of_graphed(cell, function, site))
        }
        Kind::Library(Own::Ddp(module, _)) if name == "module" => Some(module.clone()),
        Kind::Library(Own::Module(..)) if matches!(name, "weight" | "bias") => {
            Some(modules::method(interp, cell, name, &Args::default(), range))
        }
        Kind::Library(Own::Distribution(..)) => distributions::attribute(interp, cell, name, range),
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
        (Kind::Library(Own::Graph(_)), _) => graph(interp, cell, name, args, range),
        (Kind::Library(Own::Stream(_)), "wait_stream") => {
            match first {
                Some(Value::Object(other)) => interp.wait_stream(cell, other, range),
                _ => interp.wait_for_unknown(cell),
            }
            Value::None
        }
        (Kind::Library(Own::Stream(_)), "wait_event") => {
            match first {
                Some(Value::Object(event)) => interp.wait_event(cell, event, range),
                _ => interp.wait_for_unknown(cell),
            }
            Value::None
        }
        (Kind::Library(Own::Stream(_)), "synchronize") => {
            host::waited(interp, Wait::Stream(cell), range);
            host::over(interp);
            Value::None
        }
        (Kind::Library(Own::Stream(_) | Own::Event(_)), "query") => {
            interp.emit(Event::Queried {
                object: cell,
                range,
            });
            // What follows may do so only once it is.
            interp.all_may_be_over();
            Value::Bool(None)
        }
        (Kind::Library(Own::Stream(_)), "record_event") => {
            let event = if let Some(Value::Object(event)) = first {
                event
            } else {
                let site = interp.at(range);
                let Value::Object(event) = interp.new_object(
                    Kind::Library(Own::Event(crate::torch::state::object::CudaEvent::default())),
                    site,
                ) else {
                    return Value::Unknown;
                };
                event
            };
            interp.record_event(event, Some(cell), range);
            Value::Object(event)
        }
        (Kind::Library(Own::Event(_)), "record") => {
            let stream = stream_given(interp, first.as_ref());
            interp.record_event(cell, stream, range);
            Value::None
        }
        (Kind::Library(Own::Event(_)), "wait") => {
            match stream_given(interp, first.as_ref()) {
                Some(waiter) => interp.wait_event(waiter, cell, range),
                None => interp.all_may_be_over(),
            }
            Value::None
        }
        (Kind::Library(Own::Event(_)), "synchronize") => {
            interp.emit(Event::HostAwaits { event: cell, range });
            host::over(interp);
            interp.host_waits_for_event(cell);
            Value::None
        }
        (Kind::Library(Own::Optimizer(optimizer)), "step") => {
            interp.with_hooks(cell, args.clone(), range, |interp, args| {
                optimizers::step(interp, cell, optimizer, &args, range)
            })
        }
        (Kind::Library(Own::Optimizer(_)), "register_step_pre_hook") => {
            interp.hook_object(cell, When::Before, args, range)
        }
        (Kind::Library(Own::Optimizer(_)), "register_step_post_hook") => {
            interp.hook_object(cell, When::After, args, range)
        }
        (Kind::Library(Own::Averaged(..)), _) => averaged::method(interp, cell, name, args, range),
        (Kind::Library(Own::Distribution(..)), _) => {
            distributions::method(interp, cell, name, args, range)
        }
        (Kind::Library(Own::Scheduler(optimizer)), "step") => {
            optimizers::scheduled(interp, optimizer);
            Value::None
        }
        (Kind::Library(Own::Optimizer(_)), _) => optimizers::method(interp, cell, name, args),
        (Kind::Library(Own::Hook(_)), "remove") => {
            interp.remove_hook(cell);
            Value::None
        }
        (Kind::Library(Own::FunctionContext), _) => {
            autograd::context_method(interp, cell, name, args)
        }
        (Kind::Library(Own::Scaler(_)), "scale") => first.unwrap_or(Value::Unknown),
        (Kind::Library(Own::Scaler(scales)), "step") => {
            let Some(optimizer @ Value::Object(_)) = first else {
                return interp.call_unknown(args);
            };
            super::optimizers::scaled(interp, *scales, &optimizer, range);
            let step = interp.attribute(&optimizer, "step", range);
            interp.call(&step, Args::default(), range)
        }
        (Kind::Library(Own::Array(..)), _) => arrays::method(interp, cell, name, args, range),
        (Kind::Library(Own::Generator), "manual_seed" | "set_state" | "seed") => itself,
        (Kind::Library(Own::Event(_)), "elapsed_time") => {
            interp.emit(Event::TimeAsked { event: cell, range });
            if let Some(Value::Object(end)) = first {
                interp.emit(Event::TimeAsked { event: end, range });
            }
            Value::number()
        }
        (
            Kind::Library(Own::SharedLibrary),
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
        (Kind::Library(Own::Module(..)) | Kind::Instance(_), _) => {
            modules::method(interp, cell, name, args, range)
        }
        (Kind::Library(Own::Ddp(module, _)), "parameters" | "train" | "eval" | "to" | "cuda") => {
            let function = interp.attribute(&module.clone(), name, range);
            interp.call(&function, args.clone(), range)
        }
        (
            Kind::Library(Own::Graphed(function, site)),
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
        (Kind::Library(Own::Graphed(function, site)), "get_submodule")
            if first
                .as_ref()
                .and_then(Value::as_text)
                .is_some_and(|it| !it.is_empty()) =>
        {
            interp.part_of_graphed(cell, function.clone(), *site)
        }
        (Kind::Library(Own::Graphed(..)), "train" | "eval") => {
            module_tree::set_training(interp, cell, name, args);
            itself
        }
        (Kind::Library(Own::Graphed(_, site)), _) if name.starts_with("register_") => {
            interp.emit(Event::Hooked {
                object: cell,
                graphed: *site,
                range,
            });
            Value::Unknown
        }
        (Kind::Library(Own::Graphed(function, _)), "parameters" | "named_parameters") => {
            let function = interp.attribute(&function.clone(), "parameters", range);
            interp.call(&function, args.clone(), range)
        }
        _ => interp.call_unknown(args),
    }
}

/// The stream that a method was given; the current one if it was given none.
fn stream_given(interp: &Interp<'_>, given: Option<&Value<'_>>) -> Option<CellId> {
    match given {
        None | Some(Value::None) => interp.flow.stream,
        Some(Value::Object(stream)) => Some(*stream),
        Some(_) => None,
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
        "replay" if interp.graph(cell).is_some_and(|it| it.empty && !it.lost) => {
            interp.emit(Event::EmptyReplayed { graph: cell, range });
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
            destroyed::reset(interp, cell, range);
            let all = interp.may_be(cell);
            let is_one = all.len() == 1;
            for cell in all {
                if let Some(graph) = interp.graph_mut(cell) {
                    graph.reset = true;
                    graph.empty |= is_one;
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
            let pool = interp.pool_of(cell);
            interp.new_object(Kind::Library(Own::Pool(pool)), site)
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
        .find(|id| interp.library.captures[id.0].graph == Some(graph))
        .copied();
    if let Some(id) = open {
        interp.library.captures[id.0].ended = Some(interp.at(range));
        interp.emit(Event::EndCalled { capture: id, range });
        interp.end_capture(id);
    } else if let Some(id) = interp.flow.foreign
        && interp.library.captures[id.0].graph == Some(graph)
    {
        interp.emit(Event::EndCalledElsewhere { capture: id, range });
        interp.library.captures[id.0].ended_elsewhere = true;
    } else if let Some(at) = interp
        .library
        .threads
        .left_open
        .iter()
        .position(|id| interp.library.captures[id.0].graph == Some(graph))
    {
        let id = interp.library.threads.left_open.remove(at);
        interp.emit(Event::EndCalledElsewhere { capture: id, range });
        interp.end_capture(id);
    }
}

/// A native method of a value, for calls later.
pub(crate) fn bound<'p>(object: &Value<'p>, name: &str) -> Value<'p> {
    Value::Native(Rc::new((object.clone(), name.to_owned())))
}
