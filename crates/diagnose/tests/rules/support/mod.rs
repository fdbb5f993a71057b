//! Programs in miniature: calls are made to the model, and recorded with its answers as a watched process would.

mod describe;
mod replays;

pub(crate) use describe::{describe, observed};
pub(crate) use replays::{autocast_exits, exec, host, sized, tensor};

use std::collections::BTreeMap;

use cgsan_diagnose::diagnose;
use cgsan_finding::Report;
use cgsan_model::{
    Call, CaptureMode, Code, CopyKind, Device, EventId, FunctionId, GraphId, HostMemory, Model,
    NodeKind, Restricted, Stream, ThreadId,
};
use cgsan_trace::{
    AgentEvent, AutogradNode, CallRecord, CodeId, Entry, FrameId, ProcessInfo, Record, StackFrame,
    StringId, Trace, format,
};

/// The main thread of every program.
pub(crate) const MAIN: ThreadId = ThreadId(100);

pub(crate) const DEVICE: Device = Device(0);
pub(crate) const LEGACY: Stream = Stream::Legacy(DEVICE);
/// The stream that [`Program::begin_graph`] captures on.
pub(crate) const ORIGIN: Stream = Stream::Created(0x10);
pub(crate) const SIDE: Stream = Stream::Created(0x20);
pub(crate) const DEEP: Stream = Stream::Created(0x30);

/// The frames that entering `torch.cuda.graph` adds to the user's.
const ENTER: &str = "torch/cuda/graphs.py:250 graph.__enter__";
const EXIT: &str = "torch/cuda/graphs.py:270 graph.__exit__";
const CAPTURE_BEGIN: &str = "torch/cuda/graphs.py:110 CUDAGraph.capture_begin";
const CAPTURE_END: &str = "torch/cuda/graphs.py:120 CUDAGraph.capture_end";

/// A program as it runs.
pub(crate) struct Program {
    entries: Vec<Entry>,
    model: Model,
    thread: ThreadId,
    /// The current Python stack, outermost frame first.
    stack: Vec<String>,
    library: Option<String>,
    autograd_sequence: Option<u64>,
    strings: BTreeMap<String, StringId>,
    codes: BTreeMap<(StringId, StringId), CodeId>,
    frames: BTreeMap<(Option<FrameId>, CodeId, u32), FrameId>,
    events: u64,
    /// What the last call was answered.
    pub(crate) last: Code,
}

impl Program {
    /// A program with a stream to capture on and two more, whose main thread has a name.
    pub(crate) fn new() -> Program {
        Program::watched_by(ProcessInfo::default())
    }

    /// The same on the virtual GPU, which sees every call.
    pub(crate) fn on_virtual_gpu() -> Program {
        Program::watched_by(ProcessInfo {
            virtual_gpu: true,
            ..ProcessInfo::default()
        })
    }

    fn watched_by(process: ProcessInfo) -> Program {
        let mut program = Program {
            entries: Vec::new(),
            model: Model::new(),
            thread: MAIN,
            stack: Vec::new(),
            library: None,
            autograd_sequence: None,
            strings: BTreeMap::new(),
            codes: BTreeMap::new(),
            frames: BTreeMap::new(),
            events: 0,
            last: Code::SUCCESS,
        };
        program.push(Record::Process(ProcessInfo {
            pid: 100,
            ..process
        }));
        program.thread(MAIN.0, "MainThread");
        program.line(1);
        for stream in [ORIGIN, SIDE, DEEP] {
            program.call(Call::StreamCreate {
                stream,
                device: DEVICE,
                non_blocking: true,
                priority: 0,
            });
        }
        program
    }

    /// From here on the thread `id`, which is called `name`, runs.
    pub(crate) fn thread(&mut self, id: u32, name: &str) -> &mut Program {
        self.thread = ThreadId(id);
        let name = self.string(name);
        self.push(Record::ThreadName { name });
        self
    }

    /// From here on the running thread is at these Python frames, outermost first: `file:line function`. A file under
    /// `torch/` is PyTorch's.
    pub(crate) fn at(&mut self, frames: &[&str]) -> &mut Program {
        self.stack = frames.iter().map(|frame| (*frame).to_owned()).collect();
        self
    }

