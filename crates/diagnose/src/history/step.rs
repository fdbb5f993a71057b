//! Recorded calls and their places in the trace.

use std::ops::Range;

use cgsan_model::ThreadId;
use cgsan_trace::{CallRecord, Record, Trace};

/// A recorded call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'t> {
    /// The index of its entry in the trace.
    pub(crate) position: usize,
    pub(crate) thread: ThreadId,
    pub(crate) record: &'t CallRecord,
}

/// The calls among these entries, in order.
pub(crate) fn steps(
    trace: &Trace,
    positions: Range<usize>,
) -> impl DoubleEndedIterator<Item = Step<'_>> {
    let start = positions.start;
    let entries = trace.entries().get(positions).unwrap_or_default();
    entries
        .iter()
        .enumerate()
        .filter_map(move |(offset, entry)| match &entry.record {
            Record::Call(record) => Some(Step {
                position: start + offset,
                thread: entry.thread,
                record,
            }),
            _ => None,
        })
}
