//! CG203 where a tensor gets other memory, while names refer to it as before.

use super::inputs::REBOUND;
use super::{Draft, Rule};
use crate::interp::Interp;
use crate::interp::value::{CaptureId, CellId, Device, Elements, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::module_parts::Change;

/// That a tensor got other memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swapped {
    at: Site,
    /// How many captures there were by then.
    captures: usize,
    how: Swap,
}

/// How a tensor gets other memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Swap {
    /// `tensor.data = other`, `tensor.set_(other)`.
    Data,
    /// `module.weight = parameter`.
    Parameter,
    /// `module.load_state_dict(..., assign=True)`.
    Loaded,
    /// `module.to(...)` and its kin.
    Moved,
    /// `vector_to_parameters(...)`.
    Vector,
}

impl Swap {
    fn help(self) -> &'static str {
        match self {
            Self::Data => "write into the memory that was captured: `tensor.data.copy_(...)`",
            Self::Parameter => "write into the parameter that was captured, with `copy_`",
            Self::Loaded => "leave out `assign=True`: then the values are copied",
            Self::Moved => "move and cast modules before the capture, or capture anew afterwards",
            Self::Vector => "copy each part into its parameter: `parameter.data.copy_(...)`",
        }
    }
}

/// `tensor.data = value`, or `tensor.set_(value)`.
pub(crate) fn assigned<'p>(
    interp: &mut Interp<'p>,
    tensor: CellId,
    value: &Value<'p>,
    range: TextRange,
) {
    match value {
        Value::Tensor(new) if !interp.may_share(tensor, *new) => {
            let (device, elements) = match interp.heap.tensor(*new) {
                Some(new) => (new.device, new.elements),
                None => (Device::Unknown, Elements::Unknown),
            };
            swapped(interp, tensor, Swap::Data, range);
            if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                tensor.device = device;
                tensor.elements = elements;
            }
        }
        // It may be the memory that it had before.
        _ => {
            for tensor in parts(interp, tensor) {
                if let Some(tensor) = interp.heap.tensor_mut(tensor) {
                    tensor.swapped = None;
                }
            }
        }
    }
}

/// A tensor gets other memory, certainly not that which it had in a capture.
pub(crate) fn swapped(interp: &mut Interp<'_>, tensor: CellId, how: Swap, range: TextRange) {
    if interp.captures.is_empty() || !interp.flow.captures.is_empty() {
        return;
    }
    let it = Swapped {
        at: interp.at(range),
        captures: interp.captures.len(),
        how,
    };
    for tensor in parts(interp, tensor) {
        if let Some(tensor) = interp.heap.tensor_mut(tensor)
            && tensor
                .swapped
                .is_none_or(|first| first.captures < it.captures)
        {
            tensor.swapped = Some(it);
        }
    }
}

/// The parameters of a module are moved or cast: those that are not so already get other memory.
pub(crate) fn changed(
    interp: &mut Interp<'_>,
    parameters: &[CellId],
    how: Change,
    range: TextRange,
) {
    for parameter in parameters {
        let is_other = interp.heap.tensor(*parameter).is_some_and(|it| match how {
            Change::Device(to) => {
                it.device != to && it.device != Device::Unknown && to != Device::Unknown
            }
            Change::Elements(to) => {
                it.elements != to && it.elements != Elements::Unknown && to != Elements::Unknown
            }
            Change::RequiresGrad(_) => false,
        });
        if is_other {
            swapped(interp, *parameter, Swap::Moved, range);
        }
    }
}

/// The tensor itself, or the parameters that it stands for.
fn parts(interp: &Interp<'_>, tensor: CellId) -> Vec<CellId> {
    let root = interp.root(tensor);
    let mut parts = vec![root];
    if let Some(found) = interp.heap.tensor(root).filter(|it| it.leaf) {
        parts.extend(found.parents.iter().copied());
    }
    parts
}

/// A graph is replayed.
pub(crate) fn replays(interp: &mut Interp<'_>, capture: CaptureId) {
    let is_later = |it: &Swapped| it.captures > capture.0;
    let inputs = &interp.captures[capture.0].inputs;
    let swapped: Vec<_> = inputs
        .iter()
        .filter_map(|(input, read)| {
            let swapped = interp.heap.tensor(*input)?.swapped;
            Some((swapped.filter(is_later)?, *read))
        })
        .collect();
    for (swapped, read) in swapped {
        interp.report(draft(&REBOUND, swapped, read));
    }
}

fn draft(rule: &'static Rule, swapped: Swapped, read: Site) -> Draft {
    Draft::new(
        rule,
        swapped.at,
        "the graph still reads the memory that is replaced here",
    )
    .label(read, "the graph reads it here")
    .note("a graph keeps addresses, and each replay reads the same memory")
    .help(swapped.how.help())
}