    /// From here on it is at this line of the program's own file, outside of functions.
    pub(crate) fn line(&mut self, line: u32) -> &mut Program {
        self.at(&[&format!("train.py:{line} <module>")])
    }

    /// From here on the running thread has no Python frame.
    pub(crate) fn native(&mut self) -> &mut Program {
        self.at(&[])
    }

    /// The next call is made inside a library's function.
    pub(crate) fn library(&mut self, function: &str) -> &mut Program {
        self.library = Some(function.to_owned());
        self
    }

    /// The next call carries this autograd sequence number.
    pub(crate) fn autograd_sequence(&mut self, next: u64) -> &mut Program {
        self.autograd_sequence = Some(next);
        self
    }

    /// Makes a call; the model answers.
    pub(crate) fn call(&mut self, call: Call) -> &mut Program {
        let code = self.model.call(self.thread, &call).code;
        self.record(call, code);
        self
    }

    /// Makes a call that the recorded driver answered differently from the model.
    pub(crate) fn call_returning(&mut self, call: Call, code: Code) {
        let _ = self.model.call(self.thread, &call);
        self.record(call, code);
    }

    /// Enters `with torch.cuda.graph(…):` at the current frames.
    pub(crate) fn begin_graph(&mut self, mode: CaptureMode) -> &mut Program {
        self.within(&[ENTER, "torch/cuda/__init__.py:1160 synchronize"], |it| {
            it.call(Call::DeviceSynchronize { device: DEVICE });
        });
        self.within(&[ENTER, CAPTURE_BEGIN], |it| {
            it.call(Call::StreamBeginCapture {
                stream: ORIGIN,
                mode,
            });
        });
        self
    }

    /// Leaves `with torch.cuda.graph(…):` at the current frames; an exception of PyTorch reports a failure.
    pub(crate) fn end_graph(&mut self) -> &mut Program {
        self.end_graph_as(GraphId(0x900))
    }

    fn end_graph_as(&mut self, graph: GraphId) -> &mut Program {
        self.within(&[EXIT, CAPTURE_END], |it| {
            it.call(Call::StreamEndCapture {
                stream: ORIGIN,
                graph,
            });
            it.throw_if_refused();
        });
        self
    }

    /// A program that captures what `body` does at these frames.
    pub(crate) fn capturing(frames: &[&str], body: impl FnOnce(&mut Program)) -> Program {
        let mut program = Program::new();
        program.line(4).begin_graph(CaptureMode::Global);
        program.at(frames);
        body(&mut program);
        program.line(4).end_graph();
        program
    }

    /// Launches a kernel.
    pub(crate) fn launch(&mut self, stream: Stream) -> &mut Program {
        self.call(Call::Work {
            stream,
            node: NodeKind::Kernel {
                function: FunctionId(1),
                grid: [1; 3],
                block: [1; 3],
                shared: 0,
            },
        })
    }

    /// `.item()`: copies four bytes to the host and waits for them.
    pub(crate) fn item(&mut self, stream: Stream) {
        self.call(Call::Work {
            stream,
            node: NodeKind::Memcpy {
                kind: CopyKind::DeviceToHost(HostMemory::Pageable),
                dst: 1,
                src: 2,
                bytes: 4,
            },
        });
        self.call(Call::StreamSynchronize { stream });
        self.throw_if_refused();
    }

    /// `waiting.wait_stream(awaited)`.
    pub(crate) fn wait_stream(&mut self, waiting: Stream, awaited: Stream) {
        let event = self.record_event(awaited);
        self.wait_event(waiting, event);
    }

    /// Records a new event.
    pub(crate) fn record_event(&mut self, stream: Stream) -> EventId {
        self.events += 1;
        let event = EventId(self.events);
        self.call(Call::EventCreate {
            event,
            device: DEVICE,
            timing: true,
        });
        self.call(Call::EventRecord {
            event,
            stream,
            external: false,
        });
        event
    }

    pub(crate) fn wait_event(&mut self, stream: Stream, event: EventId) {
        self.call(Call::StreamWaitEvent {
            stream,
            event,
            external: false,
        });
        self.throw_if_refused();
    }

