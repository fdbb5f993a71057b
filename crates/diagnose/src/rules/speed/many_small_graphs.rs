//! CG503: a step is many small graphs.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, nodes};
use crate::subjects::Slow;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG503",
    check: Check::Slow(check),
};

/// Signal: graphs of a few nodes each are replayed on one stream in the same order again and again, and between one and the next the
/// program neither enqueues other work nor waits, but for copies of what one of them wrote into an input of the next.
fn check(slow: &Slow<'_, '_>) -> Option<Verdict> {
    let small = slow.small()?;
    let graphs = small.graphs.len();
    (graphs >= MANY && small.nodes <= SMALL && small.times >= TIMES).then(|| {
        let verdict = Verdict::new(
            Confidence::Likely,
            format!("a step replays {graphs} small graphs in a row"),
            "the first of them is replayed here",
        )
        .note(format!(
            "the same {graphs} graphs were replayed {} times, one right after the other; the one in the middle has {}",
            small.times,
            nodes(small.nodes)
        ));
        let verdict = match small.copies {
            0 => verdict,
            copies => verdict.note(format!(
                "{copies} {} in between, from one graph to the next, are not needed in one graph: what comes next reads the result itself",
                if copies == 1 { "copy" } else { "copies" }
            )),
        };
        verdict.help("capture them as one graph: one launch instead of many, and no gaps between them")
    })
}

/// As `cgsan perf` has it: fewer launches, or longer graphs, cost little beside what they run.
const MANY: usize = 8;
const SMALL: usize = 10;
/// Fewer turns may be a comparison.
const TIMES: usize = 5;
