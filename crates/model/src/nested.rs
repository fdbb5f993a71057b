//! Graphs within graphs: the copies that child nodes hold, and the bodies of conditional nodes.

use std::sync::Arc;

use crate::{
    CaptureId, CopyKind, Graph, GraphId, HostMemory, Model, NodeIndex, NodeKind, Reason, Stream,
    ThreadId,
    answer::{Outcome, Refusal},
    graph::{GraphState, Serial},
};

/// How deep graphs are kept within graphs. What lies deeper is taken to be alike.
const DEEPEST: usize = 16;

/// What a graph holds of others, by the node that holds it, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nested {
    children: Vec<(NodeIndex, Child)>,
    bodies: Vec<(NodeIndex, Body)>,
    /// A conditional node was removed, whose condition is left without one.
    lost_condition: bool,
}

/// The copy of a graph that a child node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    /// The graph it is a copy of; none if that is a copy itself, in the graph that this one's graph is a clone of.
    original: Option<Serial>,
    copy: Option<Arc<Graph>>,
    /// How many graphs lie within each other, the copy included.
    depth: usize,
    has_circle: bool,
    fits_a_body: bool,
}

/// A graph that a conditional node runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    graph: GraphId,
    /// What was in it when the executable was made that this is part of.
    instantiated: Option<Arc<Graph>>,
}

impl Child {
    /// The graph it is a copy of, if that may still be instantiated.
    pub(crate) fn original(&self) -> Option<Serial> {
        self.original
    }
}

impl Nested {
    /// The node holds a copy of another graph.
    pub(crate) fn add_child(&mut self, node: NodeIndex, child: Child) {
        self.children.push((node, child));
    }

    /// The node is conditional, and runs a graph.
    pub(crate) fn add_body(&mut self, node: NodeIndex, graph: GraphId) {
        let body = Body {
            graph,
            instantiated: None,
        };
        self.bodies.push((node, body));
    }

    /// What the graph's clone holds: copies of these copies.
    pub(crate) fn of_clone(&self) -> Nested {
        let mut nested = self.clone();
        for (_, child) in &mut nested.children {
            child.original = None;
        }
        nested
    }

    /// The graphs that a node holds; `None` for one that lies too deep.
    pub(crate) fn held_by(&self, node: NodeIndex) -> impl Iterator<Item = Option<&Graph>> {
        let children = of_node(&self.children, node).iter();
        let bodies = of_node(&self.bodies, node).iter();
        let copies = children.map(|(_, child)| child.copy.as_deref());
        copies.chain(bodies.map(|(_, body)| body.instantiated.as_deref()))
    }

    /// The copies that child nodes hold.
    pub(crate) fn copies(&self) -> impl Iterator<Item = &Graph> {
        let children = self.children.iter();
        children.filter_map(|(_, child)| child.copy.as_deref())
    }

    /// How many graphs lie within each other.
    fn depth(&self) -> usize {
        let depths = self.children.iter().map(|(_, child)| child.depth);
        depths.max().unwrap_or(0)
    }

    /// A node was removed, and those behind it moved up. Returns what it held.
    pub(crate) fn remove(&mut self, removed: NodeIndex) -> Nested {
        Nested {
            children: take(&mut self.children, removed),
            bodies: take(&mut self.bodies, removed),
            lost_condition: false,
        }
    }

    /// A conditional node was removed; its condition stays, with no node to decide about.
    pub(crate) fn lose_condition(&mut self) {
        self.lost_condition = true;
    }

    /// Whether nodes of a child wait for each other in a circle.
    pub(crate) fn has_circle(&self) -> bool {
        self.children.iter().any(|(_, child)| child.has_circle)
    }

    /// Whether every child may be in the body of a conditional node.
    pub(crate) fn fits_a_body(&self) -> bool {
        self.children.iter().all(|(_, child)| child.fits_a_body)
    }
}

/// What one node holds.
fn of_node<T>(held: &[(NodeIndex, T)], node: NodeIndex) -> &[(NodeIndex, T)] {
    let start = held.partition_point(|(holder, _)| *holder < node);
    let end = held.partition_point(|(holder, _)| *holder <= node);
    &held[start..end]
}

/// Take out what one node holds; the nodes behind it move up.
fn take<T>(held: &mut Vec<(NodeIndex, T)>, removed: NodeIndex) -> Vec<(NodeIndex, T)> {
    let taken = held.extract_if(.., |(node, _)| *node == removed).collect();
    for (node, _) in held {
        *node = node.moved_up(removed);
    }
    taken
}

