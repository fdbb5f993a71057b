//! What a launch of an executable graph runs.

use cgsan_model::{Code, CopyKind, NodeKind};

use super::Graph;
use super::nodes::{Node, Values};
use crate::gpu::computation::Computation;
use crate::gpu::work::Work;
use crate::gpu::{fault, kernel};
use crate::values::missing;

/// The work of a graph, in an order that respects its dependencies.
#[derive(Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    /// What it runs node by node, that of graphs inside the graph in their places.
    nodes: Vec<NodeKind>,
    /// What is called at each launch, before it.
    at_launch: Vec<Computation>,
    has_kernels: bool,
    has_exchanges: bool,
}

/// The work of a node.
#[derive(Clone, Debug)]
pub struct Step {
    work: Work,
    /// What of its memory is checked before it runs.
    memory: Memory,
    /// The steps that it waits for.
    after: Vec<usize>,
}

/// What is checked of a step's memory when it runs: the call that enqueued other work has checked it.
#[derive(Clone, Copy, Debug)]
enum Memory {
    Known,
    /// Where a copy read and wrote when it became a node.
    OfCopy(CopyKind),
    OfFill,
    OfValues,
}

impl Program {
    /// What a graph does; `None` if its dependencies run in a circle.
    pub fn of(graph: &Graph) -> Option<Program> {
        let order = graph.topological_order()?;
        let nodes = graph.nodes();
        let mut program = Program {
            at_launch: graph.at_launch.clone(),
            ..Program::default()
        };
        // The steps after which each node is done.
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        program.has_exchanges = nodes.iter().any(|node| node.work.has_exchanges());
        for index in order {
            let node = &nodes[index];
            let before = node.dependencies.iter();
            let mut after: Vec<usize> = before.flat_map(|node| ends[*node].clone()).collect();
            after.sort_unstable();
            after.dedup();
            program.add_kind(node);
            let done = program.add(&node.work, &node.kind, after);
            ends[index] = program.add_values(node, done);
        }
        Some(program)
    }

    /// Adds what a node is, or what the nodes of its own graph are.
    fn add_kind(&mut self, node: &Node) {
        match &node.work {
            Work::Graph(child) => self.nodes.extend_from_slice(&child.nodes),
            _ => self.nodes.push(node.kind.clone()),
        }
    }

    /// Adds what computes the values of a node, behind its work. Returns the steps after which it is done.
    fn add_values(&mut self, node: &Node, after: Vec<usize>) -> Vec<usize> {
        match &node.values {
            Values::Here(computation) => {
                self.steps.push(Step {
                    work: Work::Values(computation.clone()),
                    memory: Memory::OfValues,
                    after,
                });
                vec![self.steps.len() - 1]
            }
            Values::Later => after,
            Values::Missing => {
                let is_computed = matches!(node.work, Work::Exchange(_));
                self.has_kernels |= !is_computed && may_write(&node.kind);
                after
            }
        }
    }

    /// Adds the work of a node behind some steps. Returns the steps after which it is done.
    fn add(&mut self, work: &Work, kind: &NodeKind, after: Vec<usize>) -> Vec<usize> {
        match work {
            Work::Nothing | Work::Conditional(_) => after,
            Work::Graph(child) => self.inline(child, after),
            _ => {
                let memory = match (work, kind) {
                    (Work::Copy(_), NodeKind::Memcpy { kind, .. }) => Memory::OfCopy(*kind),
                    (Work::Fill(_), _) => Memory::OfFill,
                    _ => Memory::Known,
                };
                self.steps.push(Step {
                    work: work.clone(),
                    memory,
                    after,
                });
                vec![self.steps.len() - 1]
            }
        }
    }

    /// Adds the steps of a graph inside the graph.
    fn inline(&mut self, child: &Program, after: Vec<usize>) -> Vec<usize> {
        self.has_kernels |= child.has_kernels;
        self.at_launch.extend_from_slice(&child.at_launch);
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

    /// What it runs, node by node, in an order that respects the dependencies.
    pub fn nodes(&self) -> &[NodeKind] {
        &self.nodes
    }

    /// It is launched.
    pub fn begin_launch(&self) {
        if self.has_kernels {
            kernel::note_launch();
        }
        for function in &self.at_launch {
            function.run();
        }
    }

    /// Runs it all, or until an access to memory that is gone.
    pub fn run(&self) {
        self.begin_launch();
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
            memory: Memory::Known,
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
        match (&self.work, self.memory) {
            (Work::Copy(transfer), Memory::OfCopy(kind)) => transfer.has_its_memory(kind),
            (Work::Fill(fill), Memory::OfFill) => fill.has_its_memory(),
            (Work::Values(computation), Memory::OfValues) => computation.has_its_memory(),
            _ => true,
        }
    }

    /// What the device says where the memory is gone.
    fn fault(&self) -> Code {
        match self.memory {
            Memory::OfCopy(CopyKind::DeviceToHost(_)) => fault::LAUNCH_FAILED,
            _ => fault::ILLEGAL_ADDRESS,
        }
    }
}

/// Whether a node that nobody computes may write something.
fn may_write(node: &NodeKind) -> bool {
    match node {
        // Its name was asked at the launch that was captured.
        NodeKind::Kernel { function, .. } => missing::writes(*function, || None),
        NodeKind::Conditional => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cgsan_model::{FunctionId, NodeIndex};

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
    fn steps_wait_for_what_they_depend_on() {
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
        assert_eq!(program.nodes().len(), 5);
    }

    #[test]
    fn a_collective_is_computed_and_a_kernel_is_not() {
        let kernel = NodeKind::Kernel {
            function: FunctionId(1),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
        };
        let has_kernels = |work| {
            let mut graph = Graph::new(1);
            graph.push(kernel.clone(), work, &[]);
            Program::of(&graph).unwrap().has_kernels
        };
        assert!(!has_kernels(Work::Exchange(Arc::new(Collective))));
        assert!(has_kernels(Work::Nothing));
    }
}
