//! CG222: no `.grad` refers any more to the memory that the graph writes its gradients to.

use std::collections::BTreeSet;

use cgsan_finding::Confidence;
use cgsan_trace::GradientBuffer;
use rustc_hash::FxHashSet;

use super::super::{Check, Rule, Verdict};
use crate::activity::{Block, BlockId};
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG222",
    check: Check::Fact(check),
};

/// Signal: the graph writes the gradients of parameters that an optimizer has, and does not change the parameters itself. It makes them
/// all and takes up none from before, or it adds to all that were there. All were freed since, so the program keeps none elsewhere
/// either, and the graph is replayed while the parameters are there.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Buffers(buffers) = fact.told else {
        return None;
    };
    let made = blocks_of(fact, buffers);
    let are_made = made.len() == buffers.len() && !fact.takes_up_any(&made);
    let blocks = if are_made {
        made
    } else {
        fact.added_to(buffers.iter().map(|it| it.gradient))?
    };
    let parameters: BTreeSet<u64> = buffers.iter().map(|it| it.parameter).collect();
    if fact.may_write_any(&parameters) {
        return None;
    }
    let memory = &fact.activity.memory;
    let freed: Option<Vec<_>> = blocks.iter().map(|block| memory[*block].freed).collect();
    let freed = freed?;
    let first = freed.iter().min_by_key(|it| it.position)?;
    let last = freed.iter().map(|it| it.position).max()?;
    let replay = fact.replay_after(last)?;
    let has_parameter = |block: &Block| {
        let addresses = block.address..block.address.saturating_add(block.bytes);
        block.is_held_at(replay) && parameters.range(addresses).next().is_some()
    };
    if !memory.blocks.iter().any(has_parameter) {
        return None;
    }
    let dropped = first.stack.map(|it| fact.history.trace.stack(it));
    let (here, work) = if are_made {
        (
            "the gradients that the capture made are dropped here",
            "writes them into",
        )
    } else {
        (
            "the gradients that the captured code adds to are dropped here",
            "adds to",
        )
    };
    let verdict = Verdict::new(
        Confidence::Likely,
        "no `.grad` refers to the gradients that the graph writes",
        here,
    )
    .label(
        fact.history.location_at(replay),
        format!("this replay {work} memory that nobody holds: an optimizer finds no gradient"),
    )
    .at(dropped.unwrap_or_default());
    Some(if are_made {
        verdict
            .label(
                fact.made(buffers.first()?.gradient),
                "the capture computes them here",
            )
            .help(
                "leave `zero_grad()` out between replays, since each replay writes its gradients anew; or keep the memory: \
                 `zero_grad(set_to_none=False)`",
            )
    } else {
        verdict.help(
            "keep the memory between replays: `zero_grad(set_to_none=False)`; or set the gradients to None before the capture, \
             so that each replay writes them anew",
        )
    })
}

/// The blocks of the graph's capture in which the gradients lie.
fn blocks_of(fact: &Fact<'_, '_>, buffers: &[GradientBuffer]) -> Vec<BlockId> {
    let mut addresses: FxHashSet<u64> = buffers.iter().map(|it| it.gradient).collect();
    let blocks = fact.activity.memory.of_capture(fact.graph);
    // A later one at the same address lies where a temporary was.
    let mut found: Vec<BlockId> = blocks
        .rev()
        .filter(|(_, block)| addresses.remove(&block.address))
        .map(|(id, _)| id)
        .collect();
    found.sort_unstable();
    found
}
