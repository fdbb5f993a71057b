//! Functions of PyTorch.

use std::rc::Rc;

use super::decorators::{IDENTITY, makes_transparent};
use super::state::event::{Event, Wait};
use super::state::hooks::When;
use super::state::object::Own;
use super::state::tensor::Swap;
use super::{
    Interp, Kind, answers, averaged, creation, cuda, data, distributed, distributions, families,
    graphed, host, methods, modules, optimizers, python, storage, tensors, threads,
};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// Calls what has this full name.
pub(crate) fn call<'p>(
    interp: &mut Interp<'p>,
    full: &Rc<str>,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    if let Some(result) = graphed::call(interp, full, args, range) {
        return result;
    }
    let Some(name) = full.strip_prefix("torch.") else {
        return python::call(interp, full, args, range);
    };
    if let Some(name) = name.strip_prefix("cuda.")
        && let Some(result) = cuda::call(interp, name, args, range)
    {
        return result;
    }
    if let Some(name) = name.strip_prefix("distributed.") {
        return distributed::call(interp, name, args, range);
    }
    if let Some(result) = creation::call(interp, name, args, range) {
        return result;
    }
    if let Some(name) = name.strip_prefix("utils.data.")
        && let Some(result) = data::make(interp, name, args, range)
    {
        return result;
    }
    // A method taken from the class.
    if let (Some(method), Some((tensor @ Value::Extension(_), rest))) =
        (name.strip_prefix("Tensor."), args.positional.split_first())
    {
        let mut args = args.clone();
        args.positional = rest.to_vec();
        return methods::call(interp, tensor, method, &args, range);
    }
    if let Some(result) = averaged::make(interp, full, args, range) {
        return result;
    }
    if let Some(result) = distributions::make(interp, full, args, range) {
        return result;
    }
    if let Some(result) = optimizers::make(interp, full, args, range) {
        return result;
    }
    if let Some(result) = modules::make(interp, full, args, range) {
        return result;
    }
    special(interp, name, args, range).unwrap_or_else(|| operator(interp, name, args, range))
}

