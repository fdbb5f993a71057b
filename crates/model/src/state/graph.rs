//! Graphs: nodes and what they depend on.

use std::{collections::hash_map::Entry, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    nested::{Child, Nested},
    registry::{Found, Registry},
};
use crate::{
    CaptureId, Dependencies, EventId, GraphId, NodeIndex, NodeKind, Reason, answer::Refusal,
};

/// One node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// The nodes it waits for, in the order its stream came to wait for them. All that a capture recorded come before it.
    pub dependencies: Dependencies,
}

/// A graph (`cudaGraph_t`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
    specials: Specials,
    /// What it holds of other graphs; few hold any.
    nested: Option<Box<Nested>>,
}

/// What a graph has that limits its use. (Recorded: 801.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Specials {
    /// It allocates or frees, or its capture was asked to, even if it refused.
    pub(crate) memory: bool,
    /// It has a conditional node.
    pub(crate) conditional: bool,
    /// An edge was added that leads to an earlier node, so that edges may run in a circle.
    backward: bool,
}

impl Graph {
    /// The nodes, in the order of capture.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The events that it records for use outside.
    pub(crate) fn recorded_events(&self) -> Vec<EventId> {
        let mut events = Vec::new();
        let mut todo = vec![self];
        while let Some(graph) = todo.pop() {
            events.extend(graph.nodes.iter().filter_map(|node| match node.kind {
                NodeKind::EventRecord { event } => Some(event),
                _ => None,
            }));
            todo.extend(graph.nested().into_iter().flat_map(Nested::copies));
        }
        events
    }

    /// What limits its use.
    pub(crate) fn specials(&self) -> Specials {
        self.specials
    }

    /// What it holds of other graphs.
    pub(crate) fn nested(&self) -> Option<&Nested> {
        self.nested.as_deref()
    }

    /// What it holds of other graphs, to be changed.
    pub(crate) fn nested_mut(&mut self) -> &mut Nested {
        self.nested.get_or_insert_default()
    }

    /// The graphs that a node holds: the copy of a child node, the bodies of a conditional one.
    pub(crate) fn held_by(&self, node: NodeIndex) -> impl Iterator<Item = Option<&Graph>> {
        let nested = self.nested().into_iter();
        nested.flat_map(move |nested| nested.held_by(node))
    }

    /// The newest node is conditional, and runs another graph.
    pub(crate) fn hold_body(&mut self, body: GraphId) {
        if let Some(newest) = self.next_node().0.checked_sub(1) {
            self.nested_mut().add_body(NodeIndex(newest), body);
        }
    }

    /// A copy for a graph of its own.
    pub(crate) fn to_clone(&self) -> Graph {
        let nested = self.nested.as_ref();
        Graph {
            nodes: self.nodes.clone(),
            specials: self.specials,
            nested: nested.map(|nested| Box::new(nested.of_clone())),
        }
    }

    /// Whether a conditional node can run it.
    pub(crate) fn fits_a_body(&self) -> bool {
        self.nodes.iter().all(|node| node.kind.fits_a_body())
            && self.nested().is_none_or(Nested::fits_a_body)
    }

    /// An allocation or a free was asked for, whether or not it became a node.
    pub(crate) fn touch_memory(&mut self) {
        self.specials.memory = true;
    }

