//! What a captured region would do at a replay, beside what the graph does: the agent has run it again.

use cgsan_finding::Location;
use cgsan_trace::{
    AgentEvent, FIRST_REPLAYS, Rebound, Record, StackFrame, TwinCause, TwinDifference, TwinKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Input;
use super::left::{Left, LeftEagerly};
use super::setters::Setters;
use crate::activity::{Access, Activity, Block, BlockId, Event, Operation};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, History, stack};

/// Something that the region of a graph would not do now as it did at the capture.
pub(crate) struct Twin<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    pub(crate) difference: &'t TwinDifference,
    /// What the program has switched, registered or removed since the capture, if it differs for that reason.
    pub(crate) cause: Option<&'t TwinCause>,
    /// The capture that the graph came from: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// Whether the region was seen to do different things at replays, or at one what it did at the capture; or draws random numbers.
    pub(crate) varies: bool,
    /// Whether the region draws random numbers on the host.
    pub(crate) draws: bool,
    /// What the region leaves if no capture runs.
    pub(crate) left: LeftEagerly,
    /// When the region was run and differed so.
    looks: Vec<Look>,
}

/// What makes differences of a graph the same one: their kind, their place at the capture, and their cause.
type Key<'t> = (
    usize,
    TwinKind,
    Option<&'t [StackFrame]>,
    Option<&'t TwinCause>,
);

/// A replay at which a region was run.
#[derive(Clone, Copy)]
struct Look {
    /// Its number.
    replay: u64,
    /// Where it was told.
    position: usize,
}

/// What the region of a graph was seen to do at a replay.
struct Outcome<'t> {
    differences: &'t [TwinDifference],
    /// How many operators it ran; `None` if it did not come to its end.
    operators: Option<u64>,
}

impl Outcome<'_> {
    /// Whether it did the same at another replay, as far as that is known: the first difference is told, and not what comes after it.
    fn may_be(&self, other: &Outcome<'_>) -> bool {
        let is_as_long = match (self.operators, other.operators) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        is_as_long && self.differences == other.differences
    }
}

/// The differences of each graph, the first of each kind.
pub(super) fn twins<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Twin<'h, 't>> {
    let graphs = history.captures_by_number();
    let left = Left::of(history);
    let mut setters = Setters::new(history, activity);
    let mut outcomes: FxHashMap<usize, Vec<Outcome<'_>>> = FxHashMap::default();
    let mut seen: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    let mut draws: FxHashSet<usize> = FxHashSet::default();
    let mut twins: Vec<Twin<'h, 't>> = Vec::new();
    for (position, event) in history.trace.agent_events() {
        match event {
            AgentEvent::HostState { graph, changes, .. } => {
                // A state that cannot be told is that of random numbers.
                if let Some(graph) = graphs.get(graph)
                    && changes.iter().any(|it| it.after.is_empty())
                {
                    draws.insert(*graph);
                }
            }
            AgentEvent::TwinCompared {
                graph,
                replay,
                operators,
                differences,
                stopped,
                draws: has_drawn,
                cause,
                set_by,
                ..
            } => {
                let Some(graph) = graphs.get(graph).copied() else {
                    continue;
                };
                if setters.explain(graph, set_by.as_deref()) {
                    continue;
                }
                let outcomes = outcomes.entry(graph).or_default();
                let outcome = Outcome {
                    differences,
                    operators: stopped.is_none().then_some(*operators),
                };
                let is_new = !outcomes.iter().any(|it| it.may_be(&outcome));
                if *replay > 0 && is_new && (stopped.is_none() || !differences.is_empty()) {
                    outcomes.push(outcome);
                }
                let look = Look {
                    replay: *replay,
                    position,
                };
                for difference in differences {
                    let then = difference.then.as_ref();
                    let place = then.map(|it| it.stack.as_slice());
                    let key = (graph, difference.kind, place, cause.as_ref());
                    if let Some(index) = seen.get(&key) {
                        let known: &mut Twin<'_, '_> = &mut twins[*index];
                        if known.difference == difference {
                            known.looks.push(look);
                        }
                        continue;
                    }
                    seen.insert(key, twins.len());
                    twins.push(Twin {
                        history,
                        activity,
                        difference,
                        cause: cause.as_ref(),
                        graph,
                        varies: false,
                        draws: *has_drawn,
                        left: left.by(graph),
                        looks: vec![look],
                    });
                }
            }
            _ => {}
        }
    }
    for twin in &mut twins {
        twin.draws |= draws.contains(&twin.graph);
        let several = outcomes.get(&twin.graph).is_some_and(|it| it.len() > 1);
        twin.varies = twin.draws || several;
    }
    twins
}

