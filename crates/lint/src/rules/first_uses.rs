//! What is set up at its first use (CG113, CG119, CG120), where a loop chooses between a capture and something else: the
//! turns that use it outside of the capture may come first.

use super::Draft;
use super::judge::Judge;
use crate::draft::Report;
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
pub(super) fn used(judge: &mut Judge<'_, '_>, what: What) {
    if judge.graph_capture().is_none() {
        for ways in &mut judge.notes.ways {
            ways.used.push(what);
        }
    }
}

/// A capture uses something first, as far as the program was followed.
pub(super) fn report(judge: &mut Judge<'_, '_>, what: What, draft: Draft) {
    if judge.notes.ways.is_empty() {
        judge.report(draft);
        return;
    }
    let report = judge.report_of(draft);
    if let (Some(report), Some(ways)) = (report, judge.notes.ways.last_mut()) {
        ways.waiting.push((what, report));
    }
}

/// A choice is made that is made anew in each turn of a loop; this is the first turn.
pub(super) fn choice_begins(judge: &mut Judge<'_, '_>) {
    judge.notes.ways.push(Ways::default());
}

/// All ways of the choice were followed.
pub(super) fn choice_ends(judge: &mut Judge<'_, '_>) {
    let ways = judge.notes.ways.pop().unwrap_or_default();
    for (what, report) in ways.waiting {
        let is_hidden = judge.notes.libraries.unsure && !matches!(what, What::Compiled(_));
        if is_hidden || ways.used.contains(&what) {
            continue;
        }
        match judge.notes.ways.last_mut() {
            Some(around) => around.waiting.push((what, report)),
            None => judge.add(report),
        }
    }
}
