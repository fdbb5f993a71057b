//! Which operator of PyTorch the program called, of those that call each other.

use cgsan_model::ThreadId;
use cgsan_trace::{OperatorRecord, Record};

use super::History;

impl<'t> History<'t> {
    /// The outermost operator that a thread is inside of at a position, as far as it began after another position.
    pub(crate) fn called_operator(
        &self,
        thread: ThreadId,
        after: usize,
        position: usize,
    ) -> Option<&'t OperatorRecord> {
        let entries = self.trace.entries().get(after..position)?.iter();
        let mut ended = 0_usize;
        let mut outermost = None;
        for entry in entries.rev().filter(|entry| entry.thread == thread) {
            match &entry.record {
                Record::OperatorEnd { .. } => ended += 1,
                Record::OperatorBegin(operator) => match ended.checked_sub(1) {
                    Some(rest) => ended = rest,
                    None => outermost = Some(operator),
                },
                _ => {}
            }
        }
        outermost
    }
}