impl<'h, 't> Twin<'h, 't> {
    /// Whether it was run as if no capture ran, at the capture and not at a replay.
    pub(crate) fn is_without_capture(&self) -> bool {
        self.looks[0].replay == 0
    }

    /// Whether the same was told at replays that follow each other.
    pub(crate) fn lasts(&self) -> bool {
        let mut pairs = self.looks.windows(2);
        pairs.any(|pair| pair[1].replay == pair[0].replay + 1)
    }

    pub(crate) fn capture(&self) -> &'h CaptureRun<'t> {
        &self.history.captures[self.graph]
    }

    /// The stack of the operator at the capture, innermost frame first; where there was none, of that of now.
    pub(crate) fn stack(&self) -> &'t [StackFrame] {
        let sides = [&self.difference.then, &self.difference.now];
        let mut sides = sides.into_iter().flatten();
        sides.next().map_or(&[], |it| &it.stack)
    }

    /// The line of the operator at the capture.
    pub(crate) fn then(&self) -> Option<Location> {
        stack::user_location(&self.difference.then.as_ref()?.stack)
    }

    /// The line of the operator of now.
    pub(crate) fn now(&self) -> Option<Location> {
        stack::user_location(&self.difference.now.as_ref()?.stack)
    }

    /// The first access to the input of the graph that holds an address.
    pub(crate) fn input_at(&self, address: u64) -> Option<&'h Access> {
        self.activity.input_at(self.graph, address)
    }

    /// The eager operator that last wrote what lies at an address, if that was after the capture.
    pub(crate) fn written_since(&self, address: u64) -> Option<&'h Operation<'t>> {
        self.written_after(address, self.capture().ended?.position)
    }

    /// The same, if that was after the replay before the one at which this was told.
    pub(crate) fn written_lately(&self, address: u64) -> Option<&'h Operation<'t>> {
        let replay = self.replay_position(self.looks[0])?;
        self.written_after(address, self.position_before(replay)?)
    }

    /// Whether somebody has written what lies at an address before each of the replays at which this was told.
    pub(crate) fn is_written_each_time(&self, address: u64) -> bool {
        let memory = &self.activity.memory;
        let mut looks = self.looks.iter().filter_map(|look| {
            let replay = self.replay_position(*look)?;
            Some((self.position_before(replay)?, replay))
        });
        looks.all(|(before, replay)| {
            let mut blocks = memory.ids().filter(|it| memory[*it].overlaps(address, 1));
            blocks.any(|it| self.activity.written.are_between(it, before, replay))
        })
    }

    /// Where the replay before one stands, or the end of the capture.
    fn position_before(&self, replay: usize) -> Option<usize> {
        let before = self.replays().rfind(|it| *it < replay);
        before.or(self.capture().ended.map(|it| it.position))
    }

    fn written_after(&self, address: u64, position: usize) -> Option<&'h Operation<'t>> {
        let blocks = &self.activity.memory.blocks;
        let written = self.activity.written.all_last();
        let written = written
            .filter(|(block, _)| blocks[block.index()].overlaps(address, 1))
            .map(|(_, written)| written)
            .max()?;
        let operations = &self.activity.operations;
        let index = operations.partition_point(|it| it.position < written);
        operations
            .get(index)
            .filter(|it| it.position == written && written > position)
    }

    /// The line of an operator.
    pub(crate) fn location_of(&self, operation: &Operation<'t>) -> Option<Location> {
        stack::user_location(&self.history.trace.stack(operation.stack?))
    }

    /// Where the block begins that the capture allocated at the line of its side, if the program holds it.
    pub(crate) fn made_then(&self) -> Option<u64> {
        let line = self.then();
        let is_of_line = |block: &&Block| {
            let stack = block.allocated.stack.map(|it| self.history.trace.stack(it));
            stack.and_then(|stack| stack::user_location(&stack)) == line
        };
        let blocks = self.activity.memory.blocks.iter();
        let mut held = blocks.filter(|it| it.capture == Some(self.graph) && self.is_held(it));
        Some(held.find(is_of_line)?.address)
    }

    /// Whether the capture of this graph allocated what lies at an address.
    pub(crate) fn is_of_capture(&self, address: u64) -> bool {
        self.made_in_capture(address).is_some()
    }

    /// The block that the capture of this graph allocated at an address, and that the program holds.
    pub(crate) fn made_in_capture(&self, address: u64) -> Option<&'h Block> {
        let mut blocks = self.activity.memory.blocks.iter();
        blocks.rfind(|block| block.capture == Some(self.graph) && block.overlaps(address, 1))
    }

    /// Whether the program holds a block at the replay that it is about. When it ends, it lets go of all of them.
    pub(crate) fn is_held(&self, block: &Block) -> bool {
        block.is_held_at(self.position())
    }

    /// Whether the block at an address has more bytes than the one at another.
    pub(crate) fn is_larger(&self, one: u64, other: u64) -> bool {
        let bytes = |address: u64| {
            let mut blocks = self.activity.memory.blocks.iter();
            blocks
                .rfind(|it| it.overlaps(address, 1))
                .map(|it| it.bytes)
        };
        bytes(one).zip(bytes(other)).is_some_and(|it| it.0 > it.1)
    }

    /// Whether what lies at an address was allocated after the capture: no branch of that time could have chosen it.
    pub(crate) fn is_made_since(&self, address: u64) -> bool {
        let Some(ended) = self.capture().ended else {
            return false;
        };
        let at = self.position();
        let mut blocks = self.activity.memory.blocks.iter();
        blocks.any(|block| {
            block.overlaps(address, 1)
                && block.is_held_at(at)
                && block.allocated.position > ended.position
        })
    }

    /// Whether it is one of several graphs that a loop captured. What their region reads belongs to their turn of it, and the next
    /// turn is none that the program made.
    pub(crate) fn is_of_loop(&self) -> bool {
        let began = self.capture().began.record.stack;
        let mut captures = self.history.captures.iter();
        began.is_some()
            && captures.any(|run| run.id != self.capture().id && run.began.record.stack == began)
    }

    /// Whether the graph uses what lies at both addresses, from before its capture, and writes one of them.
    pub(crate) fn exchanges(&self, one: u64, other: u64) -> bool {
        let memory = &self.activity.memory;
        let accesses = &self.activity.graphs[self.graph].accesses;
        let uses = |address: u64| {
            let at = move |it: &&Access| {
                let block = memory[it.block];
                block.capture.is_none() && block.overlaps(address, 1)
            };
            accesses.iter().filter(at)
        };
        let both = [one, other];
        both.iter().all(|it| uses(*it).next().is_some())
            && both
                .iter()
                .any(|it| uses(*it).any(|access| access.does.writes()))
    }

    /// Whether the graph writes what lies at an address.
    pub(crate) fn writes(&self, address: u64) -> bool {
        let mut accesses = self.activity.graphs[self.graph].accesses.iter();
        accesses.any(|access| {
            access.does.writes() && self.activity.memory[access.block].overlaps(address, 1)
        })
    }

    /// Where the input of the graph that it is about was freed, if that was before the replay.
    pub(crate) fn input_freed(&self) -> Option<Event> {
        let access = self.input_at(self.difference.address?)?;
        let freed = self.activity.memory[access.block].freed?;
        (freed.position < self.position()).then_some(freed)
    }

    /// The line that freed it.
    pub(crate) fn freed_at(&self) -> Option<Location> {
        let stack = self.input_freed()?.stack?;
        stack::user_location(&self.history.trace.stack(stack))
    }

    /// Whether somebody has written the tensor of now since the replay before one at which this was told, and nobody that of then,
    /// which no other graph writes. Of later replays, it is not known what was done between them.
    pub(crate) fn is_passed_by(&self, then: u64, now: u64) -> bool {
        let memory = &self.activity.memory;
        let is_written = |address: u64, before: usize, replay: usize| {
            let mut blocks = memory.ids().filter(|it| memory[*it].overlaps(address, 1));
            blocks.any(|it| self.activity.written.are_between(it, before, replay))
        };
        let by_another = self.activity.others_access(self.graph, |access| {
            access.does.may_write() && memory[access.block].overlaps(then, 1)
        });
        let looks = self
            .looks
            .iter()
            .filter(|look| look.replay <= FIRST_REPLAYS);
        let mut looks = looks.filter_map(|look| {
            let replay = self.replay_position(*look)?;
            Some((self.position_before(replay)?, replay))
        });
        !by_another
            && looks.any(|(before, replay)| {
                is_written(now, before, replay) && !is_written(then, before, replay)
            })
    }

    /// Whether another graph uses what lies at an address.
    pub(crate) fn is_of_another_graph(&self, address: u64) -> bool {
        let memory = &self.activity.memory;
        self.activity.others_access(self.graph, |access| {
            memory[access.block].overlaps(address, 1)
        })
    }

    /// Whether only a graph that is gone wrote the input at one address, and another one that was replayed makes what lies at the other.
    pub(crate) fn has_a_new_writer(&self, old: u64, new: u64) -> bool {
        let (activity, at) = (self.activity, self.position());
        let memory = &activity.memory;
        let is_there = |graph: usize| activity.graphs[graph].is_there(at);
        let writes = |graph: usize, block: BlockId| {
            let mut accesses = activity.graphs[graph].accesses.iter();
            accesses.any(|it| it.block == block && it.does.may_write())
        };
        let Some(block) = self.input_at(old).map(|it| it.block) else {
            return false;
        };
        let is_left = memory[block].capture.is_some_and(|writer| {
            let others = (0..activity.graphs.len()).filter(|it| *it != writer);
            !is_there(writer)
                && activity.written.last(block).is_none()
                && !others.into_iter().any(|it| writes(it, block))
        });
        is_left
            && memory.ids().any(|it| {
                let made = memory[it];
                let maker = made.capture.filter(|maker| *maker != self.graph);
                made.overlaps(new, 1)
                    && made.is_held_at(at)
                    && maker.is_some_and(|maker| {
                        let mut replays = activity.replays.iter();
                        is_there(maker)
                            && writes(maker, it)
                            && replays.any(|it| it.graph == maker && it.position < at)
                    })
            })
    }

    /// A name that led to a storage at the capture and leads to another one since.
    pub(crate) fn rebound(&self, address: u64) -> Option<&'t Rebound> {
        let mut events = self.history.trace.agent_events();
        events.find_map(|(_, event)| match event {
            AgentEvent::InputsRebound { names, .. } => names.iter().find(|it| it.old == address),
            _ => None,
        })
    }

    /// What the program calls the tensor at an address.
    pub(crate) fn name_of(&self, address: u64) -> Option<&'t str> {
        self.history.name_of(self.graph, address)
    }

    /// The line of the replay that was about to happen, or was the last before.
    pub(crate) fn replay_location(&self) -> Option<Location> {
        stack::user_location(&self.replay()?.0)
    }

    fn replay(&self) -> Option<(Vec<StackFrame>, usize)> {
        let position = self.replay_position(self.looks[0])?;
        let Record::Call(call) = &self.history.trace.entries()[position].record else {
            return None;
        };
        let stack = call.stack.map(|it| self.history.trace.stack(it));
        Some((stack.unwrap_or_default(), position))
    }

    /// Where the replays of the graph stand.
    fn replays(&self) -> impl DoubleEndedIterator<Item = usize> {
        let replays = self.activity.replays.iter();
        replays
            .filter(|it| it.graph == self.graph)
            .map(|it| it.position)
    }

    /// Where the replay stands at which the region was run. The first ones are all recorded; of others, one shortly before it was
    /// told is taken.
    fn replay_position(&self, look: Look) -> Option<usize> {
        let of_number = if look.replay <= FIRST_REPLAYS {
            let place = usize::try_from(look.replay.checked_sub(1)?).ok()?;
            self.replays().nth(place)
        } else {
            None
        };
        of_number.or_else(|| self.replays().rfind(|it| *it < look.position))
    }

    /// Whether a name that led to the parameter at an address leads to another tensor since.
    fn is_replaced_parameter(&self, address: u64) -> bool {
        let mut events = self.history.trace.agent_events();
        events.any(|(_, event)| match event {
            AgentEvent::InputsRebound {
                names, parameters, ..
            } => {
                let parameters = parameters.iter().flatten();
                let mut pairs = names.iter().zip(parameters);
                pairs.any(|(name, parameter)| name.old == address && parameter.then)
            }
            _ => false,
        })
    }

    /// The input of the graph that it is about. One of several sizes is one that the program replaces, and no parameter.
    pub(super) fn input(&self) -> Option<Input> {
        let address = self.difference.address?;
        let is_of_input = match self.difference.kind {
            TwinKind::Tensor | TwinKind::MadeNow => true,
            TwinKind::Size | TwinKind::Covered => self.is_replaced_parameter(address),
            _ => false,
        };
        is_of_input.then(|| Some((self.graph, self.input_at(address)?.block)))?
    }

    pub(crate) fn position(&self) -> usize {
        self.replay().map_or(self.looks[0].position, |it| it.1)
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position());
        evidence.thread = Some(self.capture().thread());
        evidence.capture = Some(self.capture());
        evidence.stack = self.stack().to_vec();
        evidence
    }
}
