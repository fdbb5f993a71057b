//! What a launch of an executable graph runs.

use cgsan_model::{Code, CopyKind, NodeKind};

use super::Graph;
use crate::gpu::work::Work;
use crate::gpu::{fault, kernel};

/// The work of a graph, in an order that respects its dependencies.
#[derive(Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    has_kernels: bool,
}

/// The work of a node.
#[derive(Debug)]
struct Step {
    work: Work,
    /// Where a copy read and wrote when it became a node.
    copy: Option<CopyKind>,
}

impl Program {
    /// What a graph does; `None` if its dependencies run in a circle.
    pub fn of(graph: &Graph) -> Option<Program> {
        let order = graph.topological_order()?;
        let has_kernels = graph
            .nodes()
            .iter()
            .any(|node| matches!(node.kind, NodeKind::Kernel { .. } | NodeKind::Conditional));
        let nodes = order.into_iter().map(|index| &graph.nodes()[index]);
        let steps = nodes
            .filter(|node| !matches!(node.work, Work::Nothing | Work::Conditional(_)))
            .map(|node| Step {
                work: node.work.clone(),
                copy: match node.kind {
                    NodeKind::Memcpy { kind, .. } => Some(kind),
                    _ => None,
                },
            })
            .collect();
        Some(Program { steps, has_kernels })
    }

    /// Runs it all, or until an access to memory that is gone.
    pub fn run(&self) {
        if self.has_kernels {
            kernel::note_launch();
        }
        for step in &self.steps {
            if !step.has_its_memory() {
                fault::happened(step.fault());
                return;
            }
            step.work.run();
        }
    }
}

impl Step {
    /// Whether the memory is still there that the node was made for.
    fn has_its_memory(&self) -> bool {
        match (&self.work, self.copy) {
            (Work::Copy(transfer), Some(kind)) => transfer.has_its_memory(kind),
            (Work::Fill(fill), _) => fill.check().is_ok(),
            _ => true,
        }
    }

    /// What the device says where the memory is gone.
    fn fault(&self) -> Code {
        match self.copy {
            Some(CopyKind::DeviceToHost(_)) => fault::LAUNCH_FAILED,
            _ => fault::ILLEGAL_ADDRESS,
        }
    }
}
