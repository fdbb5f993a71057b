//! What happened in a process, as events.

use std::io::{self, Write};

use cgsan_diagnose::{Capture, Seen};
use cgsan_model::{Call, EventId, FunctionId, NodeKind, Stream, ThreadId};
use cgsan_trace::{AgentEvent, CallRecord, Entry, FrameId, Record, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Timeline;
use super::clock::Clock;
use super::event::{At, Event, Phase};
use super::tracks::Tracks;
use crate::events::bytes;
use crate::lines::Lines;
use crate::sheet::cut;

/// Writes a process.
pub(super) fn write<W: Write>(
    out: &mut Timeline<W>,
    trace: &Trace,
    seen: &Seen<'_, '_>,
    clock: Clock,
) -> io::Result<()> {
    let mut captures: Vec<Running> = seen.captures().map(Running::of).collect();
    let mut begins: FxHashMap<usize, usize> = FxHashMap::default();
    let mut ends: FxHashMap<usize, usize> = FxHashMap::default();
    for (index, running) in captures.iter().enumerate() {
        begins.insert(running.capture.began, index);
        ends.extend(running.capture.ended.map(|entry| (entry, index)));
    }
    let mut writer = Writer {
        tracks: Tracks::begin(out, trace)?,
        out,
        trace,
        seen,
        clock,
        lines: Lines::of(trace),
        operators: FxHashMap::default(),
        recorded: FxHashMap::default(),
        kernels: FxHashMap::default(),
        last_ns: trace.began_ns(),
    };
    for (index, entry) in trace.entries().iter().enumerate() {
        writer.last_ns = writer.last_ns.max(entry.time_ns);
        if let Some(capture) = begins.get(&index) {
            writer.begin_capture(*capture, &mut captures[*capture], entry)?;
        }
        writer.entry(index, entry, &mut captures)?;
        if let Some(capture) = ends.get(&index) {
            writer.end_capture(&mut captures[*capture], entry.time_ns)?;
        }
    }
    let end = writer.last_ns;
    for running in &mut captures {
        writer.end_capture(running, end)?;
    }
    writer.end_operators(end)
}

/// A capture, and the streams that take part so far.
struct Running {
    capture: Capture,
    /// What its slices are called.
    name: String,
    streams: FxHashSet<Stream>,
    /// The tracks on which a slice is open.
    open: Vec<u64>,
}

impl Running {
    fn of(capture: Capture) -> Running {
        Running {
            name: String::new(),
            capture,
            streams: FxHashSet::default(),
            open: Vec::new(),
        }
    }
}

/// Where a CUDA event was recorded last.
struct Recorded {
    stream: Stream,
    time_ns: u64,
    /// Whether the record has a mark already.
    is_marked: bool,
}

struct Writer<'a, 't, 'h, W: Write> {
    out: &'a mut Timeline<W>,
    tracks: Tracks,
    trace: &'t Trace,
    seen: &'a Seen<'h, 't>,
    clock: Clock,
    lines: Lines<'t>,
    /// How many operators are open on each thread.
    operators: FxHashMap<ThreadId, usize>,
    recorded: FxHashMap<EventId, Recorded>,
    kernels: FxHashMap<FunctionId, String>,
    last_ns: u64,
}