impl NodeKind {
    /// Whether a conditional node can run it (CUDA programming guide, conditional nodes; `built` recordings, and
    /// `device_test/conditional_bodies.py` of an H200: no copy from or to pageable memory).
    pub fn fits_a_body(&self) -> bool {
        if let NodeKind::Memcpy { kind, .. } = self {
            return !matches!(
                kind,
                CopyKind::HostToDevice(HostMemory::Pageable)
                    | CopyKind::DeviceToHost(HostMemory::Pageable)
            );
        }
        matches!(
            self,
            NodeKind::Kernel { .. }
                | NodeKind::Memset { .. }
                | NodeKind::MemsetRows { .. }
                | NodeKind::ChildGraph { .. }
                | NodeKind::Conditional
                | NodeKind::Empty
        )
    }
}

impl Model {
    /// The newest node of a graph is conditional, and runs a graph that the driver made for it.
    pub(crate) fn graph_body(&mut self, graph: GraphId, body: GraphId) -> Outcome {
        self.graphs.require(graph)?;
        if let Some(built) = self.built(graph) {
            built.hold_body(body);
        }
        Ok(self.graph_create(body))
    }

    /// The newest node of the graph that a stream captures into is conditional.
    pub(crate) fn capture_body(
        &mut self,
        thread: ThreadId,
        stream: Stream,
        body: GraphId,
    ) -> Outcome {
        let capture = self.capturing(thread, stream)?.capture;
        if let Some(recorded) = self.captures.recorded_mut(capture) {
            recorded.hold_body(body);
        }
        Ok(self.graph_create(body))
    }

