//! Graphs that a program builds by hand, node by node, also while a capture adds to them.

use std::sync::Arc;

use crate::{
    Answer, CaptureId, Graph, GraphId, Model, NodeIndex, NodeKind, Reason,
    answer::{Outcome, Refusal},
};

impl Model {
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
        self.require_child(node, None)?;
        self.memory.record(node, serial)?;
        if let Some(built) = self.built(graph) {
            built.push(node.clone(), dependencies.iter().copied().collect());
        }
        Ok(Answer::DONE)
    }

    /// Add a node by hand to what a running capture records. No stream comes to wait for it.
    pub(crate) fn add_to_capture(
        &mut self,
        capture: CaptureId,
        node: &NodeKind,
        dependencies: &[NodeIndex],
    ) -> Outcome {
        self.require_child(node, Some(capture))?;
        if node.is_allocation() {
            self.record_allocation(node, capture)?;
        }
        if let Some(recorded) = self.captures.recorded_mut(capture) {
            recorded.push(node.clone(), dependencies.iter().copied().collect());
        }
        Ok(Answer::within(capture))
    }

    /// Make nodes of a graph wait for others, pair by pair. An edge that exists is refused (CUDA runtime API,
    /// `cudaGraphAddDependencies`), and then none is added.
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

    /// Remove a node of a graph; those behind it move up.
    pub(crate) fn graph_destroy_node(&mut self, graph: GraphId, node: NodeIndex) -> Outcome {
        self.require_removable(graph)?;
        self.change(graph, |built| built.remove(node))
    }

    /// Copy a graph (CUDA runtime API, `cudaGraphClone`: not one that allocates, frees or has a conditional node).
    pub(crate) fn graph_clone(&mut self, graph: GraphId, clone: GraphId) -> Outcome {
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(Answer::DONE);
        };
        let capture = state.capture.and_then(|id| self.captures.running(id));
        let original = capture.map_or(&*state.graph, |capture| capture.graph_so_far());
        if !original.specials().can_be_cloned() {
            return Err(Reason::UnsupportedClone.into());
        }
        let copy = original.clone();
        let serial = self.graphs.next_serial();
        self.graphs.add(clone, copy, serial);
        Ok(Answer::DONE)
    }

    /// A node that is a graph takes a copy of it; not every graph can be copied (`rich` recordings: 801).
    fn require_child(&self, node: &NodeKind, capture: Option<CaptureId>) -> Result<(), Refusal> {
        let NodeKind::ChildGraph { graph } = *node else {
            return Ok(());
        };
        let Some(child) = self.graphs.require(graph)? else {
            return Ok(());
        };
        if !child.graph.specials().can_be_cloned() {
            return Err(Reason::UnsupportedChild.by(capture));
        }
        if child.graph.has_circle() {
            return Err(Reason::GraphHasCircle.by(capture));
        }
        Ok(())
    }

    /// Nothing can be removed from a graph that allocates or frees (CUDA runtime API, `cudaGraphDestroyNode`), nor while
    /// a capture adds to it (`cudaStreamGetCaptureInfo`). The codes are those of the kindred refusals that were recorded.
    fn require_removable(&self, graph: GraphId) -> Result<(), Refusal> {
        let Some(state) = self.graphs.require(graph)? else {
            return Ok(());
        };
        if let Some(capture) = state.capture {
            return Err(Reason::GraphIsCapturedInto.by(capture));
        }
        if state.graph.specials().memory {
            Err(Reason::MemoryNodesStay.into())
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

    /// The nodes of a graph, to be changed: those of the capture that adds to it, or its own.
    fn built(&mut self, graph: GraphId) -> Option<&mut Graph> {
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

    fn create(graph: GraphId) -> Call {
        Call::GraphCreate { graph }
    }

    fn add(node: NodeKind, after: &[u32]) -> Call {
        Call::GraphAddNode {
            graph: GRAPH,
            node,
            dependencies: nodes(after),
        }
    }

    fn nodes(indices: &[u32]) -> Vec<NodeIndex> {
        indices.iter().copied().map(NodeIndex).collect()
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
        let clone = Call::GraphClone {
            graph: GRAPH,
            clone: OTHER,
        };
        model.all_ok(&[create(GRAPH), add(KERNEL, &[]), clone.clone()]);
        assert_eq!(model.nodes(OTHER).map(<[_]>::len), Some(1));
        model.ok(&add(NodeKind::Conditional, &[0]));
        assert_eq!(model.code(&clone), Code::NOT_SUPPORTED);
        let child = Call::GraphAddNode {
            graph: OTHER,
            node: NodeKind::ChildGraph { graph: GRAPH },
            dependencies: Vec::new(),
        };
        assert_eq!(model.code(&child), Code::NOT_SUPPORTED);
    }

    #[test]
    fn edges_come_and_go_with_the_nodes_between_them() {
        let mut model = driver();
        let edge = |from, to| (nodes(&[from]), nodes(&[to]));
        let link = |(from, to)| Call::GraphAddDependencies {
            graph: GRAPH,
            from,
            to,
        };
        let unlink = |(from, to)| Call::GraphRemoveDependencies {
            graph: GRAPH,
            from,
            to,
        };
        let chain = [add(KERNEL, &[]), add(KERNEL, &[0]), add(KERNEL, &[1])];
        model.ok(&create(GRAPH));
        model.all_ok(&chain);
        model.ok(&link(edge(0, 2)));
        assert_eq!(model.code(&link(edge(0, 2))), Code::INVALID_VALUE);
        assert_eq!(model.code(&link(edge(0, 3))), Code::INVALID_VALUE);
        assert_eq!(model.code(&unlink(edge(2, 0))), Code::INVALID_VALUE);
        model.ok(&unlink(edge(1, 2)));
        assert_eq!(edges(&model), [vec![], vec![0], vec![0]]);
        let (graph, node) = (GRAPH, NodeIndex(1));
        model.ok(&Call::GraphDestroyNode { graph, node });
        assert_eq!(edges(&model), [vec![], vec![0]]);
    }

    #[test]
    fn nodes_that_wait_for_each_other_make_no_executable() {
        let mut model = driver();
        let edge = |from, to| Call::GraphAddDependencies {
            graph: GRAPH,
            from: nodes(&[from]),
            to: nodes(&[to]),
        };
        let chain = [create(GRAPH), add(KERNEL, &[]), add(KERNEL, &[0])];
        model.all_ok(&chain);
        model.ok(&edge(1, 0));
        let refused = model.call(HERE, &instantiate(GRAPH, EXEC));
        assert_eq!(refused.reason, Some(Reason::GraphHasCircle));
        model.ok(&create(OTHER));
        let child = Call::GraphAddNode {
            graph: OTHER,
            node: NodeKind::ChildGraph { graph: GRAPH },
            dependencies: Vec::new(),
        };
        assert_eq!(model.code(&child), Code::INVALID_VALUE);
        model.ok(&Call::GraphRemoveDependencies {
            graph: GRAPH,
            from: nodes(&[0]),
            to: nodes(&[1]),
        });
        model.ok(&instantiate(GRAPH, EXEC));
    }

    #[test]
    fn nothing_is_removed_where_memory_or_a_capture_may_depend_on_it() {
        let mut model = driver();
        let (graph, node) = (GRAPH, NodeIndex(0));
        let remove = Call::GraphDestroyNode { graph, node };
        model.all_ok(&[create(GRAPH), add(KERNEL, &[])]);
        model.ok(&Call::StreamBeginCaptureToGraph {
            stream: A,
            graph,
            dependencies: nodes(&[0]),
            mode: CaptureMode::Relaxed,
        });
        assert_eq!(model.code(&remove), Code::ILLEGAL_STATE);
        model.ok(&end(A, GRAPH));
        model.ok(&remove);
        model.all_ok(&[add(alloc(1), &[]), add(KERNEL, &[0])]);
        assert_eq!(model.code(&remove), Code::NOT_SUPPORTED);
    }

    #[test]
    fn a_node_by_hand_is_one_of_the_capture_into_the_graph() {
        let mut model = driver();
        model.all_ok(&[create(GRAPH), add(KERNEL, &[])]);
        let capture = model.ok(&Call::StreamBeginCaptureToGraph {
            stream: A,
            graph: GRAPH,
            dependencies: nodes(&[0]),
            mode: CaptureMode::Relaxed,
        });
        model.ok(&enqueue(A, KERNEL));
        assert_eq!(model.ok(&add(KERNEL, &[1])), capture);
        model.ok(&enqueue(A, KERNEL));
        model.ok(&end(A, GRAPH));
        assert_eq!(edges(&model), [vec![], vec![0], vec![1], vec![1]]);
    }
}