impl<W: Write> Writer<'_, '_, '_, W> {
    fn on_thread(&mut self, index: usize, entry: &Entry) -> io::Result<At> {
        let thread = entry.thread;
        let tid = self.tracks.thread(self.out, self.trace, thread, index)?;
        Ok(self.at(tid, entry.time_ns))
    }

    fn on_stream(&mut self, stream: Stream, time_ns: u64) -> io::Result<At> {
        let tid = self.tracks.stream(self.out, self.seen, stream)?;
        Ok(self.at(tid, time_ns))
    }

    fn at(&self, tid: u64, time_ns: u64) -> At {
        At {
            pid: self.tracks.pid,
            tid,
            ts: self.clock.time(time_ns),
        }
    }

    /// The line of the program, as `train.py:7`.
    fn place(&mut self, stack: Option<FrameId>) -> Option<String> {
        let line = self.lines.at(stack)?;
        Some(format!("{}:{}", line.file, line.location.line))
    }

    fn entry(&mut self, index: usize, entry: &Entry, captures: &mut [Running]) -> io::Result<()> {
        match &entry.record {
            Record::Call(call) => self.call(index, entry, call, captures),
            Record::OperatorBegin(operator) => {
                *self.operators.entry(entry.thread).or_default() += 1;
                let name = self.trace.string(operator.name);
                self.told(
                    Phase::B,
                    index,
                    entry,
                    name,
                    "operator",
                    operator.stack,
                    None,
                )
            }
            Record::OperatorEnd { .. } => {
                let open = self.operators.entry(entry.thread).or_default();
                if *open == 0 {
                    return Ok(());
                }
                *open -= 1;
                let at = self.on_thread(index, entry)?;
                self.out.write(&Event::new(Phase::E, at, "", ""))
            }
            Record::Operator { operator, .. } => {
                let name = self.trace.string(operator.name);
                let stack = operator.stack;
                self.told(Phase::Instant, index, entry, name, "operator", stack, None)
            }
            Record::Exception {
                type_name,
                message,
                stack,
            } => {
                let name = self.trace.string(*type_name);
                let text = Some(message.as_str());
                self.told(
                    Phase::Instant,
                    index,
                    entry,
                    name,
                    "exception",
                    *stack,
                    text,
                )
            }
            Record::Agent {
                event:
                    AgentEvent::Exception {
                        type_name, message, ..
                    },
                stack,
            } => {
                let text = Some(message.as_str());
                self.told(
                    Phase::Instant,
                    index,
                    entry,
                    type_name,
                    "exception",
                    *stack,
                    text,
                )
            }
            Record::Note { text } => self.told(
                Phase::Instant,
                index,
                entry,
                "note",
                "note",
                None,
                Some(text),
            ),
            _ => Ok(()),
        }
    }

    /// Something on the track of its thread.
    #[allow(clippy::too_many_arguments, reason = "each is a part of one event")]
    fn told(
        &mut self,
        phase: Phase,
        index: usize,
        entry: &Entry,
        name: &str,
        category: &'static str,
        stack: Option<FrameId>,
        text: Option<&str>,
    ) -> io::Result<()> {
        let at = self.on_thread(index, entry)?;
        let event = Event::new(phase, at, cut(name), category)
            .with_known("line", self.place(stack))
            .with_known("text", text.map(cut));
        self.out.write(&event)
    }

    /// A call: on its thread, and if it enqueues work, on its stream.
    fn call(
        &mut self,
        index: usize,
        entry: &Entry,
        call: &CallRecord,
        captures: &mut [Running],
    ) -> io::Result<()> {
        let stream = self.seen.stream_of(call);
        let capture = self.seen.capture_at(index);
        let at = self.on_thread(index, entry)?;
        let function = self.trace.string(call.function);
        let is_refused = call.result.is_capture_refusal();
        let name = if is_refused {
            format!("refused: {function}")
        } else {
            function.to_owned()
        };
        let category = if is_refused { "refusal" } else { "call" };
        let place = self.place(call.stack);
        let through = [call.runtime, call.library].map(|it| it.map(|it| self.trace.string(it)));
        let event = Event::new(Phase::Instant, at, &name, category)
            .with("result", call.result.driver_name().unwrap_or("unknown"))
            .with_known("stream", stream.map(|it| self.seen.stream_name(it)))
            .with_known("capture", capture.map(|it| it + 1))
            .with_known("bytes", bytes(&call.call))
            .with_known("runtime_function", through[0])
            .with_known("library_function", through[1])
            .with_known("line", place.clone());
        self.out.write(&event)?;
        if !call.result.is_success() {
            return Ok(());
        }
        let capture_of = capture.and_then(|it| captures.get_mut(it));
        match &call.call {
            Call::Work { stream, node } => {
                let what = self.work(node);
                self.mark(*stream, entry.time_ns, &what, "work", place)?;
            }
            Call::GraphLaunch { stream, .. } => {
                let what = match capture {
                    Some(capture) => format!("replay of graph {}", capture + 1),
                    None => "replay".to_owned(),
                };
                self.mark(*stream, entry.time_ns, &what, "replay", place)?;
            }
            Call::EventRecord { event, stream, .. } => {
                let recorded = Recorded {
                    stream: *stream,
                    time_ns: entry.time_ns,
                    is_marked: false,
                };
                self.recorded.insert(*event, recorded);
            }
            Call::StreamWaitEvent { event, stream, .. } => {
                if let Some(running) = capture_of {
                    self.wait(*event, *stream, entry.time_ns, running, place)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What work is.
    fn work(&mut self, node: &NodeKind) -> String {
        match node {
            NodeKind::Kernel { function, .. } => {
                let mangled = self.trace.function_name(*function).unwrap_or("kernel");
                let name = self.kernels.entry(*function);
                let name = name.or_insert_with(|| (self.out.kernel_name)(mangled));
                cut(name).to_owned()
            }
            NodeKind::Memcpy { .. } => "copy".to_owned(),
            NodeKind::Memset { .. } | NodeKind::MemsetRows { .. } => "fill".to_owned(),
            NodeKind::Host { .. } => "host function".to_owned(),
            NodeKind::MemAlloc { .. } => "allocation".to_owned(),
            NodeKind::MemFree { .. } => "free".to_owned(),
            _ => "work".to_owned(),
        }
    }

    /// A moment on a stream.
    fn mark(
        &mut self,
        stream: Stream,
        time_ns: u64,
        name: &str,
        category: &'static str,
        place: Option<String>,
    ) -> io::Result<()> {
        let at = self.on_stream(stream, time_ns)?;
        let mark = Event::new(Phase::X, at, name, category).with_known("line", place);
        self.out.write(&mark)
    }

    /// A stream waits for another one in a capture: an arrow from the record of the event to the wait. The first wait of a stream forks
    /// it.
    fn wait(
        &mut self,
        event: EventId,
        stream: Stream,
        time_ns: u64,
        running: &mut Running,
        place: Option<String>,
    ) -> io::Result<()> {
        let Some(recorded) = self.recorded.get_mut(&event) else {
            return Ok(());
        };
        let (from, recorded_ns) = (recorded.stream, recorded.time_ns);
        let is_marked = std::mem::replace(&mut recorded.is_marked, true);
        if from == stream {
            return Ok(());
        }
        let (kind, waited_ns) = if running.streams.insert(stream) {
            self.open(running, stream, time_ns)?;
            // Within the slice: of two that begin at one moment, viewers take either for the outer one.
            ("fork", time_ns.saturating_add(1))
        } else {
            ("join", time_ns)
        };
        if !is_marked {
            self.mark(from, recorded_ns, "event record", kind, None)?;
        }
        self.mark(stream, waited_ns, kind, kind, place)?;
        let arrow = self.out.next_arrow();
        let (begins, ends) = (
            self.on_stream(from, recorded_ns)?,
            self.on_stream(stream, waited_ns)?,
        );
        let begins = Event::new(Phase::ArrowBegins, begins, kind, kind);
        self.out.write(&begins.of_arrow(arrow))?;
        let ends = Event::new(Phase::ArrowEnds, ends, kind, kind);
        self.out.write(&ends.of_arrow(arrow))
    }

    fn begin_capture(
        &mut self,
        index: usize,
        running: &mut Running,
        entry: &Entry,
    ) -> io::Result<()> {
        let outcome = running.capture.outcome.name();
        running.name = format!("capture {} ({outcome})", index + 1);
        let origin = match &entry.record {
            Record::Call(call) => self.seen.stream_of(call),
            _ => None,
        };
        if let Some(origin) = origin {
            running.streams.insert(origin);
            self.open(running, origin, entry.time_ns)?;
        }
        Ok(())
    }

    /// Begins the slice of a capture on a stream.
    fn open(&mut self, running: &mut Running, stream: Stream, time_ns: u64) -> io::Result<()> {
        let at = self.on_stream(stream, time_ns)?;
        running.open.push(at.tid);
        let capture = &running.capture;
        let place = capture.location.as_ref();
        let event = Event::new(Phase::B, at, &running.name, "capture")
            .with("mode", capture.mode)
            .with("replays", capture.replays)
            .with("refused_calls", capture.refused.len())
            .with_known("line", place.map(cgsan_finding::Location::short));
        self.out.write(&event)
    }

    /// Ends the slices of a capture, if they are still open.
    fn end_capture(&mut self, running: &mut Running, time_ns: u64) -> io::Result<()> {
        for tid in running.open.drain(..) {
            let at = self.at(tid, time_ns);
            self.out.write(&Event::new(Phase::E, at, "", ""))?;
        }
        Ok(())
    }

    /// Ends the operators in which the trace ends.
    fn end_operators(&mut self, time_ns: u64) -> io::Result<()> {
        let mut open: Vec<_> = self.operators.drain().collect();
        open.sort_unstable();
        for (thread, count) in open {
            for _ in 0..count {
                let at = self.at(u64::from(thread.0), time_ns);
                self.out.write(&Event::new(Phase::E, at, "", ""))?;
            }
        }
        Ok(())
    }
}
