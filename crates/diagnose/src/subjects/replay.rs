//! What a rule about replays can ask.

use cgsan_finding::Location;
use cgsan_trace::{AgentEvent, FrameId, StackFrame};

use super::Input;
use crate::activity::{Activity, Block, BlockId, Does, Found, Harm, Operation, Place, Reader};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, stack, step};

/// Operators that give a tensor memory of another size.
const RESIZING: &[&str] = &["resize_", "resize_as_"];

/// How many operators before a free are looked at.
const RECENT: usize = 16;

/// Something that goes wrong at a replay.
pub(crate) struct Replay<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    pub(crate) found: &'h Found,
}

/// All that went wrong at replays, in the order in which it was found.
pub(super) fn replays<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> impl Iterator<Item = Replay<'h, 't>> {
    let judged = activity.found.iter().filter(|found| {
        let graph = &history.captures[found.graph];
        !history.is_of_inductor(graph)
    });
    judged.map(move |found| Replay {
        history,
        activity,
        found,
    })
}

impl<'h, 't> Replay<'h, 't> {
    pub(crate) fn harm(&self) -> Harm {
        self.found.harm
    }

    /// The capture that the graph came from.
    pub(crate) fn capture(&self) -> &'h CaptureRun<'t> {
        &self.history.captures[self.found.graph]
    }

    pub(crate) fn operation(&self, index: usize) -> &'h Operation<'t> {
        &self.activity.operations[index]
    }

    pub(crate) fn block(&self, id: BlockId) -> Block {
        self.activity.memory[id]
    }

    /// Whether a name was seen to keep the output that begins at an address over replays.
    pub(crate) fn is_kept(&self, address: u64) -> bool {
        let mut events = self.history.trace.agent_events();
        events.any(|(_, event)| match event {
            AgentEvent::OutputsKept { containers, .. } => {
                containers.iter().any(|it| it.address == address)
            }
            _ => false,
        })
    }

    /// Whether it is not known that an operator reads a block that the graph uses: a kernel may do anything with it.
    pub(crate) fn only_uses(&self, operation: usize, block: BlockId) -> bool {
        let mut accesses = self.activity.graphs[self.found.graph].accesses.iter();
        accesses.any(|it| it.operation == operation && it.block == block && it.does == Does::Uses)
    }

    /// Whether the graph writes memory of a pool where a block lies, and not that of an input which was freed.
    pub(crate) fn overwrites_from_pool(&self, block: BlockId) -> bool {
        let block = self.block(block);
        let mut accesses = self.activity.graphs[self.found.graph].accesses.iter();
        accesses.any(|access| {
            let own = self.block(access.block);
            access.does.writes()
                && own.capture.is_some()
                && own.overlaps(block.address, block.bytes)
        })
    }

    /// What the program calls the tensor in a block: one that the graph reads, or that a capture left alive.
    pub(crate) fn name_of(&self, block: &Block) -> Option<&'t str> {
        let captures = [Some(self.found.graph), block.capture];
        let mut captures = captures.into_iter().flatten();
        captures.find_map(|capture| self.history.name_of(capture, block.address))
    }

    /// A Python stack, innermost frame first.
    pub(crate) fn stack(&self, frame: Option<FrameId>) -> Vec<StackFrame> {
        frame
            .map(|id| self.history.trace.stack(id))
            .unwrap_or_default()
    }

    /// The line of the user's program in a Python stack.
    pub(crate) fn location(&self, frame: Option<FrameId>) -> Option<Location> {
        stack::user_location(&self.stack(frame))
    }

    /// The line that allocated a block; for what autograd allocated in a capture, the line that waited for it.
    pub(crate) fn made(&self, id: BlockId) -> Option<Location> {
        let allocated = self.block(id).allocated;
        self.location(allocated.stack).or_else(|| {
            let capture = self.block(id).capture?;
            let thread = self.history.captures[capture].thread();
            stack::user_location(&self.history.last_stack(thread, allocated.position)?)
        })
    }

    /// The line that called an operator; for one that autograd called, the line that waited for it.
    pub(crate) fn location_of(&self, operation: usize) -> Option<Location> {
        let operation = self.operation(operation);
        self.location(operation.stack)
    }

    /// The line of a replay.
    pub(crate) fn replay_location(&self, replay: usize) -> Option<Location> {
        let position = self.activity.replays[replay].position;
        self.history.location_at(position)
    }

    /// The line of the replay that does the harm.
    pub(crate) fn harmful_replay(&self) -> Option<Location> {
        self.replay_location(self.found.replay?)
    }

    /// The line of whoever reads what was overwritten, and what a sentence calls it.
    pub(crate) fn reader(&self, reader: Reader) -> (Option<Location>, String) {
        match reader {
            Reader::Operation(index) => (
                self.location_of(index),
                format!("`{}`", self.operation(index).called()),
            ),
            Reader::Graph(graph) => {
                let began = self.history.captures[graph].began;
                let is_own = graph == self.found.graph;
                let who = if is_own {
                    "the graph itself"
                } else {
                    "another graph"
                };
                (self.history.location_of(began), who.to_owned())
            }
        }
    }

    /// The line of the user's program to point to.
    fn frame(&self) -> (usize, Option<FrameId>) {
        let at_replay = || {
            let replay = self.found.replay?;
            let position = self.activity.replays[replay].position;
            let step = step::at(self.history.trace, position)?;
            Some((position, step.record.stack))
        };
        let capture = || {
            (
                self.capture().began.position,
                self.capture().began.record.stack,
            )
        };
        match self.found.harm.place() {
            Place::Operation(index) => {
                let operation = self.operation(index);
                (operation.position, operation.stack)
            }
            Place::Record(position, stack) => (position, stack),
            Place::Replay => at_replay().unwrap_or_else(capture),
        }
    }

    /// The line that freed the input that is gone.
    pub(crate) fn freed_at(&self) -> Option<Location> {
        let (_, block) = self.input()?;
        self.location(self.block(block).freed?.stack)
    }

    /// The operator that freed a block by giving its tensor other memory.
    pub(crate) fn resized_by(&self, block: &Block) -> Option<&'t str> {
        let freed = block.freed?;
        let operations = &self.activity.operations;
        let before = operations.partition_point(|it| it.position < freed.position);
        let mut around = operations[..before].iter().rev().take(RECENT);
        let is_it = |it: &&Operation<'_>| {
            it.end > freed.position && it.thread == freed.thread && RESIZING.contains(&it.name)
        };
        around.find(is_it).map(|it| it.name)
    }

    pub(super) fn input(&self) -> Option<Input> {
        match self.found.harm {
            Harm::Freed { block, .. }
            | Harm::ContentsLost { block, .. }
            | Harm::WriterReplaced { block, .. } => Some((self.found.graph, block)),
            _ => None,
        }
    }

    pub(super) fn position(&self) -> usize {
        self.frame().0
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let (position, frame) = self.frame();
        let mut evidence = Evidence::at(self.history, position);
        evidence.thread = self
            .history
            .trace
            .entries()
            .get(position)
            .map(|entry| entry.thread);
        evidence.stack = self.stack(frame);
        if stack::user_frame(&evidence.stack).is_none() {
            // Autograd replays while the capturing thread waits in `backward()`.
            let waiting = self.history.last_stack(self.capture().thread(), position);
            evidence.stack.extend(waiting.unwrap_or_default());
        }
        evidence.capture = Some(self.capture());
        evidence.count = self.found.count;
        evidence
    }
}
