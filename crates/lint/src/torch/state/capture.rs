//! Captures: where they begin, what is noted while they last, where they end.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::About;
use super::event::Event;
use super::layout::Requests;
use super::object::{CaptureArguments, Entry, Mode, Own, Stream};
use super::pools::{Lent, Origin, PoolId};
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::{self, TextRange};
use crate::torch::{Cell, Interp, Kind, Object};

/// The number of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaptureId(pub(crate) usize);

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
    /// The pool that it allocates from, if that is known.
    pub(crate) pool: Option<PoolId>,
    /// Where it began, as that pool tells memory apart.
    pub(crate) origin: Origin,
    /// What it has asked the pool for.
    pub(crate) requests: Requests,
    /// The memory that it may have got from earlier graphs of the pool.
    pub(crate) lent: Vec<Lent>,
    /// What kept gradient accumulators of the default stream alive when it first used a leaf: their leaves, and where
    /// it was made.
    pub(crate) accumulators: Option<BTreeMap<CellId, Site>>,
    /// Whether it holds a backward pass.
    pub(crate) backward: bool,
    /// Whether it is one of a callable that gives tensors through which gradients flow.
    pub(crate) gives_gradients: bool,
    /// Its first collective.
    pub(crate) collective: Option<Site>,
    /// Pinned tensors that it copies from, and where.
    pub(crate) sources: Vec<(CellId, Site)>,
    /// Pinned tensors that it copies into from the device, and where.
    pub(crate) results: Vec<(CellId, Site)>,
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
    /// How many unknown conditions lead to it.
    pub(crate) doubt: u32,
    /// The statement, if it is one that holds the whole capture.
    pub(crate) statement: Option<&'p ast::StmtWith>,
}

impl Capture<'_> {
    /// The tensors of the device that it certainly made on its origin stream.
    pub(super) fn made(&self) -> impl Iterator<Item = CellId> + '_ {
        self.requests.made.iter().map(|it| it.tensor)
    }
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

impl<'p> Interp<'p> {
    /// `with torch.cuda.graph(...)`.
    pub(super) fn enter_graph(
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
        self.library.captures[id.0].statement = statement;
        id
    }

    fn fresh_stream(&mut self, range: TextRange) -> CellId {
        let made = self.site(range);
        let loops = Rc::clone(&self.loops.around);
        self.heap.add(Cell::Object(Object {
            kind: Kind::Library(Own::Stream(Stream::default())),
            fields: rustc_hash::FxHashMap::default(),
            made,
            loops,
            about: About::default(),
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
        let id = CaptureId(self.library.captures.len());
        let graph = match &arguments.graph {
            Value::Object(cell) => Some(*cell),
            _ => None,
        };
        self.fills(graph);
        let stream = self.flow.stream;
        if arguments.entry == Entry::Waits {
            self.all_may_be_over();
        }
        let pool = self.pool_for(id, arguments.pool.as_ref());
        let origin = match (arguments.entry, &arguments.stream) {
            (Entry::Waits, None | Some(Value::None)) => Origin::Kept,
            _ => stream.map_or(Origin::Unknown, Origin::Stream),
        };
        let lent = self.lent_to(pool, origin);
        let first_cell = self.heap.next();
        self.library.captures.push(Capture {
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
            loops: Rc::clone(&self.loops.around),
            pool_given: arguments.pool.is_some(),
            pool,
            origin,
            requests: Requests::default(),
            lent,
            accumulators: None,
            backward: false,
            gives_gradients: false,
            collective: None,
            sources: Vec::new(),
            results: Vec::new(),
            members: stream.into_iter().collect(),
            ended: None,
            ended_elsewhere: false,
            worked: Vec::new(),
            first_cell,
            bytes: 0,
            doubt: self.doubt(),
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

    /// A capture into this graph begins: from here on, it may have something to replay, and so may each that it may be.
    fn fills(&mut self, graph: Option<CellId>) {
        for cell in graph
            .into_iter()
            .flat_map(|it| self.may_be(it))
            .collect::<Vec<_>>()
        {
            if let Some(graph) = self.graph_mut(cell) {
                graph.empty = false;
            }
        }
    }

    /// A graph, and where it is one of several, each that it may be.
    pub(crate) fn may_be(&self, graph: CellId) -> BTreeSet<CellId> {
        let mut found = BTreeSet::new();
        let mut open = vec![graph];
        while let Some(cell) = open.pop() {
            if found.insert(cell)
                && let Some(graph) = self.graph(cell)
            {
                open.extend(graph.one_of.iter().copied());
            }
        }
        found
    }

    /// The capture that one which begins here meets, if it cannot run beside it.
    pub(crate) fn meets(&self, kind: CaptureKind, entry: Entry) -> Option<Meets> {
        if kind == CaptureKind::Compiler {
            return None;
        }
        let may_run_beside = |id: CaptureId| {
            let other = self.library.captures[id.0].stream;
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
        if self.library.captures[id.0].kind == CaptureKind::Graph {
            self.follow_threads(id);
            self.emit(Event::CaptureEnds { capture: id });
        }
        self.flow.captures.retain(|it| *it != id);
        for stream in self.library.captures[id.0].members.clone() {
            if let Some(stream) = self.stream_mut(stream)
                && stream.member.is_some_and(|(of, _)| of == id)
            {
                stream.member = None;
            }
        }
        let Some(cell) = self.library.captures[id.0].graph else {
            return;
        };
        if let Some(Kind::Library(Own::Graph(graph))) =
            self.heap.object_mut(cell).map(|it| &mut it.kind)
        {
            graph.capture = Some(id);
            graph.reset = false;
        }
    }
}
