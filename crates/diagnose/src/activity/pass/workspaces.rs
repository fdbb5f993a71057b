//! The workspaces that PyTorch keeps for cuBLAS.

use cgsan_model::{Stream, ThreadId};
use rustc_hash::FxHashMap;

use super::Pass;
use crate::activity::memory::BlockId;
use crate::activity::operation;

/// cuBLAS's workspaces, one for each thread and stream.
#[derive(Debug, Default)]
pub(super) struct Workspaces {
    by_stream: FxHashMap<(ThreadId, Stream), BlockId>,
}

impl Pass<'_, '_> {
    /// What a matrix product allocates and neither gives back nor frees is cuBLAS's workspace on its stream.
    pub(super) fn keep_workspaces(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        let Some(stream) = operation.stream.filter(|_| operation.is_matrix_product()) else {
            return;
        };
        let given_back: Vec<u64> = operation::tensors(operation.results)
            .map(|tensor| tensor.address)
            .collect();
        let memory = &self.activity.memory;
        let workspace = memory.allocated_since(operation.position).find(|id| {
            let block = memory[*id];
            block.freed.is_none()
                && block.operation == Some(index)
                && !given_back.iter().any(|address| block.overlaps(*address, 1))
        });
        if let Some(workspace) = workspace {
            let thread = operation.thread;
            self.activity.workspaces.insert(workspace, index);
            self.workspaces
                .by_stream
                .insert((thread, stream), workspace);
        }
    }

    /// The workspace that a matrix product uses.
    pub(super) fn workspace_of(&self, index: usize) -> Option<BlockId> {
        let operation = &self.activity.operations[index];
        let stream = operation.stream.filter(|_| operation.is_matrix_product())?;
        let workspace = *self.workspaces.by_stream.get(&(operation.thread, stream))?;
        let is_there = self.activity.memory[workspace].freed.is_none();
        is_there.then_some(workspace)
    }
}
