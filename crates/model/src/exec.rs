//! Executable graphs: made, updated, launched, destroyed.

use crate::{
    Answer, Exec, ExecId, GraphId, Model, Reason, Stream, ThreadId, UpdateResult, Value,
    answer::{Outcome, Refusal},
    state::{graph::GraphState, memory::Footprint, registry::Found},
    update::Update,
};

impl Model {
    /// Instantiation is an unsafe call. A graph with memory nodes can have one executable at a time
    /// (`u01_exec_update`: 801); one whose nodes wait for each other has none (CUDA runtime API, `cudaGraphInstantiate`).
    pub(crate) fn instantiate(
        &mut self,
        thread: ThreadId,
        graph: GraphId,
        exec: ExecId,
        auto_free: bool,
    ) -> Outcome {
        self.permit_unsafe(thread)?;
        let mut state = self.graphs.require(graph)?.cloned();
        if let Some(state) = &mut state {
            state.graph = self.instantiated(state);
            self.require_conditions(&state.graph)?;
            if self.graphs.is_taken(state) {
                return Err(Reason::MemoryNodesInUse.into());
            }
            if state.graph.has_circle() {
                return Err(Reason::GraphHasCycle.into());
            }
        }
        // A handle that comes up again was destroyed in between, though no call said so.
        if let Some(gone) = self.execs.forget(exec) {
            self.forget_exec(&gone);
        }
        let Some(state) = state else {
            return Ok(Answer::DONE);
        };
        let made = Exec {
            source: graph,
            serial: state.serial,
            original: state.serial,
            footprint: Footprint::of(&state.graph),
            recorded_events: state.graph.recorded_events(),
            graph: state.graph,
            auto_free,
        };
        self.graphs.is_copied(Some(made.original));
        self.occupy(&made);
        self.execs.create(exec, made);
        Ok(Answer::DONE)
    }

    /// Updates are permitted while anything captures (`rules.jsonl.gz`). An update moves the executable to the other
    /// graph, memory included: the old one can be instantiated again, the new one no more. Memory that another executable
    /// has is looked at first (`nested` recordings).
    pub(crate) fn exec_update(&mut self, exec: ExecId, graph: GraphId) -> Outcome {
        self.require_exec(exec)?;
        let success = Ok(Answer::with(Value::Update(UpdateResult::Success)));
        let Some(mut new) = self.graphs.require(graph)?.cloned() else {
            return success;
        };
        new.graph = self.instantiated(&new);
        let Some(exec) = self.execs.get_mut(exec) else {
            return success;
        };
        let has_memory = new.serial == exec.serial && exec.graph.specials().memory;
        if new.execs_with_memory > usize::from(has_memory) {
            return Err(Reason::MemoryNodesInUse.into());
        }
        let result = Update::of(&exec.graph, &new.graph).result;
        if result != UpdateResult::Success {
            let value = Value::Update(result);
            let refusal = Answer::from(Refusal::from(Reason::UpdateRefused));
            return Ok(Answer { value, ..refusal });
        }
        let updated = Exec {
            source: graph,
            serial: new.serial,
            original: exec.original,
            footprint: Footprint::of(&new.graph),
            recorded_events: new.graph.recorded_events(),
            graph: new.graph,
            auto_free: exec.auto_free,
        };
        let old = std::mem::replace(exec, updated.clone());
        self.vacate(&old);
        self.occupy(&updated);
        success
    }

    pub(crate) fn exec_destroy(&mut self, thread: ThreadId, exec: ExecId) -> Outcome {
        self.permit_unsafe(thread)?;
        self.require_exec(exec)?;
        if let Some(gone) = self.execs.destroy(exec) {
            self.forget_exec(&gone);
        }
        Ok(Answer::DONE)
    }

    /// A launch cannot be captured (`rules.jsonl.gz`: 900). The events that the graph records happen outside captures.
    pub(crate) fn launch(&mut self, thread: ThreadId, exec: ExecId, stream: Stream) -> Outcome {
        self.forbid_capturing(thread, stream)?;
        self.require_exec(exec)?;
        if let Some(exec) = self.execs.get(exec) {
            self.memory.launch(&exec.footprint, exec.auto_free)?;
            for &event in &exec.recorded_events {
                if let Some(event) = self.events.get_mut(event) {
                    event.happens();
                }
            }
        }
        Ok(Answer::DONE)
    }

