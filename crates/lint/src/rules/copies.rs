//! CG102 and CG210: copies of unpinned host memory inside a capture.

use super::{Draft, Rule, pinned_sources, threads, waits};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::value::{CellId, Device, Value};
use crate::rules::waits::Wait;
use crate::settings::Version;
use crate::site::Site;
use crate::syntax::ast::{self, Ranged as _, TextRange};

/// The first version of PyTorch that refuses such copies.
const REFUSED_SINCE: Version = Version::new(2, 11);

/// PyTorch refuses the copy.
pub(crate) static PAGEABLE_COPY: Rule =
    Rule::new("CG102", Confidence::Confirmed).since(REFUSED_SINCE);
/// It is recorded, and reads at each replay what is then at that address.
pub(crate) static SOURCE_FREED: Rule = Rule::new("CG210", Confidence::Likely);

const INTO_DEVICE: &str = "make the tensor before the capture; inside, copy only from pinned memory that stays, with `non_blocking=True`";
const NUMBER: &str = "make a tensor of the number before the capture, and use that inside";
const OUT_OF_DEVICE: &str =
    "copy after the replay; inside, only into pinned memory that stays, with `non_blocking=True`";

/// `tensor.to(device)` and its kin: the tensor that it gives.
pub(crate) fn moved<'p>(
    interp: &mut Interp<'p>,
    tensor: &Value<'p>,
    device: Device,
    non_blocking: bool,
    range: TextRange,
) -> Value<'p> {
    let Value::Tensor(cell) = tensor else {
        return Value::Unknown;
    };
    let Some(from) = interp.heap.tensor(*cell).cloned() else {
        return Value::Unknown;
    };
    if device != Device::Unknown && from.device == device {
        return tensor.clone();
    }
    let mut pinned = Some(false);
    match (from.device, device) {
        (Device::Host, Device::Cuda) => {
            into_device(interp, *cell, from.pinned, non_blocking, range);
        }
        (Device::Cuda, Device::Host) if non_blocking => pinned = Some(true),
        (Device::Cuda, Device::Host) => out_of_device(interp, "a copy to the host", range),
        (Device::Unknown, Device::Host) if interp.graph_capture().is_some() && !non_blocking => {
            let site = interp.at(range);
            let draft = Draft::new(&PAGEABLE_COPY, site, "a copy to the host inside a capture")
                .help(OUT_OF_DEVICE)
                .possible_if(true);
            interp.report(draft);
        }
        _ => {}
    }
    let result = interp.derived(std::slice::from_ref(tensor), interp.at(range));
    if let Value::Tensor(result) = result
        && let Some(it) = interp.heap.tensor_mut(result)
    {
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
pub(crate) fn copied<'p>(
    interp: &mut Interp<'p>,
    target: &Value<'p>,
    source: &Value<'p>,
    non_blocking: bool,
    range: TextRange,
) {
    let (Value::Tensor(target), Value::Tensor(source)) = (target, source) else {
        return;
    };
    let (Some(to), Some(from)) = (
        interp.heap.tensor(*target).cloned(),
        interp.heap.tensor(*source).cloned(),
    ) else {
        return;
    };
    match (from.device, to.device) {
        (Device::Host, Device::Cuda) => {
            into_device(interp, *source, from.pinned, non_blocking, range);
        }
        (Device::Cuda, Device::Host) => match (to.pinned, non_blocking) {
            (Some(true), true) | (None, _) => {}
            (Some(true), false) => waits::waited(interp, Wait::Copy, range),
            (Some(false), _) => out_of_device(interp, "a copy into unpinned host memory", range),
        },
        _ => {}
    }
}

/// Nothing keeps the pinned source of a captured copy any more.
pub(crate) fn source_left(interp: &mut Interp<'_>, source: CellId, site: Site) {
    let Some(made) = interp.heap.tensor(source).map(|it| it.made) else {
        return;
    };
    let draft = Draft::new(
        &SOURCE_FREED,
        site,
        "the graph copies from host memory that is freed when the function returns",
    )
    .label(made, "it was made here, and nothing keeps it")
    .note("each replay reads that address, whatever is there by then")
    .help("keep the pinned tensor as long as the graph");
    interp.report(draft);
}