/// Functions that are no operators.
fn special<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    if makes_transparent(&format!("torch.{name}")) {
        return Some(Value::External(Rc::from(IDENTITY)));
    }
    Some(match name {
        "device" => match args.positional.first() {
            Some(Value::Text(text)) => Value::Text(text.clone()),
            Some(Value::Number(_)) => Value::text("cuda"),
            _ => Value::Unknown,
        },
        "set_default_device" => {
            if let Some(device) = args.positional.first().and_then(super::names::device) {
                interp.flow.default_device = device;
            }
            Value::None
        }
        "no_grad" | "inference_mode" => match args.positional.first() {
            Some(value @ Value::Function(_)) => {
                let function = Value::External(Rc::from(format!("torch.{name}")));
                super::decorators::decorate(interp, &function, value.clone(), range)
            }
            mode if name == "inference_mode" => {
                let mode = mode.or_else(|| args.name("mode"));
                let on = match mode {
                    None => (!args.open).then_some(true),
                    Some(mode) => mode.truth(),
                };
                interp.new_object(Kind::Library(Own::Inference(on)), site)
            }
            Some(mode) if mode.truth() == Some(false) => {
                interp.new_object(Kind::Library(Own::Grad(true, None)), site)
            }
            _ => interp.new_object(Kind::Library(Own::Grad(false, None)), site),
        },
        "enable_grad" => interp.new_object(Kind::Library(Own::Grad(true, None)), site),
        "set_grad_enabled" | "autograd.set_grad_enabled" => {
            let on = args.get(0, "mode").and_then(Value::truth).unwrap_or(true);
            // It holds from the call on, and until the context is left where it is used as one.
            let before = std::mem::replace(&mut interp.flow.grad, on);
            interp.new_object(Kind::Library(Own::Grad(on, Some(before))), site)
        }
        "autocast" | "amp.autocast" => {
            let of_cuda = args
                .get(0, "device_type")
                .and_then(Value::as_text)
                .is_none_or(|device| device.starts_with("cuda"));
            let enabled = args.name("enabled").and_then(Value::truth) != Some(false);
            let cached = args
                .name("cache_enabled")
                .is_none_or(|it| it.truth() == Some(true));
            interp.new_object(
                Kind::Library(Own::Autocast(
                    site,
                    cached && enabled && of_cuda && !args.open,
                )),
                site,
            )
        }
        "compiler.disable" | "_dynamo.disable" | "compiler.allow_in_graph" => {
            match args.positional.first() {
                Some(function) => function.clone(),
                None => Value::External(Rc::from(IDENTITY)),
            }
        }
        "compile" | "jit.script" => super::decorators::compile(interp, name, args, range),
        "autograd.backward" => {
            if let Some(loss) = args.get(0, "tensors") {
                let loss = loss.clone();
                super::autograd::backward(interp, &loss, args.name("inputs"), range);
            }
            Value::None
        }
        "autograd.grad" => {
            let outputs = args.get(0, "outputs").cloned().unwrap_or(Value::Unknown);
            let inputs = args.get(1, "inputs").cloned().unwrap_or(Value::Unknown);
            super::autograd::backward(interp, &outputs, Some(&inputs), range);
            let grad = interp.derived(&[inputs, outputs], site);
            interp.new_list(vec![grad], false)
        }
        "utils.checkpoint.checkpoint" => {
            interp.emit(Event::Checkpointed { args, range });
            let mut inner = args.clone();
            if inner.positional.is_empty() {
                return Some(interp.call_unknown(args));
            }
            let function = inner.positional.remove(0);
            inner.named.retain(|(name, _)| {
                !matches!(
                    &**name,
                    "use_reentrant"
                        | "preserve_rng_state"
                        | "context_fn"
                        | "determinism_check"
                        | "debug"
                )
            });
            interp.call(&function, inner, range)
        }
        "utils.checkpoint.checkpoint_sequential" => {
            interp.emit(Event::Checkpointed { args, range });
            let functions = args.get(0, "functions").cloned().unwrap_or(Value::Unknown);
            let parts = match &functions {
                Value::List(list) => interp.heap.list(*list).map(|it| it.items.clone()),
                _ => None,
            };
            let mut value = args.get(2, "input").cloned().unwrap_or(Value::Unknown);
            for part in parts.unwrap_or_else(|| vec![functions]) {
                value = interp.call(&part, Args::of(vec![value]), range);
            }
            value
        }
        "nn.Parameter" | "nn.parameter.Parameter" => match args.get(0, "data") {
            Some(Value::Extension(cell)) => {
                let copy = interp.heap.tensor(*cell).cloned()?;
                let result = interp.new_tensor(copy.device, site);
                if let Some(tensor) = interp.heap.tensor_mut(result) {
                    tensor.requires_grad =
                        args.get(1, "requires_grad").and_then(Value::truth) != Some(false);
                    tensor.bytes = copy.bytes;
                    tensor.at_most = copy.at_most;
                    tensor.may_be = Some(*cell);
                }
                Value::Extension(result)
            }
            _ => Value::Unknown,
        },
        "Generator" => {
            let on_cuda = args
                .get(0, "device")
                .and_then(super::names::device)
                .is_some_and(|it| it == crate::torch::state::tensor::Device::Cuda);
            if on_cuda {
                interp.new_object(Kind::Library(Own::Generator), site)
            } else {
                Value::Unknown
            }
        }
        "manual_seed" | "seed" => {
            interp.emit(Event::Seeded {
                function: name,
                range,
            });
            Value::Unknown
        }
        "save" => Value::None,
        "_assert" => {
            if let Some(condition) = args.get(0, "condition").cloned() {
                host::truth(interp, &condition, range);
            }
            Value::None
        }
        "testing.assert_close" | "testing.assert_allclose" => {
            for value in args.positional.iter().take(2) {
                host::asked(interp, value, "a comparison of tensors", range);
            }
            answers::used(interp, &args.positional, range);
            Value::None
        }
        // Whoever calls a function that nobody here calls may have turned gradients off.
        "is_grad_enabled" => Value::Bool((!interp.flow.grad).then_some(false)),
        "is_tensor" => Value::Bool(match args.positional.first() {
            Some(Value::Extension(_)) => Some(true),
            _ => None,
        }),
        "nn.utils.clip_grad_norm_" => {
            if args.name("error_if_nonfinite").and_then(Value::truth) == Some(true) {
                host::waited(interp, Wait::Check("`error_if_nonfinite=True`"), range);
            }
            interp.works(&[], crate::torch::state::tensor::Device::Cuda, true, range);
            let gradients = args.get(0, "parameters").cloned();
            let device = interp.device_of(&gradients.into_iter().collect::<Vec<_>>());
            Value::Extension(interp.new_tensor(device, site))
        }
        "multiprocessing.Pipe" | "multiprocessing.Queue" | "multiprocessing.SimpleQueue" => {
            return threads::call(interp, name, args, range);
        }
        // They compute the weight in a hook of the module.
        "nn.utils.weight_norm" | "nn.utils.spectral_norm" => match args.get(0, "module") {
            Some(module @ Value::Object(cell)) => {
                let hook = Args::of(vec![Value::Unknown]);
                interp.hook_object(*cell, When::Before, &hook, range);
                module.clone()
            }
            _ => interp.call_unknown(args),
        },
        "nn.utils.vector_to_parameters" => {
            let parameters = args.get(1, "parameters").cloned().unwrap_or(Value::Unknown);
            for parameter in interp.tensors_of(&parameters) {
                storage::swapped(interp, parameter, Swap::Vector, range);
            }
            Value::None
        }
        "_dynamo.graph_break" => {
            interp.emit(Event::GraphBreak {
                what: "`torch._dynamo.graph_break()` is called",
                range,
            });
            Value::None
        }
        "_C._host_emptyCache" => {
            interp.emit(Event::Pinned {
                what: "pinned memory is freed",
                range,
            });
            Value::None
        }
        "amp.GradScaler" | "cuda.amp.GradScaler" => {
            let scales = match args.name("enabled") {
                Some(enabled) => enabled.truth(),
                None => (!args.open).then_some(true),
            };
            interp.new_object(Kind::Library(Own::Scaler(scales)), site)
        }
        _ if name.starts_with("nn.init.") => {
            // They fill a tensor where autograd does not see it.
            let grad = std::mem::replace(&mut interp.flow.grad, false);
            let filled = operator(interp, name, args, range);
            interp.flow.grad = grad;
            filled
        }
        _ if name.starts_with("_assert_")
            || name.starts_with("compiler.")
            || name.starts_with("_dynamo.")
            || name.starts_with("profiler.")
            || name.starts_with("utils.")
            || name.starts_with("backends.")
            || name.starts_with("_C.")
            || name.starts_with("ops.")
            || name.starts_with("library.")
            || name.starts_with("version.")
            || name.starts_with("get_")
            || name.starts_with("set_")
            || name.starts_with("use_")
            || (name.starts_with("is_") && name != "is_nonzero") =>
        {
            interp.call_unknown(args)
        }
        _ => return None,
    })
}

