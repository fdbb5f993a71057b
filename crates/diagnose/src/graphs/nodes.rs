//! The nodes of a capture, with the operators and lines that enqueued them.

use cgsan_finding::{Direction, GraphNode, Parameters};
use cgsan_model::{CopyKind, Node, NodeKind, ThreadId};
use cgsan_trace::{Record, Trace};
use rustc_hash::FxHashMap;

use super::named::Named;
use crate::activity::{Activity, Operation};
use crate::history::{CaptureRun, History, Step};

/// What a capture recorded, in the order of its calls.
pub(super) fn of(
    history: &History<'_>,
    activity: &Activity<'_>,
    run: &CaptureRun<'_>,
    named: &mut Named<'_, '_>,
) -> Vec<GraphNode> {
    let Some(graph) = &run.graph else {
        return Vec::new();
    };
    let mut operators = Operators::new(activity, run.began.position);
    let nodes = graph.nodes().iter().enumerate();
    nodes
        .map(|(index, node)| {
            let step = run.nodes_at.get(index).and_then(|at| step(history, *at));
            let operation = step.and_then(|step| operators.at(step.position, step.thread));
            let of_call = step.and_then(|it| it.record.stack);
            let stack = of_call.or_else(|| operation?.stack);
            GraphNode {
                place: stack.and_then(|stack| named.place_at(stack)),
                kind: kind(&node.kind),
                name: name(history.trace, node),
                operator: operation.map(|it| it.name.to_owned()),
                stream: step.and_then(|step| named.stream_of(step)),
                depends_on: node.dependencies.iter().map(|it| it.0).collect(),
                parameters: parameters(&node.kind),
            }
        })
        .collect()
}

fn step<'t>(history: &History<'t>, position: usize) -> Option<Step<'t>> {
    let entry = history.trace.entries().get(position)?;
    match &entry.record {
        Record::Call(record) => Some(Step {
            position,
            thread: entry.thread,
            record,
        }),
        _ => None,
    }
}

/// The operators around calls that are asked for in order.
struct Operators<'a, 't> {
    operations: &'a [Operation<'t>],
    /// The first operation that begins later than what was asked for last.
    next: usize,
    /// The last operation that each thread began.
    last: FxHashMap<ThreadId, usize>,
}

impl<'a, 't> Operators<'a, 't> {
    fn new(activity: &'a Activity<'t>, began: usize) -> Self {
        let operations = activity.operations.as_slice();
        Operators {
            operations,
            next: operations.partition_point(|it| it.position < began),
            last: FxHashMap::default(),
        }
    }

    /// The innermost operation of a thread around a position of the trace.
    fn at(&mut self, position: usize, thread: ThreadId) -> Option<&'a Operation<'t>> {
        while let Some(operation) = self.operations.get(self.next)
            && operation.position <= position
        {
            self.last.insert(operation.thread, self.next);
            self.next += 1;
        }
        let last = self.operations.get(*self.last.get(&thread)?);
        std::iter::successors(last, |it| self.operations.get(it.parent?))
            .find(|it| it.end >= position)
    }
}

/// What the pages and files of graphs call the kind of a node.
pub(crate) fn kind(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel { .. } => "kernel",
        NodeKind::Memcpy { .. } => "memcpy",
        NodeKind::Memset { .. } | NodeKind::MemsetRows { .. } => "memset",
        NodeKind::Host { .. } => "host",
        NodeKind::MemAlloc { .. } => "mem_alloc",
        NodeKind::MemFree { .. } => "mem_free",
        NodeKind::ChildGraph { .. } => "child_graph",
        NodeKind::EventRecord { .. } => "event_record",
        NodeKind::EventWait { .. } => "event_wait",
        NodeKind::BatchMemOp => "batch_mem_op",
        NodeKind::Conditional => "conditional",
        NodeKind::Empty => "empty",
    }
}

/// The kernel; of copies and fills, what they do.
fn name(trace: &Trace, node: &Node) -> Option<String> {
    match node.kind {
        NodeKind::Kernel { function, .. } => trace.function_name(function).map(str::to_owned),
        _ => parameters(&node.kind)?.words(),
    }
}

/// What the call gave it, but for addresses.
fn parameters(kind: &NodeKind) -> Option<Parameters> {
    Some(match *kind {
        NodeKind::Kernel {
            grid,
            block,
            shared,
            ..
        } => Parameters::Launch {
            grid,
            block,
            shared,
        },
        NodeKind::Memcpy { kind, bytes, .. } => Parameters::Copy {
            direction: direction(kind),
            bytes,
        },
        NodeKind::Memset { value, bytes, .. } => Parameters::Fill {
            value,
            bytes,
            rows: 1,
        },
        NodeKind::MemsetRows {
            value, width, rows, ..
        } => Parameters::Fill {
            value,
            bytes: width,
            rows,
        },
        NodeKind::MemAlloc { bytes, .. } => Parameters::Allocation { bytes },
        _ => return None,
    })
}

fn direction(kind: CopyKind) -> Direction {
    match kind {
        CopyKind::HostToDevice(_) => Direction::HostToDevice,
        CopyKind::DeviceToHost(_) => Direction::DeviceToHost,
        CopyKind::DeviceToDevice => Direction::DeviceToDevice,
        CopyKind::BetweenDevices => Direction::BetweenDevices,
        CopyKind::HostToHost => Direction::HostToHost,
    }
}
