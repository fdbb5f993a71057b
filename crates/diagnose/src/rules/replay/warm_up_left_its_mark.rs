//! CG228: the program puts back what the warm-up changed, but not all of it.

use cgsan_finding::{Confidence, Location};

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::history::stack;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG228",
    check: Check::Replay(check),
};

/// Signal: before a graph's first replay, eager operators went on from what two tensors held, such as a weight and its momentum, and so
/// does the graph. The program had copied the one before, and put it back afterwards; the other is as those operators left it.
///
/// A program that puts nothing back may mean to train on from its warm-up. One that puts the same tensors back after replays, too, does
/// so in each round. Tensors that are written by index, such as caches, are left alone; so are those that were changed more often
/// than warm-ups do it.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::LeftByWarmUp {
        block,
        writer,
        put_back,
        more,
    } = replay.harm()
    else {
        return None;
    };
    let back = replay.location_of(put_back);
    let name = called(replay.name_of(&replay.block(block)), "a tensor");
    let changed = replay.operation(writer).called();
    let others = match more {
        0 => String::new(),
        1 => ", and from another tensor".to_owned(),
        more => format!(", and from {more} other tensors"),
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph goes on from what the warm-up left",
            format!("the first replay goes on from {name} as the warm-up left it{others}"),
        )
        .label(
            beside(replay, writer, back.as_ref()),
            format!("`{changed}` of the warm-up changed it"),
        )
        .label(back, "what else the warm-up changed was put back here")
        .note("a warm-up does real work: moments, step counts and statistics then count batches that are not of the training")
        .help("put all of it back in place before the first replay, e.g. `for state in optimizer.state.values(): for value in state.values(): value.zero_()`"),
    )
}

/// The line from which an operator was called, in the function that has another line: a step does its work in the warm-up and in the
/// capture alike.
fn beside(replay: &Replay<'_, '_>, operation: usize, other: Option<&Location>) -> Option<Location> {
    let frames = replay.stack(replay.operation(operation).stack);
    let beside = frames.iter().map(stack::location).find(|it| {
        other.is_some_and(|other| (&it.file, &it.function) == (&other.file, &other.function))
    });
    beside.or_else(|| replay.location_of(operation))
}