/// Operators: they make a tensor of tensors.
pub(super) fn operator<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let short = name.rsplit('.').next().unwrap_or(name);
    let mut values: Vec<Value<'p>> = args.all().cloned().collect();
    let has_tensor = values.iter().any(|it| holds_tensor(interp, it));
    if !has_tensor {
        return interp.call_unknown(args);
    }
    super::waits::operator(interp, short, args, range);
    interp.emit(Event::Arguments {
        call: args.node,
        range,
    });
    if families::takes_numbers(short) {
        interp.emit(Event::Numbers {
            operands: &values,
            range,
        });
    }
    super::autocast::called(interp, short, &values);
    let full = if name.starts_with("fft.") || name.starts_with("linalg.") {
        name
    } else {
        short
    };
    interp.emit(Event::Operator {
        name: full,
        operands: &values,
        range,
    });
    if let Some(generator) = args.name("generator") {
        let generator = generator.clone();
        interp.emit(Event::Drawn {
            generator: &generator,
            range,
        });
        values.retain(|it| !it.same(&generator));
    }
    if families::is_view_function(short)
        && let Some(Value::Extension(cell)) = args.positional.first()
    {
        return interp.view(*cell, range);
    }
    match short {
        "equal" | "allclose" | "is_nonzero" => {
            answers::used(interp, &values, range);
            return Value::Bool(None);
        }
        "numel" | "is_floating_point" | "is_complex" | "result_type" | "can_cast" => {
            return Value::Unknown;
        }
        _ => {}
    }
    if let Some(out @ Value::Extension(_)) = args.name("out") {
        let out = out.clone();
        return interp.tensor_in_place(&out, &values, range);
    }
    if short.ends_with('_')
        && !short.starts_with('_')
        && let Some(target) = args.positional.first()
    {
        let target = target.clone();
        return interp.tensor_in_place(&target, &values[1..], range);
    }
    let result = tensors::operation(interp, &values, range);
    if families::allocates(short) {
        interp.owns_memory(&result);
    }
    if families::is_elementwise(short) {
        tensors::sized_by(interp, &values, &result);
    }
    if families::may_share(short)
        && let Some(Value::Extension(cell)) = args.positional.first()
    {
        interp.may_be_itself(&result, *cell);
    }
    if families::is_boolean(short) {
        interp.becomes_boolean(&result);
    } else {
        super::ranks::note(interp, short, args, &values, &result);
    }
    if families::is_multiple(short) {
        if matches!(
            short,
            "split" | "chunk" | "unbind" | "tensor_split" | "meshgrid"
        ) && let Some(Value::Extension(cell)) = args.positional.first()
        {
            interp.may_be_itself(&result, *cell);
        }
        return interp.new_list(vec![result], false);
    }
    result
}

fn holds_tensor<'p>(interp: &Interp<'p>, value: &Value<'p>) -> bool {
    match value {
        Value::Extension(_) => true,
        Value::List(cell) => interp.heap.list(*cell).is_some_and(|list| {
            list.items
                .iter()
                .any(|it| matches!(it, Value::Extension(_)))
        }),
        _ => false,
    }
}
