//! The table `captures`: one row for each capture that began.

use cgsan_diagnose::{Capture, Seen};
use cgsan_trace::{CallRecord, Record, Trace};

use crate::cells::{Cell, Clock, LINE, OWNER, Owner, integer, line, maybe, number, text, time};
use crate::column::Column;
use crate::lines::Line;
use crate::sheet::Sheet;

pub(crate) fn columns() -> Vec<Column> {
    let own = [
        integer("capture", "its number in the process, from 1"),
        time(
            "began",
            "when it began; to the second, exact among the moments of one process",
        ),
        integer(
            "duration_ns",
            "how long it ran, in nanoseconds; null if it did not end",
        ),
        text(
            "outcome",
            "`captured` (there is a graph), `failed`, or `unfinished` when the trace ended",
        ),
        text("mode", "`global`, `thread_local` or `relaxed`"),
        text("stream", "its origin stream"),
        integer("thread", "the thread that began it"),
        integer("streams", "how many streams took part"),
        integer("refusals", "how many calls were refused on its account"),
        text("refused_function", "the first of these: the function"),
        integer("refused_code", "what it returned"),
        integer("replays", "how many replays of its graph there were"),
    ];
    OWNER.into_iter().chain(own).chain(LINE).collect()
}

/// Adds the captures of a process, and gives their number.
pub(crate) fn write(
    sheet: &mut Sheet,
    owner: &Owner<'_>,
    trace: &Trace,
    seen: &Seen<'_, '_>,
) -> usize {
    let mut written = 0;
    for capture in seen.captures() {
        written += 1;
        write_one(sheet, owner, trace, written, &capture);
    }
    written
}

fn write_one(
    sheet: &mut Sheet,
    owner: &Owner<'_>,
    trace: &Trace,
    capture_number: usize,
    capture: &Capture,
) {
    let entries = trace.entries();
    let Some(began) = entries.get(capture.began) else {
        return;
    };
    let ended = capture.ended.and_then(|entry| entries.get(entry));
    let refused = capture
        .refused
        .first()
        .and_then(|entry| call_at(trace, *entry));
    let place = capture.location.clone().map(Line::of);
    let own = [
        number(capture_number),
        Clock::of(trace).time(began.time_ns),
        maybe(ended, |ended| {
            number(ended.time_ns.saturating_sub(began.time_ns))
        }),
        Cell::Text(capture.outcome.name()),
        Cell::Text(capture.mode),
        Cell::Text(&capture.stream),
        number(began.thread.0),
        number(capture.streams),
        number(capture.refused.len()),
        maybe(refused, |call| Cell::Text(trace.string(call.function))),
        maybe(refused, |call| number(call.result.0)),
        number(capture.replays),
    ];
    sheet.row(&owner.cells(), own.into_iter().chain(line(place.as_ref())));
}

fn call_at(trace: &Trace, entry: usize) -> Option<&CallRecord> {
    match &trace.entries().get(entry)?.record {
        Record::Call(call) => Some(call),
        _ => None,
    }
}
