//! Copies between the host and the device.

use super::state::event::{Event, Pageable, Wait};
use super::state::tensor::Device;
use super::{Interp, host};
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// `tensor.to(device)` and its kin: the tensor that it gives.
pub(super) fn moved<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    device: Device,
    non_blocking: bool,
    range: TextRange,
) -> Value<'p> {
    let Value::Extension(cell) = tensor else {
        return Value::Unknown;
    };
    let Some(from) = interp.heap.tensor(*cell).cloned() else {
        return Value::Unknown;
    };
    if device != Device::Unknown && from.device == device {
        return tensor.clone();
    }
    let mut pinned = Some(false);
    interp.reads(std::slice::from_ref(tensor), range);
    if !non_blocking {
        interp.host_waits_for(interp.flow.stream);
    }
    match (from.device, device) {
        (Device::Host, Device::Cuda) => {
            into_device(interp, *cell, from.pinned, non_blocking, range);
        }
        (Device::Cuda, Device::Host) if non_blocking => pinned = Some(true),
        (Device::Cuda, Device::Host) => out_of_device(interp, "a copy to the host", range),
        (Device::Unknown, Device::Host) if interp.graph_capture().is_some() && !non_blocking => {
            interp.emit(Event::MayCopy {
                what: "a copy to the host",
                range,
            });
        }
        _ => {}
    }
    let result = interp.derived(std::slice::from_ref(tensor), interp.at(range));
    let is_other = device != Device::Unknown && from.device != Device::Unknown;
    let inference = interp.flow.inference == Some(true) && is_other;
    if let Value::Extension(result) = result
        && let Some(it) = interp.heap.tensor_mut(result)
    {
        it.inference = inference;
        it.device = device;
        it.pinned = if device == Device::Unknown {
            None
        } else {
            pinned
        };
        it.elements = from.elements;
        it.rank = from.rank;
        it.bytes = from.bytes;
        it.at_most = from.at_most;
        if device == Device::Unknown || from.device == Device::Unknown {
            it.may_be = Some(*cell);
        }
    }
    interp.works(&[], Device::Unknown, true, range);
    result
}

/// `target.copy_(source)`.
pub(super) fn copied<'p>(
    interp: &mut Interp<'p>,
    target: &Value<'p>,
    source: &Value<'p>,
    non_blocking: bool,
    range: TextRange,
) {
    let (Value::Extension(target), Value::Extension(source)) = (target, source) else {
        return;
    };
    let (Some(to), Some(from)) = (
        interp.heap.tensor(*target).cloned(),
        interp.heap.tensor(*source).cloned(),
    ) else {
        return;
    };
    interp.reads(&[Value::Extension(*source)], range);
    let is_within = from.device == Device::Cuda && to.device == Device::Cuda;
    if !non_blocking && !is_within {
        interp.host_waits_for(interp.flow.stream);
    }
    match (from.device, to.device) {
        (Device::Host, Device::Cuda) => {
            into_device(interp, *source, from.pinned, non_blocking, range);
        }
        (Device::Cuda, Device::Host) => match (to.pinned, non_blocking) {
            (Some(true), true) => copied_to_pinned(interp, *target, range),
            (None, _) => {}
            (Some(true), false) => host::waited(interp, Wait::Copy, range),
            (Some(false), _) => out_of_device(interp, "a copy into unpinned host memory", range),
        },
        _ => {}
    }
}

/// `tensor.numpy()`, which copies what lies on the device, and is a view of what lies on the host.
pub(super) fn to_array(interp: &mut Interp<'_>, cell: CellId, range: TextRange) {
    let device = interp.heap.tensor(cell).map(|it| it.device);
    if device == Some(Device::Host) {
        interp.reads(&[Value::Extension(cell)], range);
    } else {
        read_whole(interp, cell, "`.numpy()`", range);
    }
}

/// A tensor is read as a whole: `.tolist()`, pickling.
pub(super) fn read_whole(
    interp: &mut Interp<'_>,
    cell: CellId,
    what: &'static str,
    range: TextRange,
) {
    interp.reads(&[Value::Extension(cell)], range);
    let device = interp.heap.tensor(cell).map(|it| it.device);
    if device == Some(Device::Host) {
        host::read_own(interp, cell, range);
        return;
    }
    interp.host_waits_for(interp.flow.stream);
    match device {
        Some(Device::Cuda) if interp.is_compiling() => {
            host::waited(interp, Wait::Read(what), range);
        }
        Some(Device::Cuda) => {
            out_of_device(interp, &format!("{what} copies to the host"), range);
        }
        Some(Device::Unknown) if interp.graph_capture().is_some() => {
            interp.emit(Event::MayCopy {
                what: &format!("{what} copies to the host"),
                range,
            });
        }
        _ => {}
    }
}

fn into_device(
    interp: &mut Interp<'_>,
    source: CellId,
    pinned: Option<bool>,
    non_blocking: bool,
    range: TextRange,
) {
    match pinned {
        None => {}
        Some(false) => host::copied(interp, Pageable::IntoDevice, range),
        Some(true) if !non_blocking => {
            host::waited(interp, Wait::Copy, range);
        }
        Some(true) => {
            let Some(id) = interp.graph_capture() else {
                return;
            };
            let root = interp.root(source);
            let temporary = interp
                .heap
                .tensor(root)
                .is_some_and(|it| it.captured == Some(id));
            let site = interp.at(range);
            interp.library.captures[id.0].sources.push((root, site));
            if temporary {
                interp.emit(Event::TemporaryCopied { range });
            }
        }
    }
}

/// A capture holds a copy of the device's memory into pinned memory, for which the host does not wait.
fn copied_to_pinned(interp: &mut Interp<'_>, target: CellId, range: TextRange) {
    if let Some(id) = interp.graph_capture() {
        let (root, site) = (interp.root(target), interp.at(range));
        interp.library.captures[id.0].results.push((root, site));
    }
}

/// A tensor of the device is copied to the host, which waits for it.
fn out_of_device(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    host::copied(interp, Pageable::OutOfDevice(what), range);
    if interp.graph_capture().is_none() && interp.flow.foreign.is_none() {
        host::over(interp);
    }
}
