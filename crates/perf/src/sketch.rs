//! Timelines for tests, drawn by hand: a host that launches, and streams that work one piece after the other.

use cgsan_timeline::{Builder, CallKind, NameId, Source, Span, Timeline, Work, WorkKind};
use rustc_hash::FxHashMap;

use crate::{Device, Input, Options, Performance, analyse};

/// From the begin of a launch to the earliest begin of its work.
const LATENCY: u64 = 3_000;

/// A timeline that is being drawn. All times are in nanoseconds.
pub(crate) struct Sketch {
    builder: Builder,
    /// What time it is on the host.
    pub(crate) now: u64,
    /// Of each stream: when it is done.
    streams: FxHashMap<u32, u64>,
    correlation: u32,
    thread: u64,
}

impl Sketch {
    pub(crate) fn new() -> Self {
        Self {
            builder: Builder::new(Source::Profiler),
            now: 1_000_000,
            streams: FxHashMap::default(),
            correlation: 0,
            thread: 1,
        }
    }

    fn name(&mut self, name: &str) -> NameId {
        self.builder.name(name.as_bytes())
    }

    /// The host does something else.
    pub(crate) fn host(&mut self, length: u64) -> &mut Self {
        self.now += length;
        self
    }

    /// What follows is done by the thread of autograd, or by the main one again.
    pub(crate) fn thread(&mut self, thread: u64) -> &mut Self {
        self.thread = thread;
        self
    }

    fn call(&mut self, function: &str, length: u64) {
        self.correlation += 1;
        let kind = CallKind::of(function).expect("a function that launches or waits");
        let name = self.name(function);
        let span = Span::new(self.now, length);
        self.builder
            .call(span, name, kind, (1, self.thread), self.correlation);
    }

    /// Work of the last call, behind what its stream does, and not before `earliest`.
    fn work(&mut self, name: &str, kind: WorkKind, stream: u32, earliest: u64, length: u64) -> u64 {
        let name = self.name(name);
        let free = self.streams.entry(stream).or_default();
        let span = Span::new(earliest.max(*free), length);
        *free = span.end;
        let work = Work {
            span,
            bytes: 0,
            name,
            call: Some(self.correlation),
            stream,
            device: 0,
            kind,
        };
        self.builder.work(work, None);
        span.end
    }

    /// A kernel, launched in 5 µs.
    pub(crate) fn kernel(&mut self, name: &str, length: u64) -> &mut Self {
        self.kernel_on(7, name, length)
    }

    /// A kernel on a stream.
    pub(crate) fn kernel_on(&mut self, stream: u32, name: &str, length: u64) -> &mut Self {
        self.call("cudaLaunchKernel", 5_000);
        self.work(name, WorkKind::Kernel, stream, self.now + LATENCY, length);
        self.host(5_000)
    }

    /// A stream waits for what another one has so far.
    pub(crate) fn follow(&mut self, stream: u32, other: u32) -> &mut Self {
        let done = self.streams.get(&other).copied().unwrap_or(0);
        let free = self.streams.entry(stream).or_default();
        *free = done.max(*free);
        self
    }

    /// A copy from pinned memory.
    pub(crate) fn copy_on(&mut self, stream: u32, length: u64) -> &mut Self {
        self.call("cudaMemcpyAsync", 5_000);
        let earliest = self.now + LATENCY;
        self.work("Memcpy HtoD", WorkKind::FromHost, stream, earliest, length);
        self.host(5_000)
    }

    /// A replay of kernels, with this much between them.
    pub(crate) fn replay(&mut self, nodes: &[(&str, u64)], gap: u64) -> &mut Self {
        self.call("cudaGraphLaunch", 8_000);
        let mut earliest = self.now + LATENCY;
        for (name, length) in nodes {
            earliest = gap + self.work(name, WorkKind::Kernel, 7, earliest, *length);
        }
        self.host(8_000)
    }

    /// The host waits until all is done.
    pub(crate) fn wait(&mut self) -> &mut Self {
        let done = self.streams.values().copied().max().unwrap_or(0);
        let length = done.saturating_sub(self.now) + 2_000;
        self.call("cudaDeviceSynchronize", length);
        self.host(length)
    }

    /// What `during` draws, in a range of the program's.
    pub(crate) fn range(&mut self, name: &str, during: impl FnOnce(&mut Self)) -> &mut Self {
        self.around(name, during, Builder::range)
    }

    /// What `during` draws, in an operator.
    pub(crate) fn operator(&mut self, name: &str, during: impl FnOnce(&mut Self)) -> &mut Self {
        self.around(name, during, Builder::operator)
    }

    /// What `during` draws, in a Python function.
    pub(crate) fn frame(&mut self, name: &str, during: impl FnOnce(&mut Self)) -> &mut Self {
        self.around(name, during, Builder::frame)
    }

    fn around(
        &mut self,
        name: &str,
        during: impl FnOnce(&mut Self),
        add: impl FnOnce(&mut Builder, Span, NameId, cgsan_timeline::ThreadId),
    ) -> &mut Self {
        let begin = self.now;
        let thread = self.builder.thread(1, self.thread);
        during(self);
        let name = self.name(name);
        let span = Span::new(begin, self.now - begin);
        add(&mut self.builder, span, name, thread);
        self
    }

    /// The timeline.
    pub(crate) fn done(self) -> Timeline {
        self.builder.finish()
    }
}

/// Eight marked steps of the same.
pub(crate) fn steps(draw: impl Fn(&mut Sketch)) -> Timeline {
    let mut sketch = Sketch::new();
    for number in 0..8 {
        sketch.range(&format!("ProfilerStep#{number}"), |it| draw(it));
    }
    sketch.done()
}

/// What is said of a timeline.
pub(crate) fn judged(timeline: Timeline) -> Performance {
    let input = Input {
        timelines: &[timeline],
        lines: None,
        undisturbed_steps: &[],
        device: Device::h100(),
    };
    analyse(&input, &Options::default())
}

/// The ids that are found in a timeline of eight steps.
pub(crate) fn found(draw: impl Fn(&mut Sketch)) -> Vec<&'static str> {
    let performance = judged(steps(draw));
    performance.findings.iter().map(|it| it.id).collect()
}
