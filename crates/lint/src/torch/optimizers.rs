//! `torch.optim`: optimizers and their parameter groups.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::state::event::{Event, Wait};
use super::state::object::{Optimizer, Own};
use super::state::tensor::Device;
use super::{Cell, Interp, Kind, host};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// The attribute of an optimizer that has its groups.
const GROUPS: &str = "param_groups";
/// The entry of a group that has its learning rate.
const RATE: &str = "lr";
/// The entry of a group that says whether its step can be captured.
const CAPTURABLE: &str = "capturable";

/// Makes the optimizer of that full name, if it is one.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    full: &Rc<str>,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let short = full.rsplit('.').next().unwrap_or(full);
    if full.starts_with("torch.optim.lr_scheduler.") {
        let optimizer = args.get(0, "optimizer").cloned().unwrap_or(Value::Unknown);
        let site = interp.at(range);
        return Some(interp.new_object(Kind::Library(Own::Scheduler(optimizer)), site));
    }
    if !full.starts_with("torch.optim.")
        || !short.starts_with(|it: char| it.is_ascii_uppercase())
        || full.contains("swa_utils")
    {
        return None;
    }
    let fused = match args.name("fused") {
        Some(value) => value.truth(),
        None => (!args.open).then_some(false),
    };
    let site = interp.at(range);
    let optimizer = interp.new_object(
        Kind::Library(Own::Optimizer(Optimizer {
            name: Rc::clone(full),
            fused,
        })),
        site,
    );
    let groups = groups(interp, args);
    if let Value::Object(cell) = optimizer
        && let Some(object) = interp.heap.object_mut(cell)
    {
        object.fields.insert(Rc::from(GROUPS), groups);
    }
    Some(optimizer)
}

/// The groups of a new optimizer: those it is given, or one of all parameters.
fn groups<'p>(interp: &mut Interp<'p>, args: &Args<'p>) -> Value<'p> {
    let parameters = args.get(0, "params").cloned().unwrap_or(Value::Unknown);
    let given = match &parameters {
        Value::List(list) => interp
            .heap
            .list(*list)
            .filter(|list| {
                list.items
                    .iter()
                    .any(|it| !matches!(it, Value::Extension(_)))
            })
            .map(|list| (list.items.clone(), list.exact)),
        _ => None,
    };
    let (given, exact) = given.unwrap_or_else(|| {
        let group = [(Rc::from("params"), parameters.clone())];
        let group = Value::Dict(interp.heap.add(Cell::Dict(group.into_iter().collect())));
        (vec![group], true)
    });
    let groups = given
        .into_iter()
        .map(|group| match group {
            Value::Dict(cell) => with_defaults(interp, cell, args),
            _ => Value::Unknown,
        })
        .collect();
    interp.new_list(groups, exact)
}

/// A group, with what it does not say itself.
fn with_defaults<'p>(interp: &mut Interp<'p>, group: CellId, args: &Args<'p>) -> Value<'p> {
    let mut items = match interp.heap.get(group) {
        Cell::Dict(items) => items.clone(),
        _ => FxHashMap::default(),
    };
    // What stands under keys that are not known may be anything.
    let capturable = if args.open || items.contains_key("") {
        Value::Bool(None)
    } else {
        Value::Bool(Some(false))
    };
    let rate = args.get(1, "lr").cloned().unwrap_or_else(Value::number);
    let named = args.named.iter().cloned();
    let defaults = named.chain([(Rc::from("lr"), rate), (Rc::from(CAPTURABLE), capturable)]);
    for (name, value) in defaults.filter(|(name, _)| &**name != "params") {
        items.entry(name).or_insert(value);
    }
    Value::Dict(interp.heap.add(Cell::Dict(items)))
}