    /// The copy that a node takes, if it is a graph that is known; not every graph can be copied (`rich` recordings: 801).
    pub(crate) fn child_of(
        &self,
        node: &NodeKind,
        capture: Option<CaptureId>,
    ) -> Result<Option<Child>, Refusal> {
        let NodeKind::ChildGraph { graph } = *node else {
            return Ok(None);
        };
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(None);
        };
        let graph = self.snapshot(state);
        if !graph.specials().can_be_cloned() {
            return Err(Reason::UnsupportedChild.by(capture));
        }
        let depth = 1 + graph.nested().map_or(0, Nested::depth);
        Ok(Some(Child {
            original: Some(state.serial),
            copy: (depth <= DEEPEST).then(|| Arc::clone(&graph)),
            depth,
            has_circle: graph.has_circle(),
            fits_a_body: graph.fits_a_body(),
        }))
    }

    /// Refuse to instantiate what cannot run since it has conditions (`built` recordings: 1). This is looked at before
    /// anything else about the graph.
    pub(crate) fn require_conditions(&self, graph: &Graph) -> Result<(), Reason> {
        let mut todo = vec![(graph, false)];
        while let Some((graph, is_body)) = todo.pop() {
            if is_body && graph.has_circle() {
                return Err(Reason::GraphHasCircle);
            }
            if is_body && !graph.fits_a_body() {
                return Err(Reason::UnsupportedBody);
            }
            let Some(nested) = graph.nested() else {
                continue;
            };
            if nested.lost_condition {
                return Err(Reason::ConditionWithoutNode);
            }
            let bodies = nested.bodies.iter();
            let bodies = bodies.filter_map(|(_, body)| self.graphs.get(body.graph));
            todo.extend(bodies.map(|body| (self.graph_so_far(body), true)));
        }
        Ok(())
    }

    /// What an executable runs that is made of a graph now, with the bodies of its conditional nodes.
    pub(crate) fn instantiated(&self, state: &GraphState) -> Arc<Graph> {
        self.with_bodies(self.snapshot(state), DEEPEST)
    }

    fn with_bodies(&self, mut graph: Arc<Graph>, depth: usize) -> Arc<Graph> {
        let has_bodies = graph.nested().is_some_and(|it| !it.bodies.is_empty());
        if depth == 0 || !has_bodies {
            return graph;
        }
        let nested = Arc::make_mut(&mut graph).nested_mut();
        for (_, body) in &mut nested.bodies {
            let state = self.graphs.get(body.graph);
            body.instantiated = state.map(|it| self.with_bodies(self.snapshot(it), depth - 1));
        }
        graph
    }

    /// A graph as it is now, also while a capture adds to it.
    fn snapshot(&self, state: &GraphState) -> Arc<Graph> {
        match state.capture.and_then(|id| self.captures.running(id)) {
            Some(capture) => Arc::new(capture.graph_so_far().clone()),
            None => Arc::clone(&state.graph),
        }
    }

    /// What held these is gone: the copies exist no more, nor do the bodies.
    pub(crate) fn release(&mut self, nested: Nested) {
        let mut todo = vec![nested];
        while let Some(nested) = todo.pop() {
            for original in nested.children.iter().filter_map(|(_, it)| it.original) {
                self.graphs.copy_is_gone(original);
            }
            for (_, body) in nested.bodies {
                let Some(body) = self.graphs.destroy(body.graph) else {
                    continue;
                };
                self.memory.lose(body.graph.nodes(), body.serial);
                todo.extend(body.graph.nested().cloned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Code, EventId, ExecId, testing::*};

    const OTHER: GraphId = GraphId(2);
    const BODY: GraphId = GraphId(3);
    const THIRD: GraphId = GraphId(4);
    const OTHER_EXEC: ExecId = ExecId(2);
    const IF: NodeKind = NodeKind::Conditional;
    const HOST: NodeKind = NodeKind::Host { function: 1 };

    /// Adds a conditional node to a graph; the graph it runs is `BODY`.
    fn condition(graph: GraphId) -> [Call; 2] {
        let body = Call::GraphBody { graph, body: BODY };
        [add_to(graph, IF, &[]), body]
    }

    fn refusal(model: &mut Model, call: &Call) -> Option<Reason> {
        model.call(HERE, call).reason
    }

    #[test]
    fn a_conditional_node_runs_work_for_the_device_alone() {
        let event = EventId(1);
        let fits = [KERNEL, IF];
        let others = [
            HOST,
            alloc(1),
            NodeKind::EventWait { event },
            NodeKind::EventRecord { event },
        ];
        let instantiated = |node: &NodeKind| {
            let mut model = driver();
            model.ok(&create(GRAPH));
            model.all_ok(&condition(GRAPH));
            model.ok(&add_to(BODY, node.clone(), &[]));
            refusal(&mut model, &instantiate(GRAPH, EXEC))
        };
        assert_eq!(fits.each_ref().map(instantiated), [None; 2]);
        let refused = Some(Reason::UnsupportedBody);
        assert_eq!(others.each_ref().map(instantiated), [refused; 4]);
    }

    #[test]
    fn what_a_body_cannot_run_it_cannot_run_as_a_child_either() {
        let mut model = driver();
        model.all_ok(&[create(OTHER), add_to(OTHER, HOST, &[])]);
        model.all_ok(&[create(THIRD), add_to(THIRD, child(OTHER), &[])]);
        model.ok(&create(GRAPH));
        model.all_ok(&condition(GRAPH));
        model.ok(&add_to(BODY, child(THIRD), &[]));
        let refused = refusal(&mut model, &instantiate(GRAPH, EXEC));
        assert_eq!(refused, Some(Reason::UnsupportedBody));
        model.ok(&remove_node(BODY, 0));
        model.ok(&instantiate(GRAPH, EXEC));
    }

    #[test]
    fn a_condition_without_its_node_makes_no_executable() {
        let mut model = driver();
        model.ok(&create(GRAPH));
        model.all_ok(&condition(GRAPH));
        model.ok(&remove_node(GRAPH, 0));
        let refused = refusal(&mut model, &instantiate(GRAPH, EXEC));
        assert_eq!(refused, Some(Reason::ConditionWithoutNode));
        let body = model.call(HERE, &add_to(BODY, KERNEL, &[]));
        assert_eq!(body.reason, Some(Reason::UnknownGraph));
    }

    #[test]
    fn copies_of_a_graph_keep_one_with_conditions_from_being_instantiated() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), clone(GRAPH, OTHER)]);
        model.all_ok(&[create(THIRD), add_to(THIRD, child(GRAPH), &[])]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&add_to(GRAPH, IF, &[]));
        let again = instantiate(GRAPH, OTHER_EXEC);
        for gone in [
            Call::GraphExecDestroy { exec: EXEC },
            Call::GraphDestroy { graph: OTHER },
            remove_node(THIRD, 0),
        ] {
            assert_eq!(model.code(&again), Code::NOT_SUPPORTED);
            model.ok(&gone);
        }
        model.ok(&again);
    }

    #[test]
    fn a_clone_has_copies_of_its_own() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), create(THIRD)]);
        model.ok(&add_to(THIRD, child(GRAPH), &[]));
        model.ok(&clone(THIRD, OTHER));
        model.ok(&Call::GraphDestroy { graph: THIRD });
        model.ok(&add_to(GRAPH, IF, &[]));
        model.ok(&instantiate(GRAPH, EXEC));
        model.all_ok(&[add_to(OTHER, IF, &[]), instantiate(OTHER, OTHER_EXEC)]);
    }

    #[test]
    fn a_capture_that_fails_takes_its_copies_with_it() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), create(OTHER), begin_to(OTHER, &[])]);
        model.ok(&add_to(OTHER, child(GRAPH), &[]));
        model.ok(&add_to(GRAPH, IF, &[]));
        let refused = instantiate(GRAPH, EXEC);
        assert_eq!(model.code(&refused), Code::NOT_SUPPORTED);
        model.ok(&Call::StreamDestroy { stream: A });
        model.ok(&refused);
    }
}
