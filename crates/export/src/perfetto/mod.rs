//! Traces as time lines for Perfetto and other viewers, in Chrome's Trace Event Format (JSON): the format of `torch.profiler`, on the
//! same clock, so that both can be looked at together.
//!
//! | file | what it is |
//! |---|---|
//! | `event` | one event of the format |
//! | `clock` | moments of a trace as the profiler counts them |
//! | `tracks` | a track for each thread and each stream |
//! | `process` | what happened in a process, as events |
//!
//! Events are written as they come. In memory are the tracks, the names of kernels, and where each CUDA event was recorded last.

mod clock;
mod event;
mod process;
mod tracks;

use std::io::{self, Write};

use cgsan_diagnose::Seen;
use cgsan_trace::Trace;

use event::Event;

/// A time line, while it is written.
#[derive(Debug)]
pub struct Timeline<W: Write> {
    out: W,
    /// The moment from which times count, in nanoseconds since the Unix epoch; known from the first process on.
    base_ns: Option<u64>,
    processes: usize,
    events: u64,
    /// How many arrows there were: each has a number of its own.
    arrows: u64,
    kernel_name: fn(&str) -> String,
}

impl<W: Write> Timeline<W> {
    /// Of no process yet, to be written into `out`. Kernels are called what `kernel_name` makes of their mangled names.
    pub fn begin(out: W, kernel_name: fn(&str) -> String) -> Self {
        Timeline {
            out,
            base_ns: None,
            processes: 0,
            events: 0,
            arrows: 0,
            kernel_name,
        }
    }

    /// Adds a process.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn add(&mut self, trace: &Trace, seen: &Seen<'_, '_>) -> io::Result<()> {
        let clock = clock::Clock::of(trace, self.base_ns);
        if self.base_ns.is_none() {
            self.head(clock.base_ns())?;
        }
        process::write(self, trace, seen, clock)?;
        self.processes += 1;
        Ok(())
    }

    /// Ends it, and gives the file back.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.base_ns.is_none() {
            self.head(0)?;
        }
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// All before the first event.
    fn head(&mut self, base_ns: u64) -> io::Result<()> {
        self.base_ns = Some(base_ns);
        write!(
            self.out,
            "{{\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": {base_ns}, \"traceEvents\": ["
        )
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let separator: &[u8] = if self.events == 0 { b"\n" } else { b",\n" };
        self.out.write_all(separator)?;
        self.events += 1;
        serde_json::to_writer(&mut self.out, event)?;
        Ok(())
    }

    /// A number for an arrow.
    fn next_arrow(&mut self) -> u64 {
        self.arrows += 1;
        self.arrows
    }
}
