//! `torch.utils.data`: datasets, loaders, and the batches that these give.

use super::state::object::{Loader, Own};
use super::state::tensor::Device;
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// Makes a dataset or a loader, by its name in `torch.utils.data`.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let kind = match name {
        "TensorDataset" if !args.open => Kind::Library(Own::TensorDataset(args.positional.len())),
        "DataLoader" => Kind::Library(Own::Loader(Loader {
            pins: args.name("pin_memory").and_then(Value::truth) == Some(true),
            tensors: tensors_of_batch(interp, args),
        })),
        _ => return None,
    };
    let site = interp.at(range);
    Some(interp.new_object(kind, site))
}

/// How many tensors each batch of a loader with these arguments is made of.
fn tensors_of_batch(interp: &Interp<'_>, args: &Args<'_>) -> Option<usize> {
    let is_collated = !args.open && args.name("collate_fn").is_none();
    let Some(Value::Object(dataset)) = args.get(0, "dataset").filter(|_| is_collated) else {
        return None;
    };
    match interp.heap.object(*dataset)?.kind {
        Kind::Library(Own::TensorDataset(tensors)) => Some(tensors),
        _ => None,
    }
}

/// What a loop over a loader gets next: a batch of tensors that are new each time.
pub(super) fn batch<'p>(interp: &mut Interp<'p>, loader: CellId) -> Option<Value<'p>> {
    let loader = interp.heap.object(loader)?;
    let made = loader.made;
    let Kind::Library(Own::Loader(Loader { pins, tensors })) = loader.kind else {
        return None;
    };
    let tensors = (0..tensors?)
        .map(|_| {
            let cell = interp.new_tensor(Device::Host, made);
            if let Some(tensor) = interp.heap.tensor_mut(cell) {
                tensor.pinned = Some(pins);
            }
            Value::Extension(cell)
        })
        .collect();
    Some(interp.new_list(tensors, true))
}
