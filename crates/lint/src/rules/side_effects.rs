//! CG212: Python state that changes inside a captured region changes once, not at each replay.

use super::counters::{self, Counter};
use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::numbers::Reading;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// A counter of the host is counted inside a capture.
pub(crate) static SKIPPED: Rule = Rule::new("CG212", Confidence::Likely);

/// A number that outlives the function or the capture is moved on; `kept` says what keeps it, and its name there.
pub(super) fn changed(
    judge: &mut Judge<'_, '_>,
    kept: Option<(CellId, &str)>,
    meets_zero: bool,
    range: TextRange,
) {
    let site = judge.at(range);
    let Some(id) = judge.graph_capture() else {
        if let Some((keeper, _)) = kept {
            counters::counted_outside(judge, keeper, site);
        }
        return;
    };
    // Who goes through a list or a dictionary need not name what is in it.
    let Some((keeper, name)) = kept else {
        judge.report(draft(site));
        return;
    };
    if keeper >= judge.library.captures[id.0].first_cell {
        return;
    }
    let counter = Counter::new(judge, keeper, name, meets_zero);
    let of_captures = counters::is_of_captures(judge, id, &counter, site);
    if !of_captures {
        judge.report(draft(site).possible_if(true));
    }
    match judge.report_of(draft(site)) {
        Some(report) if !of_captures && counters::is_read(judge, &counter) => judge.confirm(report),
        Some(report) => counters::wait(judge, counter, of_captures, report),
        None => {}
    }
}

/// A number is read that something keeps under this name.
pub(super) fn read(
    judge: &mut Judge<'_, '_>,
    keeper: CellId,
    name: &str,
    reading: Reading,
    range: TextRange,
) {
    for report in counters::read(judge, keeper, name, reading, range) {
        judge.confirm(report);
    }
}

fn draft(site: Site) -> Draft {
    Draft::new(
        &SKIPPED,
        site,
        "a number of Python's is changed inside a capture",
    )
    .note("it changes once, while the graph is captured, and not at each replay")
    .help(says::cg212::ON_DEVICE)
}
