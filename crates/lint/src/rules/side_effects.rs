//! CG212: Python state that changes inside a captured region changes once, not at each replay.

use super::judge::Judge;
use super::{Draft, Rule, counters};
use crate::finding::Confidence;
use crate::syntax::ast::{Expr, TextRange};

/// A counter of the host is counted inside a capture.
pub(crate) static SKIPPED: Rule = Rule::new("CG212", Confidence::Likely);

/// A number that outlives the capture changes inside it; `from_zero` says whether it was 0.
pub(super) fn changed<'p>(
    judge: &mut Judge<'_, 'p>,
    target: &'p Expr,
    from_zero: bool,
    range: TextRange,
) {
    let site = judge.at(range);
    if counters::is_of_captures(judge, target, site) {
        return;
    }
    let draft = Draft::new(
        &SKIPPED,
        site,
        "a number of Python's is changed inside a capture",
    )
    .possible_if(!counters::is_read(judge, target, site, from_zero))
    .note("it changes once, while the graph is captured, and not at each replay")
    .help("count where the graph is replayed, or keep the number in a tensor");
    judge.report(draft);
}
