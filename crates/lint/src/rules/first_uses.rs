//! What is set up at its first use (CG113, CG119, CG120), where a loop chooses between a capture and something else: the
//! turns that use it outside of the capture may come first.

use super::Draft;
use crate::draft::Report;
use crate::interp::Interp;
use crate::interp::value::CellId;
use crate::site::Site;

/// What is set up at its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A library of NVIDIA's.
    Library(&'static str),
    /// The communicator of a process group, or of the default one.
    Communicator(Option<CellId>),
    /// What was compiled there.
    Compiled(Site),
}

/// The ways of one choice, in the first turn of a loop.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// What they use outside of captures.
    used: Vec<What>,
    /// What is to be said if they do not.
    waiting: Vec<(What, Report)>,
}

/// Something is used, perhaps outside of captures.
pub(crate) fn used(interp: &mut Interp<'_>, what: What) {
    if interp.graph_capture().is_none() {
        for ways in &mut interp.notes.ways {
            ways.used.push(what);
        }
    }
}

/// A capture uses something first, as far as the program was followed.
pub(crate) fn report(interp: &mut Interp<'_>, what: What, draft: Draft) {
    if interp.notes.ways.is_empty() {
        interp.report(draft);
        return;
    }
    let report = interp.report_of(draft);
    if let (Some(report), Some(ways)) = (report, interp.notes.ways.last_mut()) {
        ways.waiting.push((what, report));
    }
}

/// A choice is made that is made anew in each turn of a loop; this is the first turn.
pub(crate) fn choice_begins(interp: &mut Interp<'_>) {
    interp.notes.ways.push(Ways::default());
}

/// All ways of the choice were followed.
pub(crate) fn choice_ends(interp: &mut Interp<'_>) {
    let ways = interp.notes.ways.pop().unwrap_or_default();
    for (what, report) in ways.waiting {
        let is_hidden = interp.notes.libraries.unsure && !matches!(what, What::Compiled(_));
        if is_hidden || ways.used.contains(&what) {
            continue;
        }
        match interp.notes.ways.last_mut() {
            Some(around) => around.waiting.push((what, report)),
            None => interp.add(report),
        }
    }
}
