//! What only Python knows of a graph and its replays: names, containers, hooks, plain values.

use std::collections::BTreeSet;

use cgsan_finding::Location;
use cgsan_trace::{
    AgentEvent, CodeLine, FrameId, GradientBuffer, HostChange, KeptOutput, OfParameter,
    OptimizerChange, Rebound, Record, SkippedHook, StackFrame, Uses,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Input;
use super::unchanged::Unchanged;
use crate::activity::{Access, Activity, BlockId, Found, Harm, Reader, fills_with_zeros};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, stack};

/// One fact that a rule may find harmful.
#[derive(Clone, Copy)]
pub(crate) enum Told<'t> {
    /// A name leads to another tensor than at the capture.
    Rebound {
        rebound: &'t Rebound,
        /// Where the program uses the names.
        uses: Option<&'t Uses>,
        /// Whether it leads to a parameter.
        parameter: OfParameter,
    },
    /// A container holds several references to one output, and is added to at a line.
    Kept(&'t KeptOutput, Growth, Option<&'t (String, u32)>),
    /// The same of a gradient.
    KeptGradient(&'t KeptOutput, Growth, Option<&'t (String, u32)>),
    /// Gradients that the capture allocated, as they were when it had ended.
    Buffers(&'t [GradientBuffer]),
    /// A number of an optimizer is another one than at the capture.
    Number(&'t OptimizerChange),
    /// A hook does not run, since its module's `forward` is replayed.
    Hook(&'t SkippedHook),
    /// A backward graph is replayed for a forward behind which the forward graph was replayed again.
    Backward {
        /// The forward graph's capture: an index into [`History::captures`].
        forward: usize,
    },
    /// A plain value that the capture changed stays as it is.
    Host {
        change: &'t HostChange,
        /// The lines that may have changed it; `None` in a recording of an older cgsan.
        lines: Option<&'t [CodeLine]>,
    },
}

/// What is known of references to one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// There were more at each of the last looks.
    EachReplay,
    /// There are more than at first.
    Some,
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
    let still_read = still_read(history);
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
                let run = history.captured_before(position);
                let is_judged = |run: &usize| !history.is_of_inductor(&history.captures[*run]);
                if let Some(run) = run.filter(is_judged) {
                    graphs.insert(*graph, run);
                }
            }
            AgentEvent::InputsRebound {
                graph,
                replay,
                names,
                uses,
                parameters,
            } => {
                for (index, rebound) in names.iter().enumerate() {
                    if still_read.contains(&(*graph, *replay, rebound.old)) {
                        continue;
                    }
                    let parameter = parameters.as_ref().and_then(|all| all.get(index));
                    let told = Told::Rebound {
                        rebound,
                        uses: uses.as_ref().and_then(|uses| uses.get(index)),
                        parameter: parameter.copied().unwrap_or_default(),
                    };
                    add(graph, told);
                }
            }
            AgentEvent::OutputsKept {
                graph,
                containers,
                gradients,
                growing,
                added,
                ..
            } => {
                for (index, it) in containers.iter().enumerate() {
                    let added = added.as_ref().and_then(|all| all.get(index)?.as_ref());
                    let is_among = |addresses: &Option<Vec<u64>>| {
                        addresses
                            .iter()
                            .flatten()
                            .any(|address| *address == it.address)
                    };
                    let growth = if is_among(growing) {
                        Growth::EachReplay
                    } else {
                        Growth::Some
                    };
                    let told = if is_among(gradients) {
                        Told::KeptGradient(it, growth, added)
                    } else {
                        Told::Kept(it, growth, added)
                    };
                    add(graph, told);
                }
            }
            AgentEvent::HooksSkipped { graph, hooks, .. } => {
                for it in hooks {
                    add(graph, Told::Hook(it));
                }
            }
            AgentEvent::BackwardOfEarlier { graph, forward, .. } => {
                if let Some(forward) = graphs.get(forward).copied() {
                    add(graph, Told::Backward { forward });
                }
            }
            AgentEvent::GradientBuffers { graph, buffers } => {
                add(graph, Told::Buffers(buffers));
            }
            AgentEvent::OptimizerChanged { graph, changes, .. } => {
                for it in changes {
                    add(graph, Told::Number(it));
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
    let unchanged = Unchanged::of(history);
    for (graph, (position, told)) in host {
        if let Some(graph) = graphs.get(&graph).copied() {
            let is_over = |told: &Told<'_>| {
                matches!(told, Told::Host { change, .. } if is_of_random_numbers(change))
                    && unchanged.draws_no_more(graph)
            };
            let told = told.into_iter().filter(|told| !is_over(told));
            facts.extend(told.map(|told| Fact {
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

/// Inputs of graphs that a name led to and leads to no more, and that the region, run again at that replay, was given all the same: by
/// the graph's number, the replay's, and the address. What was rebound is a name that the region does not use.
fn still_read(history: &History<'_>) -> FxHashSet<(u64, u64, u64)> {
    let mut found = FxHashSet::default();
    for (_, event) in history.trace.agent_events() {
        if let AgentEvent::TwinCompared {
            graph,
            replay,
            still_read: Some(addresses),
            ..
        } = event
        {
            found.extend(addresses.iter().map(|it| (*graph, *replay, *it)));
        }
    }
    found
}

impl<'h, 't> Fact<'h, 't> {
    pub(crate) fn capture(&self) -> &'h CaptureRun<'t> {
        &self.history.captures[self.graph]
    }

    /// The first access to the input of the graph that holds an address.
    pub(crate) fn input_at(&self, address: u64) -> Option<&'h Access> {
        self.activity.input_at(self.graph, address)
    }

    /// Whether another graph uses the tensor that was at an address then.
    pub(crate) fn is_of_another_graph(&self, address: u64) -> bool {
        let memory = &self.activity.memory;
        self.activity.others_access(self.graph, |access| {
            let block = memory[access.block];
            let is_there = block
                .freed
                .is_none_or(|freed| freed.position > self.position);
            is_there && block.overlaps(address, 1)
        })
    }

    /// The stack, innermost frame first, of the first operator of a captured optimizer's step that writes what lies at an address.
    pub(crate) fn stepped_in_graph(&self, address: u64) -> Option<Vec<StackFrame>> {
        let memory = &self.activity.memory;
        let accesses = self.activity.graphs[self.graph].accesses.iter();
        let mut writes = accesses
            .filter(|access| access.does.writes() && memory[access.block].overlaps(address, 1));
        writes.find_map(|access| {
            let operation = &self.activity.operations[access.operation];
            let stack = self.history.trace.stack(operation.stack?);
            let is_step = |frame| stack::is_torch_file(frame, "optim/");
            stack.iter().any(is_step).then_some(stack)
        })
    }

    /// The stack of the first operator of the graph that reads what lies at an address, if nobody has written that since the capture.
    pub(crate) fn reads_unchanged(&self, address: u64) -> Option<Vec<StackFrame>> {
        let memory = &self.activity.memory;
        let captured = self.capture().ended?.position;
        let accesses = self.activity.graphs[self.graph].accesses.iter();
        let is_there = |it: &&Access| memory[it.block].overlaps(address, 1);
        let access = accesses
            .clone()
            .filter(is_there)
            .find(|it| it.does.reads())?;
        let is_written = self
            .activity
            .written
            .are_between(access.block, captured, self.position)
            || accesses.filter(is_there).any(|it| it.does.may_write());
        let stack = self.activity.operations[access.operation].stack?;
        (!is_written).then(|| self.history.trace.stack(stack))
    }

    /// The line of the captured step of an optimizer of which a number is another one by now.
    pub(crate) fn stepped_with_old_number(&self) -> Option<Location> {
        let Told::Number(change) = self.told else {
            return None;
        };
        let mut parameters = change.parameters.iter();
        let step = parameters.find_map(|it| self.stepped_in_graph(*it))?;
        stack::user_location(&step)
    }

    /// Whether the graph finds in one of these blocks, which stand in order, what was there before it: it does not write it first.
    pub(crate) fn takes_up_any(&self, blocks: &[BlockId]) -> bool {
        let mut first = self.activity.graphs[self.graph].first_accesses();
        first.any(|access| access.does.may_read() && blocks.binary_search(&access.block).is_ok())
    }

    /// The blocks from before the capture that lay at these addresses when the fact was told, if the graph goes on from what is in each, or
    /// from the zeros that it fills it with.
    pub(crate) fn added_to(&self, addresses: impl Iterator<Item = u64>) -> Option<Vec<BlockId>> {
        let accesses = &self.activity.graphs[self.graph].accesses;
        let is_added_to = |id: &BlockId| {
            let is_zeroed =
                |operation: usize| fills_with_zeros(&self.activity.operations[operation]);
            let mut writes = accesses.iter().filter(|it| !it.does.reads());
            let first = writes.find(|it| it.block == *id && !is_zeroed(it.operation));
            let mut reads = accesses.iter().filter(|it| it.does.reads());
            first.is_some_and(|first| {
                reads.any(|it| it.block == *id && it.operation == first.operation)
            })
        };
        let is_from_before = |id: &BlockId| self.activity.memory[*id].capture != Some(self.graph);
        addresses
            .map(|it| self.block_at(it).filter(is_from_before).filter(is_added_to))
            .collect()
    }

    /// The block that began at an address when the fact was told.
    fn block_at(&self, address: u64) -> Option<BlockId> {
        let memory = &self.activity.memory;
        memory.ids().find(|id| {
            let block = memory[*id];
            block.address == address && block.is_held_at(self.position)
        })
    }

    /// The line that freed gradients of the graph.
    pub(crate) fn freed_at(&self) -> Option<Location> {
        let Told::Buffers(buffers) = self.told else {
            return None;
        };
        let blocks = buffers.iter().filter_map(|it| self.block_at(it.gradient));
        let freed = |id: &BlockId| self.activity.memory[*id].freed.map(|it| it.position);
        let first = blocks.filter(|id| freed(id).is_some()).min_by_key(freed)?;
        self.freed(first)
    }

    /// The line that freed a block.
    pub(crate) fn freed(&self, block: BlockId) -> Option<Location> {
        let stack = self.activity.memory[block].freed?.stack?;
        stack::user_location(&self.history.trace.stack(stack))
    }

    /// Where the memory at an address was allocated, if that was after a block was freed.
    pub(crate) fn taken_after(&self, block: BlockId, address: u64) -> Option<Location> {
        let memory = &self.activity.memory;
        let (freed, taken) = (
            memory[block].freed?,
            memory[self.block_at(address)?].allocated,
        );
        let stack = self.history.trace.stack(taken.stack?);
        (freed.position < taken.position).then(|| stack::user_location(&stack))?
    }

    /// Whether the graph may write what lies at one of these addresses.
    pub(crate) fn may_write_any(&self, addresses: &BTreeSet<u64>) -> bool {
        let mut accesses = self.activity.graphs[self.graph].accesses.iter();
        accesses.any(|access| {
            let block = self.activity.memory[access.block];
            let there = block.address..block.address.saturating_add(block.bytes);
            access.does.may_write() && addresses.range(there).next().is_some()
        })
    }

    /// Where the trace has the first replay of the graph after a position.
    pub(crate) fn replay_after(&self, position: usize) -> Option<usize> {
        let mut replays = self.activity.replays.iter();
        let is_such =
            |it: &&crate::activity::Replay| it.graph == self.graph && it.position > position;
        replays.find(is_such).map(|it| it.position)
    }

    /// Whether it is that a capture drew random numbers on the host.
    pub(crate) fn is_of_random_numbers(&self) -> bool {
        matches!(self.told, Told::Host { change, .. } if is_of_random_numbers(change))
    }

    /// Where the last replay of the graph stands before it was told.
    pub(crate) fn last_replay(&self) -> Option<usize> {
        let mut replays = self.activity.replays.iter();
        let is_such =
            |it: &&crate::activity::Replay| it.graph == self.graph && it.position < self.position;
        replays.rfind(is_such).map(|it| it.position)
    }

    /// Whether the graph reads what another one writes, or what the program has written between the last two replays of that one.
    pub(crate) fn needs_what_changes(&self, other: usize) -> bool {
        let activity = self.activity;
        let of_other =
            |it: &&crate::activity::Replay| it.graph == other && it.position < self.position;
        let mut last = activity.replays.iter().filter(of_other).rev();
        let (last, before) = (last.next(), last.next());
        let inputs = activity.inputs_of(other);
        let is_written_anew = |block: BlockId| {
            let (Some(last), Some(before)) = (last, before) else {
                return false;
            };
            let written = &activity.written;
            inputs.contains(&block) && written.are_between(block, before.position, last.position)
        };
        let is_written = |block: BlockId| {
            let mut accesses = activity.graphs[other].accesses.iter();
            accesses.any(|it| it.block == block && it.does.writes())
        };
        let own = activity.inputs_of(self.graph);
        own.iter().any(|it| is_written(*it) || is_written_anew(*it))
    }

    /// Whether it was found that replays of the graph overwrite what later ones of it read.
    pub(crate) fn overwrites_itself(&self) -> bool {
        let is_own = |it: &Found| {
            let of_itself =
                |reader: Reader| matches!(reader, Reader::Graph(graph) if graph == self.graph);
            it.graph == self.graph
                && matches!(it.harm, Harm::Overwritten { reader, .. } if of_itself(reader))
        };
        self.activity.found.iter().any(is_own)
    }

    /// What the program calls the tensor at an address.
    pub(crate) fn name_of(&self, address: u64) -> Option<&'t str> {
        self.history.name_of(self.graph, address)
    }

    /// Whether what lies at an address was there before the graph's capture.
    pub(crate) fn is_input(&self, address: u64) -> bool {
        self.history.is_input(self.graph, address)
    }

    /// The line at which the graph's capture allocated what lies at an address, or waited for autograd to do so.
    pub(crate) fn made(&self, address: u64) -> Option<Location> {
        let blocks = &self.activity.memory.blocks;
        let made = blocks
            .iter()
            .rfind(|block| block.capture == Some(self.graph) && block.overlaps(address, 1))?
            .allocated;
        let stack = match made.stack {
            Some(frame) => self.history.trace.stack(frame),
            None => self
                .history
                .last_stack(self.capture().thread(), made.position)?,
        };
        stack::user_location(&stack)
    }

    /// The line at which the graph was replayed when it was told, or last before.
    pub(crate) fn replay_location(&self) -> Option<Location> {
        stack::user_location(&self.replay()?.0)
    }

    /// The stack and the place of the replay that was about to happen, or else of the last one. Autograd replays while the
    /// thread that captured waits in `backward()`.
    fn replay(&self) -> Option<(Vec<StackFrame>, usize)> {
        let of_graph = |it: &&crate::activity::Replay| it.graph == self.graph;
        let replays = &self.activity.replays;
        let at = replays
            .iter()
            .filter(of_graph)
            .find(|it| it.position > self.position)
            .or_else(|| replays.iter().rfind(of_graph))?;
        match &self.history.trace.entries()[at.position].record {
            Record::Call(call) => {
                let mut stack = call
                    .stack
                    .map(|it| self.history.trace.stack(it))
                    .unwrap_or_default();
                if stack::user_frame(&stack).is_none() {
                    let thread = self.capture().thread();
                    stack.extend(
                        self.history
                            .last_stack(thread, at.position)
                            .unwrap_or_default(),
                    );
                }
                Some((stack, at.position))
            }
            _ => None,
        }
    }

    /// The line that had PyTorch give a tensor to a module, as `load_state_dict` does.
    fn given_to_a_module(&self, address: u64) -> Option<Location> {
        let captured = self.capture().ended?.position;
        let operations = &self.activity.operations;
        let before = operations.partition_point(|it| it.position < self.position);
        operations[..before]
            .iter()
            .rev()
            .take_while(|it| it.position > captured)
            .filter(|it| it.handles(address))
            .find_map(|it| {
                let stack = self.history.trace.stack(it.stack?);
                let inside = stack::below_user(&stack);
                let is_given = inside.iter().any(|frame| {
                    GIVING
                        .iter()
                        .any(|(file, function)| stack::is_torch_function(frame, file, function))
                });
                is_given.then(|| stack::user_location(&stack))?
            })
    }

    /// The line of a file that the agent tells of.
    pub(crate) fn line((file, line): &(String, u32)) -> Option<Location> {
        Fact::place(Some(file), Some(*line), "")
    }

    /// A line of the program as the agent tells it.
    pub(crate) fn place(
        file: Option<&String>,
        line: Option<u32>,
        function: &str,
    ) -> Option<Location> {
        Some(Location {
            file: file?.into(),
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
        if candidates
            .iter()
            .any(|it| it.sets_up || self.is_skipped_hook(it))
        {
            return None;
        }
        match candidates.as_slice() {
            [only] => Some(only),
            [first, ..] if any && has_run(first) => Some(first),
            _ => None,
        }
    }

    /// Whether a line is that of a hook that was told of as skipped, which says more.
    fn is_skipped_hook(&self, line: &CodeLine) -> bool {
        let mut events = self.history.trace.agent_events();
        events.any(|(_, event)| match event {
            AgentEvent::HooksSkipped { hooks, .. } => hooks.iter().any(|hook| {
                hook.file.as_ref() == Some(&line.file) && hook.line == Some(line.first)
            }),
            _ => false,
        })
    }

    /// The line to point to, where it is not the replay's.
    pub(crate) fn own_place(&self) -> Option<Location> {
        match self.told {
            Told::Rebound { rebound: it, .. } => Self::place(
                it.file.as_ref(),
                it.line,
                it.function.as_deref().unwrap_or("<module>"),
            )
            .or_else(|| self.given_to_a_module(it.new))
            // What replaced the old one has released it.
            .or_else(|| {
                let old = self.input_at(it.old).filter(|_| !it.same_tensor)?;
                let freed = self.activity.memory[old.block].freed?;
                (freed.position < self.position()).then(|| self.freed(old.block))?
            }),
            Told::Host { change, lines } => {
                let is_random = is_of_random_numbers(change);
                let place = lines.map(|lines| self.changed_at(lines, is_random));
                match place {
                    Some(line) => {
                        line.and_then(|line| Self::place(Some(&line.file), Some(line.line), ""))
                    }
                    None => Self::place(change.file.as_ref(), change.line, ""),
                }
            }
            Told::Kept(..)
            | Told::KeptGradient(..)
            | Told::Buffers(_)
            | Told::Number(_)
            | Told::Backward { .. }
            | Told::Hook(_) => None,
        }
    }

    pub(super) fn input(&self) -> Option<Input> {
        match self.told {
            Told::Rebound { rebound, .. } => Some((self.graph, self.input_at(rebound.old)?.block)),
            _ => None,
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.replay().map_or(self.position, |it| it.1)
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position());
        evidence.thread = Some(self.capture().thread());
        evidence.capture = Some(self.capture());
        evidence.stack = match (self.own_place(), self.replay()) {
            (Some(place), _) => vec![StackFrame {
                file: place.file_name(),
                function: place.function,
                line: place.line,
            }],
            (None, Some((stack, _))) => stack,
            (None, None) => Vec::new(),
        };
        evidence
    }
}

/// Whether a state that a capture changed is that of random numbers, which cannot be told.
fn is_of_random_numbers(change: &HostChange) -> bool {
    change.after.is_empty()
}

/// Functions of PyTorch that give modules other tensors.
const GIVING: &[(&str, &str)] = &[
    ("nn/modules/module.py", "load_state_dict"),
    ("nn/modules/module.py", "_apply"),
    ("nn/utils/convert_parameters.py", "vector_to_parameters"),
];
