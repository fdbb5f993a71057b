//! Captures and other contexts: where they begin, what is noted while they last, where they end.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::event::Event;
use super::object::{CaptureArguments, Entry, Kind, Mode, Object, Stream};
use super::stacks::Suspended;
use super::value::{CaptureId, CellId, LoopId, Value};
use super::{Args, Cell, Interp};
use crate::site::Site;
use crate::syntax::ast::{self, TextRange};

/// A capture and what is known of it.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says another thing that may have happened in the capture"
)]
pub(crate) struct Capture<'p> {
    pub(crate) kind: CaptureKind,
    /// The `CUDAGraph`, if it is known.
    pub(crate) graph: Option<CellId>,
    /// Where it began.
    pub(crate) site: Site,
    pub(crate) mode: Mode,
    /// Whether the mode is written out.
    pub(crate) mode_given: bool,
    /// The origin stream.
    pub(crate) stream: Option<CellId>,
    /// The depth of the call stack where it began.
    pub(crate) depth: usize,
    /// How many operations of tensors it holds.
    pub(crate) operations: u32,
    /// Whether it holds calls that could not be followed.
    pub(crate) opaque: bool,
    /// Whether it may allocate.
    pub(crate) makes: bool,
    /// The tensors from outside that it reads, and where it reads them first.
    pub(crate) inputs: BTreeMap<CellId, Site>,
    /// The loops around its beginning.
    pub(crate) loops: Rc<[LoopId]>,
    /// Whether it was given a pool.
    pub(crate) pool_given: bool,
    /// What kept gradient accumulators of the default stream alive when it first used a leaf: their leaves, and where
    /// it was made.
    pub(crate) accumulators: Option<BTreeMap<CellId, Site>>,
    /// Whether it holds a backward pass.
    pub(crate) backward: bool,
    /// Its first collective.
    pub(crate) collective: Option<Site>,
    /// Pinned tensors that it copies from, and where.
    pub(crate) sources: Vec<(CellId, Site)>,
    /// The streams that became part of it.
    pub(crate) members: Vec<CellId>,
    /// Where `capture_end` ended it.
    pub(crate) ended: Option<Site>,
    /// Whether another thread ended it.
    pub(crate) ended_elsewhere: bool,
    /// The streams that it has work on.
    pub(crate) worked: Vec<CellId>,
    /// The first cell that was made after its beginning.
    pub(crate) first_cell: CellId,
    /// Bytes that are known to be allocated in it.
    pub(crate) bytes: i64,
    /// How many conditions of which nothing is known lead to it.
    pub(crate) doubt: u32,
    /// Whether gradients were recorded where it began.
    pub(crate) grad: bool,
    /// The statement, if it is one that holds the whole capture.
    pub(crate) statement: Option<&'p ast::StmtWith>,
}

/// What makes a region captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaptureKind {
    /// `torch.cuda.graph` or `capture_begin`.
    Graph,
    /// `make_graphed_callables`.
    Callable,
    /// `torch.compile` with CUDA graphs: what cannot be captured is left out by the compiler.
    Compiler,
}

impl CaptureKind {
    /// What its beginning is called.
    pub(crate) fn began(self) -> &'static str {
        match self {
            Self::Graph => "the capture began here",
            Self::Callable => "it is captured here",
            Self::Compiler => "it is compiled here",
        }
    }
}

/// The capture that one which begins meets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meets {
    /// One of the same thread.
    ThisThread,
    /// One of another thread.
    OtherThread(CaptureId),
}

/// A context whose body is to fail: `pytest.raises(...)`.
pub(crate) const EXPECTED_FAILURE: &str = "<expected failure>";

