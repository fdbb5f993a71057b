//! The table `steps`: one row for each step of a process that was seen, with what its thread waited for.
//!
//! | file | what it is |
//! |---|---|
//! | `marker` | what a step begins with |
//! | `waited` | which moments a thread spent on what |

mod marker;
mod waited;

use cgsan_diagnose::Seen;
use cgsan_trace::{Entry, FrameId, Trace};

use self::marker::Marker;
use self::waited::{Waited, Waiting};
use crate::cells::{Cell, Clock, LINE, OWNER, Owner, integer, line, maybe, number, text, time};
use crate::column::Column;
use crate::lines::Lines;
use crate::sheet::Sheet;

pub use self::waited::FOR;

pub(crate) fn columns() -> Vec<Column> {
    let own = [
        integer(
            "step",
            "its number, from 1. A step begins at a replay of the graph that the process replays most often, and lasts until the next \
             one; without replays, collectives of one line take their place. Replays that were counted and not recorded have numbers, and no rows",
        ),
        time(
            "began",
            "when it began; exact among the moments of one process",
        ),
        integer(
            "duration_ns",
            "how long it lasted, in nanoseconds; null if the next one was not seen",
        ),
        integer("replays", "how many replays there were in it"),
        integer(
            "collectives",
            "how many collectives of PyTorch were called in it",
        ),
        integer(
            "host_ns",
            "how long the thread did work of its own, in nanoseconds",
        ),
        integer(
            "gpu_ns",
            "how long it waited for a stream, an event or the device",
        ),
        integer("copy_ns", "how long it was in copies and fills that wait"),
        integer("collective_ns", "how long it was in collectives"),
        integer("launch_ns", "how long it was in launches of graphs"),
        text(
            "waited_for",
            "which of these was the longest: `host`, `gpu`, `copy`, `collective` or `launch`",
        ),
        integer("wait_ns", "the longest single wait"),
    ];
    OWNER.into_iter().chain(own).chain(LINE).collect()
}

/// A step while it is gone through.
struct Step {
    number: u64,
    began_ns: u64,
    replays: u64,
    collectives: u64,
    waited: Waited,
}

impl Step {
    fn begin(number: u64, at: &Entry) -> Step {
        Step {
            number,
            began_ns: at.time_ns,
            replays: 0,
            collectives: 0,
            waited: Waited::default(),
        }
    }
}

/// Adds the steps of a process.
pub(crate) fn write(
    sheet: &mut Sheet,
    owner: &Owner<'_>,
    trace: &Trace,
    seen: &Seen<'_, '_>,
    lines: &mut Lines<'_>,
) {
    let Some(mut marker) = Marker::of(trace, seen) else {
        return;
    };
    let clock = Clock::of(trace);
    let mut waiting = Waiting::default();
    let mut step: Option<Step> = None;
    for (index, entry) in trace.entries().iter().enumerate() {
        // What was counted is noted by any thread.
        if marker.skip(entry) > 0 {
            step = None;
        }
        if entry.thread != marker.thread {
            continue;
        }
        let spent = waiting.next(trace, entry);
        if let Some(step) = &mut step {
            step.waited.add(&spent);
        }
        if marker.is_at(index) {
            if let Some(step) = step.take() {
                let lasted = entry.time_ns.saturating_sub(step.began_ns);
                write_one(sheet, owner, clock, &step, Some(lasted), lines);
            }
            marker.number += 1;
            step = Some(Step::begin(marker.number, entry));
        }
        if let Some(step) = &mut step {
            step.replays += u64::from(waited::is_replay(entry));
            step.collectives += u64::from(waited::is_collective(trace, entry));
        }
    }
    if let Some(step) = step {
        write_one(sheet, owner, clock, &step, None, lines);
    }
}

fn write_one(
    sheet: &mut Sheet,
    owner: &Owner<'_>,
    clock: Clock,
    step: &Step,
    lasted: Option<u64>,
    lines: &mut Lines<'_>,
) {
    let waited = &step.waited;
    let stack: Option<FrameId> = waited.stack;
    let [host, gpu, copy, collective, launch] = waited.nanoseconds;
    let own = [
        number(step.number),
        clock.time(step.began_ns),
        maybe(lasted, number),
        number(step.replays),
        number(step.collectives),
        number(host),
        number(gpu),
        number(copy),
        number(collective),
        number(launch),
        Cell::Text(waited.most()),
        number(waited.longest_ns),
    ];
    sheet.row(&owner.cells(), own.into_iter().chain(line(lines.at(stack))));
}
