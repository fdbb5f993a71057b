//! `torch.optim.swa_utils.AveragedModel`: it counts its updates in a tensor, which the host reads.

use super::state::event::{Pageable, Wait};
use super::state::object::Own;
use super::state::tensor::Device;
use super::{Interp, Kind, host};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// Makes one, if that is what has this full name.
pub(super) fn make<'p>(
    interp: &mut Interp<'p>,
    full: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    if full != "torch.optim.swa_utils.AveragedModel" {
        return None;
    }
    let model = args.get(0, "model").cloned().unwrap_or(Value::Unknown);
    // Without a device, the count stays on the host.
    let count = match args.get(1, "device") {
        None | Some(Value::None) if !args.open => Device::Host,
        Some(device) => super::names::device(device).unwrap_or(Device::Unknown),
        None => Device::Unknown,
    };
    let site = interp.at(range);
    Some(interp.new_object(Kind::Library(Own::Averaged(model, count, false)), site))
}

/// A method of an averaged model.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let Some(Kind::Library(Own::Averaged(model, count, is_begun))) =
        interp.heap.object(cell).map(|it| it.kind.clone())
    else {
        return Value::Unknown;
    };
    match name {
        "update_parameters" => {
            let on_device = match &model {
                Value::Object(model) => interp.heap.object(*model).map(|it| it.about.device),
                _ => None,
            };
            match count {
                Device::Cuda => {
                    let what = Wait::Check("`update_parameters`");
                    host::waited(interp, what, range);
                }
                Device::Host if is_begun && on_device == Some(Device::Cuda) => {
                    host::copied(interp, Pageable::Count, range);
                }
                _ => {}
            }
            change(interp, cell, count, true);
            Value::None
        }
        "cuda" => {
            change(interp, cell, Device::Cuda, is_begun);
            Value::Object(cell)
        }
        "to" | "cpu" => {
            change(interp, cell, Device::Unknown, is_begun);
            Value::Object(cell)
        }
        _ => interp.call_unknown(args),
    }
}

fn change(interp: &mut Interp<'_>, cell: CellId, device: Device, begun: bool) {
    if let Some(Kind::Library(Own::Averaged(_, count, is_begun))) =
        interp.heap.object_mut(cell).map(|it| &mut it.kind)
    {
        *count = device;
        *is_begun = begun;
    }
}
