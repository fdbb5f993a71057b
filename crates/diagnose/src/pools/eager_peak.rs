//! What the operators of a capture held when they ran eagerly before it.
//!
//! An eager run of a capture is the same operators, in the same order, on tensors of the same sizes, and called by the same
//! functions, whichever lines of theirs: a warm-up often has lines of its own.

use cgsan_model::ThreadId;
use cgsan_trace::CodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pools, most_at_once};
use crate::activity::{Operation, tensors};
use crate::history::History;

/// How many operators before a capture are looked at: it is warmed up right before.
const FAR: usize = 100_000;

/// The operators that no other operator called, so that runs of them can be compared.
pub(super) struct EagerRuns<'a, 'h, 't> {
    pools: &'a Pools<'h, 't>,
    /// In the order in which they began.
    outermost: Vec<Outermost>,
}

/// An operator that no other one called.
struct Outermost {
    /// Its index among the activity's operations.
    index: usize,
    position: usize,
    thread: ThreadId,
    is_of_autograd: bool,
    /// The capture that records it.
    capture: Option<usize>,
    /// The same number for operators that are alike.
    kind: u32,
}

/// What makes two operators alike: the name, the sizes of the tensors, and the innermost function of Python.
type Kind<'t> = (&'t str, Vec<&'t [u64]>, Option<CodeId>);

impl<'a, 'h, 't> EagerRuns<'a, 'h, 't> {
    pub(super) fn new(pools: &'a Pools<'h, 't>) -> Self {
        let mut kinds: FxHashMap<Kind<'t>, u32> = FxHashMap::default();
        let mut captures = Captures::new(pools.history);
        let operations = pools.activity.operations.iter().enumerate();
        let outermost = operations.filter(|(_, it)| it.parent.is_none());
        let outermost = outermost.map(|(index, operation)| {
            let next = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
            let is_of_autograd = captures.is_of_autograd(operation);
            Outermost {
                index,
                position: operation.position,
                thread: operation.thread,
                is_of_autograd,
                capture: captures.capture_of(operation, is_of_autograd),
                kind: *kinds.entry(kind(pools.history, operation)).or_insert(next),
            }
        });
        EagerRuns {
            pools,
            outermost: outermost.collect(),
        }
    }

    /// The most that the last eager run of a capture's operators held at once of what it allocated, in bytes; `None` if the
    /// capture failed, or no such run is known.
    pub(super) fn peak_of(&self, capture: usize) -> Option<u64> {
        let run = self.pools.run(capture);
        let ended = run.ended.filter(|it| !it.failed())?;
        let began = run.began.position;
        let first = self.outermost.partition_point(|it| it.position < began);
        let behind = self
            .outermost
            .partition_point(|it| it.position < ended.position);
        let captured = self.outermost[first..behind].iter();
        let captured = captured.filter(|it| it.capture == Some(capture)).rev();
        let wanted: Vec<u32> = captured.map(|it| it.kind).collect();
        let is_own = |thread: ThreadId, is_of_autograd| thread == run.thread() || is_of_autograd;
        let before = self.outermost[..first].iter().rev();
        let before = before.filter(|it| is_own(it.thread, it.is_of_autograd));
        let before: Vec<&Outermost> = before.take(FAR).collect();
        let kinds = before
            .iter()
            .map(|it| it.capture.is_none().then_some(it.kind));
        let at = find(&wanted, kinds)?;
        let found = &before[at..at + wanted.len()];
        let (last, first) = (found.first()?, found.last()?);
        Some(self.peak_between(
            first.position,
            self.pools.activity.operations[last.index].end,
            found,
        ))
    }

    /// The most that was held at once of what the threads of these operators allocated between two places of the trace.
    fn peak_between(&self, begin: usize, end: usize, operators: &[&Outermost]) -> u64 {
        let blocks = &self.pools.activity.memory.blocks;
        let threads: FxHashSet<ThreadId> = operators.iter().map(|it| it.thread).collect();
        let from = blocks.partition_point(|it| it.allocated.position < begin);
        let own = blocks[from..]
            .iter()
            .take_while(|it| it.allocated.position <= end)
            .filter(|it| threads.contains(&it.allocated.thread));
        let mut changes = Vec::new();
        for block in own {
            let bytes = i128::from(block.bytes);
            changes.push((block.allocated.position, bytes));
            if let Some(freed) = block.freed.filter(|it| it.position <= end) {
                changes.push((freed.position, -bytes));
            }
        }
        most_at_once(changes)
    }
}

