//! Entries on their way to the file.
#![expect(unsafe_code, reason = "asks the C library for the time")]

use std::io;
use std::path::Path;

use cgsan_model::ThreadId;
use cgsan_trace::{Entry, Record, format};

use crate::keep::Keep;
use crate::sink::Sink;
use crate::thread;

/// Encodes records and keeps the first error.
pub struct Writer {
    sink: Sink,
    /// What is to be done once the process uses CUDA, if a person wants to keep the trace.
    keep: Option<Keep>,
    buffer: Vec<u8>,
    /// The time of the records to come, once there is one: most of what is noted between windows makes none.
    time_ns: Option<u64>,
    thread: ThreadId,
    failure: Option<io::Error>,
    /// How many bytes the trace may have, if somebody limits it, and how many were written since the last gap: it is cut at gaps.
    limit: Option<u64>,
    since_gap: u64,
}

/// A limited trace has a gap after this part of the limit.
const GAP_AFTER: u64 = 8;

impl Writer {
    /// A writer into an empty trace, which may have so many bytes.
    pub fn new(mut sink: Sink, limit: Option<u64>) -> Writer {
        sink.limit(limit);
        Writer {
            sink,
            limit,
            since_gap: 0,
            keep: None,
            buffer: Vec::new(),
            time_ns: None,
            thread: ThreadId(0),
            failure: None,
        }
    }

    /// Says what is to be done once the process uses CUDA.
    pub fn keep(&mut self, keep: Option<Keep>) {
        self.keep = keep;
    }

    /// Sets the time and the thread of the records to come.
    pub fn stamp(&mut self) {
        self.stamp_as(thread::current_thread());
    }

    /// Sets the time of the records to come, which are of this thread.
    pub fn stamp_as(&mut self, thread: ThreadId) {
        self.time_ns = None;
        self.thread = thread;
    }

    /// Whether a gap is due, so that a trace which is limited can be cut there.
    pub fn needs_gap(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.since_gap > limit / GAP_AFTER)
    }

    /// Appends a record; after an error, none.
    pub fn append(&mut self, record: Record) {
        if self.failure.is_some() {
            return;
        }
        let keep = self.keep.take_if(|_| record.is_of_cuda());
        let is_gap = matches!(record, Record::Counted(_));
        let entry = Entry {
            time_ns: *self.time_ns.get_or_insert_with(now),
            thread: self.thread,
            record,
        };
        self.buffer.clear();
        format::encode(&entry, &mut self.buffer);
        self.since_gap = if is_gap {
            0
        } else {
            self.since_gap + self.buffer.len() as u64
        };
        self.failure = self.sink.append(&self.buffer).err();
        if let Some(keep) = keep {
            keep.begin(&mut self.sink);
        }
    }

    /// Gives back the room behind the last record. It may fail: nothing depends on it.
    pub fn trim(&mut self) {
        let _ = self.sink.trim();
    }

    /// The first error.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Marks in the file that recording stopped early.
    pub fn mark_stopped(&mut self) {
        self.sink.mark_stopped();
        let _ = self.sink.trim();
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.sink.path()
    }
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the struct lives on this stack. The clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