    pub(crate) fn upload(&mut self, thread: ThreadId, exec: ExecId, stream: Stream) -> Outcome {
        self.forbid_capturing(thread, stream)?;
        self.require_exec(exec)?;
        Ok(Answer::DONE)
    }

    /// An executable made before the model began to listen is taken to exist.
    fn require_exec(&self, exec: ExecId) -> Result<(), Refusal> {
        match self.execs.find(exec) {
            Found::Live(_) => Ok(()),
            Found::Unannounced if exec != ExecId(0) => Ok(()),
            Found::Unannounced | Found::Destroyed => Err(Reason::UnknownGraph.into()),
        }
    }

    /// An executable has the memory of its graph.
    fn occupy(&mut self, exec: &Exec) {
        let memory = exec.graph.specials().memory;
        if let Some(state) = self.source_of(exec) {
            state.execs_with_memory += usize::from(memory);
        }
        self.memory.publish(&exec.footprint);
    }

    /// An executable no longer has the memory of its graph.
    fn vacate(&mut self, exec: &Exec) {
        let memory = exec.graph.specials().memory;
        if let Some(state) = self.source_of(exec) {
            state.execs_with_memory = state.execs_with_memory.saturating_sub(memory.into());
        }
        self.memory.retract(&exec.footprint);
    }

    /// An executable is gone.
    fn forget_exec(&mut self, exec: &Exec) {
        self.vacate(exec);
        self.graphs.copy_is_gone(exec.original);
    }

    /// The graph that an executable was made of, unless its handle names another by now.
    fn source_of(&mut self, exec: &Exec) -> Option<&mut GraphState> {
        self.graphs
            .get_mut(exec.source)
            .filter(|state| state.serial == exec.serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, CaptureMode, Code, NodeKind, testing::*};

    const OTHER: GraphId = GraphId(2);
    const OTHER_EXEC: ExecId = ExecId(2);

    fn update(exec: ExecId, graph: GraphId) -> Call {
        Call::GraphExecUpdate { exec, graph }
    }

    #[test]
    fn an_update_moves_the_executable_to_the_other_graph() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        model.captured(OTHER, &[alloc(2)]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&update(EXEC, OTHER));
        let exec = model.code(&instantiate(OTHER, OTHER_EXEC));
        assert_eq!(exec, Code::NOT_SUPPORTED);
        model.ok(&instantiate(GRAPH, OTHER_EXEC));
        model.ok(&launch(EXEC));
        assert_eq!(model.code(&enqueue(B, free(1))), Code::INVALID_VALUE);
        model.ok(&enqueue(B, free(2)));
    }

    #[test]
    fn memory_cannot_be_taken_over_from_an_executable() {
        let mut model = driver();
        model.captured(GRAPH, &[alloc(1)]);
        model.captured(OTHER, &[alloc(2)]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&instantiate(OTHER, OTHER_EXEC));
        assert_eq!(model.code(&update(EXEC, OTHER)), Code::NOT_SUPPORTED);
        model.ok(&update(EXEC, GRAPH));
    }

