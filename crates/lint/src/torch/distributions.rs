//! `torch.distributions`: they check their parameters and values on the host.

use std::rc::Rc;

use super::state::event::{Pageable, Wait};
use super::state::object::Own;
use super::state::switches::Switch;
use super::state::tensor::Device;
use super::{Interp, Kind, host, tensors};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// Those that check their parameters.
const CHECKED: [&str; 20] = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Dirichlet",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "InverseGamma",
    "Laplace",
    "LogNormal",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "Pareto",
    "Poisson",
    "Uniform",
    "VonMises",
];
/// Those of two parameters that become tensors of one shape: a number beside a tensor is copied to its device.
const BROADCAST: [&str; 6] = ["Cauchy", "Gamma", "Gumbel", "Laplace", "Normal", "Uniform"];
/// The field that holds the parameters.
const PARAMETERS: &str = "<parameters>";

/// Makes the distribution of that name in `torch.distributions`, if its checks are known.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let short = full.rsplit('.').next().unwrap_or(full);
    if !full.starts_with("torch.distributions.") || !CHECKED.contains(&short) {
        return None;
    }
    let validates = match args.name("validate_args") {
        Some(Value::None) => Some(true),
        Some(value) => value.truth(),
        None => (!args.open).then_some(true),
    };
    let validates = validates.filter(|_| !interp.may_have_switched(Switch::DistributionChecks));
    let parameters: Vec<_> = args
        .positional
        .iter()
        .chain(
            args.named
                .iter()
                .filter(|it| &*it.0 != "validate_args")
                .map(|it| &it.1),
        )
        .cloned()
        .collect();
    let tensor = parameters
        .iter()
        .find(|it| interp.device_of(std::slice::from_ref(it)) == Device::Cuda);
    let has_number = parameters.iter().any(|it| matches!(it, Value::Number(_)));
    if let Some(Value::Extension(tensor)) = tensor {
        let tensor = *tensor;
        if has_number && BROADCAST.contains(&short) {
            host::copied(interp, Pageable::Built(short, args.node), range);
        } else if validates == Some(true) {
            let what = "the check of a distribution's parameters";
            host::read(interp, tensor, Wait::Check(what), range);
        }
    }
    let site = interp.at(range);
    let made = interp.new_object(
        Kind::Library(Own::Distribution(Rc::from(short), validates)),
        site,
    );
    let parameters = interp.new_list(parameters, true);
    if let Value::Object(cell) = made
        && let Some(object) = interp.heap.object_mut(cell)
    {
        object.fields.insert(Rc::from(PARAMETERS), parameters);
    }
    Some(made)
}

/// A method of a distribution.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(object) = interp.heap.object(cell) else {
        return Value::Unknown;
    };
    let (Kind::Library(Own::Distribution(kind, validates)), Some(Value::List(parameters))) =
        (object.kind.clone(), object.fields.get(PARAMETERS).cloned())
    else {
        return Value::Unknown;
    };
    let parameters = interp
        .heap
        .list(parameters)
        .map(|list| list.items.clone())
        .unwrap_or_default();
    let mut operands = parameters;
    operands.extend(args.positional.iter().cloned());
    if interp.device_of(&operands) == Device::Cuda {
        match name {
            "log_prob" | "cdf" if validates == Some(true) => {
                let what = Wait::Check("the check of a distribution's value");
                host::waited(interp, what, range);
            }
            "sample" if matches!(&*kind, "Normal" | "LogNormal") => {
                let what = Wait::Check("the check of `normal`");
                host::waited(interp, what, range);
            }
            _ => {}
        }
    }
    match name {
        "sample" | "rsample" | "log_prob" | "cdf" | "icdf" | "entropy" | "perplexity" => {
            tensors::operation(interp, &operands, range)
        }
        _ => Value::Unknown,
    }
}

/// An attribute of a distribution that is a tensor.
pub(super) fn attribute<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    range: TextRange,
) -> Option<Value<'p>> {
    let is_tensor = matches!(
        name,
        "loc" | "logits" | "mean" | "mode" | "probs" | "rate" | "scale" | "stddev" | "variance"
    );
    let Some(Value::List(parameters)) = interp.heap.object(cell)?.fields.get(PARAMETERS) else {
        return None;
    };
    let parameters = interp.heap.list(*parameters)?.items.clone();
    is_tensor.then(|| interp.derived(&parameters, interp.at(range)))
}