    /// The place that the next node will have.
    pub(crate) fn next_node(&self) -> NodeIndex {
        NodeIndex(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    /// Add a node by hand, with the copy that it holds if it is a graph.
    pub(crate) fn add(&mut self, kind: NodeKind, dependencies: &[NodeIndex], child: Option<Child>) {
        if let Some(child) = child {
            let node = self.next_node();
            self.nested_mut().add_child(node, child);
        }
        self.push(kind, dependencies.iter().copied().collect());
    }

    /// Add a node.
    pub(crate) fn push(&mut self, kind: NodeKind, dependencies: Dependencies) {
        self.specials.conditional |= kind == NodeKind::Conditional;
        self.specials.memory |= kind.is_allocation();
        self.nodes.push(Node { kind, dependencies });
    }

    /// Whether `to` waits for `from`.
    pub(crate) fn has_edge(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let to = self.nodes.get(to.at());
        to.is_some_and(|node| node.dependencies.contains(&from))
    }

    /// Whether both are nodes, and not the same one, and `to` does not wait for `from`.
    pub(crate) fn can_link(&self, from: NodeIndex, to: NodeIndex) -> bool {
        from != to && from.max(to) < self.next_node() && !self.has_edge(from, to)
    }

    /// Make `to` wait for `from` too.
    pub(crate) fn link(&mut self, from: NodeIndex, to: NodeIndex) {
        if let Some(node) = self.nodes.get_mut(to.at()) {
            node.dependencies = node.dependencies.union(&Dependencies::one(from));
            self.specials.backward |= from > to;
        }
    }

    /// Whether edges run in a circle, so that no node of it could ever run.
    pub(crate) fn has_circle(&self) -> bool {
        (self.specials.backward && self.waits_in_a_circle())
            || self.nested().is_some_and(Nested::has_circle)
    }

    fn waits_in_a_circle(&self) -> bool {
        let mut waiting: Vec<usize> = Vec::with_capacity(self.nodes.len());
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            waiting.push(node.dependencies.len());
            for dependency in &node.dependencies {
                if let Some(dependents) = dependents.get_mut(dependency.at()) {
                    dependents.push(index);
                }
            }
        }
        let is_free = |index: &usize| waiting[*index] == 0;
        let mut free: Vec<usize> = (0..self.nodes.len()).filter(is_free).collect();
        let mut ordered = 0;
        while let Some(index) = free.pop() {
            ordered += 1;
            for dependent in &dependents[index] {
                waiting[*dependent] -= 1;
                if waiting[*dependent] == 0 {
                    free.push(*dependent);
                }
            }
        }
        ordered < self.nodes.len()
    }

    /// Make `to` no longer wait for `from`.
    pub(crate) fn unlink(&mut self, from: NodeIndex, to: NodeIndex) {
        if let Some(node) = self.nodes.get_mut(to.at()) {
            let kept = node.dependencies.iter().copied();
            node.dependencies = kept.filter(|node| *node != from).collect();
        }
    }

    /// Remove a node and its edges; those behind it move up. Returns what it held of other graphs, or `None` if there is
    /// no such node.
    pub(crate) fn remove(&mut self, removed: NodeIndex) -> Option<Nested> {
        if removed.at() >= self.nodes.len() {
            return None;
        }
        let node = self.nodes.remove(removed.at());
        for node in &mut self.nodes {
            let kept = node.dependencies.iter().filter(|node| **node != removed);
            node.dependencies = kept.map(|node| node.moved_up(removed)).collect();
        }
        if node.kind == NodeKind::Conditional {
            self.nested_mut().lose_condition();
        }
        let nested = self.nested.as_mut();
        Some(nested.map_or_else(Nested::default, |nested| nested.remove(removed)))
    }
}

/// A graph of nodes that are known from elsewhere, which holds no other graphs.
impl FromIterator<Node> for Graph {
    fn from_iter<I: IntoIterator<Item = Node>>(nodes: I) -> Self {
        let mut graph = Graph::default();
        for node in nodes {
            graph.push(node.kind, node.dependencies);
        }
        graph
    }
}

impl Specials {
    /// Whether the graph can be cloned, also into a node of another.
    pub(crate) fn can_be_cloned(self) -> bool {
        !self.memory && !self.conditional
    }
}

/// The graphs by handle.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    registry: Registry<GraphId, GraphState>,
    made: u64,
    /// How many copies of a graph exist, where there are any: clones, executables, and nodes of others.
    copies: FxHashMap<Serial, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphState {
    pub(crate) graph: Arc<Graph>,
    pub(crate) serial: Serial,
    /// The executables that have its memory: made of it, or updated to it, when it had memory nodes.
    pub(crate) execs_with_memory: usize,
    /// The running capture that adds its nodes to it.
    pub(crate) capture: Option<CaptureId>,
    /// The graph that it is a clone of.
    original: Option<Serial>,
}

/// Tells graphs apart that had the same handle one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Serial(u64);

impl GraphState {
    fn new(graph: Graph, serial: Serial, original: Option<Serial>) -> GraphState {
        GraphState {
            graph: Arc::new(graph),
            serial,
            execs_with_memory: 0,
            capture: None,
            original,
        }
    }
}

impl Graphs {
    /// A number for a graph that is to be.
    pub(crate) fn next_serial(&mut self) -> Serial {
        self.made += 1;
        Serial(self.made)
    }

