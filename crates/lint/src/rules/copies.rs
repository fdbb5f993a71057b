//! CG102 and CG210: copies of unpinned host memory inside a capture.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::settings::Version;
use crate::site::Site;
use crate::syntax::ast::{Ranged as _, TextRange};
use crate::torch::state::event::Pageable;

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

/// A copy of memory that is not pinned.
pub(super) fn pageable(judge: &mut Judge<'_, '_>, what: Pageable<'_, '_>, range: TextRange) {
    if judge.flow.foreign.is_some() {
        // Whether it allocates or waits depends on its size and stream.
        return;
    }
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let site = judge.at(range);
    let title = format!("{} inside a capture", title(what));
    let (rule, note) = if PAGEABLE_COPY.applies_to(judge.settings.torch) {
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
    let shown = judge.shown(id);
    let repair = match what {
        Pageable::IntoDevice => Some(Repair::CopyEarlier(shown, site)),
        Pageable::OutOfDevice(_) => Some(Repair::ReadLater(shown, site)),
        Pageable::Built(_, call) => call.map(|it| Repair::MakeEarlier(shown, judge.at(it.range()))),
        _ => None,
    };
    let draft = Draft::new(rule, site, title)
        .note(note)
        .help(help(what))
        .repair(repair);
    judge.report(draft);
}

fn title(what: Pageable<'_, '_>) -> String {
    match what {
        Pageable::IntoDevice => "a copy of unpinned host memory".to_owned(),
        Pageable::OutOfDevice(what) => what.to_owned(),
        Pageable::Built(name, _) => format!("`{name}` copies its values from the host"),
        Pageable::Count => "`update_parameters` copies its count from the host".to_owned(),
        Pageable::Index(by) => format!("indexing with {by} copies its numbers from the host"),
        Pageable::Element => "writing a number to elements copies it from the host".to_owned(),
    }
}

fn help(what: Pageable<'_, '_>) -> &'static str {
    match what {
        Pageable::IntoDevice | Pageable::Built(..) | Pageable::Index(_) => INTO_DEVICE,
        Pageable::OutOfDevice(_) => OUT_OF_DEVICE,
        Pageable::Element => NUMBER,
        Pageable::Count => "update the average outside the capture",
    }
}

/// A copy to the host, if the tensor is one of the device.
pub(super) fn possible(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(&PAGEABLE_COPY, site, format!("{what} inside a capture"))
        .help(OUT_OF_DEVICE)
        .possible_if(true);
    judge.report(draft);
}

/// A captured copy of pinned memory that was made inside the capture.
pub(super) fn temporary(judge: &mut Judge<'_, '_>, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(
        &SOURCE_FREED,
        site,
        "the graph copies from host memory that was made for this copy only",
    )
    .note("each replay reads that address, whatever is there by then")
    .help("make the pinned tensor before the capture, and keep it as long as the graph");
    let repair = judge
        .graph_capture()
        .map(|id| Repair::CopyEarlier(judge.shown(id), site));
    judge.report(draft.repair(repair));
}

/// Nothing keeps the pinned source of a captured copy any more.
pub(super) fn source_left(judge: &mut Judge<'_, '_>, source: CellId, site: Site) {
    let Some(made) = judge.heap.tensor(source).map(|it| it.made) else {
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
    judge.report(draft);
}