/// An operator that copies operands of the host: numbers of `where`, all of `_foreach_copy_`.
pub(crate) fn operands<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    values: &[Value<'p>],
    range: TextRange,
) {
    match (name, values) {
        ("where", values) if interp.device_of(values) == Device::Cuda => {
            let is_number = |value: &Value<'p>| {
                matches!(value, Value::Tensor(cell) if interp.heap.tensor(*cell).is_some_and(
                    |it| it.device == Device::Host && it.rank == Some(0) && it.pinned == Some(false),
                ))
            };
            if values.iter().any(is_number) {
                refuse(
                    interp,
                    "a number of the host for `where` is copied",
                    NUMBER,
                    None,
                    range,
                );
            }
        }
        ("_foreach_copy_", [Value::List(targets), Value::List(sources), ..]) => {
            let (target, source) = (
                interp.heap.any_item(*targets),
                interp.heap.any_item(*sources),
            );
            if let (Some(target), Some(source)) = (target, source) {
                copied(interp, &target, &source, false, range);
            }
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
        Some(false) => {
            let site = interp.at(range);
            let repair = interp
                .graph_capture()
                .map(|id| Repair::CopyEarlier(interp.shown(id), site));
            refuse(
                interp,
                "a copy of unpinned host memory",
                INTO_DEVICE,
                repair,
                range,
            );
        }
        Some(true) if !non_blocking => {
            waits::waited(interp, Wait::Copy, range);
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
            interp.captures[id.0].sources.push((root, site));
            if temporary {
                let site = interp.at(range);
                let draft = Draft::new(
                    &SOURCE_FREED,
                    site,
                    "the graph copies from host memory that was made for this copy only",
                )
                .note("each replay reads that address, whatever is there by then")
                .help("make the pinned tensor before the capture, and keep it as long as the graph")
                .repair(Repair::CopyEarlier(interp.shown(id), site));
                interp.report(draft);
            }
        }
    }
}

fn out_of_device(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    if interp.graph_capture().is_none() && interp.flow.foreign.is_none() {
        pinned_sources::waited(interp);
        return;
    }
    let site = interp.at(range);
    let repair = interp
        .graph_capture()
        .map(|id| Repair::ReadLater(interp.shown(id), site));
    refuse(interp, what, OUT_OF_DEVICE, repair, range);
}

/// A tensor is read as a whole: `.numpy()`, `.tolist()`.
pub(crate) fn read_whole(
    interp: &mut Interp<'_>,
    cell: CellId,
    what: &'static str,
    range: TextRange,
) {
    match interp.heap.tensor(cell).map(|it| it.device) {
        Some(Device::Cuda) if interp.is_compiling() => {
            waits::waited(interp, Wait::Read(what), range);
        }
        Some(Device::Cuda) => {
            out_of_device(interp, &format!("{what} copies to the host"), range);
        }
        Some(Device::Unknown) if interp.graph_capture().is_some() => {
            let site = interp.at(range);
            let title = format!("{what} copies to the host inside a capture");
            let draft = Draft::new(&PAGEABLE_COPY, site, title).help(OUT_OF_DEVICE);
            interp.report(draft.possible_if(true));
        }
        _ => {}
    }
}

/// A tensor of the device is made of values of the host.
pub(crate) fn built<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    call: Option<&'p ast::ExprCall>,
    range: TextRange,
) {
    let site = call.map(|it| interp.at(it.range()));
    let repair = interp
        .graph_capture()
        .zip(site)
        .map(|(id, site)| Repair::MakeEarlier(interp.shown(id), site));
    refuse(
        interp,
        &format!("`{name}` copies its values from the host"),
        INTO_DEVICE,
        repair,
        range,
    );
}

/// An averaged model copies the count of its updates from the host.
pub(crate) fn counted(interp: &mut Interp<'_>, range: TextRange) {
    let what = "`update_parameters` copies its count from the host";
    let help = "update the average outside the capture";
    refuse(interp, what, help, None, range);
}

/// The parameters of a module are moved between the host and the device.
pub(crate) fn module(interp: &mut Interp<'_>, range: TextRange) {
    let help = "move the module before the capture";
    refuse(
        interp,
        "moving a module copies its parameters",
        help,
        None,
        range,
    );
}

/// `x[[0, 2]]`: the numbers are copied to the device.
pub(crate) fn indexed(interp: &mut Interp<'_>, by: &str, range: TextRange) {
    let what = format!("indexing with {by} copies its numbers from the host");
    refuse(interp, &what, INTO_DEVICE, None, range);
}

/// `x[indices] = 1.0`: the number is copied to the device.
pub(crate) fn written(interp: &mut Interp<'_>, range: TextRange) {
    refuse(
        interp,
        "writing a number to elements copies it from the host",
        NUMBER,
        None,
        range,
    );
}

fn refuse(
    interp: &mut Interp<'_>,
    what: &str,
    help: &str,
    repair: Option<Repair>,
    range: TextRange,
) {
    if interp.flow.foreign.is_some() {
        threads::copied(interp, range);
        return;
    }
    if interp.graph_capture().is_none() {
        return;
    }
    let site = interp.at(range);
    let title = format!("{what} inside a capture");
    let (rule, note) = if PAGEABLE_COPY.applies_to(interp.settings.torch) {
        (
            &PAGEABLE_COPY,
            "PyTorch refuses copies between the device and unpinned memory while it captures",
        )
    } else {
        (
            &SOURCE_FREED,
            "the graph keeps the host's address, and uses it at each replay",
        )
    };
    let draft = Draft::new(rule, site, title)
        .note(note)
        .help(help)
        .repair(repair);
    interp.report(draft);
}
