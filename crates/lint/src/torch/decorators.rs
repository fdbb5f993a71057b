//! Decorators, and `torch.compile`, which is also called as a function.

use std::rc::Rc;

use super::state::object::{Compiled, Own};
use super::{Cell, Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{Function, Value};
use crate::packages::{self, Meaning};
use crate::syntax::ast::TextRange;

/// What `@function` makes of `value`.
pub(crate) fn decorate<'p>(
    interp: &mut Interp<'p>,
    function: &Value<'p>,
    value: Value<'p>,
    range: TextRange,
) -> Value<'p> {
    match function {
        Value::External(name) => match &**name {
            "torch.no_grad" | "torch.inference_mode" | "torch.enable_grad" => {
                let site = interp.at(range);
                let own = match &**name {
                    "torch.inference_mode" => Own::Inference(Some(true)),
                    name => Own::Grad(name == "torch.enable_grad", None),
                };
                let context = interp.new_object(Kind::Library(own), site);
                under(value, context)
            }
            "atexit.register" => interp.call(function, Args::of(vec![value]), range),
            "torch.compile" => compile(interp, "compile", &Args::of(vec![value]), range),
            name if is_transparent(name) => value,
            _ => Value::Unknown,
        },
        Value::Object(cell) => match interp.heap.object(*cell).map(|it| it.kind.clone()) {
            Some(Kind::Library(Own::Grad(on, before))) => {
                // As a decorator, it changes nothing but inside the function.
                if let Some(before) = before {
                    interp.flow.grad = before;
                }
                let site = interp.at(range);
                let context = interp.new_object(Kind::Library(Own::Grad(on, None)), site);
                under(value, context)
            }
            Some(
                Kind::Library(Own::Autocast(..) | Own::Inference(_))
                | Kind::Managed(..)
                | Kind::Patch(_),
            ) => under(value, function.clone()),
            Some(Kind::Instance(class))
                if interp.is_made_from(class, "contextlib.ContextDecorator") =>
            {
                under(value, function.clone())
            }
            Some(Kind::Library(Own::Decorator(named))) => {
                let mut args = Args::of(vec![value]);
                args.named = named
                    .into_iter()
                    .filter_map(|(name, value)| Some((name?, value)))
                    .collect();
                compile(interp, "compile", &args, range)
            }
            Some(Kind::Partial(..) | Kind::Instance(_)) => {
                interp.call(function, Args::of(vec![value]), range)
            }
            _ => Value::Unknown,
        },
        Value::Function(_) | Value::Method(_) | Value::Class(_) | Value::Native(_) => {
            interp.call(function, Args::of(vec![value]), range)
        }
        _ => Value::Unknown,
    }
}

/// A function each of whose calls runs in a context.
fn under<'p>(value: Value<'p>, context: Value<'p>) -> Value<'p> {
    match value {
        Value::Function(function) => {
            let mut function = Function::clone(&function);
            function.contexts.push(context);
            Value::Function(Rc::new(function))
        }
        other => other,
    }
}

/// Whether a decorator leaves what a function does as it is.
fn is_transparent(name: &str) -> bool {
    matches!(
        name,
        "abc.abstractmethod"
            | "abstractmethod"
            | "typing.override"
            | "override"
            | "typing.overload"
            | "torch.jit.ignore"
            | "torch.jit.unused"
            | "torch.jit.export"
            | "torch.autograd.function.once_differentiable"
            | "torch.compiler.disable"
            | "torch._dynamo.disable"
            | IDENTITY
    ) || makes_transparent(name)
}

/// What a function that makes a transparent decorator gives.
pub(super) const IDENTITY: &str = "<identity decorator>";

/// Whether a function makes a decorator that leaves what a function does as it is.
pub(super) fn makes_transparent(name: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [
        "unittest.",
        "torch.testing._internal.",
        "torch._dynamo.config.patch",
        "torch._inductor.config.patch",
    ];
    matches!(
        name,
        "functools.wraps"
            | "torch.profiler.record_function"
            | "torch.amp.custom_fwd"
            | "torch.amp.custom_bwd"
            | "torch.cuda.amp.custom_fwd"
            | "torch.cuda.amp.custom_bwd"
    ) || BEGINNINGS.iter().any(|it| name.starts_with(it))
        || packages::meaning_of(name) == Some(Meaning::LeavesDecorated)
}

/// `torch.compile(...)`, with its function or, as a decorator, without.
pub(super) fn compile<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let site = interp.at(range);
    let Some(function) = args
        .positional
        .first()
        .or_else(|| args.name("model"))
        .cloned()
    else {
        let named = args
            .named
            .iter()
            .map(|(name, value)| (Some(Rc::clone(name)), value.clone()))
            .collect();
        return interp.new_object(Kind::Library(Own::Decorator(named)), site);
    };
    let is_off = args
        .name("disable")
        .is_some_and(|it| it.truth() != Some(false));
    if name != "compile" || is_off {
        return function;
    }
    let mode = args.name("mode").and_then(Value::as_text);
    let option = match args.name("options") {
        Some(Value::Dict(cell)) => match interp.heap.get(*cell) {
            Cell::Dict(items) => {
                items.get("triton.cudagraphs").and_then(Value::truth) == Some(true)
            }
            _ => false,
        },
        _ => false,
    };
    let backend = args.name("backend").and_then(Value::as_text);
    let graphs = option
        || matches!(mode, Some("reduce-overhead" | "max-autotune"))
        || backend == Some("cudagraphs");
    interp.new_object(
        Kind::Library(Own::Compiled(Compiled {
            function,
            called: backend == Some("eager"),
            graphs,
            site,
        })),
        site,
    )
}
