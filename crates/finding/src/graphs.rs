//! What captures recorded: streams, nodes, and what happened on the way.

use serde::Serialize;

use crate::{Location, Process};

/// A capture from its begin to its end, and the graph that it made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CapturedGraph {
    /// The process that captured it.
    pub process: Process,
    /// Its number: captures of a process count from 1, as in [`GraphMemory`](crate::GraphMemory).
    pub graph: usize,
    /// Where its capture began.
    pub location: Option<Location>,
    /// `global`, `thread_local` or `relaxed`.
    pub mode: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// How many replays there were.
    pub replays: u64,
    /// The streams that took part, by name: the origin stream first, then in the order of their first calls.
    pub streams: Vec<String>,
    /// The lines that nodes and events are of, each once.
    pub places: Vec<Location>,
    /// The nodes, in the order of their capture.
    pub nodes: Vec<GraphNode>,
    /// What happened, in order.
    pub events: Vec<CaptureEvent>,
    /// How much of it can run at once; `None` if there are no nodes, or if edges run in a cycle.
    pub shape: Option<GraphShape>,
}

impl CapturedGraph {
    /// How many edges there are between its nodes.
    pub fn edges(&self) -> usize {
        edges(&self.nodes)
    }

    /// How many nodes there are of each kind, the most frequent first.
    pub fn kinds(&self) -> Vec<(&'static str, usize)> {
        kinds(&self.nodes)
    }
}

/// How many edges there are between nodes.
pub fn edges(nodes: &[GraphNode]) -> usize {
    nodes.iter().map(|node| node.depends_on.len()).sum()
}

/// How many nodes there are of each kind, the most frequent first.
pub fn kinds(nodes: &[GraphNode]) -> Vec<(&'static str, usize)> {
    let mut kinds: Vec<(&'static str, usize)> = Vec::new();
    for node in nodes {
        match kinds.iter_mut().find(|(kind, _)| *kind == node.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((node.kind, 1)),
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds
}

/// How much of a graph can run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GraphShape {
    /// How many nodes the longest path has: each waits for the one before it.
    pub critical_path: usize,
    /// As many nodes wait neither directly nor indirectly for each other, so that they may run at once.
    pub width_at_least: usize,
    /// No more do.
    pub width_at_most: usize,
    /// How many edges say what follows from other edges; `None` if there was too much to look at.
    pub redundant_edges: Option<usize>,
}

/// How a capture ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// With a graph.
    Captured,
    /// Without one.
    Failed,
    /// It ran when the recording ended, or its end was not seen.
    #[default]
    Unfinished,
}

impl Outcome {
    /// What reports and tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Captured => "captured",
            Outcome::Failed => "failed",
            Outcome::Unfinished => "unfinished",
        }
    }
}

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphNode {
    /// `kernel`, `memcpy`, `memset`, `host`, `mem_alloc`, `mem_free`, `child_graph`, `event_record`, `event_wait`,
    /// `batch_mem_op`, `conditional` or `empty`, after the node types of CUDA.
    pub kind: &'static str,
    /// The kernel, as the program names it, mangled; what is copied or filled, in words.
    pub name: Option<String>,
    /// The innermost operator of PyTorch that enqueued it.
    pub operator: Option<String>,
    /// The stream that it was enqueued on: an index into [`CapturedGraph::streams`]. `None` if it was added by hand.
    pub stream: Option<usize>,
    /// The nodes that it waits for: indices into [`CapturedGraph::nodes`].
    pub depends_on: Vec<u32>,
    /// The line that enqueued it: an index into [`CapturedGraph::places`].
    pub place: Option<usize>,
    /// What it was given, where its kind has such parameters and they are known.
    pub parameters: Option<Parameters>,
}

/// What a node was given, but for addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Parameters {
    /// How a kernel is launched.
    Launch {
        /// The blocks per dimension.
        grid: [u32; 3],
        /// The threads of a block per dimension.
        block: [u32; 3],
        /// The dynamic shared memory of a block, in bytes.
        shared: u32,
    },
    /// What is copied.
    Copy {
        /// From where to where.
        direction: Direction,
        /// How many bytes.
        bytes: u64,
    },
    /// What is filled.
    Fill {
        /// With what.
        value: u32,
        /// How many bytes in each row.
        bytes: u64,
        /// How many rows.
        rows: u64,
    },
    /// What is allocated.
    Allocation {
        /// How many bytes.
        bytes: u64,
    },
}

impl Parameters {
    /// What a copy, a fill or an allocation does, in words.
    pub fn words(self) -> Option<String> {
        match self {
            Parameters::Copy { direction, bytes } => {
                Some(format!("{bytes} bytes {}", direction.words()))
            }
            Parameters::Fill { bytes, rows, .. } => {
                Some(format!("{} bytes", bytes.saturating_mul(rows)))
            }
            Parameters::Allocation { bytes } => Some(format!("{bytes} bytes")),
            Parameters::Launch { .. } => None,
        }
    }
}

/// From where to where a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From memory of the host to the device.
    HostToDevice,
    /// From the device to memory of the host.
    DeviceToHost,
    /// Within the device, or between devices that reach each other's memory.
    DeviceToDevice,
    /// Between devices that the call names.
    BetweenDevices,
    /// Within memory of the host.
    HostToHost,
}

impl Direction {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Direction::HostToDevice => "host to device",
            Direction::DeviceToHost => "device to host",
            Direction::DeviceToDevice => "device to device",
            Direction::BetweenDevices => "between devices",
            Direction::HostToHost => "host to host",
        }
    }
}

/// Something that happened while a capture ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaptureEvent {
    /// What kind of thing.
    pub kind: EventKind,
    /// How many nodes there were before it.
    pub after_nodes: usize,
    /// The stream that it is about: an index into [`CapturedGraph::streams`].
    pub stream: Option<usize>,
    /// The stream whose event it waits for, if it is a wait: an index into [`CapturedGraph::streams`].
    pub waits_for: Option<usize>,
    /// What happened, in words.
    pub text: String,
    /// The line: an index into [`CapturedGraph::places`].
    pub place: Option<usize>,
}

/// The kinds of what happens while a capture runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The capture began.
    Begin,
    /// A stream became part of it.
    Fork,
    /// A stream that was part of it waited for another one.
    Wait,
    /// The origin stream waited for another one.
    Join,
    /// A call was refused on its account.
    Refused,
    /// An exception was thrown in a thread that captures.
    Exception,
    /// It ended.
    End,
}
