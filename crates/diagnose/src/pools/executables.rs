//! The executable graphs of captures: where they were destroyed, and what they took from the driver.

use cgsan_model::{Call, ExecId, GraphId};
use cgsan_trace::{CallRecord, Record};
use rustc_hash::FxHashMap;

use crate::history::{CaptureRun, History};

/// The executable graphs of captures, which are named by their indices among [`History::captures`].
#[derive(Default)]
pub(super) struct Executables {
    /// Where the last one of a capture was destroyed.
    destroyed: FxHashMap<usize, usize>,
    /// What one took from the driver, in bytes; of several, the most.
    taken: FxHashMap<usize, u64>,
}

impl Executables {
    pub(super) fn new(history: &History<'_>) -> Executables {
        let mut found = Executables::default();
        let mut handles = Handles::default();
        let ended =
            |(index, run): (usize, &CaptureRun<'_>)| run.ended.map(|ended| (ended.position, index));
        let captures = history.captures.iter().enumerate();
        let ends: FxHashMap<usize, usize> = captures.filter_map(ended).collect();
        for (position, entry) in history.trace.entries().iter().enumerate() {
            match &entry.record {
                Record::Call(record) => {
                    if let Some(capture) = handles.see(record, ends.get(&position)) {
                        found.destroyed.insert(capture, position);
                    }
                }
                Record::ExecutableMemory {
                    exec,
                    before,
                    after,
                } => {
                    if let Some((capture, taken)) = handles.execs.get_mut(exec) {
                        // Free memory may grow: other threads and processes give some back.
                        *taken = taken.saturating_add(before.saturating_sub(*after));
                        let most = found.taken.entry(*capture).or_default();
                        *most = (*most).max(*taken);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Where the executable graph of a capture was destroyed: a place in the trace.
    pub(super) fn destroyed(&self, capture: usize) -> Option<usize> {
        self.destroyed.get(&capture).copied()
    }

    /// What the executable graph of a capture took from the driver, in bytes, if that was measured.
    pub(super) fn taken(&self, capture: usize) -> Option<u64> {
        self.taken.get(&capture).copied()
    }
}

/// Which capture a handle stands for at a place of the trace: handles are used again.
#[derive(Default)]
struct Handles {
    graphs: FxHashMap<GraphId, usize>,
    /// With what they took until then.
    execs: FxHashMap<ExecId, (usize, u64)>,
}

impl Handles {
    /// A call was made; `ended` is the capture that ends with it. The capture whose executable graph it destroys.
    fn see(&mut self, record: &CallRecord, ended: Option<&usize>) -> Option<usize> {
        match &record.call {
            Call::StreamEndCapture { graph, .. } if record.result.is_success() => {
                if let Some(capture) = ended {
                    self.graphs.insert(*graph, *capture);
                }
                None
            }
            Call::GraphInstantiate { graph, exec, .. } if record.result.is_success() => {
                if let Some(capture) = self.graphs.get(graph) {
                    self.execs.insert(*exec, (*capture, 0));
                }
                None
            }
            Call::GraphExecDestroy { exec } => self.execs.remove(exec).map(|(capture, _)| capture),
            _ => None,
        }
    }
}