/// What is to be done when a context is left.
#[derive(Debug)]
pub(super) enum Exit<'p> {
    Nothing,
    Capture(CaptureId, Option<CellId>),
    Stream(Option<CellId>),
    Grad(bool),
    Autocast,
    SavedTensors,
    Lock(Option<CaptureId>),
    Call(Value<'p>, Args<'p>, TextRange),
    Close(Value<'p>, TextRange),
    Stack(CellId),
    Patched,
    ExpectedFailure,
    Executor(CellId),
    Resume(Box<Suspended<'p>>),
}

impl<'p> Interp<'p> {
    /// Enters a context: its value, and what is to be done at its end.
    pub(super) fn enter_context(
        &mut self,
        context: &Value<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> (Value<'p>, Exit<'p>) {
        let around = self.flow.stream;
        let Value::Object(cell) = context else {
            match context {
                // It may set a stream.
                Value::Unknown => self.flow.stream = None,
                Value::External(name) if &**name == EXPECTED_FAILURE => {
                    self.contexts.expected_failures += 1;
                    return (Value::Unknown, Exit::ExpectedFailure);
                }
                _ => {}
            }
            return (Value::Unknown, Exit::Stream(around));
        };
        match self.heap.object(*cell).map(|it| it.kind.clone()) {
            Some(Kind::Capture(arguments)) => {
                let id = self.enter_graph(&arguments, range, statement);
                (Value::Unknown, Exit::Capture(id, around))
            }
            Some(Kind::OnStream(stream)) => {
                match stream {
                    Value::Object(stream) => self.flow.stream = Some(stream),
                    Value::None => {}
                    _ => self.flow.stream = None,
                }
                (Value::Unknown, Exit::Stream(around))
            }
            Some(Kind::Stream(_)) => {
                self.flow.stream = Some(*cell);
                (context.clone(), Exit::Stream(around))
            }
            Some(Kind::Grad(on, earlier)) => {
                let before = std::mem::replace(&mut self.flow.grad, on);
                (Value::Unknown, Exit::Grad(earlier.unwrap_or(before)))
            }
            Some(Kind::Autocast(site, cached)) => {
                self.flow.autocast.push((site, cached, false));
                (Value::Unknown, Exit::Autocast)
            }
            Some(Kind::Instance(_)) => {
                let exit = self.object_attribute(*cell, "__exit__", range);
                let entered = if self.has_method(*cell, "__enter__") {
                    let enter = self.object_attribute(*cell, "__enter__", range);
                    let entered = self.call(&enter, Args::default(), range);
                    self.adopt_captures();
                    entered
                } else if let Some(part) = self.inherited(*cell) {
                    self.enter_by_hand(part, &Value::Object(part), range)
                } else {
                    context.clone()
                };
                let nothing = Args::of(vec![Value::None, Value::None, Value::None]);
                (entered, Exit::Call(exit, nothing, range))
            }
            Some(Kind::Managed(function, args)) => self.enter_managed(&function, *args, range),
            Some(Kind::Patch(name)) => {
                self.contexts.patched.push(name);
                (Value::Unknown, Exit::Patched)
            }
            Some(Kind::SavedTensors(hooks)) => {
                self.flow.saved_tensors.push(hooks);
                (Value::Unknown, Exit::SavedTensors)
            }
            Some(Kind::Either(..)) => self.enter_context(&Value::Unknown, range, statement),
            Some(Kind::ExitStack) => (context.clone(), Exit::Stack(*cell)),
            Some(Kind::Holding(value, false)) => (value, Exit::Nothing),
            Some(Kind::Holding(value, true)) => (value.clone(), Exit::Close(value, range)),
            // What a lock guards in another thread is taken to be kept apart from the capture.
            Some(Kind::Lock) => {
                self.emit(Event::ThreadsMeet);
                (Value::Unknown, Exit::Lock(self.flow.foreign.take()))
            }
            Some(Kind::Executor) => (context.clone(), Exit::Executor(*cell)),
            _ => (context.clone(), Exit::Stream(around)),
        }
    }

    pub(super) fn exit_context(&mut self, exit: Exit<'p>) {
        match exit {
            Exit::Nothing => {}
            Exit::Capture(id, stream) => {
                self.end_capture(id);
                self.flow.stream = stream;
            }
            Exit::Stream(stream) => self.flow.stream = stream,
            Exit::Grad(on) => self.flow.grad = on,
            Exit::Autocast => {
                self.flow.autocast.pop();
            }
            Exit::SavedTensors => {
                self.flow.saved_tensors.pop();
            }
            Exit::Lock(foreign) => {
                self.flow.foreign = foreign.filter(|_| !self.has_stopped());
            }
            Exit::Call(function, args, range) => {
                self.call(&function, args, range);
            }
            Exit::Close(value, range) => self.close(&value, range),
            Exit::Patched => {
                self.contexts.patched.pop();
            }
            Exit::ExpectedFailure => self.contexts.expected_failures -= 1,
            Exit::Executor(executor) => self.join_executor(executor),
            Exit::Stack(stack) => self.exit_by_hand(stack),
            Exit::Resume(suspended) => self.resume(*suspended),
        }
    }

    fn enter_graph(
        &mut self,
        arguments: &CaptureArguments<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> CaptureId {
        let stream = match &arguments.stream {
            None | Some(Value::None) => Some(self.fresh_stream(range)),
            Some(Value::Object(stream)) => Some(*stream),
            Some(_) => None,
        };
        self.flow.stream = stream;
        let id = self.begin_capture(CaptureKind::Graph, arguments, range);
        self.captures[id.0].statement = statement;
        id
    }

    fn fresh_stream(&mut self, range: TextRange) -> CellId {
        let made = self.site(range);
        let loops = Rc::clone(&self.flow.loops);
        self.heap.add(Cell::Object(Object {
            kind: Kind::Stream(Stream::default()),
            fields: rustc_hash::FxHashMap::default(),
            made,
            loops,
            device: super::value::Device::Unknown,
            open: false,
        }))
    }

    /// Begins a capture on the current stream.
    pub(crate) fn begin_capture(
        &mut self,
        kind: CaptureKind,
        arguments: &CaptureArguments<'p>,
        range: TextRange,
    ) -> CaptureId {
        let site = self.site(range);
        let meets = self.meets(kind, arguments.entry);
        self.emit(Event::CaptureBegins { kind, meets, range });
        if matches!(meets, Some(Meets::OtherThread(_))) {
            self.forget_threads();
        }
        let id = CaptureId(self.captures.len());
        let graph = match &arguments.graph {
            Value::Object(cell) => Some(*cell),
            _ => None,
        };
        let stream = self.flow.stream;
        let first_cell = self.heap.next();
        self.captures.push(Capture {
            kind,
            graph,
            site,
            mode: arguments.mode,
            mode_given: arguments.mode_given,
            stream,
            depth: self.depth(),
            operations: 0,
            opaque: false,
            makes: false,
            inputs: BTreeMap::new(),
            loops: Rc::clone(&self.flow.loops),
            pool_given: arguments.pool.is_some(),
            accumulators: None,
            backward: false,
            collective: None,
            sources: Vec::new(),
            members: stream.into_iter().collect(),
            ended: None,
            ended_elsewhere: false,
            worked: Vec::new(),
            first_cell,
            bytes: 0,
            doubt: self.choices.doubt,
            grad: self.flow.grad,
            statement: None,
        });
        if let Some(stream) = stream
            && let Some(stream) = self.stream_mut(stream)
        {
            stream.member = Some((id, None));
        }
        self.flow.captures.push(id);
        self.note_graph(id);
        id
    }

    /// The capture that one which begins here meets, if it cannot run beside it.
    pub(crate) fn meets(&self, kind: CaptureKind, entry: Entry) -> Option<Meets> {
        if kind == CaptureKind::Compiler {
            return None;
        }
        let may_run_beside = |id: CaptureId| {
            let other = self.captures[id.0].stream;
            other.is_some_and(|it| Some(it) != self.flow.stream) && entry == Entry::Bare
        };
        if self.graph_capture().is_some_and(|id| !may_run_beside(id)) {
            return Some(Meets::ThisThread);
        }
        let waits = kind == CaptureKind::Graph && entry == Entry::Waits;
        self.flow.foreign.filter(|_| waits).map(Meets::OtherThread)
    }

    /// Follows `body` on a stream of its own.
    pub(crate) fn on_side_stream<T>(
        &mut self,
        range: TextRange,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let side = self.fresh_stream(range);
        let around = self.flow.stream.replace(side);
        let result = body(self);
        self.flow.stream = around;
        result
    }

    /// Follows `body` as something that is captured without a statement of its own.
    pub(crate) fn capturing(
        &mut self,
        kind: CaptureKind,
        graph: Value<'p>,
        range: TextRange,
        body: impl FnOnce(&mut Self) -> Value<'p>,
    ) -> Value<'p> {
        self.on_side_stream(range, |interp| interp.captured(kind, graph, range, body))
    }

    fn captured(
        &mut self,
        kind: CaptureKind,
        graph: Value<'p>,
        range: TextRange,
        body: impl FnOnce(&mut Self) -> Value<'p>,
    ) -> Value<'p> {
        let arguments = CaptureArguments {
            entry: Entry::Waits,
            graph,
            pool: None,
            stream: None,
            mode: Mode::Global,
            mode_given: false,
        };
        let id = self.begin_capture(kind, &arguments, range);
        let result = body(self);
        self.end_capture(id);
        result
    }

    /// Ends a capture, and asks the rules about it as a whole.
    pub(crate) fn end_capture(&mut self, id: CaptureId) {
        if self.captures[id.0].kind == CaptureKind::Graph {
            self.follow_threads(id);
            self.emit(Event::CaptureEnds { capture: id });
        }
        self.flow.captures.retain(|it| *it != id);
        for stream in self.captures[id.0].members.clone() {
            if let Some(stream) = self.stream_mut(stream)
                && stream.member.is_some_and(|(of, _)| of == id)
            {
                stream.member = None;
            }
        }
        let Some(cell) = self.captures[id.0].graph else {
            return;
        };
        if let Some(Kind::Graph(graph)) = self.heap.object_mut(cell).map(|it| &mut it.kind) {
            graph.capture = Some(id);
            graph.reset = false;
        }
    }
}
