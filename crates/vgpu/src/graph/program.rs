//! What a launch of an executable graph runs.

use crate::gpu::work::Work;

/// The work of a graph, in an order that respects its dependencies.
#[derive(Debug, Default)]
pub struct Program {
    works: Vec<Work>,
}

impl Program {
    /// A program of these works, in this order.
    pub fn new(works: Vec<Work>) -> Program {
        Program { works }
    }

    /// Runs it all.
    pub fn run(&self) {
        for work in &self.works {
            work.run();
        }
    }
}
