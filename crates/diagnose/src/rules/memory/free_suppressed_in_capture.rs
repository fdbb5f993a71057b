//! CG308: memory freed during a capture is not given back.

use cgsan_finding::Confidence;
use cgsan_trace::{AgentEvent, BlockRecord, Record};
use rustc_hash::FxHashSet;

use super::super::{Check, Rule, Verdict, says};
use crate::history::stack;
use crate::pools::total;
use crate::rules::capture::out_of_memory_in_capture::{failed_allocation, ran_out};
use crate::subjects::{Failure, Pool, size};
use crate::waste::{Kind, MUCH, PART};

/// Where memory ran out by it.
pub(in crate::rules) const FAILURE: Rule = Rule {
    id: "CG308",
    check: Check::Failure(failed),
};

/// Where the program only took more.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG308",
    check: Check::Pool(check),
};

/// Signal: memory ran out during a capture, after its thread freed blocks from before it that are a large part of what is
/// reserved.
fn failed(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if !ran_out(failure) {
        return None;
    }
    let freed = freed_in_capture(failure);
    let bytes = total(freed.iter().map(|it| it.bytes));
    if bytes < MUCH || bytes.saturating_mul(PART) < reserved_before(failure) {
        return None;
    }
    let largest = freed.into_iter().max_by_key(|it| it.bytes)?;
    let trace = failure.history.trace;
    let stack = largest.stack.map(|it| trace.stack(it)).unwrap_or_default();
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg308::TITLE,
        "this frees memory that neither the capture nor the driver gets",
    )
    .label(stack::user_location(&failure.stack), "memory ran out here")
    .at(stack)
    .note(format!(
        "{} from before the capture were freed in it: they stay reserved and unused until it ends, also after `empty_cache()`",
        size(bytes)
    ));
    let verdict = match failed_allocation(failure) {
        Some(allocation) => verdict.call(failure.call_info(allocation)),
        None => verdict,
    };
    Some(verdict.help(says::cg308::BEFORE))
}

/// The blocks from before the capture that its thread freed in it.
fn freed_in_capture(failure: &Failure<'_, '_>) -> Vec<BlockRecord> {
    let Some(run) = failure.capture else {
        return Vec::new();
    };
    let entries = failure.history.trace.entries();
    let mut own = FxHashSet::default();
    let mut freed = Vec::new();
    let during = entries.get(run.began.position..failure.position());
    for entry in during.unwrap_or_default() {
        match entry.record {
            Record::BlockAllocated(block) => {
                own.insert(block.address);
            }
            Record::BlockFreed(block)
                if entry.thread == run.thread() && !own.contains(&block.address) =>
            {
                freed.push(block);
            }
            _ => {}
        }
    }
    freed
}

/// What was reserved when the capture began, as far as the allocator was asked.
fn reserved_before(failure: &Failure<'_, '_>) -> u64 {
    let position = failure.capture.map_or(0, |run| run.began.position);
    let mut events = failure.history.trace.agent_events().rev();
    let reserved = events.find_map(|(at, event)| match event {
        AgentEvent::Memory { devices, .. } if at < position => {
            Some(total(devices.iter().map(|it| it.reserved)))
        }
        _ => None,
    });
    reserved.unwrap_or_default()
}

/// Signal: blocks from before a capture were freed in it, the graph does not use them, and freed before it less is reserved.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::KeptBack { blocks, .. } = &pool.waste.kind else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg308::TITLE,
            "this frees memory that neither the capture nor the driver gets",
        )
        .label(pool.location(pool.block(blocks[0]).allocated.stack), "it was allocated here")
        .note(format!(
            "{} from before the capture were freed in it: they stay reserved beside what the capture allocates",
            size(pool.bytes(blocks))
        ))
        .note(pool.saves("freeing before the capture"))
        .help(says::cg308::BEFORE),
    )
}