    #[test]
    fn a_free_that_was_refused_still_limits_the_graph_to_one_executable() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Relaxed));
        assert!(!model.code(&enqueue(A, free(1))).is_success());
        model.ok(&end(A, GRAPH));
        model.ok(&instantiate(GRAPH, EXEC));
        assert_eq!(
            model.code(&instantiate(GRAPH, OTHER_EXEC)),
            Code::NOT_SUPPORTED
        );
        model.ok(&Call::GraphExecDestroy { exec: EXEC });
        model.ok(&instantiate(GRAPH, OTHER_EXEC));
    }

    #[test]
    fn null_and_destroyed_handles_are_refused_and_unannounced_ones_believed() {
        let mut model = driver();
        model.captured(GRAPH, &[KERNEL]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&Call::GraphExecDestroy { exec: EXEC });
        assert_eq!(model.code(&launch(EXEC)), Code::INVALID_VALUE);
        assert_eq!(model.code(&launch(ExecId(0))), Code::INVALID_VALUE);
        model.ok(&launch(OTHER_EXEC));
        model.ok(&update(OTHER_EXEC, GRAPH));
    }

    #[test]
    fn a_handle_that_comes_up_again_names_the_new_executable() {
        let mut model = driver();
        let unannounced = GraphId(9);
        model.captured(GRAPH, &[KERNEL]);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&Call::GraphExecDestroy { exec: EXEC });
        model.ok(&instantiate(unannounced, EXEC));
        model.ok(&launch(EXEC));
        model.ok(&instantiate(GRAPH, EXEC));
        assert!(model.exec(EXEC).is_some());
    }

    #[test]
    fn a_launch_records_the_events_that_its_graph_records() {
        let mut model = driver();
        let stamp = |event| Call::EventRecord {
            event,
            stream: A,
            external: true,
        };
        model.ok(&begin(A, CaptureMode::Relaxed));
        model.all_ok(&[stamp(FORK), stamp(JOIN), end(A, GRAPH)]);
        model.ok(&instantiate(GRAPH, EXEC));
        let elapsed = Call::EventElapsedTime {
            start: FORK,
            end: JOIN,
        };
        assert_eq!(model.code(&elapsed), Code::INVALID_HANDLE);
        model.ok(&launch(EXEC));
        model.ok(&elapsed);
    }

    #[test]
    fn an_update_compares_graphs_within_too() {
        let holds = |model: &mut Model, graph: GraphId, inner: NodeKind| {
            let (copied, body) = (GraphId(graph.0 + 10), GraphId(graph.0 + 20));
            model.all_ok(&[create(graph), create(copied)]);
            model.ok(&add_to(copied, inner.clone(), &[]));
            model.ok(&add_to(graph, child(copied), &[]));
            model.ok(&add_to(graph, NodeKind::Conditional, &[0]));
            model.ok(&Call::GraphBody { graph, body });
            model.ok(&add_to(body, inner, &[]));
            body
        };
        let mut model = driver();
        holds(&mut model, GRAPH, KERNEL);
        let body = holds(&mut model, OTHER, KERNEL);
        let third = GraphId(3);
        holds(&mut model, third, NodeKind::BatchMemOp);
        model.ok(&instantiate(GRAPH, EXEC));
        model.ok(&update(EXEC, OTHER));
        let answer = model.call(HERE, &update(EXEC, third));
        assert_eq!(answer.value, Value::Update(UpdateResult::NodeTypeChanged));
        model.ok(&add_to(body, KERNEL, &[]));
        let answer = model.call(HERE, &update(EXEC, OTHER));
        assert_eq!(answer.value, Value::Update(UpdateResult::TopologyChanged));
    }

    #[test]
    fn a_launch_records_the_events_of_child_graphs() {
        let mut model = driver();
        let record = |event| NodeKind::EventRecord { event };
        let made = |event| Call::EventCreate {
            event,
            device: DEVICE,
            timing: true,
        };
        model.all_ok(&[made(FORK), made(JOIN), create(GRAPH), create(OTHER)]);
        model.ok(&add_to(GRAPH, record(FORK), &[]));
        model.ok(&add_to(OTHER, child(GRAPH), &[]));
        model.ok(&add_to(OTHER, record(JOIN), &[0]));
        model.all_ok(&[instantiate(OTHER, EXEC), launch(EXEC)]);
        model.ok(&Call::EventElapsedTime {
            start: FORK,
            end: JOIN,
        });
    }

    #[test]
    fn a_refused_update_says_what_differed() {
        let mut model = driver();
        model.captured(GRAPH, &[KERNEL]);
        model.captured(OTHER, &[KERNEL, KERNEL]);
        model.ok(&instantiate(GRAPH, EXEC));
        let answer = model.call(HERE, &update(EXEC, OTHER));
        assert_eq!(answer.code, Code::GRAPH_EXEC_UPDATE_FAILURE);
        assert_eq!(answer.value, Value::Update(UpdateResult::TopologyChanged));
        assert_eq!(model.exec(EXEC).unwrap().graph().nodes().len(), 1);
    }
}
