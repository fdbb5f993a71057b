//! A capture: the streams in it, and what it recorded.

use std::collections::HashSet;

use super::{graph::Serial, nested::Child, running::Running};
use crate::{
    CaptureId, CaptureMode, Code, Dependencies, Device, Graph, GraphId, Node, NodeIndex, NodeKind,
    Reason, Stream, ThreadId, answer::Refusal, handle::StreamKey,
};

/// Where a capture stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureState {
    /// It records.
    Active,
    /// A call broke it: it records no more, and ending it yields no graph.
    Invalidated,
    /// It ended, with this code.
    Ended(Code),
    /// Its origin stream was destroyed before it ended.
    Discarded,
}

/// One capture.
#[derive(Clone, Debug)]
pub struct Capture {
    origin: StreamKey,
    mode: CaptureMode,
    thread: ThreadId,
    state: CaptureState,
    members: Vec<Member>,
    /// What it recorded. Empty once a successful end moved it into the graph.
    recorded: Graph,
    /// The graph that the nodes will belong to, told apart from any other.
    serial: Serial,
    /// The graph that existed before and that the nodes are added to.
    graph: Option<GraphId>,
    /// Nodes that the program sees to by hand: the origin need not wait for them.
    by_hand: HashSet<NodeIndex>,
}

/// A stream in a capture.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) stream: StreamKey,
    pub(crate) device: Device,
    /// What the stream's next node will depend on.
    pub(crate) dependencies: Dependencies,
}

/// A stream's seat in a capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub(crate) capture: CaptureId,
    member: usize,
}

impl Capture {
    /// The stream it began on, and must end on.
    pub fn origin(&self) -> Stream {
        self.origin.stream()
    }

    /// The mode it began with.
    pub fn mode(&self) -> CaptureMode {
        self.mode
    }

    /// The thread that began it.
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Where it stands.
    pub fn state(&self) -> CaptureState {
        self.state
    }

    /// The graph that it captures into, if that existed before (`cudaStreamBeginCaptureToGraph`).
    pub fn graph(&self) -> Option<GraphId> {
        self.graph
    }

    /// The streams that it captures or captured: the origin, then the others in the order they joined.
    pub fn members(&self) -> impl ExactSizeIterator<Item = Stream> {
        self.members.iter().map(|member| member.stream.stream())
    }

    /// The nodes recorded so far. Empty once a successful end moved them into the graph.
    pub fn nodes(&self) -> &[Node] {
        self.recorded.nodes()
    }

    /// The streams with work that the origin does not wait for, in the order they joined. A stream that was forked and
    /// then left idle is joined: the driver ends such a capture without complaint (`fuzz.jsonl.gz`). So is work that the
    /// program has taken in hand, as NCCL does: a node that it added itself, and one that it took from what a stream depends
    /// on, or put another behind (`by_hand.rs`, tests).
    pub fn unjoined(&self) -> Vec<Stream> {
        let Some((origin, forked)) = self.members.split_first() else {
            return Vec::new();
        };
        if forked.is_empty() || self.state == CaptureState::Ended(Code::SUCCESS) {
            return Vec::new();
        }
        let awaited = self.ancestry(&origin.dependencies);
        let is_awaited =
            |node: &NodeIndex| awaited.get(node.at()) == Some(&true) || self.by_hand.contains(node);
        forked
            .iter()
            .filter(|member| !member.dependencies.iter().all(is_awaited))
            .map(|member| member.stream.stream())
            .collect()
    }

    /// For every node, whether it is one of `nodes` or precedes one.
    fn ancestry(&self, nodes: &Dependencies) -> Vec<bool> {
        let mut marks = vec![false; self.nodes().len()];
        let mut todo = nodes.to_vec();
        while let Some(node) = todo.pop() {
            let Some(mark) = marks.get_mut(node.at()) else {
                continue;
            };
            if !std::mem::replace(mark, true) {
                todo.extend(self.nodes()[node.at()].dependencies.iter());
            }
        }
        marks
    }

    /// The graph that it would become if it ended now. Empty once a successful end moved it away.
    pub fn graph_so_far(&self) -> &Graph {
        &self.recorded
    }

    /// The graph that its nodes will belong to, told apart from any other.
    pub(crate) fn serial(&self) -> Serial {
        self.serial
    }

    pub(crate) fn begins_on(&self, stream: StreamKey) -> bool {
        self.origin == stream
    }

    pub(crate) fn all_members(&self) -> &[Member] {
        &self.members
    }

    /// Seat a stream, whose next node will depend on `dependencies`. Returns its place among the members.
    fn admit(&mut self, member: Member) -> usize {
        self.members.push(member);
        self.members.len() - 1
    }
}

/// Every running capture, and the one that ended last.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    running: Running<Capture>,
    last_ended: Option<(CaptureId, Capture)>,
}

impl Captures {
    /// No captures; those to come are numbered on from these.
    pub(crate) fn anew(&self) -> Captures {
        Captures {
            running: self.running.anew(),
            last_ended: None,
        }
    }

    /// Begin a capture that has no member yet.
    pub(crate) fn begin(
        &mut self,
        origin: StreamKey,
        mode: CaptureMode,
        thread: ThreadId,
        serial: Serial,
    ) -> CaptureId {
        let capture = Capture {
            origin,
            mode,
            thread,
            state: CaptureState::Active,
            members: Vec::new(),
            recorded: Graph::default(),
            serial,
            graph: None,
            by_hand: HashSet::new(),
        };
        self.running.begin(capture)
    }

