//! Process groups that are shut down, or left, with the graphs that hold their collectives.

use std::collections::BTreeMap;

use cgsan_finding::Location;
use cgsan_trace::{AgentEvent, HeldGraph, Record, StackFrame};

use crate::activity::{Activity, Operation, is_host_message};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, stack};

/// What becomes of a process group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The program destroys it.
    Destroyed,
    /// It is destroyed after the last line of the program has run.
    AtExit,
    /// Nobody does.
    Left,
}

/// A process group at its end, with graphs that hold its collectives.
pub(crate) struct Group<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) end: End,
    /// The graphs whose executables are there; not empty.
    pub(crate) graphs: Vec<Holding<'t>>,
    /// How many ranks it has.
    pub(crate) ranks: u32,
    /// Where the group was made, in the trace.
    made: Option<usize>,
    position: usize,
}

/// A graph that holds collectives of a group.
#[derive(Clone, Copy)]
pub(crate) struct Holding<'t> {
    /// The capture that it came from: an index into [`History::captures`].
    pub(crate) capture: usize,
    /// How many collectives it holds.
    pub(crate) collectives: usize,
    /// What keeps its Python object alive.
    pub(crate) held: Option<&'t HeldGraph>,
}

/// A group that was made.
#[derive(Clone, Copy)]
struct Made {
    position: usize,
    address: u64,
    size: u32,
}

/// The groups of a trace that end while graphs hold their collectives.
pub(super) fn groups<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Group<'h, 't>> {
    let mut groups = Vec::new();
    let mut made: BTreeMap<u64, Made> = BTreeMap::new();
    let mut captures: BTreeMap<u64, usize> = BTreeMap::new();
    for (position, event) in history.trace.agent_events() {
        let mut ends = |numbers: &[u64], graphs: &'t [HeldGraph], end: End| {
            let held = |capture: usize| {
                let mut graphs = graphs.iter();
                graphs.find(|it| captures.get(&it.graph) == Some(&capture))
            };
            for number in numbers {
                let Some(group) = made.get(number) else {
                    continue;
                };
                let graphs: Vec<Holding<'t>> = holding(history, activity, *group, position)
                    .into_iter()
                    .map(|(capture, collectives)| Holding {
                        capture,
                        collectives,
                        held: held(capture),
                    })
                    .collect();
                if !graphs.is_empty() {
                    groups.push(Group {
                        history,
                        end,
                        graphs,
                        ranks: group.size,
                        made: Some(group.position),
                        position,
                    });
                }
            }
        };
        match event {
            AgentEvent::GroupCreated {
                group,
                address,
                size,
                ..
            } => {
                let (address, size) = (*address, *size);
                made.insert(
                    *group,
                    Made {
                        position,
                        address,
                        size,
                    },
                );
            }
            AgentEvent::GraphCaptured { graph, .. } => {
                if let Some(capture) = history.captured_before(position) {
                    captures.insert(*graph, capture);
                }
            }
            AgentEvent::GroupDestroyed {
                group,
                exiting,
                graphs,
            } => {
                let end = if *exiting {
                    End::AtExit
                } else {
                    End::Destroyed
                };
                ends(&[*group], graphs, end);
            }
            AgentEvent::GroupsLeft { groups, graphs } => ends(groups, graphs, End::Left),
            _ => {}
        }
    }
    groups
}

/// The captures of graphs that are there at a position and hold collectives of a group, each with how many. One that enqueues nothing,
/// as in place among one rank, counts for the capture of its thread.
fn holding(
    history: &History<'_>,
    activity: &Activity<'_>,
    group: Made,
    position: usize,
) -> Vec<(usize, usize)> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let captured = activity.collectives().filter(|it| {
        let began = it.operation.position;
        it.group == group.address && began > group.position && began < position
    });
    let of_thread = |operation: &Operation<'_>| {
        let mut runs = history.captures.iter();
        runs.position(|run| run.thread() == operation.thread && run.spans(operation.position))
    };
    let captured = captured.filter(|it| !is_host_message(it.operation));
    for capture in captured.filter_map(|it| it.capture.or_else(|| of_thread(it.operation))) {
        if activity.graphs[capture].is_there(position) {
            *counts.entry(capture).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}

impl<'h, 't> Group<'h, 't> {
    /// The line that began a capture.
    pub(crate) fn captured(&self, graph: &Holding<'t>) -> Option<Location> {
        self.history.location_of(self.capture_of(graph).began)
    }

    /// The stack of the line that began a capture.
    pub(crate) fn capture_stack(&self, graph: &Holding<'t>) -> Vec<StackFrame> {
        self.history.stack_of(self.capture_of(graph).began)
    }

    fn capture_of(&self, graph: &Holding<'t>) -> &'h CaptureRun<'t> {
        &self.history.captures[graph.capture]
    }

    /// The line that made the group.
    pub(crate) fn made(&self) -> Option<Location> {
        stack::user_location(&self.stack_at(self.made?))
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let entry = self.history.trace.entries().get(self.position);
        Evidence {
            thread: entry.map(|entry| entry.thread),
            stack: self.stack_at(self.position),
            capture: self.graphs.first().map(|graph| self.capture_of(graph)),
            ..Evidence::at(self.history, self.position)
        }
    }

    fn stack_at(&self, position: usize) -> Vec<StackFrame> {
        let trace = self.history.trace;
        match trace.entries().get(position).map(|entry| &entry.record) {
            Some(Record::Agent {
                stack: Some(stack), ..
            }) => trace.stack(*stack),
            _ => Vec::new(),
        }
    }
}

impl Holding<'_> {
    /// The line that binds the name which keeps the graph alive.
    pub(crate) fn bound(&self) -> Option<Location> {
        let held = self.held?;
        Some(Location {
            file: held.file.clone()?.into(),
            line: held.line?,
            span: None,
            cell: None,
            function: String::new(),
        })
    }
}
