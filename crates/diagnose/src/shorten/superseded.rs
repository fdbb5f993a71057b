//! Entries of a trace's beginning that say nothing any more, since others after them do.

use cgsan_model::{Call, ExecId, ThreadId};
use cgsan_trace::{AddressChange, AgentEvent, Entry, Record, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::part::Lasts;

/// What was seen last of what later entries take the place of.
#[derive(Default)]
struct Last<'t> {
    /// By which mode of captures a thread is bound.
    exchanged: FxHashMap<ThreadId, usize>,
    updated: FxHashMap<ExecId, usize>,
    rank: Option<usize>,
    texts: FxHashSet<&'t str>,
    /// Where it was said that calls are seen, or not, with no call in between.
    looks: Vec<usize>,
}

/// Leaves such entries out of those that last. What lies in captures stays as it is.
pub(super) fn leave_out(trace: &Trace, lasts: &mut Lasts) {
    let mut last = Last::default();
    for index in 0..lasts.kept.len() {
        if !lasts.kept[index] {
            continue;
        }
        let entry = &trace.entries()[index];
        if lasts.is_in_capture[index] {
            last.looks.clear();
            continue;
        }
        if let Some(superseded) = last.see(index, entry) {
            lasts.kept[superseded] = false;
        }
    }
}

impl<'t> Last<'t> {
    /// Looks at the next entry. Gives the one that need not be kept any more, which may be itself.
    fn see(&mut self, index: usize, entry: &'t Entry) -> Option<usize> {
        match &entry.record {
            Record::Watched { .. } | Record::Ordered { .. } => self.look(index),
            Record::Call(call) => match call.call {
                Call::ThreadExchangeCaptureMode { .. } => {
                    self.exchanged.insert(entry.thread, index)
                }
                Call::GraphExecUpdate { exec, .. } => self.updated.insert(exec, index),
                _ => None,
            },
            Record::Agent { event, .. } => match event {
                AgentEvent::Rank(_) => self.rank.replace(index),
                // What the allocator holds is told once, for all of them.
                AgentEvent::Memory { .. } => Some(index),
                _ => None,
            },
            Record::Addresses(record) if record.what != AddressChange::Shared => Some(index),
            // The summary has them.
            Record::Fork { .. } => Some(index),
            Record::Note { text } => (!self.texts.insert(text)).then_some(index),
            _ => None,
        }
    }

    /// Of several in a row, the last four say it: off and on again, of each of the two kinds.
    fn look(&mut self, index: usize) -> Option<usize> {
        const SAY_IT: usize = 4;
        self.looks.push(index);
        (self.looks.len() > SAY_IT).then(|| self.looks.remove(0))
    }
}
