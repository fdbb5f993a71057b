//! CG212: an attribute that held a result of the graph was given another tensor, and no replay assigns it again.

use cgsan_finding::Confidence;
use cgsan_trace::{Rebound, StorageKind};

use super::super::Verdict;
use crate::activity::{Block, Operation};
use crate::history::stack;
use crate::subjects::{Fact, Told};

/// Signal: an attribute led to a tensor that the capture made, and leads to another one of the same form at a replay. After that
/// replay, at which it is told, the first operator that is given the other tensor reads it, though nothing has written it since. A result
/// of another graph, and a copy of the old tensor, are left alone.
pub(super) fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Rebound { rebound, .. } = fact.told else {
        return None;
    };
    let is_attribute = rebound.name.contains('.');
    let is_alike = rebound.same_shape && rebound.same_dtype;
    if rebound.kind != StorageKind::Output || !is_attribute || !is_alike {
        return None;
    }
    if is_kept_on_purpose(fact, rebound) {
        return None;
    }
    let gives_it_back = |operation: &Operation<'_>| {
        let mut written = operation.written();
        written.any(|it| it.address == rebound.new)
    };
    let operations = fact.activity.operations.iter();
    let first = operations
        .filter(|it| it.position > fact.position() && it.may_work() && it.handles(rebound.new))
        // What gives it back without a change is a view of it.
        .find(|it| it.writes_what_it_is_given() || !gives_it_back(it))?;
    if gives_it_back(first) || first.capture.is_some() {
        return None;
    }
    let name = &rebound.name;
    let read = first.stack.map(|it| fact.history.trace.stack(it));
    Some(
        Verdict::new(
            Confidence::Likely,
            "a replay does not assign an attribute that the capture did",
            format!("`{name}` is another tensor from here on"),
        )
        .label(
            fact.made(rebound.old),
            format!("the tensor that `{name}` was after the capture is made here"),
        )
        .label(
            fact.replay_location(),
            format!("this replay writes the old tensor, and leaves `{name}` as it is"),
        )
        .label(
            stack::user_location(&read.unwrap_or_default()),
            format!("`{}` reads the other tensor here, which no replay writes", first.name),
        )
        .help(format!(
            "keep the tensor that the capture assigned, or write into it in place: `{name}.copy_(…)`"
        )),
    )
}

/// Whether a graph writes the other tensor, or it was made from the old one: a result that is kept.
fn is_kept_on_purpose(fact: &Fact<'_, '_>, rebound: &Rebound) -> bool {
    let memory = &fact.activity.memory;
    let is_there = |address: u64| {
        let is_it = move |block: &Block| {
            block.address == address && block.allocated.position < fact.position()
        };
        memory.blocks.iter().rfind(|block| is_it(block))
    };
    let Some(new) = is_there(rebound.new) else {
        return true;
    };
    let mut graphs = fact.activity.graphs.iter().flat_map(|it| &it.accesses);
    let is_written_by_a_graph =
        graphs.any(|it| it.does.may_write() && memory[it.block].address == rebound.new);
    let made_by = new.operation.map(|it| &fact.activity.operations[it]);
    new.capture.is_some()
        || is_written_by_a_graph
        || made_by.is_some_and(|it| it.handles(rebound.old))
}
