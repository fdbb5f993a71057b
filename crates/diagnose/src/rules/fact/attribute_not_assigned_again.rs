//! CG212: an attribute that held a result of the graph was given another tensor, and no replay assigns it again.

use cgsan_finding::{Confidence, Location};
use cgsan_trace::{Rebound, StorageKind};

use super::super::Verdict;
use crate::activity::{Block, Operation};
use crate::history::stack;
use crate::subjects::{Fact, Told};

/// Signal: an attribute led to a tensor that the capture made, and leads to another one at a replay: one of the same form that no graph
/// writes, or the one that the capture of another graph assigned, to which no other name leads. After that replay, at which it is told,
/// and before one of that graph, the first operator that is given the other tensor reads it, though nothing has written it since. A
/// copy of the old tensor is left alone, and so is one that eager code made from what the replay then read, or of which that code has
/// made the next one before it is read: then the attribute leads to that one, and another name to this.
pub(super) fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Rebound { rebound, .. } = fact.told else {
        return None;
    };
    let is_attribute = rebound.name.contains('.');
    if rebound.kind != StorageKind::Output || !is_attribute {
        return None;
    }
    let other = assigned_by_another(fact, rebound);
    let is_alike = rebound.same_shape && rebound.same_dtype;
    if other.is_none() && (!is_alike || is_kept_on_purpose(fact, rebound)) {
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
    let is_written = other.is_some_and(|graph| {
        let mut replays = fact.activity.replays.iter();
        let range = fact.position()..first.position;
        replays.any(|it| it.graph == graph && range.contains(&it.position))
    });
    let is_left_alone = is_written
        || gives_it_back(first)
        || first.capture.is_some()
        || is_assigned_anew(fact, rebound, first.position);
    if is_left_alone || (other.is_none() && !is_outdated(fact, rebound, first.position)) {
        return None;
    }
    let name = &rebound.name;
    let read = first.stack.map(|it| fact.history.trace.stack(it));
    let (here, reads, help) = match other {
        None => (
            format!("`{name}` is another tensor from here on"),
            format!(
                "`{}` reads the other tensor here, which no replay writes",
                first.called()
            ),
            format!(
                "keep the tensor that the capture assigned, or write into it in place: `{name}.copy_(…)`"
            ),
        ),
        Some(_) => (
            format!("each capture assigns `{name}`, and the last one stays"),
            format!(
                "`{}` reads here what another graph has left there",
                first.called()
            ),
            format!(
                "keep what each capture assigned beside its graph, and read that: `{name}` is set by captures alone"
            ),
        ),
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            "a replay does not assign an attribute that the capture did",
            here,
        )
        .label(
            fact.made(rebound.old),
            format!("the tensor that `{name}` was after the capture is made here"),
        )
        .label(
            fact.replay_location(),
            format!("this replay writes the old tensor, and leaves `{name}` as it is"),
        )
        .label(stack::user_location(&read.unwrap_or_default()), reads)
        .help(help),
    )
}

/// The graph whose capture assigned the attribute what it leads to now, by its capture; that goes by no name without the attribute.
fn assigned_by_another(fact: &Fact<'_, '_>, rebound: &Rebound) -> Option<usize> {
    let (_, attribute) = rebound.name.rsplit_once('.')?;
    let graph = made_before(fact, rebound.new)?.capture?;
    let names: Vec<&str> = fact.history.names_of(graph, rebound.new).collect();
    let is_of_it = |name: &&str| name.rsplit_once('.').is_some_and(|it| it.1 == attribute);
    let is_alone = names.contains(&&*rebound.name) && names.iter().all(is_of_it);
    (graph != fact.graph && is_alone).then_some(graph)
}

/// Whether the other tensor is not what a replay would have assigned, up to a place in the trace: it was made at another line than the
/// capture's; or the graph was replayed twice since, or with an input that was written since.
fn is_outdated(fact: &Fact<'_, '_>, rebound: &Rebound, until: usize) -> bool {
    let Some(made) = made_before(fact, rebound.new) else {
        return false;
    };
    let line = line_of(fact, made);
    if line != fact.made(rebound.old) {
        return true;
    }
    let since = made.allocated.position..until;
    let replays = fact.activity.replays.iter();
    let own = replays.filter(|it| it.graph == fact.graph && since.contains(&it.position));
    let accesses = &fact.activity.graphs[fact.graph].accesses;
    let is_read = |block| {
        accesses
            .iter()
            .any(|it| it.block == block && it.does.may_read())
    };
    let mut operations = fact.activity.operations.iter();
    own.count() > 1
        || operations.any(|it| {
            since.contains(&it.position)
                && it.capture.is_none()
                && it
                    .touched
                    .iter()
                    .any(|(block, is_written)| *is_written && is_read(*block))
        })
}

/// Whether the line that made the other tensor has made another one since, up to a place in the trace, as an eager call does that
/// assigns the attribute.
fn is_assigned_anew(fact: &Fact<'_, '_>, rebound: &Rebound, until: usize) -> bool {
    let Some(made) = made_before(fact, rebound.new) else {
        return false;
    };
    let line = line_of(fact, made);
    let mut blocks = fact.activity.memory.blocks.iter();
    line.is_some()
        && blocks.any(|it| {
            let since = fact.position()..until;
            it.capture.is_none()
                && since.contains(&it.allocated.position)
                && line_of(fact, it) == line
        })
}

/// The line that allocated a block.
fn line_of(fact: &Fact<'_, '_>, block: &Block) -> Option<Location> {
    let stack = block.allocated.stack?;
    stack::user_location(&fact.history.trace.stack(stack))
}

/// The block that was allocated last at an address before this was told.
fn made_before<'h>(fact: &Fact<'h, '_>, address: u64) -> Option<&'h Block> {
    let mut blocks = fact.activity.memory.blocks.iter();
    blocks.rfind(|it| it.address == address && it.allocated.position < fact.position())
}

/// Whether a graph writes the other tensor, or it was made from the old one: a result that is kept.
fn is_kept_on_purpose(fact: &Fact<'_, '_>, rebound: &Rebound) -> bool {
    let memory = &fact.activity.memory;
    let Some(new) = made_before(fact, rebound.new) else {
        return true;
    };
    let mut graphs = fact.activity.graphs.iter().flat_map(|it| &it.accesses);
    let is_written_by_a_graph =
        graphs.any(|it| it.does.may_write() && memory[it.block].address == rebound.new);
    let operations = &fact.activity.operations;
    // What a copy is made of, its outermost operator is given.
    let mut made_by = std::iter::successors(new.operation, |it| operations[*it].parent);
    new.capture.is_some()
        || is_written_by_a_graph
        || made_by.any(|it| operations[it].handles(rebound.old))
}
