//! Executable graphs: made, updated, launched, destroyed.

use std::sync::Arc;

use crate::{
    Answer, ExecId, Graph, GraphId, Model, Reason, Stream, ThreadId, UpdateResult, Value,
    answer::{Outcome, Refusal},
    graph::Serial,
    memory::Footprint,
    registry::{Found, Registry},
    update,
};

/// An executable graph (`cudaGraphExec_t`).
#[derive(Clone, Debug)]
pub struct Exec {
    source: GraphId,
    serial: Serial,
    graph: Arc<Graph>,
    footprint: Footprint,
    auto_free: bool,
}

impl Exec {
    /// The graph it was instantiated or last updated from. That may be gone: an executable lives on without it.
    pub fn source(&self) -> GraphId {
        self.source
    }

    /// What a launch runs.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}

pub(crate) type Execs = Registry<ExecId, Exec>;

impl Model {
    /// Instantiation is an unsafe call. A graph with memory nodes can have one executable at a time
    /// (`u01_exec_update`: 801).
    pub(crate) fn instantiate(
        &mut self,
        thread: ThreadId,
        graph: GraphId,
        exec: ExecId,
        auto_free: bool,
    ) -> Outcome {
        self.permit_unsafe(thread)?;
        let Some(state) = self.graphs.require(graph)?.cloned() else {
            return Ok(Answer::DONE);
        };
        if state.is_taken() {
            return Err(Reason::MemoryNodesInUse.into());
        }
        self.mark_in_use(graph, state.serial, true);
        let made = Exec {
            source: graph,
            serial: state.serial,
            footprint: Footprint::of(&state.graph),
            graph: state.graph,
            auto_free,
        };
        self.execs.create(exec, made);
        Ok(Answer::DONE)
    }

    /// Updates are permitted while anything captures (`rules.jsonl.gz`). An update moves the executable to the other
    /// graph, memory included: the old one can be instantiated again, the new one no more.
    pub(crate) fn exec_update(&mut self, exec: ExecId, graph: GraphId) -> Outcome {
        self.require_exec(exec)?;
        let success = Ok(Answer::with(Value::Update(UpdateResult::Success)));
        let Some(new) = self.graphs.require(graph)?.cloned() else {
            return success;
        };
        let Some(exec) = self.execs.get_mut(&exec) else {
            return success;
        };
        let result = update::compare(&exec.graph, &new.graph);
        if result != UpdateResult::Success {
            let value = Value::Update(result);
            let refusal = Answer::from(Refusal::from(Reason::UpdateRefused));
            return Ok(Answer { value, ..refusal });
        }
        let (old_source, old_serial) = (exec.source, exec.serial);
        if new.is_taken() && new.serial != old_serial {
            return Err(Reason::MemoryNodesInUse.into());
        }
        exec.source = graph;
        exec.serial = new.serial;
        exec.footprint = Footprint::of(&new.graph);
        exec.graph = new.graph;
        self.mark_in_use(old_source, old_serial, false);
        self.mark_in_use(graph, new.serial, true);
        success
    }

    pub(crate) fn exec_destroy(&mut self, thread: ThreadId, exec: ExecId) -> Outcome {
        self.permit_unsafe(thread)?;
        self.require_exec(exec)?;
        if let Some(gone) = self.execs.destroy(exec) {
            self.mark_in_use(gone.source, gone.serial, false);
        }
        Ok(Answer::DONE)
    }

    /// A launch cannot be captured (`rules.jsonl.gz`: 900).
    pub(crate) fn launch(&mut self, thread: ThreadId, exec: ExecId, stream: Stream) -> Outcome {
        self.forbid_capturing(thread, stream)?;
        self.require_exec(exec)?;
        if let Some(exec) = self.execs.get(&exec) {
            self.memory.launch(&exec.footprint, exec.auto_free)?;
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
        match self.execs.find(&exec) {
            Found::Live(_) => Ok(()),
            Found::Unannounced if exec != ExecId(0) => Ok(()),
            Found::Unannounced | Found::Destroyed => Err(Reason::UnknownGraph.into()),
        }
    }

    fn mark_in_use(&mut self, graph: GraphId, serial: Serial, in_use: bool) {
        if let Some(state) = self.graphs.get_mut(graph)
            && state.serial == serial
        {
            state.in_use = in_use;
        }
    }
}
