//! Replays: what they mean to the other rules, and CG504.

use super::judge::Judge;
use super::{
    concurrent, control_flow, empty_graphs, held_numbers, host_numbers, inputs, pool_order, pools,
    storage, unkept,
};
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{CellId, LoopId};
use crate::syntax::ast::TextRange;

/// Copies before each replay cost more launches than the graph saves.
pub(crate) static COPIES_DOMINATE: Rule = Rule::new("CG504", Confidence::Likely);

/// Copies below which nothing is said.
const FEW: u32 = 3;

/// A graph is replayed, before which `copies` were made into what it reads. `before` are the loops around the replay before.
pub(super) fn replays(
    judge: &mut Judge<'_, '_>,
    cell: CellId,
    before: Option<&[LoopId]>,
    copies: u32,
    range: TextRange,
) {
    let site = judge.at(range);
    empty_graphs::filled(judge, cell, site);
    let innermost = judge.loops.around.last().copied();
    let Some(id) = judge.graph(cell).and_then(|it| it.capture) else {
        return;
    };
    inputs::replays(judge, id);
    storage::replays(judge, id);
    unkept::replays(judge, id);
    control_flow::replays(judge, id);
    pools::replayed(judge, id);
    concurrent::replayed(judge, cell);
    pool_order::replayed(judge, cell, id, site);
    held_numbers::replays(judge, cell, id);
    host_numbers::replays(judge, id);
    let capture = &judge.library.captures[id.0];
    if copies < FEW || capture.opaque || copies < capture.operations {
        return;
    }
    // What was copied before the loop's first replay may have been copied before the loop.
    let again = innermost.is_some_and(|it| before.is_some_and(|loops| loops.contains(&it)));
    // What others call, they call again.
    let is_called_again = judge.is_from_nowhere() && !judge.frame_graphs().contains(&id);
    if !again && !is_called_again {
        return;
    }
    let title = format!(
        "{copies} copies before a replay of {} operations",
        capture.operations
    );
    let draft = Draft::new(&COPIES_DOMINATE, site, title)
        .note("each copy is a launch of its own")
        .help(says::cg504::WRITE_INPUT)
        .help("or copy all in one launch: `torch._foreach_copy_`");
    judge.report(draft);
}