    /// Seat a stream in a running capture.
    pub(crate) fn admit(&mut self, capture: CaptureId, member: Member) -> Option<Seat> {
        let member = self.running.get_mut(capture)?.admit(member);
        Some(Seat { capture, member })
    }

    /// Take a capture out of the running ones, and keep it as the one that ended last. Returns the graph if it ended
    /// well.
    pub(crate) fn end(&mut self, id: CaptureId, state: CaptureState) -> Option<Graph> {
        let mut capture = self.running.end(id)?;
        capture.state = state;
        let is_well = state == CaptureState::Ended(Code::SUCCESS);
        let graph = is_well.then(|| std::mem::take(&mut capture.recorded));
        self.last_ended = Some((id, capture));
        graph
    }

    /// Break a capture, if it runs.
    pub(crate) fn invalidate(&mut self, id: CaptureId) {
        if let Some(capture) = self.running.get_mut(id) {
            capture.state = CaptureState::Invalidated;
        }
    }

    /// An allocation or a free is to be captured, whether or not it will be. Returns the graph that it is for.
    pub(crate) fn touch_memory(&mut self, id: CaptureId) -> Option<Serial> {
        let capture = self.running.get_mut(id)?;
        capture.recorded.touch_memory();
        Some(capture.serial)
    }

    /// A capture that has recorded nothing yet adds its nodes to those of a graph that exists.
    pub(crate) fn capture_into(&mut self, id: CaptureId, name: GraphId, graph: &Graph) {
        if let Some(capture) = self.running.get_mut(id) {
            capture.graph = Some(name);
            capture.recorded = graph.clone();
        }
    }

    /// What a running capture recorded, to be changed by hand.
    pub(crate) fn recorded_mut(&mut self, id: CaptureId) -> Option<&mut Graph> {
        Some(&mut self.running.get_mut(id)?.recorded)
    }

    /// Add a node that no stream comes to wait for, to what a running capture recorded.
    pub(crate) fn add_by_hand(
        &mut self,
        id: CaptureId,
        node: NodeKind,
        dependencies: &[NodeIndex],
        child: Option<Child>,
    ) {
        if let Some(capture) = self.running.get_mut(id) {
            capture.by_hand.insert(capture.recorded.next_node());
            capture.by_hand.extend(dependencies);
            capture.recorded.add(node, dependencies, child);
        }
    }

    /// Make the stream at `seat` wait for `dependencies` instead of what it waited for.
    pub(crate) fn set_dependencies(&mut self, seat: Seat, dependencies: Dependencies) {
        if let Some(capture) = self.running.get_mut(seat.capture)
            && let Some(member) = capture.members.get_mut(seat.member)
        {
            let before = std::mem::replace(&mut member.dependencies, dependencies);
            capture.by_hand.extend(before.iter());
        }
    }

    /// Append a node to the stream at `seat`.
    pub(crate) fn append(&mut self, seat: Seat, kind: NodeKind) {
        let Some(capture) = self.running.get_mut(seat.capture) else {
            return;
        };
        let Some(member) = capture.members.get_mut(seat.member) else {
            return;
        };
        let node = capture.recorded.next_node();
        let dependencies = std::mem::replace(&mut member.dependencies, Dependencies::one(node));
        capture.recorded.push(kind, dependencies);
    }

    /// Make the stream at `seat` wait for `dependencies` too.
    pub(crate) fn await_nodes(&mut self, seat: Seat, dependencies: &Dependencies) {
        if let Some(capture) = self.running.get_mut(seat.capture)
            && let Some(member) = capture.members.get_mut(seat.member)
        {
            member.dependencies = member.dependencies.union(dependencies);
        }
    }

    /// What the next node of the stream at `seat` will depend on.
    pub(crate) fn dependencies(&self, seat: Seat) -> Dependencies {
        self.running
            .get(seat.capture)
            .and_then(|capture| capture.members.get(seat.member))
            .map(|member| member.dependencies.clone())
            .unwrap_or_default()
    }

    pub(crate) fn none_running(&self) -> bool {
        self.running.is_empty()
    }

    pub(crate) fn running(&self, id: CaptureId) -> Option<&Capture> {
        self.running.get(id)
    }

    /// Whether the capture runs and no call broke it.
    pub(crate) fn is_active(&self, id: CaptureId) -> bool {
        self.running(id)
            .is_some_and(|capture| capture.state == CaptureState::Active)
    }

    /// Whether the capture runs and began on this stream.
    pub(crate) fn is_origin(&self, id: CaptureId, stream: StreamKey) -> bool {
        self.running(id)
            .is_some_and(|capture| capture.begins_on(stream))
    }

    /// Refuse a call that needs an unbroken capture (901 in `fuzz.jsonl.gz`).
    pub(crate) fn require_active(&self, id: CaptureId) -> Result<(), Refusal> {
        if self.is_active(id) {
            Ok(())
        } else {
            Err(Reason::InvalidatedEarlier.by(id))
        }
    }

    pub(crate) fn last_ended(&self) -> Option<(CaptureId, &Capture)> {
        self.last_ended.as_ref().map(|(id, capture)| (*id, capture))
    }
}