    /// Allocates as PyTorch does on a stream: it asks whether the stream captures, and if so allocates in relaxed mode.
    pub(crate) fn allocate(&mut self, stream: Stream) {
        self.allocating(stream, |it| {
            it.call(Call::Restricted(Restricted::Malloc))
                .throw_if_refused();
        });
    }

    /// The same, where memory has run out. PyTorch does not throw before it has tried again.
    pub(crate) fn allocate_in_vain(&mut self, stream: Stream) {
        let malloc = Call::Restricted(Restricted::Malloc);
        self.allocating(stream, |it| it.call_returning(malloc, Code::OUT_OF_MEMORY));
    }

    fn allocating(&mut self, stream: Stream, malloc: impl FnOnce(&mut Program)) {
        self.call(Call::StreamIsCapturing { stream });
        if self.model.capture_of(self.thread, stream).is_none() {
            return malloc(self);
        }
        let (relaxed, global) = (CaptureMode::Relaxed, CaptureMode::Global);
        self.call(Call::ThreadExchangeCaptureMode { mode: relaxed });
        malloc(self);
        self.call(Call::ThreadExchangeCaptureMode { mode: global });
    }

    /// PyTorch's C++ throws, e.g. `N3c105ErrorE`.
    pub(crate) fn throw(&mut self, type_name: &str, message: &str) -> &mut Program {
        let type_name = self.string(type_name);
        let stack = self.frame();
        self.push(Record::Exception {
            type_name,
            message: message.to_owned(),
            stack,
        });
        self
    }

    /// PyTorch's C++ throws an error of its own.
    pub(crate) fn refuse(&mut self, message: &str) -> &mut Program {
        self.throw("N3c105ErrorE", message)
    }

    fn throw_if_refused(&mut self) {
        if let Some(text) = self.last.text().filter(|_| !self.last.is_success()) {
            self.throw("N3c1016AcceleratorErrorE", &format!("CUDA error: {text}"));
        }
    }

    /// The agent reports an exception in flight as a capture is being ended; its traceback are the current frames.
    pub(crate) fn in_flight(&mut self, type_name: &str, message: &str) -> &mut Program {
        self.exception(type_name, message, false)
    }

    /// The agent reports the exception that ended the program; its traceback are the current frames.
    pub(crate) fn uncaught(&mut self, type_name: &str, message: &str) -> &mut Program {
        self.exception(type_name, message, true)
    }

    /// The agent reports the autograd graph of a failed backward pass.
    pub(crate) fn autograd(&mut self, nodes: &[(&str, Option<u64>, Option<&str>)]) {
        let nodes = nodes
            .iter()
            .map(|(name, sequence, variable)| AutogradNode {
                name: (*name).to_owned(),
                sequence: *sequence,
                variable: variable.map(str::to_owned),
            })
            .collect();
        self.agent(AgentEvent::Autograd { nodes });
    }

    /// The trace that the program leaves.
    pub(crate) fn trace(&mut self) -> Trace {
        Trace::parse(&self.bytes()).expect("a trace just written can be read")
    }

