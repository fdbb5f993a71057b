//! How readers fill a timeline.

use rustc_hash::FxHashMap;

use crate::frames::{Frame, Place};
use crate::{Call, CallKind, Lack, NameId, Operator, Range, Span, ThreadId, Timeline, Work};

/// The most rows that a table keeps: what a file has beyond is counted and left out, so that no file takes all memory.
const MOST_ROWS: usize = 6 << 20;

/// The names of operators that are kept wherever they stand: they say what compiled code and gradients do.
const KEPT: [&str; 4] = [
    "Torch-Compiled Region",
    "## Call CompiledFxGraph",
    "CompiledFunction",
    "AccumulateGrad",
];

/// Takes what a reader finds, in any order, and makes a [`Timeline`] of it.
#[derive(Debug, Default)]
pub struct Builder {
    /// What was found.
    timeline: Timeline,
    threads: FxHashMap<(u64, u64), ThreadId>,
    /// Of each thread: the end of the last operator that no other one called.
    outermost: Vec<u64>,
    /// Of each name that a frame or an operator had: whether it is kept.
    wanted: Vec<Option<bool>>,
    /// The executable graphs that work named, by correlation.
    graphs: FxHashMap<u32, u32>,
    left_out: u64,
    /// The processes of the host that made calls, with how many.
    processes: Vec<(u64, u64)>,
}

impl Builder {
    /// An empty one, for a file of this kind.
    pub fn new(source: crate::Source) -> Self {
        let timeline = Timeline {
            source,
            ..Timeline::default()
        };
        Self {
            timeline,
            ..Self::default()
        }
    }

    /// The id of a name in bytes.
    pub fn name(&mut self, name: &[u8]) -> NameId {
        self.timeline.names.id_of_bytes(name)
    }

    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.timeline.names.text(name)
    }

    /// The thread of a process, by the system's numbers.
    pub fn thread(&mut self, process: u64, thread: u64) -> ThreadId {
        let next = u16::try_from(self.threads.len()).unwrap_or(u16::MAX);
        if next == u16::MAX {
            return ThreadId(next);
        }
        *self
            .threads
            .entry((process, thread))
            .or_insert(ThreadId(next))
    }

    /// The name of a device.
    pub fn device(&mut self, number: u16, name: String) {
        let devices = &mut self.timeline.devices;
        if devices.len() < 64 && devices.iter().all(|(it, _)| *it != number) {
            devices.push((number, name));
        }
    }

    /// Where the times of the file begin, in nanoseconds since 1970.
    pub fn base(&mut self, unix_ns: u64) {
        self.timeline.base_unix_ns = unix_ns;
    }

    /// Something that the file does not have.
    pub fn lack(&mut self, lack: Lack) {
        if !self.timeline.lacks.contains(&lack) {
            self.timeline.lacks.push(lack);
        }
    }

    /// A call of a process. `correlation` connects it with its work.
    pub fn call(
        &mut self,
        span: Span,
        name: NameId,
        kind: CallKind,
        (process, thread): (u64, u64),
        correlation: u32,
    ) {
        match self.processes.iter().position(|it| it.0 == process) {
            Some(at) => self.processes[at].1 += 1,
            None if self.processes.len() < 64 => self.processes.push((process, 1)),
            None => {}
        }
        let thread = self.thread(process, thread);
        let call = Call {
            span,
            name,
            correlation,
            graph: None,
            thread,
            kind,
        };
        self.left_out += add(&mut self.timeline.calls, call);
    }

    /// A piece of work, whose `call` is its correlation. `graph` is the executable graph that did it, if the file names one.
    pub fn work(&mut self, work: Work, graph: Option<u32>) {
        if let (Some(graph), Some(correlation)) = (graph, work.call) {
            self.graph(correlation, graph);
        }
        self.left_out += add(&mut self.timeline.work, work);
    }

    /// The executable graph that the replay of this correlation launches.
    pub fn graph(&mut self, correlation: u32, graph: u32) {
        if self.graphs.len() < MOST_ROWS {
            self.graphs.insert(correlation, graph);
        }
    }

    /// A range that the program named.
    pub fn range(&mut self, span: Span, name: NameId, thread: ThreadId) {
        let range = Range { span, name, thread };
        self.left_out += add(&mut self.timeline.ranges, range);
    }

    /// An operator. One that another one calls is not kept; files name the outer one first.
    pub fn operator(&mut self, span: Span, name: NameId, thread: ThreadId) {
        let index = usize::from(thread.0);
        if self.outermost.len() <= index {
            self.outermost.resize(index + 1, 0);
        }
        let end = &mut self.outermost[index];
        if span.start >= *end {
            *end = span.end;
        } else if !self.is_wanted(name, |text| KEPT.iter().any(|it| text.contains(it))) {
            return;
        }
        let operator = Operator { span, name, thread };
        self.left_out += add(&mut self.timeline.operators, operator);
    }

    /// A Python function; those of libraries are not kept.
    pub fn frame(&mut self, span: Span, name: NameId, thread: ThreadId) {
        let is_of_program =
            |text: &str| Place::of(text).is_some_and(|place| !place.is_of_library());
        if self.is_wanted(name, is_of_program) {
            let frame = Frame { span, name, thread };
            self.left_out += add(&mut self.timeline.frames, frame);
        }
    }

    fn is_wanted(&mut self, name: NameId, decide: impl FnOnce(&str) -> bool) -> bool {
        let index = name.index();
        if self.wanted.len() <= index {
            self.wanted.resize(index + 1, None);
        }
        let text = self.timeline.names.text(name);
        *self.wanted[index].get_or_insert_with(|| decide(text))
    }

    /// The timeline: in order, and with work connected to its calls.
    pub fn finish(mut self) -> Timeline {
        let timeline = &mut self.timeline;
        timeline.calls.sort_unstable_by_key(|it| {
            (
                it.span.start,
                std::cmp::Reverse(it.span.end),
                it.correlation,
            )
        });
        drop_inner_calls(&mut timeline.calls);
        connect(timeline, &self.graphs);
        timeline
            .work
            .sort_unstable_by_key(|it| (it.span, it.device, it.stream, it.name));
        let by_begin = |it: &Range| (it.span.start, std::cmp::Reverse(it.span.end), it.name);
        timeline.ranges.sort_unstable_by_key(by_begin);
        timeline.operators.sort_unstable_by_key(by_begin);
        timeline
            .frames
            .sort_unstable_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end), it.name));
        timeline.devices.sort();
        if self.left_out > 0 {
            timeline.lacks.push(Lack::Events(self.left_out));
        }
        let most = self.processes.iter().max_by_key(|it| it.1);
        timeline.process = most.map(|it| it.0);
        if self.processes.len() > 1 {
            let others = self.processes.len() as u64 - 1;
            timeline.lacks.push(Lack::Processes(others));
        }
        for (is_lacking, lack) in [
            (timeline.work.is_empty(), Lack::Work),
            (timeline.calls.is_empty(), Lack::Calls),
            (timeline.frames.is_empty(), Lack::Stacks),
        ] {
            if is_lacking {
                timeline.lacks.push(lack);
            }
        }
        self.timeline
    }
}

