//! Graphs that a program builds by hand, node by node, also while a capture adds to them.

use std::sync::Arc;

use crate::{
    Answer, CaptureId, Graph, GraphId, Model, NodeIndex, NodeKind, Reason,
    answer::{Outcome, Refusal},
    state::{graph::GraphState, nested::Child},
};

impl Model {
    pub(crate) fn graph_create(&mut self, graph: GraphId) -> Answer {
        let serial = self.graphs.next_serial();
        self.graphs.add(graph, Graph::default(), serial);
        Answer::DONE
    }

    /// Graphs can be destroyed while anything captures, and while executables of them exist; but not while a capture
    /// adds its nodes to them.
    pub(crate) fn graph_destroy(&mut self, graph: GraphId) -> Outcome {
        if let Some(state) = self.graphs.require(graph)?
            && let Some(capture) = state.capture
        {
            return Err(Reason::GraphIsCapturedInto.by(capture));
        }
        if let Some(gone) = self.graphs.destroy(graph) {
            self.memory.lose(gone.graph.nodes(), gone.serial);
            if let Some(nested) = gone.graph.nested() {
                self.release(nested.clone());
            }
        }
        Ok(Answer::DONE)
    }

    /// Add a node to a graph. While a capture adds to the graph, the node is one of the capture's.
    pub(crate) fn graph_add_node(
        &mut self,
        graph: GraphId,
        node: &NodeKind,
        dependencies: &[NodeIndex],
    ) -> Outcome {
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(Answer::DONE);
        };
        let (serial, capture) = (state.serial, state.capture);
        if let Some(capture) = capture {
            return self.add_to_capture(capture, node, dependencies);
        }
        let child = self.child_of(node, None)?;
        let Some(built) = self.built(graph) else {
            return Ok(Answer::DONE);
        };
        if node.is_allocation() {
            built.touch_memory();
        }
        self.memory.record(node, serial)?;
        let original = child.as_ref().and_then(Child::original);
        if let Some(built) = self.built(graph) {
            built.add(node.clone(), dependencies, child);
        }
        self.graphs.is_copied(original);
        Ok(Answer::DONE)
    }

    /// Add a node by hand to what a running capture records. No stream comes to wait for it.
    pub(crate) fn add_to_capture(
        &mut self,
        capture: CaptureId,
        node: &NodeKind,
        dependencies: &[NodeIndex],
    ) -> Outcome {
        let child = self.child_of(node, Some(capture))?;
        if node.is_allocation() {
            self.record_allocation(node, capture)?;
        }
        let original = child.as_ref().and_then(Child::original);
        self.captures
            .add_by_hand(capture, node.clone(), dependencies, child);
        self.graphs.is_copied(original);
        Ok(Answer::within(capture))
    }

    /// Make nodes of a graph wait for others, pair by pair. An edge that exists is refused, and so is one from a node to
    /// itself; then none is added. Edges may run in a circle all the same (`built` recordings).
    pub(crate) fn graph_add_dependencies(
        &mut self,
        graph: GraphId,
        from: &[NodeIndex],
        to: &[NodeIndex],
    ) -> Outcome {
        self.change(graph, |built| {
            let edges = || from.iter().zip(to);
            let is_possible = edges().all(|(from, to)| built.can_link(*from, *to));
            if is_possible {
                edges().for_each(|(from, to)| built.link(*from, *to));
            }
            is_possible
        })
    }

    /// Make nodes of a graph no longer wait for others, pair by pair; every edge must exist.
    pub(crate) fn graph_remove_dependencies(
        &mut self,
        graph: GraphId,
        from: &[NodeIndex],
        to: &[NodeIndex],
    ) -> Outcome {
        self.require_removable(graph)?;
        self.change(graph, |built| {
            let edges = || from.iter().zip(to);
            let is_possible = edges().all(|(from, to)| built.has_edge(*from, *to));
            if is_possible {
                edges().for_each(|(from, to)| built.unlink(*from, *to));
            }
            is_possible
        })
    }

    /// Remove a node of a graph; those behind it move up. None can go while a capture adds to the graph, though edges can
    /// (`built` recordings).
    pub(crate) fn graph_destroy_node(&mut self, graph: GraphId, node: NodeIndex) -> Outcome {
        self.require_removable(graph)?;
        let capture = self.graphs.get(graph).and_then(|state| state.capture);
        if let Some(capture) = capture {
            return Err(Reason::GraphIsCapturedInto.by(capture));
        }
        if let Some(built) = self.built(graph) {
            let held = built.remove(node).ok_or(Reason::InvalidArgument)?;
            self.release(held);
        }
        Ok(Answer::DONE)
    }

    /// Copy a graph; not one that allocates, frees or has a conditional node, or once had (`built` recordings: 801).
    pub(crate) fn graph_clone(&mut self, graph: GraphId, clone: GraphId) -> Outcome {
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(Answer::DONE);
        };
        let original = self.graph_so_far(state);
        if !original.specials().can_be_cloned() {
            return Err(Reason::UnsupportedClone.into());
        }
        let (copy, original) = (original.to_clone(), state.serial);
        self.graphs.add_clone(clone, copy, original);
        Ok(Answer::DONE)
    }

    /// Nothing can be removed from a graph that allocates or frees, or that was asked to (`built` recordings: 801).
    fn require_removable(&self, graph: GraphId) -> Result<(), Refusal> {
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(());
        };
        if self.graph_so_far(state).specials().memory {
            Err(Reason::MemoryNodesStay.by(state.capture))
        } else {
            Ok(())
        }
    }

    /// Change a graph, if it was announced. A change that is not possible is an invalid argument.
    fn change(&mut self, graph: GraphId, change: impl FnOnce(&mut Graph) -> bool) -> Outcome {
        self.graphs.require(graph)?;
        let Some(built) = self.built(graph) else {
            return Ok(Answer::DONE);
        };
        if change(built) {
            Ok(Answer::DONE)
        } else {
            Err(Reason::InvalidArgument.into())
        }
    }

    /// A graph with what the capture that adds to it has added so far.
    pub(crate) fn graph_so_far<'a>(&'a self, state: &'a GraphState) -> &'a Graph {
        let capture = state.capture.and_then(|id| self.captures.running(id));
        capture.map_or(&*state.graph, |capture| capture.graph_so_far())
    }

    /// The nodes of a graph, to be changed: those of the capture that adds to it, or its own.
    pub(crate) fn built(&mut self, graph: GraphId) -> Option<&mut Graph> {
        let state = self.graphs.get_mut(graph)?;
        match state.capture {
            Some(capture) => self.captures.recorded_mut(capture),
            None => Some(Arc::make_mut(&mut state.graph)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, CaptureMode, Code, ExecId, testing::*};

    const OTHER: GraphId = GraphId(2);
    const OTHER_EXEC: ExecId = ExecId(2);

    fn add(node: NodeKind, after: &[u32]) -> Call {
        add_to(GRAPH, node, after)
    }

    fn edges(model: &Model) -> Vec<Vec<u32>> {
        let nodes = model.nodes(GRAPH).unwrap();
        let waited = |node: &crate::Node| node.dependencies.iter().map(|node| node.0).collect();
        nodes.iter().map(waited).collect()
    }

    #[test]
    fn a_graph_that_allocates_has_one_executable_however_it_was_made() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), instantiate(GRAPH, EXEC), add(alloc(1), &[])]);
        model.ok(&instantiate(GRAPH, OTHER_EXEC));
        let third = instantiate(GRAPH, ExecId(3));
        assert_eq!(model.code(&third), Code::NOT_SUPPORTED);
        model.ok(&launch(OTHER_EXEC));
        assert_eq!(model.code(&launch(OTHER_EXEC)), Code::INVALID_VALUE);
        model.ok(&enqueue(B, free(1)));
        model.ok(&launch(OTHER_EXEC));
    }

    #[test]
    fn only_what_graphs_allocate_can_be_freed_by_a_node_and_not_in_two_ways() {
        let mut model = driver();
        model.ok(&create(GRAPH));
        assert_eq!(model.code(&add(free(9), &[])), Code::INVALID_VALUE);
        model.all_ok(&[add(alloc(1), &[]), add(free(1), &[0])]);
        assert_eq!(model.code(&add(free(1), &[0])), Code::INVALID_VALUE);
        model.ok(&begin(A, CaptureMode::Relaxed));
        let elsewhere = model.call(HERE, &enqueue(A, free(1)));
        assert_eq!(elsewhere.reason, Some(Reason::FreedTwice));
    }

    #[test]
    fn a_free_that_a_broken_capture_takes_back_can_be_made_elsewhere() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(alloc(1), &[])]);
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&enqueue(A, free(1)));
        assert_eq!(model.code(&add(free(1), &[])), Code::INVALID_VALUE);
        model.ok(&Call::StreamDestroy { stream: A });
        model.ok(&add(free(1), &[0]));
    }

    #[test]
    fn graphs_with_memory_or_conditions_are_not_copied() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), clone(GRAPH, OTHER)]);
        assert_eq!(model.nodes(OTHER).map(<[_]>::len), Some(1));
        model.ok(&add(NodeKind::Conditional, &[0]));
        assert_eq!(model.code(&clone(GRAPH, OTHER)), Code::NOT_SUPPORTED);
        let refused = add_to(OTHER, child(GRAPH), &[]);
        assert_eq!(model.code(&refused), Code::NOT_SUPPORTED);
    }

    #[test]
    fn a_free_that_was_refused_limits_the_graph_all_the_same() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), add(KERNEL, &[0])]);
        assert_eq!(model.code(&add(free(9), &[])), Code::INVALID_VALUE);
        assert_eq!(model.nodes(GRAPH).map(<[_]>::len), Some(2));
        assert_eq!(model.code(&clone(GRAPH, OTHER)), Code::NOT_SUPPORTED);
        assert_eq!(model.code(&unlink(GRAPH, 0, 1)), Code::NOT_SUPPORTED);
        assert_eq!(model.code(&remove_node(GRAPH, 1)), Code::NOT_SUPPORTED);
    }

    #[test]
    fn edges_come_and_go_with_the_nodes_between_them() {
        let mut model = driver();
        let chain = [add(KERNEL, &[]), add(KERNEL, &[0]), add(KERNEL, &[1])];
        model.ok(&create(GRAPH));
        model.all_ok(&chain);
        model.ok(&link(GRAPH, 0, 2));
        assert_eq!(model.code(&link(GRAPH, 0, 2)), Code::INVALID_VALUE);
        assert_eq!(model.code(&link(GRAPH, 0, 3)), Code::INVALID_VALUE);
        assert_eq!(model.code(&unlink(GRAPH, 2, 0)), Code::INVALID_VALUE);
        model.ok(&unlink(GRAPH, 1, 2));
        assert_eq!(edges(&model), [vec![], vec![0], vec![0]]);
        model.ok(&remove_node(GRAPH, 1));
        assert_eq!(edges(&model), [vec![], vec![0]]);
    }

    #[test]
    fn a_node_does_not_wait_for_itself() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), add(KERNEL, &[])]);
        assert_eq!(model.code(&link(GRAPH, 1, 1)), Code::INVALID_VALUE);
        assert_eq!(edges(&model), [vec![], vec![]]);
        model.ok(&instantiate(GRAPH, EXEC));
    }

    #[test]
    fn nodes_that_wait_for_each_other_make_no_executable() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), add(KERNEL, &[0])]);
        model.ok(&link(GRAPH, 1, 0));
        let refused = model.call(HERE, &instantiate(GRAPH, EXEC));
        assert_eq!(refused.reason, Some(Reason::GraphHasCycle));
        model.all_ok(&[create(OTHER), add_to(OTHER, child(GRAPH), &[])]);
        model.all_ok(&[unlink(GRAPH, 0, 1), instantiate(GRAPH, EXEC)]);
        let refused = model.call(HERE, &instantiate(OTHER, OTHER_EXEC));
        assert_eq!(refused.reason, Some(Reason::GraphHasCycle));
    }

    #[test]
    fn no_node_is_removed_while_a_capture_adds_to_its_graph_but_edges_are() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), begin_to(GRAPH, &[0])]);
        model.ok(&enqueue(A, KERNEL));
        assert_eq!(model.code(&remove_node(GRAPH, 1)), Code::ILLEGAL_STATE);
        model.ok(&unlink(GRAPH, 0, 1));
        model.ok(&end(A, GRAPH));
        assert_eq!(edges(&model), [vec![], vec![]]);
        model.ok(&remove_node(GRAPH, 1));
    }

    #[test]
    fn nothing_is_removed_from_a_graph_that_allocates_captured_into_or_not() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), begin_to(GRAPH, &[0])]);
        model.ok(&enqueue(A, alloc(1)));
        let refused = [remove_node(GRAPH, 0), unlink(GRAPH, 0, 1)];
        let codes = refused.each_ref().map(|call| model.code(call));
        assert_eq!(codes, [Code::NOT_SUPPORTED; 2]);
        model.ok(&end(A, GRAPH));
        let codes = refused.each_ref().map(|call| model.code(call));
        assert_eq!(codes, [Code::NOT_SUPPORTED; 2]);
    }

    #[test]
    fn a_node_by_hand_is_one_of_the_capture_into_the_graph() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[])]);
        let capture = model.ok(&begin_to(GRAPH, &[0]));
        model.ok(&enqueue(A, KERNEL));
        assert_eq!(model.ok(&add(KERNEL, &[1])), capture);
        model.ok(&enqueue(A, KERNEL));
        model.ok(&end(A, GRAPH));
        assert_eq!(edges(&model), [vec![], vec![0], vec![1], vec![1]]);
    }
}