/// Whether all groups of an optimizer can be captured, where that is known.
pub(crate) fn is_capturable(interp: &Interp<'_>, optimizer: CellId) -> Option<bool> {
    let Value::List(groups) = interp.heap.object(optimizer)?.fields.get(GROUPS)? else {
        return None;
    };
    let mut all = Some(true);
    for group in &interp.heap.list(*groups)?.items {
        let Value::Dict(group) = group else {
            return None;
        };
        let Cell::Dict(items) = interp.heap.get(*group) else {
            return None;
        };
        match items.get(CAPTURABLE).and_then(Value::truth) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

/// The groups of an optimizer whose learning rate is a number of the host.
fn groups_with_rate(interp: &Interp<'_>, optimizer: CellId) -> Vec<CellId> {
    let groups = interp
        .heap
        .object(optimizer)
        .and_then(|object| object.fields.get(GROUPS));
    let Some(Value::List(groups)) = groups else {
        return Vec::new();
    };
    let has_rate = |group: &CellId| match interp.heap.get(*group) {
        Cell::Dict(items) => matches!(items.get(RATE), Some(Value::Number(_))),
        _ => false,
    };
    let Some(list) = interp.heap.list(*groups) else {
        return Vec::new();
    };
    list.items
        .iter()
        .filter_map(|it| match it {
            Value::Dict(group) => Some(*group),
            _ => None,
        })
        .filter(has_rate)
        .collect()
}

/// A scheduler steps: it writes other rates.
pub(super) fn scheduled<'p>(interp: &mut Interp<'p>, optimizer: &Value<'p>) {
    let Value::Object(optimizer) = optimizer else {
        return;
    };
    let (rate, key) = (Value::number(), Value::text(RATE));
    for group in groups_with_rate(interp, *optimizer) {
        let group = Value::Dict(group);
        interp.emit(crate::interp::Event::EntrySet {
            container: &group,
            key: &key,
            value: &rate,
        });
    }
}

/// `optimizer.step(closure)`.
pub(super) fn step<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    optimizer: &Optimizer,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    interp.emit(Event::OptimizerSteps {
        cell,
        optimizer,
        range,
    });
    for group in groups_with_rate(interp, cell) {
        interp.emit(Event::GroupNumberUsed {
            group,
            name: RATE,
            range,
        });
    }
    let result = match args.get(0, "closure") {
        Some(closure) if !matches!(closure, Value::None) => {
            let closure = closure.clone();
            interp.call(&closure, Args::default(), range)
        }
        _ => Value::None,
    };
    if &*optimizer.name == "torch.optim.LBFGS" {
        host::waited(interp, Wait::Check("`LBFGS.step`"), range);
    }
    interp.works(&[], Device::Unknown, false, range);
    result
}

/// Another method of an optimizer.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
) -> Value<'p> {
    match name {
        "zero_grad" => Value::None,
        "add_param_group" => {
            let group = match args.get(0, "param_group") {
                Some(Value::Dict(group)) => {
                    let defaults = Args::default();
                    with_defaults(interp, *group, &defaults)
                }
                _ => Value::Unknown,
            };
            let groups = interp
                .heap
                .object(cell)
                .and_then(|object| object.fields.get(GROUPS).cloned());
            if let Some(Value::List(groups)) = groups
                && let Cell::List(list) = interp.heap.edit(groups)
            {
                list.items.push(group);
            }
            Value::None
        }
        // What was saved says what the groups are.
        "load_state_dict" => {
            if let Some(object) = interp.heap.object_mut(cell) {
                object.fields.insert(Rc::from(GROUPS), Value::Unknown);
            }
            Value::None
        }
        _ => interp.call_unknown(args),
    }
}

/// `scaler.step(optimizer)`: the host reads whether a gradient overflowed, unless the optimizer asks on the device, as
/// fused ones do.
pub(super) fn scaled<'p>(
    interp: &mut Interp<'p>,
    scales: Option<bool>,
    optimizer: &Value<'p>,
    range: TextRange,
) {
    let Value::Object(cell) = optimizer else {
        return;
    };
    let Some(Kind::Library(Own::Optimizer(optimizer))) =
        interp.heap.object(*cell).map(|it| &it.kind)
    else {
        return;
    };
    if scales == Some(true) && optimizer.fused == Some(false) {
        host::waited(interp, Wait::Check("`GradScaler.step`"), range);
    }
}
