//! Recorded calls and their places in the trace.

use std::ops::Range;

use cgsan_model::{Code, ThreadId};
use cgsan_trace::{CallRecord, Record, Trace};

/// A recorded call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'t> {
    /// The index of its entry in the trace.
    pub(crate) position: usize,
    pub(crate) thread: ThreadId,
    pub(crate) record: &'t CallRecord,
}

impl Step<'_> {
    /// Whether it did not do what it was asked. "Not ready" is an answer to a query and no failure.
    pub(crate) fn failed(&self) -> bool {
        !matches!(self.record.result, Code::SUCCESS | Code::NOT_READY)
    }
}

/// The call at a place of a trace, if one is there.
pub(crate) fn at(trace: &Trace, position: usize) -> Option<Step<'_>> {
    steps(trace, position..position.checked_add(1)?).next()
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