fn kind<'t>(history: &History<'t>, operation: &Operation<'t>) -> Kind<'t> {
    let tensors = tensors(operation.arguments).chain(tensors(operation.results));
    let function = operation.stack.and_then(|stack| history.trace.frame(stack));
    (
        operation.name,
        tensors.map(|it| it.sizes.as_slice()).collect(),
        function.map(|(_, code, _)| code),
    )
}

/// Which captures run, as one goes through the operators in order.
struct Captures<'a, 't> {
    history: &'a History<'t>,
    /// The captures that have begun.
    begun: usize,
    running: Vec<usize>,
    of_autograd: FxHashMap<ThreadId, bool>,
}

impl<'a, 't> Captures<'a, 't> {
    fn new(history: &'a History<'t>) -> Self {
        Captures {
            history,
            begun: 0,
            running: Vec::new(),
            of_autograd: FxHashMap::default(),
        }
    }

    fn is_of_autograd(&mut self, operation: &Operation<'_>) -> bool {
        let history = self.history;
        let known = self.of_autograd.entry(operation.thread);
        *known.or_insert_with(|| history.is_of_autograd(operation.thread, operation.position))
    }

    /// The capture of an operator's thread, or the latest that runs for a thread of autograd.
    fn capture_of(&mut self, operation: &Operation<'_>, is_of_autograd: bool) -> Option<usize> {
        let captures = &self.history.captures;
        while let Some(run) = captures.get(self.begun)
            && run.began.position < operation.position
        {
            self.running.push(self.begun);
            self.begun += 1;
        }
        self.running
            .retain(|it| captures[*it].spans(operation.position));
        let mut latest = self.running.iter().rev().copied();
        latest.find(|it| is_of_autograd || captures[*it].thread() == operation.thread)
    }
}

/// The first place in a sequence where another one stands, which is not empty; as Knuth, Morris and Pratt find it.
fn find(wanted: &[u32], sequence: impl Iterator<Item = Option<u32>>) -> Option<usize> {
    let borders = borders(wanted);
    let mut matched = 0;
    for (at, element) in sequence.enumerate() {
        while matched > 0 && element != Some(wanted[matched]) {
            matched = borders[matched - 1];
        }
        if element == wanted.get(matched).copied() && element.is_some() {
            matched += 1;
        }
        if matched > 0 && matched == wanted.len() {
            return Some(at + 1 - matched);
        }
    }
    None
}

/// For each beginning of a sequence, how long a shorter beginning is that it ends with.
fn borders(wanted: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; wanted.len()];
    let mut matched = 0;
    for at in 1..wanted.len() {
        while matched > 0 && wanted[at] != wanted[matched] {
            matched = borders[matched - 1];
        }
        if wanted[at] == wanted[matched] {
            matched += 1;
        }
        borders[at] = matched;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(wanted: &[u32], sequence: &[u32]) -> Option<usize> {
        // 0 stands for an operator that is no candidate.
        let sequence = sequence.iter().map(|it| (*it > 0).then_some(*it));
        find(wanted, sequence)
    }

    #[test]
    fn a_sequence_is_found_where_it_stands_first_and_whole() {
        assert_eq!(found(&[1, 2], &[2, 1, 1, 2, 1, 2]), Some(2));
        assert_eq!(found(&[1, 1, 2], &[1, 1, 1, 2]), Some(1));
        assert_eq!(found(&[1, 2, 1, 3], &[1, 2, 1, 2, 1, 3]), Some(2));
        assert_eq!(found(&[1, 2], &[1, 0, 2]), None);
        assert_eq!(found(&[1, 2], &[1]), None);
        assert_eq!(found(&[], &[1]), None);
    }
}
