//! Names of what is imported from outside the project.

use std::rc::Rc;

use super::state::tensor::Device;
use crate::interp::value::Value;
use crate::packages::{self, Meaning};

/// What has this full name; names under which the same is known become one.
pub(crate) fn external<'p>(full: &str) -> Value<'p> {
    const SAME: [(&str, &str); 14] = [
        ("torch.cuda.graphs.", "torch.cuda."),
        ("torch.cuda.streams.", "torch.cuda."),
        ("torch.cuda.random.", "torch.cuda."),
        ("torch.cuda.amp.autocast_mode.", "torch.cuda.amp."),
        ("torch.amp.autocast_mode.", "torch.amp."),
        ("torch.amp.grad_scaler.", "torch.amp."),
        ("torch.cuda.amp.grad_scaler.", "torch.cuda.amp."),
        ("torch.distributed.distributed_c10d.", "torch.distributed."),
        ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
        ("torch.accelerator.", "torch.cuda."),
        ("torch.utils.data.dataloader.", "torch.utils.data."),
        ("torch.special.", "torch."),
        ("torch.nn.utils.clip_grad.", "torch.nn.utils."),
        ("concurrent.futures.thread.", "concurrent.futures."),
    ];
    for (long, short) in SAME {
        if let Some(rest) = full.strip_prefix(long) {
            return Value::External(Rc::from(format!("{short}{rest}")));
        }
    }
    Value::External(Rc::from(full))
}

/// The device that a value names.
pub(crate) fn device(value: &Value<'_>) -> Option<Device> {
    match value {
        Value::Text(Some(text)) => Some(match &**text {
            text if text.starts_with("cuda") => Device::Cuda,
            "cpu" => Device::Host,
            _ => Device::Unknown,
        }),
        Value::Number(_) => Some(Device::Cuda),
        Value::Text(None) | Value::Unknown => Some(Device::Unknown),
        _ => None,
    }
}

/// Whether a value names a type of elements, and not a device.
pub(crate) fn is_dtype(value: &Value<'_>) -> bool {
    match value {
        Value::External(name) => name.strip_prefix("torch.").is_some_and(|name| {
            [
                "float", "int", "uint", "bfloat", "complex", "bool", "half", "double", "long",
                "short",
            ]
            .iter()
            .any(|start| name.starts_with(start))
        }),
        _ => false,
    }
}

/// Whether this is the full name of a class that is an `nn.Module`.
pub(crate) fn is_module(full: &str) -> bool {
    let short = full.rsplit('.').next().unwrap_or(full);
    packages::meaning_of(full) == Some(Meaning::IsModule)
        || matches!(full, "torch.jit.ScriptModule" | "torch.fx.GraphModule")
        || full.starts_with("torch.nn.")
            && short.starts_with(|it: char| it.is_ascii_uppercase())
            && !short.starts_with("Parameter")
}

/// Whether every `nn.Module` has a method of this name, which a module is asked for rather than its parts.
pub(crate) fn is_module_method(name: &str) -> bool {
    matches!(
        name,
        "forward"
            | "register_forward_hook"
            | "register_forward_pre_hook"
            | "register_full_backward_hook"
            | "get_submodule"
            | "modules"
            | "children"
            | "named_modules"
            | "named_children"
            | "parameters"
            | "named_parameters"
            | "train"
            | "eval"
            | "to"
            | "cuda"
            | "zero_grad"
            | "state_dict"
            | "load_state_dict"
            | "apply"
            | "requires_grad_"
            | "buffers"
            | "named_buffers"
    )
}
