//! A track for each thread and each stream.

use std::io::{self, Write};

use cgsan_diagnose::Seen;
use cgsan_model::{Stream, ThreadId};
use cgsan_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Timeline;
use super::event::Event;

/// Processes are numbered from here on: beyond the ids that Linux gives, so that a profile of the same process keeps its own tracks.
const FIRST_PROCESS: u64 = 1 << 30;
/// The same for the tracks of streams, beyond the ids of threads.
const FIRST_STREAM: u64 = 1 << 24;

/// The tracks of a process, each of which is named when it is first used.
pub(super) struct Tracks {
    /// The number of the process.
    pub(super) pid: u64,
    threads: FxHashSet<ThreadId>,
    streams: FxHashMap<Stream, u64>,
}

impl Tracks {
    /// Those of the next process, which is given a name.
    pub(super) fn begin<W: Write>(out: &mut Timeline<W>, trace: &Trace) -> io::Result<Tracks> {
        let process = trace.process();
        let pid = FIRST_PROCESS + out.processes as u64;
        let rank = process.rank.map(|rank| format!(", rank {rank}"));
        let host = process.host.as_ref().map(|host| format!(" on {host}"));
        let name = format!(
            "cgsan: process {}{}{}: {}",
            process.pid,
            rank.unwrap_or_default(),
            host.unwrap_or_default(),
            process.arguments.join(" ")
        );
        let name = crate::sheet::cut(&name).into();
        out.write(&Event::about(pid, 0, "process_name", "name", name))?;
        Ok(Tracks {
            pid,
            threads: FxHashSet::default(),
            streams: FxHashMap::default(),
        })
    }

    /// The track of a thread.
    pub(super) fn thread<W: Write>(
        &mut self,
        out: &mut Timeline<W>,
        trace: &Trace,
        thread: ThreadId,
        entry: usize,
    ) -> io::Result<u64> {
        let tid = u64::from(thread.0);
        if self.threads.insert(thread) {
            let name = trace.thread_name_at(thread, entry).unwrap_or("thread");
            let name = format!("{name} ({tid})").into();
            out.write(&Event::about(self.pid, tid, "thread_name", "name", name))?;
        }
        Ok(tid)
    }

    /// The track of a stream. Those of streams come below those of threads, in the order of their use.
    pub(super) fn stream<W: Write>(
        &mut self,
        out: &mut Timeline<W>,
        seen: &Seen<'_, '_>,
        stream: Stream,
    ) -> io::Result<u64> {
        if let Some(tid) = self.streams.get(&stream) {
            return Ok(*tid);
        }
        let tid = FIRST_STREAM + self.streams.len() as u64;
        self.streams.insert(stream, tid);
        let name = seen.stream_name(stream).into();
        out.write(&Event::about(self.pid, tid, "thread_name", "name", name))?;
        let (order, index) = ("thread_sort_index", "sort_index");
        out.write(&Event::about(self.pid, tid, order, index, tid.into()))?;
        Ok(tid)
    }
}
