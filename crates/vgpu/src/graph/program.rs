//! What a launch of an executable graph runs.

use cgsan_model::{Code, CopyKind, NodeKind};

use super::Graph;
use super::nodes::{Node, Values};
use crate::gpu::work::Work;
use crate::gpu::{fault, kernel};

/// The work of a graph, in an order that respects its dependencies.
#[derive(Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    has_kernels: bool,
    has_exchanges: bool,
}

/// The work of a node.
#[derive(Clone, Debug)]
pub struct Step {
    work: Work,
    /// Where a copy read and wrote when it became a node.
    copy: Option<CopyKind>,
    /// The steps that it waits for. In a program without collectives each waits for the one before, and none is named.
    after: Vec<usize>,
}

impl Program {
    /// What a graph does; `None` if its dependencies run in a circle.
    pub fn of(graph: &Graph) -> Option<Program> {
        let order = graph.topological_order()?;
        let nodes = graph.nodes();
        let mut program = Program::default();
        // The steps after which each node is done.
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        program.has_exchanges = nodes.iter().any(|node| node.work.has_exchanges());
        for index in order {
            let node = &nodes[index];
            let mut after = Vec::new();
            if program.has_exchanges {
                let before = node.dependencies.iter();
                after.extend(before.flat_map(|node| ends[*node].iter().copied()));
                after.sort_unstable();
                after.dedup();
            }
            let done = program.add(&node.work, &node.kind, after);
            ends[index] = program.add_values(node, done);
        }
        Some(program)
    }

    /// Adds what computes the values of a node, behind its work. Returns the steps after which it is done.
    fn add_values(&mut self, node: &Node, after: Vec<usize>) -> Vec<usize> {
        match node.values {
            Values::Here(function) => {
                self.steps.push(Step {
                    work: Work::Host(function),
                    copy: None,
                    after,
                });
                vec![self.steps.len() - 1]
            }
            Values::Later => after,
            Values::Missing => {
                self.has_kernels |=
                    matches!(node.kind, NodeKind::Kernel { .. } | NodeKind::Conditional);
                after
            }
        }
    }

    /// Adds the work of a node behind some steps. Returns the steps after which it is done.
    fn add(&mut self, work: &Work, kind: &NodeKind, after: Vec<usize>) -> Vec<usize> {
        match work {
            Work::Nothing | Work::Conditional(_) => after,
            Work::Graph(child) if child.has_exchanges => self.inline(child, after),
            _ => {
                let copy = match kind {
                    NodeKind::Memcpy { kind, .. } => Some(*kind),
                    _ => None,
                };
                self.steps.push(Step {
                    work: work.clone(),
                    copy,
                    after,
                });
                vec![self.steps.len() - 1]
            }
        }
    }

    /// Adds the steps of a graph inside the graph.
    fn inline(&mut self, child: &Program, after: Vec<usize>) -> Vec<usize> {
        self.has_kernels |= child.has_kernels;
        let first = self.steps.len();
        for step in &child.steps {
            let after = match step.after.as_slice() {
                [] => after.clone(),
                steps => steps.iter().map(|step| first + step).collect(),
            };
            self.steps.push(Step {
                after,
                ..step.clone()
            });
        }
        if child.steps.is_empty() {
            after
        } else {
            (first..self.steps.len()).collect()
        }
    }

    /// Whether it contains collectives, which may have to wait.
    pub fn has_exchanges(&self) -> bool {
        self.has_exchanges
    }

    /// The steps, each behind those that it waits for.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Notes that its kernels are launched.
    pub fn note_launch(&self) {
        if self.has_kernels {
            kernel::note_launch();
        }
    }

    /// Runs it all, or until an access to memory that is gone.
    pub fn run(&self) {
        self.note_launch();
        for step in &self.steps {
            step.run();
        }
    }
}

impl Step {
    /// Work that is no node of a graph.
    pub fn alone(work: Work) -> Step {
        Step {
            work,
            copy: None,
            after: Vec::new(),
        }
    }

    /// What it does.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The places of the steps that it waits for; without any, it waits for what is before the launch.
    pub fn after(&self) -> &[usize] {
        &self.after
    }

    /// Does it, unless work failed before. An access to memory that is gone fails.
    pub fn run(&self) {
        if fault::has_happened() {
            return;
        }
        if self.has_its_memory() {
            self.work.run();
        } else {
            fault::happened(self.fault());
        }
    }

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cgsan_model::NodeIndex;

    use super::*;
    use crate::gpu::work::{Exchange, Progress};
    use crate::memory::Fill;

    #[derive(Debug)]
    struct Collective;

    impl Exchange for Collective {
        fn begin(&self) -> Box<dyn Progress> {
            unreachable!("it is never launched")
        }
    }

    fn fill() -> Work {
        Work::Fill(Fill::bytes(0, 0, 0))
    }

    fn after(program: &Program) -> Vec<&[usize]> {
        program.steps().iter().map(Step::after).collect()
    }

    #[test]
    fn beside_a_collective_steps_wait_for_what_they_depend_on() {
        let mut graph = Graph::new(1);
        graph.push(NodeKind::Empty, Work::Exchange(Arc::new(Collective)), &[]);
        graph.push(NodeKind::Empty, fill(), &[]);
        graph.push(
            NodeKind::Empty,
            Work::Nothing,
            &[NodeIndex(0), NodeIndex(1)],
        );
        graph.push(NodeKind::Empty, fill(), &[NodeIndex(2)]);
        let program = Program::of(&graph).unwrap();
        assert_eq!(after(&program), [&[][..], &[], &[0, 1]]);

        let mut parent = Graph::new(2);
        parent.push(NodeKind::Empty, fill(), &[]);
        parent.push(
            NodeKind::Empty,
            Work::Graph(Arc::new(program)),
            &[NodeIndex(0)],
        );
        let program = Program::of(&parent).unwrap();
        assert_eq!(after(&program), [&[][..], &[0], &[0], &[1, 2]]);
    }
}
