//! CG108 and CG109: a captured backward pass reaches nodes of the default stream.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// A node that was made on the default stream.
pub(crate) static DEFAULT_STREAM_NODE: Rule = Rule::new("CG108", Confidence::Confirmed);
/// One that `DistributedDataParallel` made there.
pub(crate) static DDP_ON_DEFAULT_STREAM: Rule = Rule::new("CG109", Confidence::Confirmed);

pub(super) fn backward<'p>(
    judge: &mut Judge<'_, 'p>,
    loss: &Value<'p>,
    inputs: Option<&Value<'p>>,
    range: TextRange,
) {
    if judge.graph_capture().is_none() {
        return;
    }
    let site = judge.at(range);
    if let Value::Extension(cell) = loss
        && let Some(tensor) = judge.heap.tensor(*cell).cloned()
    {
        if let Some(built) = tensor.ddp {
            let draft = Draft::new(&DDP_ON_DEFAULT_STREAM, site, says::cg109::TITLE)
                .label(
                    built,
                    "it was built on the default stream here, and made autograd nodes there",
                )
                .note(says::cg109::ACCUMULATORS)
                .help(says::cg109::CONSTRUCT)
                .help(says::cg109::WARM_UP)
                .repair(Repair::SideStream(built));
            judge.report(draft);
        } else if let Some(made) = tensor.history
            && !inputs.is_some_and(|inputs| judge.misses_default_stream(loss, inputs))
        {
            let draft = Draft::new(&DEFAULT_STREAM_NODE, site, says::cg108::TITLE)
                .label(made, "the node was made here, on the default stream")
                .note(says::cg108::STREAM_OF_NODES)
                .help(says::cg108::COMPUTE_UNDER)
                .help(says::cg108::DETACH);
            judge.report(draft);
        } else if let Some(made) = judge.keeps_accumulators(loss, inputs) {
            let draft = Draft::new(
                &DEFAULT_STREAM_NODE,
                site,
                "the captured backward reaches gradient accumulators of the default stream",
            )
            .label(
                made,
                "the program still refers to this, which keeps them from before the capture",
            )
            .note(says::cg108::STREAM_OF_NODES)
            .help(
                "release it before the capture, or keep its `detach()`; warm up on a side stream",
            );
            judge.report(draft);
        }
    }
}
