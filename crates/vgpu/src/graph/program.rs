//! What a launch of an executable graph runs.

use cgsan_model::NodeKind;

use super::Graph;
use crate::gpu::kernel;
use crate::gpu::work::Work;

/// The work of a graph, in an order that respects its dependencies.
#[derive(Debug, Default)]
pub struct Program {
    works: Vec<Work>,
    has_kernels: bool,
}

impl Program {
    /// What a graph does; `None` if its dependencies run in a circle.
    pub fn of(graph: &Graph) -> Option<Program> {
        let order = graph.topological_order()?;
        let has_kernels = graph
            .nodes()
            .iter()
            .any(|node| matches!(node.kind, NodeKind::Kernel { .. } | NodeKind::Conditional));
        let works = order
            .into_iter()
            .map(|index| graph.nodes()[index].work.clone())
            .filter(|work| !matches!(work, Work::Nothing | Work::Conditional(_)))
            .collect();
        Some(Program { works, has_kernels })
    }

    /// Runs it all.
    pub fn run(&self) {
        if self.has_kernels {
            kernel::note_launch();
        }
        for work in &self.works {
            work.run();
        }
    }
}
