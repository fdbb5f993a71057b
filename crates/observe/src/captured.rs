//! The memory that captures touch: what they read from outside, and what they allocate.

use cgsan_model::{Call, CopyKind, NodeKind, ThreadId};
use rustc_hash::FxHashMap;

use crate::blocks::Ranges;

/// Memory that a capture has to do with, as the agent is told (`cgsan_capture_storages`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// Its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// 0 if captured operators read it and it was there before the capture, 1 if it was allocated during the capture and is
    /// still alive at its end, 2 if it is memory of the host that a captured copy reads, 3 if it was there before the capture and
    /// captured operators copy into it, or only overwrite it, 4 if it is memory of the host that a captured copy writes.
    pub kind: u32,
    /// Nothing.
    pub reserved: u32,
}

/// Read by captured operators, and there before the capture.
pub const READ: u32 = 0;
/// Allocated during the capture, and still alive at its end.
pub const ALLOCATED: u32 = 1;
/// Memory of the host that a captured copy reads.
pub const HOST_SOURCE: u32 = 2;
/// There before the capture; captured operators copy into it, or overwrite it and read it nowhere.
pub const COPIED_INTO: u32 = 3;
/// Memory of the host that a captured copy writes.
pub const HOST_RESULT: u32 = 4;

/// The captures that run, and what the last one of each thread has to do with.
#[derive(Debug, Default)]
pub struct Captured {
    running: Vec<Running>,
    ended: FxHashMap<ThreadId, Vec<Storage>>,
}

#[derive(Debug)]
struct Running {
    thread: ThreadId,
    touched: Ranges,
    copied_into: Ranges,
    overwritten: Ranges,
    /// What operators were given that they did not overwrite.
    used: Ranges,
    allocated: Ranges,
    /// Addresses that were allocated at some time: what lay there is not from outside.
    own: Ranges,
    host: Ranges,
    host_results: Ranges,
}

impl Captured {
    /// Whether a capture runs.
    pub fn any(&self) -> bool {
        !self.running.is_empty()
    }

    /// A capture begins on a thread.
    pub fn begin(&mut self, thread: ThreadId) {
        self.ended.remove(&thread);
        self.running.push(Running {
            thread,
            touched: Ranges::default(),
            copied_into: Ranges::default(),
            overwritten: Ranges::default(),
            used: Ranges::default(),
            allocated: Ranges::default(),
            own: Ranges::default(),
            host: Ranges::default(),
            host_results: Ranges::default(),
        });
    }

    /// The thread's capture ends, well or badly. Returns what it has to do with.
    pub fn end(&mut self, thread: ThreadId) -> &[Storage] {
        let Some(at) = self.running.iter().rposition(|it| it.thread == thread) else {
            return &[];
        };
        let run = self.running.swap_remove(at);
        let of = |kind: u32, (address, bytes)| Storage {
            address,
            bytes,
            kind,
            reserved: 0,
        };
        let from_outside = run
            .touched
            .iter()
            .filter(|(address, _)| !run.own.contains(*address));
        let mut storages: Vec<Storage> = from_outside
            .map(|range| {
                let is_result = run.overwritten.contains(range.0) && !run.used.contains(range.0);
                let is_buffer = is_result || run.copied_into.contains(range.0);
                of(if is_buffer { COPIED_INTO } else { READ }, range)
            })
            .collect();
        storages.extend(run.allocated.iter().map(|range| of(ALLOCATED, range)));
        storages.extend(run.host.iter().map(|range| of(HOST_SOURCE, range)));
        storages.extend(run.host_results.iter().map(|range| of(HOST_RESULT, range)));
        self.ended.insert(thread, storages);
        &self.ended[&thread]
    }

    /// What the last capture that the thread ended has to do with.
    pub fn of(&self, thread: ThreadId) -> &[Storage] {
        self.ended.get(&thread).map_or(&[], Vec::as_slice)
    }

    /// Work was enqueued inside an operator that was given a storage.
    pub fn touch(&mut self, thread: ThreadId, for_others: bool, address: u64, bytes: u64) {
        if let Some(run) = self.of_thread(thread, for_others) {
            run.touched.insert(address, bytes);
        }
    }

    /// Work was enqueued inside an operator that copies into a storage.
    pub fn copy_into(&mut self, thread: ThreadId, for_others: bool, address: u64, bytes: u64) {
        if let Some(run) = self.of_thread(thread, for_others) {
            run.copied_into.insert(address, bytes);
        }
    }

    /// An operator that enqueued work has ended, which was given a storage, and gave it new contents or not.
    pub fn use_storage(
        &mut self,
        thread: ThreadId,
        for_others: bool,
        (address, bytes): (u64, u64),
        is_overwritten: bool,
    ) {
        if let Some(run) = self.of_thread(thread, for_others) {
            let ranges = if is_overwritten {
                &mut run.overwritten
            } else {
                &mut run.used
            };
            ranges.insert(address, bytes);
        }
    }

    /// Work was enqueued.
    pub fn work(&mut self, thread: ThreadId, for_others: bool, call: &Call) {
        let Call::Work {
            node:
                NodeKind::Memcpy {
                    kind,
                    src,
                    dst,
                    bytes,
                },
            ..
        } = call
        else {
            return;
        };
        let Some(run) = self.of_thread(thread, for_others) else {
            return;
        };
        match kind {
            CopyKind::HostToDevice(_) => run.host.insert(*src, *bytes),
            CopyKind::DeviceToHost(_) => run.host_results.insert(*dst, *bytes),
            _ => {}
        }
    }

    /// A block was given out.
    pub fn allocate(&mut self, thread: ThreadId, for_others: bool, address: u64, bytes: u64) {
        if let Some(run) = self.of_thread(thread, for_others) {
            run.allocated.insert(address, bytes);
            run.own.insert(address, bytes);
        }
    }

    /// A block was taken back.
    pub fn free(&mut self, address: u64) {
        for run in &mut self.running {
            run.allocated.remove(address);
        }
    }

    /// The capture that a thread works for: its own, or that of the thread that waits for a thread of autograd.
    fn of_thread(&mut self, thread: ThreadId, for_others: bool) -> Option<&mut Running> {
        let own = self.running.iter().rposition(|it| it.thread == thread);
        let at = own.or_else(|| (for_others && !self.running.is_empty()).then_some(0))?;
        self.running.get_mut(at)
    }
}