/// Adds a row; gives how many were left out. Tables grow by a quarter: twice the size would be twice the memory.
fn add<T>(rows: &mut Vec<T>, row: T) -> u64 {
    if rows.len() >= MOST_ROWS {
        return 1;
    }
    if rows.len() == rows.capacity() {
        rows.reserve_exact((rows.len() / 4).max(1024));
    }
    rows.push(row);
    0
}

/// Drops a call of the driver that a call of the runtime made: both have one correlation, and are one launch.
fn drop_inner_calls(calls: &mut Vec<Call>) {
    let mut outer: FxHashMap<ThreadId, (Span, u32)> = FxHashMap::default();
    calls.retain(|call| {
        let last = outer.entry(call.thread).or_default();
        let is_inner =
            call.correlation != 0 && last.1 == call.correlation && last.0.covers(call.span);
        if !is_inner {
            *last = (call.span, call.correlation);
        }
        !is_inner
    });
}

/// Puts the index of the call in the place of the correlation of each piece of work.
fn connect(timeline: &mut Timeline, graphs: &FxHashMap<u32, u32>) {
    let calls = &mut timeline.calls;
    let mut index: Vec<(u32, u32)> = Vec::with_capacity(calls.len());
    for (at, call) in calls.iter_mut().enumerate() {
        if call.kind == CallKind::Replay {
            call.graph = graphs.get(&call.correlation).copied();
        }
        if call.correlation != 0 {
            index.push((call.correlation, u32::try_from(at).unwrap_or(u32::MAX)));
        }
    }
    index.sort_unstable();
    for work in &mut timeline.work {
        work.call = work.call.and_then(|correlation| {
            let at = index.partition_point(|it| it.0 < correlation);
            let found = index.get(at)?;
            (found.0 == correlation).then_some(found.1)
        });
    }
}