    /// The same, as its file holds it.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        self.push(Record::End);
        format::encode_all(&self.entries)
    }

    /// What cgsan says of the program.
    pub(crate) fn diagnose(&mut self) -> Report {
        let report = diagnose(&self.trace());
        for finding in &report.findings {
            let title = &finding.title;
            assert!(title.chars().count() < 60, "too long: {title}");
        }
        report
    }

    /// The ids of what cgsan finds.
    pub(crate) fn ids(&mut self) -> Vec<&'static str> {
        let report = self.diagnose();
        report.findings.iter().map(|finding| finding.id).collect()
    }

    /// What cgsan finds, as text.
    pub(crate) fn describe(&mut self) -> String {
        describe(&self.diagnose())
    }

    fn within(&mut self, inner: &[&str], body: impl FnOnce(&mut Program)) {
        let outer = self.stack.clone();
        self.stack
            .extend(inner.iter().map(|frame| (*frame).to_owned()));
        body(self);
        self.stack = outer;
    }

    fn record(&mut self, call: Call, result: Code) {
        self.last = result;
        let function = self.string(function_of(&call));
        let library = self.library.take();
        let library = library.map(|library| self.string(&library));
        let record = Record::Call(CallRecord {
            function,
            runtime: None,
            library,
            call,
            result,
            stack: self.frame(),
            native: None,
            autograd_sequence: self.autograd_sequence.take(),
        });
        self.push(record);
    }

    fn exception(&mut self, type_name: &str, message: &str, uncaught: bool) -> &mut Program {
        let traceback = self
            .stack
            .iter()
            .map(|frame| {
                let (file, line, function) = parse(frame);
                StackFrame {
                    file,
                    function: function.to_owned(),
                    line,
                }
            })
            .collect();
        self.agent(AgentEvent::Exception {
            type_name: type_name.to_owned(),
            message: message.to_owned(),
            traceback,
            uncaught,
        });
        self
    }

    /// The agent tells something.
    pub(crate) fn agent(&mut self, event: AgentEvent) {
        let stack = self.frame();
        self.push(Record::Agent { event, stack });
    }

    fn frame(&mut self) -> Option<FrameId> {
        let mut parent = None;
        for frame in self.stack.clone() {
            let (file, line, function) = parse(&frame);
            let (file, function) = (self.string(&file), self.string(function));
            let code = self.code(file, function);
            let key = (parent, code, line);
            let next = FrameId(u32::try_from(self.frames.len()).unwrap());
            let id = *self.frames.entry(key).or_insert(next);
            if id == next {
                self.push(Record::Frame {
                    id,
                    parent,
                    code,
                    line,
                });
            }
            parent = Some(id);
        }
        parent
    }

    fn code(&mut self, file: StringId, function: StringId) -> CodeId {
        if let Some(id) = self.codes.get(&(file, function)) {
            return *id;
        }
        let id = CodeId(u32::try_from(self.codes.len()).unwrap());
        self.codes.insert((file, function), id);
        self.push(Record::Code {
            id,
            file,
            function,
            first_line: 1,
        });
        id
    }

    fn string(&mut self, text: &str) -> StringId {
        if let Some(id) = self.strings.get(text) {
            return *id;
        }
        let id = StringId(u32::try_from(self.strings.len()).unwrap());
        self.strings.insert(text.to_owned(), id);
        self.push(Record::String {
            id,
            text: text.to_owned(),
        });
        id
    }

    /// Adds a record to the trace.
    pub(crate) fn push(&mut self, record: Record) {
        self.entries.push(Entry {
            time_ns: self.entries.len() as u64,
            thread: self.thread,
            record,
        });
    }
}

/// `file:line function`.
fn parse(frame: &str) -> (String, u32, &str) {
    let (place, function) = frame.split_once(' ').expect("a frame has a function");
    let (file, line) = place.rsplit_once(':').expect("a frame has a line");
    let prefix = if file.starts_with("torch/") || file.starts_with("triton/") {
        "/venv/lib/python3.11/site-packages/"
    } else {
        ""
    };
    let line = line.parse().expect("a line is a number");
    (format!("{prefix}{file}"), line, function)
}

/// The driver function that makes a call.
fn function_of(call: &Call) -> &'static str {
    match call {
        Call::StreamSynchronize { .. } => "cuStreamSynchronize",
        Call::StreamQuery { .. } => "cuStreamQuery",
        Call::StreamWaitEvent { .. } => "cuStreamWaitEvent",
        Call::StreamBeginCapture { .. } => "cuStreamBeginCapture_v2",
        Call::StreamEndCapture { .. } => "cuStreamEndCapture",
        Call::EventRecord { .. } => "cuEventRecord",
        Call::EventQuery { .. } => "cuEventQuery",
        Call::EventSynchronize { .. } => "cuEventSynchronize",
        Call::EventElapsedTime { .. } => "cuEventElapsedTime_v2",
        Call::DeviceSynchronize { .. } => "cuCtxSynchronize",
        Call::Work { .. } => "cuLaunchKernel",
        Call::Restricted(Restricted::Malloc) => "cuMemAlloc_v2",
        Call::Restricted(Restricted::Free) => "cuMemFree_v2",
        Call::Restricted(Restricted::HostAlloc) => "cuMemHostAlloc",
        Call::Restricted(Restricted::Profiler) => "cuProfilerStart",
        Call::GraphLaunch { .. } => "cuGraphLaunch",
        Call::GraphExecDestroy { .. } => "cuGraphExecDestroy",
        _ => "cuOther",
    }
}
