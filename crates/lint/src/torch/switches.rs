//! The switches of PyTorch, by what sets them.

use std::rc::Rc;

use super::state::switches::Switch;
use super::{Cell, Interp};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};

/// Functions that set one whatever they are given.
const FUNCTIONS: [(&str, Switch); 2] = [
    ("torch.compiler.set_stance", Switch::Compiler),
    (
        "torch.distributions.Distribution.set_default_validate_args",
        Switch::DistributionChecks,
    ),
];

/// Attributes of modules.
const ATTRIBUTES: [(&str, &str, Switch); 2] = [
    (DYNAMO, "capture_scalar_outputs", Switch::CompiledScalars),
    (DYNAMO, "disable", Switch::Compiler),
];

/// Variables of the environment that have one meaning.
const VARIABLES: [(&str, Switch); 2] = [
    ("TORCHDYNAMO_DISABLE", Switch::Compiler),
    ("TORCH_COMPILE_DISABLE", Switch::Compiler),
];

/// Variables of the environment that hold options of the allocator, separated by commas.
const ALLOCATOR: [&str; 2] = ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"];

/// The option of the allocator that lets it use blocks again.
const REUSE: &str = "graph_capture_record_stream_reuse";

/// The module with the compiler's attributes.
const DYNAMO: &str = "torch._dynamo.config";

/// Where Python keeps the environment.
const ENVIRONMENT: &str = "os.environ";

/// A function from outside the project is called.
pub(super) fn called<'p>(interp: &mut Interp<'p>, full: &str, args: &Args<'p>) {
    if let Some((_, switch)) = FUNCTIONS.iter().find(|(name, _)| *name == full) {
        interp.switch(*switch);
    }
    match full {
        "torch._dynamo.config.patch" => patched(interp, args),
        "torch.cuda.memory._set_allocator_settings" => {
            if let Some(options) = args.positional.first() {
                allocator_set(interp, &options.clone());
            }
        }
        "os.environ.setdefault" | "os.putenv" => {
            if let [name, value] = args.positional.as_slice() {
                variable_set(interp, &name.clone(), &value.clone());
            }
        }
        "os.environ.update" => {
            let given = match args.positional.first() {
                Some(Value::Dict(cell)) => entries(interp, *cell),
                _ => Vec::new(),
            };
            for (name, value) in given.iter().chain(&args.named) {
                variable_set(interp, &Value::text(name), value);
            }
        }
        _ => {}
    }
}

/// An attribute of something from outside the project is set.
pub(super) fn attribute_set(interp: &mut Interp<'_>, of: &str, attribute: &str) {
    let known = |(owner, name, _): &&(&str, &str, Switch)| *owner == of && *name == attribute;
    if let Some((_, _, switch)) = ATTRIBUTES.iter().find(known) {
        interp.switch(*switch);
    }
}

/// `container[key] = value`.
pub(super) fn entered<'p>(
    interp: &mut Interp<'p>,
    container: &Value<'p>,
    key: &Value<'p>,
    value: &Value<'p>,
) {
    if container.as_external() == Some(ENVIRONMENT) {
        variable_set(interp, key, value);
    }
}

/// `torch._dynamo.config.patch(...)`, which takes names and values in several forms.
fn patched<'p>(interp: &mut Interp<'p>, args: &Args<'p>) {
    let mut names: Vec<_> = args.named.iter().map(|it| Rc::clone(&it.0)).collect();
    match args.positional.first() {
        Some(Value::Text(Some(name))) => names.push(Rc::clone(name)),
        Some(Value::Dict(cell)) => names.extend(entries(interp, *cell).into_iter().map(|it| it.0)),
        _ => {}
    }
    for name in names {
        attribute_set(interp, DYNAMO, &name);
    }
}

fn variable_set<'p>(interp: &mut Interp<'p>, name: &Value<'p>, value: &Value<'p>) {
    let Some(name) = name.as_text() else { return };
    if let Some((_, switch)) = VARIABLES.iter().find(|(it, _)| *it == name) {
        interp.switch(*switch);
    } else if ALLOCATOR.contains(&name) {
        allocator_set(interp, value);
    }
}

/// The allocator gets options; those that are not known may be any.
fn allocator_set<'p>(interp: &mut Interp<'p>, options: &Value<'p>) {
    let reuses = options.as_text().is_none_or(|options| {
        let mut names = options.split(',').filter_map(|it| it.split(':').next());
        names.any(|it| it.trim() == REUSE)
    });
    if reuses {
        interp.switch(Switch::RecordedBlocks);
    }
}

fn entries<'p>(interp: &Interp<'p>, dictionary: CellId) -> Vec<(Rc<str>, Value<'p>)> {
    match interp.heap.get(dictionary) {
        Cell::Dict(items) => items
            .iter()
            .map(|(name, value)| (Rc::clone(name), value.clone()))
            .collect(),
        _ => Vec::new(),
    }
}
