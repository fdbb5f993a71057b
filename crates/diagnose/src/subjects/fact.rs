//! What only Python knows of a graph and its replays: names, containers, hooks, plain values.

use std::collections::BTreeSet;

use cgsan_trace::{
    AgentEvent, CodeLine, FrameId, HostChange, KeptOutput, Rebound, Record, SkippedHook,
};
use rustc_hash::FxHashMap;

use crate::Location;
use crate::activity::{Activity, BlockId};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History};

/// One fact that a rule may find harmful.
#[derive(Clone, Copy)]
pub(crate) enum Told<'t> {
    /// A name leads to another tensor than at the capture.
    Rebound(&'t Rebound),
    /// A container holds several references to one output.
    Kept(&'t KeptOutput),
    /// A hook does not run, since its module's `forward` is replayed.
    Hook(&'t SkippedHook),
    /// A plain value that the capture changed stays as it is.
    Host {
        change: &'t HostChange,
        /// The lines that may have changed it; `None` in a recording of an older cgsan.
        lines: Option<&'t [CodeLine]>,
    },
}

/// A fact, with the graph that it is about.
pub(crate) struct Fact<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    pub(crate) told: Told<'t>,
    /// The capture that the graph came from: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// Where it was told.
    position: usize,
}

/// The facts of a trace, in the order in which they were told; of those that are told again and again, the last.
pub(super) fn facts<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Fact<'h, 't>> {
    let mut graphs: FxHashMap<u64, usize> = FxHashMap::default();
    let mut facts: Vec<Fact<'h, 't>> = Vec::new();
    // The host's state is told anew at each sample.
    let mut host: FxHashMap<u64, (usize, Vec<Told<'t>>)> = FxHashMap::default();
    for (position, event) in history.trace.agent_events() {
        let mut add = |graph: &u64, told: Told<'t>| {
            if let Some(graph) = graphs.get(graph).copied() {
                facts.push(Fact {
                    history,
                    activity,
                    told,
                    graph,
                    position,
                });
            }
        };
        match event {
            AgentEvent::GraphCaptured { graph, .. } => {
                let run = captured_before(history, position);
                let is_judged = |run: &usize| !history.is_of_inductor(&history.captures[*run]);
                if let Some(run) = run.filter(is_judged) {
                    graphs.insert(*graph, run);
                }
            }
            AgentEvent::InputsRebound { graph, names, .. } => {
                for it in names {
                    add(graph, Told::Rebound(it));
                }
            }
            AgentEvent::OutputsKept {
                graph, containers, ..
            } => {
                for it in containers {
                    add(graph, Told::Kept(it));
                }
            }
            AgentEvent::HooksSkipped { graph, hooks, .. } => {
                for it in hooks {
                    add(graph, Told::Hook(it));
                }
            }
            AgentEvent::HostState {
                graph,
                changes,
                lines,
                ..
            } => {
                let told = changes.iter().enumerate().map(|(index, change)| {
                    let lines = lines.as_ref();
                    let lines = lines.map(|all| all.get(index).map_or(&[][..], Vec::as_slice));
                    Told::Host { change, lines }
                });
                host.insert(*graph, (position, told.collect()));
            }
            _ => {}
        }
    }
    for (graph, (position, told)) in host {
        if let Some(graph) = graphs.get(&graph).copied() {
            facts.extend(told.into_iter().map(|told| Fact {
                history,
                activity,
                told,
                graph,
                position,
            }));
        }
    }
    facts.sort_by_key(|fact| fact.position);
    facts
}

/// The last capture that the thread which told something had ended by then.
fn captured_before(history: &History<'_>, position: usize) -> Option<usize> {
    let thread = history.trace.entries().get(position)?.thread;
    history.captures.iter().rposition(|run| {
        run.thread() == thread && run.ended.is_some_and(|ended| ended.position < position)
    })
}

impl<'h, 't> Fact<'h, 't> {
    pub(crate) fn capture(&self) -> &'h CaptureRun<'t> {
        &self.history.captures[self.graph]
    }

    /// The block of the graph's inputs that holds an address.
    pub(crate) fn input_at(&self, address: u64) -> Option<BlockId> {
        let memory = &self.activity.memory;
        self.activity.graphs[self.graph]
            .first_accesses()
            .filter(|access| !access.writes)
            .map(|access| access.block)
            .find(|block| memory[*block].overlaps(address, 1))
    }

    /// Whether another graph reads the tensor at an address.
    pub(crate) fn is_read_by_another_graph(&self, address: u64) -> bool {
        let memory = &self.activity.memory;
        let graphs = self.activity.graphs.iter().enumerate();
        graphs
            .filter(|(graph, _)| *graph != self.graph)
            .any(|(_, graph)| {
                let blocks = graph.accesses.iter().map(|access| access.block);
                let is_there = |block: &BlockId| {
                    let freed = memory[*block].freed;
                    freed.is_none_or(|freed| freed.position > self.position)
                };
                blocks
                    .filter(is_there)
                    .any(|block| memory[block].overlaps(address, 1))
            })
    }

    /// The line at which the graph was replayed when it was told, or last before.
    pub(crate) fn replay_location(&self) -> Option<Location> {
        let (frame, _) = self.replay()?;
        crate::history::stack::user_location(&self.history.trace.stack(frame))
    }

    /// The stack and the place of the replay that was about to happen, or else of the last one.
    fn replay(&self) -> Option<(FrameId, usize)> {
        let of_graph = |it: &&crate::activity::Replay| it.graph == self.graph;
        let replays = &self.activity.replays;
        let at = replays
            .iter()
            .filter(of_graph)
            .find(|it| it.position > self.position)
            .or_else(|| replays.iter().rfind(of_graph))?;
        match &self.history.trace.entries()[at.position].record {
            Record::Call(call) => Some((call.stack?, at.position)),
            _ => None,
        }
    }

    /// A line of the program as the agent tells it.
    pub(crate) fn place(
        file: Option<&String>,
        line: Option<u32>,
        function: &str,
    ) -> Option<Location> {
        Some(Location {
            file: file?.clone(),
            line: line?,
            span: None,
            cell: None,
            function: function.to_owned(),
        })
    }

    /// The only one of these lines whose function has captured an operator, or if none has, the only one; with `any`, the
    /// first of several. None if it may have been one that sets something up.
    fn changed_at(&self, lines: &'t [CodeLine], any: bool) -> Option<&'t CodeLine> {
        let operations = self.activity.operations.iter();
        let captured = operations.filter(|it| it.capture == Some(self.graph));
        let stacks: BTreeSet<FrameId> = captured.filter_map(|it| it.stack).collect();
        let frames: Vec<_> = stacks
            .into_iter()
            .flat_map(|stack| self.history.trace.stack(stack))
            .collect();
        let has_run = |line: &&'t CodeLine| {
            frames.iter().any(|frame| {
                frame.file == line.file && (line.first..=line.last).contains(&frame.line)
            })
        };
        let run: Vec<&CodeLine> = lines.iter().filter(has_run).collect();
        let all: Vec<&CodeLine> = lines.iter().collect();
        let candidates = if run.is_empty() { all } else { run };
        if candidates.iter().any(|line| line.sets_up) {
            return None;
        }
        match candidates.as_slice() {
            [only] => Some(only),
            [first, ..] if any && has_run(first) => Some(first),
            _ => None,
        }
    }

    /// The line to point to, where it is not the replay's.
    pub(crate) fn own_place(&self) -> Option<Location> {
        match self.told {
            Told::Rebound(it) => Self::place(
                it.file.as_ref(),
                it.line,
                it.function.as_deref().unwrap_or("<module>"),
            ),
            Told::Host { change, lines } => {
                let is_random = change.after.is_empty();
                let place = lines.map(|lines| self.changed_at(lines, is_random));
                match place {
                    Some(line) => {
                        line.and_then(|line| Self::place(Some(&line.file), Some(line.line), ""))
                    }
                    None => Self::place(change.file.as_ref(), change.line, ""),
                }
            }
            Told::Kept(_) | Told::Hook(_) => None,
        }
    }

    pub(super) fn position(&self) -> usize {
        self.replay().map_or(self.position, |it| it.1)
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position());
        evidence.thread = Some(self.capture().thread());
        evidence.capture = Some(self.capture());
        evidence.stack = match (self.own_place(), self.replay()) {
            (Some(place), _) => vec![cgsan_trace::StackFrame {
                file: place.file,
                function: place.function,
                line: place.line,
            }],
            (None, Some((frame, _))) => self.history.trace.stack(frame),
            (None, None) => Vec::new(),
        };
        evidence
    }
}
