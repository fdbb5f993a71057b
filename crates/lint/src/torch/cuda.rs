//! `torch.cuda`.

use super::state::event::{Event, Wait};
use super::state::object::{CaptureArguments, CudaEvent, Entry, Graph, Mode, Own};
use super::{Interp, Kind, host};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// Calls the function of `torch.cuda`, if it is known.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    Some(match name {
        "graph" => {
            let arguments = capture_arguments(args);
            interp.new_object(Kind::Library(Own::Capture(Box::new(arguments))), site)
        }
        "CUDAGraph" => {
            let kept = args.get(0, "keep_graph").and_then(Value::truth);
            let graph = Graph {
                empty: true,
                awaits_instantiation: kept.unwrap_or(args.open),
                ..Graph::default()
            };
            interp.new_object(Kind::Library(Own::Graph(graph)), site)
        }
        "graph_pool_handle" => interp.new_object(Kind::Library(Own::Pool(None)), site),
        "Stream" => interp.new_stream(range),
        "ExternalStream" => external_stream(args),
        "Event" => {
            let external = args
                .name("external")
                .is_some_and(|it| it.truth() != Some(false));
            interp.new_object(
                Kind::Library(Own::Event(CudaEvent {
                    external: external || args.open,
                    ..CudaEvent::default()
                })),
                site,
            )
        }
        "current_stream" => interp.current_stream(),
        "default_stream" => interp.default_stream(),
        "stream" | "StreamContext" => {
            let stream = args.get(0, "stream").cloned().unwrap_or(Value::Unknown);
            interp.new_object(Kind::Library(Own::OnStream(stream)), site)
        }
        "set_stream" => {
            interp.flow.stream = match args.get(0, "stream") {
                Some(Value::Object(cell)) => Some(*cell),
                _ => None,
            };
            Value::None
        }
        "synchronize" => {
            host::waited(interp, Wait::Device, range);
            host::over(interp);
            Value::None
        }
        "is_current_stream_capturing" => {
            if interp.graph_capture().is_some() {
                Value::Momentary(true)
            } else {
                Value::Bool(None)
            }
        }
        "is_available" => Value::Bool(Some(true)),
        "current_device" => Value::number(),
        "get_rng_state" | "set_rng_state" | "get_rng_state_all" | "set_rng_state_all" => {
            interp.emit(Event::RandomStateTouched {
                function: name,
                range,
            });
            Value::Unknown
        }
        "manual_seed" | "manual_seed_all" | "seed" | "seed_all" => {
            interp.emit(Event::Seeded {
                function: name,
                range,
            });
            Value::None
        }
        "mem_get_info" => interp.new_list(vec![Value::number(), Value::number()], true),
        "amp.autocast" => {
            let enabled = args.get(0, "enabled").and_then(Value::truth) != Some(false);
            let cached = args
                .name("cache_enabled")
                .is_none_or(|it| it.truth() == Some(true));
            interp.new_object(
                Kind::Library(Own::Autocast(site, cached && enabled && !args.open)),
                site,
            )
        }
        "amp.GradScaler" => return None,
        // Classes of tensors.
        _ if name.ends_with("Tensor") => return None,
        "cudart" => interp.new_object(Kind::Library(Own::SharedLibrary), site),
        // To free memory, the driver waits.
        "empty_cache" => {
            interp.all_may_be_over();
            Value::None
        }
        "set_device" | "_sleep" => Value::None,
        "device" | "device_of" | "nvtx.range" => Value::External("torch.cuda.device()".into()),
        _ => interp.call_unknown(args),
    })
}

/// A stream by its handle: that of a stream of PyTorch's is the same stream, and any other may be one of them.
fn external_stream<'p>(args: &Args<'p>) -> Value<'p> {
    match args.get(0, "stream_ptr") {
        Some(Value::Native(of)) if of.1 == "cuda_stream" => of.0.clone(),
        _ => Value::Unknown,
    }
}

fn capture_arguments<'p>(args: &Args<'p>) -> CaptureArguments<'p> {
    let mode = args.get(3, "capture_error_mode");
    CaptureArguments {
        entry: Entry::Waits,
        graph: args.get(0, "cuda_graph").cloned().unwrap_or(Value::Unknown),
        pool: args
            .get(1, "pool")
            .cloned()
            .or(args.open.then_some(Value::Unknown)),
        stream: args
            .get(2, "stream")
            .cloned()
            .or(args.open.then_some(Value::Unknown)),
        mode: if args.open {
            Mode::Unknown
        } else {
            self::mode(mode)
        },
        mode_given: mode.is_some(),
    }
}

/// The mode that `capture_error_mode` names.
pub(super) fn mode(value: Option<&Value<'_>>) -> Mode {
    match value {
        None => Mode::Global,
        Some(value) => match value.as_text() {
            Some("global") => Mode::Global,
            Some("thread_local") => Mode::ThreadLocal,
            Some("relaxed") => Mode::Relaxed,
            _ => Mode::Unknown,
        },
    }
}
