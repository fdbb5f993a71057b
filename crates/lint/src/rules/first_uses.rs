//! What is set up at its first use (CG113, CG119, CG120), where a loop chooses between a capture and something else: the
//! turns that use it outside of the capture may come first.

use super::judge::Judge;
use crate::draft::{Draft, Report};
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
struct Ways {
    /// What they use outside of captures.
    used: Vec<What>,
    /// What is to be said if they do not.
    waiting: Vec<(What, Report)>,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// The choices around what is followed, each in the first turn of a loop.
    ways: Vec<Ways>,
    /// Whether unknown code ran: that may have used any library.
    unknown_ran: bool,
}

/// Unknown code runs.
pub(super) fn unknown_ran(judge: &mut Judge<'_, '_>) {
    judge.notes.of_mut::<Noted>().unknown_ran = true;
}

/// Whether all that ran so far is known.
pub(super) fn all_is_known(judge: &Judge<'_, '_>) -> bool {
    !judge.notes.of::<Noted>().unknown_ran
}

/// Something is used, perhaps outside of captures.
pub(super) fn used(judge: &mut Judge<'_, '_>, what: What) {
    if judge.graph_capture().is_none() {
        for ways in &mut judge.notes.of_mut::<Noted>().ways {
            ways.used.push(what);
        }
    }
}

/// A capture uses something first, as far as the program was followed.
pub(super) fn report(judge: &mut Judge<'_, '_>, what: What, draft: Draft) {
    if judge.notes.of::<Noted>().ways.is_empty() {
        judge.report(draft);
        return;
    }
    let report = judge.report_of(draft);
    if let (Some(report), Some(ways)) = (report, judge.notes.of_mut::<Noted>().ways.last_mut()) {
        ways.waiting.push((what, report));
    }
}

/// A choice is made that is made anew in each turn of a loop; this is the first turn.
pub(super) fn choice_begins(judge: &mut Judge<'_, '_>) {
    judge.notes.of_mut::<Noted>().ways.push(Ways::default());
}

/// All ways of the choice were followed.
pub(super) fn choice_ends(judge: &mut Judge<'_, '_>) {
    let ways = judge.notes.of_mut::<Noted>().ways.pop().unwrap_or_default();
    for (what, report) in ways.waiting {
        let is_hidden = !all_is_known(judge) && !matches!(what, What::Compiled(_));
        if is_hidden || ways.used.contains(&what) {
            continue;
        }
        match judge.notes.of_mut::<Noted>().ways.last_mut() {
            Some(around) => around.waiting.push((what, report)),
            None => judge.add(report),
        }
    }
}
