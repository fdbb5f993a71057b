//! Graphs within graphs: the copies that child nodes hold, and the bodies of conditional nodes.

use std::sync::Arc;

use crate::{
    CaptureId, Graph, GraphId, Model, NodeKind, Reason, Stream, ThreadId,
    answer::{Outcome, Refusal},
    state::{
        graph::GraphState,
        nested::{Child, DEEPEST, Nested},
    },
};

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
        Ok(Some(Child::of(state.serial, graph)))
    }

    /// Refuse to instantiate what cannot run since it has conditions (`built` recordings: 1). This is looked at before
    /// anything else about the graph.
    pub(crate) fn require_conditions(&self, graph: &Graph) -> Result<(), Reason> {
        let mut todo = vec![(graph, false)];
        while let Some((graph, is_body)) = todo.pop() {
            if is_body && graph.has_circle() {
                return Err(Reason::GraphHasCycle);
            }
            if is_body && !graph.fits_a_body() {
                return Err(Reason::UnsupportedBody);
            }
            let Some(nested) = graph.nested() else {
                continue;
            };
            if nested.has_lost_condition() {
                return Err(Reason::ConditionWithoutNode);
            }
            let bodies = nested.bodies().filter_map(|body| self.graphs.get(body));
            todo.extend(bodies.map(|body| (self.graph_so_far(body), true)));
        }
        Ok(())
    }

    /// What an executable runs that is made of a graph now, with the bodies of its conditional nodes.
    pub(crate) fn instantiated(&self, state: &GraphState) -> Arc<Graph> {
        self.with_bodies(self.snapshot(state), DEEPEST)
    }

    fn with_bodies(&self, mut graph: Arc<Graph>, depth: usize) -> Arc<Graph> {
        let has_bodies = graph
            .nested()
            .is_some_and(|it| it.bodies().next().is_some());
        if depth == 0 || !has_bodies {
            return graph;
        }
        let nested = Arc::make_mut(&mut graph).nested_mut();
        nested.instantiate(|body| {
            let state = self.graphs.get(body)?;
            Some(self.with_bodies(self.snapshot(state), depth - 1))
        });
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
            for original in nested.originals() {
                self.graphs.copy_is_gone(original);
            }
            for body in nested.bodies() {
                let Some(body) = self.graphs.destroy(body) else {
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
