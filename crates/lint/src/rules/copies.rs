//! CG102 and CG210: copies of unpinned host memory inside a capture.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
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

const PINNED: &str = "or copy only from or into pinned memory that stays, with `non_blocking=True`";

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
        (&PAGEABLE_COPY, says::cg102::ADDRESSES)
    } else {
        (&SOURCE_FREED, says::cg210::ADDRESSES)
    };
    let shown = judge.shown(id);
    let repair = match what {
        Pageable::IntoDevice => Some(Repair::CopyEarlier(shown, site)),
        Pageable::OutOfDevice(_) => Some(Repair::ReadLater(shown, site)),
        Pageable::Built(_, call) => call.map(|it| Repair::MakeEarlier(shown, judge.at(it.range()))),
        _ => None,
    };
    let draft = Draft::new(rule, site, title).note(note).repair(repair);
    judge.report(with_help(draft, what));
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

fn with_help(draft: Draft, what: Pageable<'_, '_>) -> Draft {
    match what {
        Pageable::IntoDevice | Pageable::Built(..) | Pageable::Index(_) => draft
            .help(says::cg102::copy_before("a tensor"))
            .help(PINNED),
        Pageable::OutOfDevice(_) => out_of_device(draft),
        Pageable::Element => draft.help(says::cg102::copy_before("a tensor")),
        Pageable::Count => draft.help(says::cg102::COMPUTE_OUTSIDE),
    }
}

fn out_of_device(draft: Draft) -> Draft {
    draft
        .help(says::cg102::copy_after("`replay()`"))
        .help(PINNED)
}

/// A copy to the host, if the tensor is one of the device.
pub(super) fn possible(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(&PAGEABLE_COPY, site, format!("{what} inside a capture"));
    judge.report(out_of_device(draft).possible_if(true));
}

/// A captured copy of pinned memory that was made inside the capture.
pub(super) fn temporary(judge: &mut Judge<'_, '_>, range: TextRange) {
    let site = judge.at(range);
    let draft = Draft::new(
        &SOURCE_FREED,
        site,
        "the graph copies from host memory that was made for this copy only",
    )
    .note(says::cg210::ADDRESSES)
    .help(says::cg210::KEEP);
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
    .note(says::cg210::ADDRESSES)
    .help(says::cg210::KEEP);
    judge.report(draft);
}
