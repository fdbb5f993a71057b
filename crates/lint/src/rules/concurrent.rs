//! CG216: graphs of one pool that run at the same time.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::torch::state::order::Launch;

/// Nothing orders the replays of two graphs that use the same memory.
pub(crate) static AT_ONCE: Rule = Rule::new("CG216", Confidence::Likely);

/// A graph is replayed.
pub(super) fn replayed(judge: &mut Judge<'_, '_>, graph: CellId) {
    let Some(this) = judge.graph(graph).and_then(|it| it.launched) else {
        return;
    };
    let beside: Vec<Launch> = judge
        .last_launches()
        .filter(|it| judge.may_still_run(it, &this))
        .collect();
    let shared = beside.into_iter().find_map(|other| {
        let memory = judge.shared_memory(other.capture, this.capture)?;
        Some((other, memory))
    });
    let Some((other, memory)) = shared else {
        return;
    };
    // What decides that they run side by side may also decide whether they share a pool.
    let doubt = |it: Launch| judge.library.captures[it.capture.0].doubt;
    let is_chosen = judge.doubt() > doubt(this).max(doubt(other));
    let draft = Draft::new(
        &AT_ONCE,
        this.site,
        says::cg216::TITLE,
    )
    .possible_if(is_chosen)
    .label(other.site, "the other replay, on another stream")
    .label(memory.made, "both graphs use the memory of this tensor")
    .note("what one graph of a pool has freed, the next one uses: they are safe only one after the other")
    .help(says::cg216::WAIT)
    .help(says::cg216::OWN_POOL);
    judge.report(draft);
}