    pub(crate) fn add(&mut self, id: GraphId, graph: Graph, serial: Serial) {
        self.registry
            .create(id, GraphState::new(graph, serial, None));
    }

    /// A graph is a clone of another.
    pub(crate) fn add_clone(&mut self, id: GraphId, graph: Graph, original: Serial) {
        let serial = self.next_serial();
        self.is_copied(Some(original));
        self.registry
            .create(id, GraphState::new(graph, serial, Some(original)));
    }

    /// One more copy exists of a graph, if one is named.
    pub(crate) fn is_copied(&mut self, original: Option<Serial>) {
        if let Some(original) = original {
            *self.copies.entry(original).or_default() += 1;
        }
    }

    /// A copy of a graph exists no more.
    pub(crate) fn copy_is_gone(&mut self, original: Serial) {
        if let Entry::Occupied(mut copies) = self.copies.entry(original) {
            *copies.get_mut() -= 1;
            if *copies.get() == 0 {
                copies.remove();
            }
        }
    }

    /// Whether no further executable can be made of a graph now. One with memory nodes can have one executable that has
    /// them too. One with a conditional node can have one copy of any kind, also one made before it got the node.
    pub(crate) fn is_taken(&self, state: &GraphState) -> bool {
        let is_copied = || self.copies.contains_key(&state.serial);
        state.execs_with_memory > 0 || (state.graph.specials.conditional && is_copied())
    }

    /// A capture into the graph ended: it has these nodes now.
    pub(crate) fn replace(&mut self, id: GraphId, graph: Graph) {
        if let Some(state) = self.registry.get_mut(id) {
            state.graph = Arc::new(graph);
            state.capture = None;
        }
    }

    /// Note which capture adds its nodes to the graph.
    pub(crate) fn set_capture(&mut self, id: GraphId, capture: Option<CaptureId>) {
        if let Some(state) = self.registry.get_mut(id) {
            state.capture = capture;
        }
    }

    /// A handle names no graph any more. Returns what is left of the graph.
    pub(crate) fn destroy(&mut self, id: GraphId) -> Option<GraphState> {
        let gone = self.registry.destroy(id)?;
        if let Some(original) = gone.original {
            self.copy_is_gone(original);
        }
        Some(gone)
    }

    pub(crate) fn get(&self, id: GraphId) -> Option<&GraphState> {
        self.registry.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: GraphId) -> Option<&mut GraphState> {
        self.registry.get_mut(id)
    }

    /// A graph to make something of. `None` if it was made before the model began to listen; a handle that is null or
    /// destroyed is refused (`u01_exec_update`).
    pub(crate) fn require(&self, id: GraphId) -> Result<Option<&GraphState>, Refusal> {
        match self.registry.find(id) {
            Found::Live(state) => Ok(Some(state)),
            Found::Unannounced if id != GraphId(0) => Ok(None),
            Found::Unannounced | Found::Destroyed => Err(Reason::UnknownGraph.into()),
        }
    }
}
