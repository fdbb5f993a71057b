//! What the regions of graphs were seen to do as at the capture, at all replays that were looked at.

use cgsan_trace::{AgentEvent, CodeId, TwinArguments, TwinDifference, TwinKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::{Kind, Number};
use crate::history::History;

/// Graphs whose regions do what they did, at all replays that were looked at.
pub(super) struct Unchanged<'h, 't> {
    history: &'h History<'t>,
    /// Those with a variable that has moved on.
    though_moved: FxHashSet<usize>,
    /// Those that run the same operators, and are given nothing but what the program's state leads to.
    of_state: FxHashSet<usize>,
    /// Those that did not draw random numbers on the host at a replay.
    without_draws: FxHashSet<usize>,
    /// Those that work on the same sizes with the same numbers.
    settled: FxHashMap<usize, Settled<'t>>,
}

/// What may give a region numbers and sizes, beside the program's state, which it finds as it is.
#[derive(Clone, Copy)]
struct Settled<'t> {
    /// What the functions that it calls were given.
    arguments: &'t [TwinArguments],
    /// The numbers that its own code names.
    constants: &'t [String],
}

impl<'h, 't> Unchanged<'h, 't> {
    pub(super) fn of(history: &'h History<'t>) -> Unchanged<'h, 't> {
        let graphs = history.captures_by_number();
        let mut unchanged = Unchanged {
            history,
            though_moved: FxHashSet::default(),
            of_state: FxHashSet::default(),
            without_draws: FxHashSet::default(),
            settled: FxHashMap::default(),
        };
        let mut changed: FxHashSet<usize> = FxHashSet::default();
        // Those that run other operators, or are given other numbers: not tensors alone.
        let mut works_otherwise: FxHashSet<usize> = FxHashSet::default();
        // Those of which not all numbers were compared, or some differed.
        let mut is_given_others: FxHashSet<usize> = FxHashSet::default();
        let mut drawing: FxHashSet<usize> = FxHashSet::default();
        for (_, event) in history.trace.agent_events() {
            let AgentEvent::TwinCompared {
                graph,
                replay,
                differences,
                stopped,
                draws,
                moved,
                fixed,
                arguments,
                constants,
                ..
            } = event
            else {
                continue;
            };
            let Some(graph) = graphs.get(graph).copied() else {
                continue;
            };
            let all_are = |kind: TwinKind| {
                let is_of_kind = |it: &TwinDifference| it.kind == kind;
                stopped.is_none() && differences.iter().all(is_of_kind)
            };
            if !differences.is_empty() || stopped.is_some() {
                changed.insert(graph);
            }
            if !all_are(TwinKind::Tensor) {
                works_otherwise.insert(graph);
            }
            if !all_are(TwinKind::MadeOnce) {
                is_given_others.insert(graph);
            }
            if *moved == Some(true) {
                unchanged.though_moved.insert(graph);
            }
            if *fixed == Some(false) {
                unchanged.of_state.insert(graph);
            }
            if let (Some(arguments), Some(constants)) = (arguments, constants) {
                let settled = Settled {
                    arguments,
                    constants,
                };
                unchanged.settled.insert(graph, settled);
            }
            if *replay > 0 {
                let draws = if *draws {
                    &mut drawing
                } else {
                    &mut unchanged.without_draws
                };
                draws.insert(graph);
            }
        }
        unchanged.though_moved = &unchanged.though_moved - &changed;
        unchanged.of_state = &unchanged.of_state - &works_otherwise;
        unchanged.without_draws = &(&unchanged.without_draws - &drawing) - &changed;
        unchanged
            .settled
            .retain(|graph, _| !is_given_others.contains(graph));
        unchanged
    }

    /// Whether what varied in eager calls was constant from the capture on: the program itself has shown it. State alone decides which
    /// operators a region runs that is given nothing else, and with what numbers a function that is given none; it may have settled
    /// before the capture. Other eager calls are given arguments, and belong to other objects. `function` is the one that was called
    /// eagerly and was captured; none of an operator that the region's own code calls.
    pub(super) fn contradicts(&self, graph: usize, function: Option<CodeId>, kind: &Kind) -> bool {
        let is_of_state = match kind {
            Kind::Operators => self.of_state.contains(&graph),
            _ => self
                .settled
                .get(&graph)
                .is_some_and(|it| !self.is_given(*it, function, kind)),
        };
        self.though_moved.contains(&graph) || is_of_state
    }

    /// Whether the region of a graph draws random numbers on the host no more.
    pub(super) fn draws_no_more(&self, graph: usize) -> bool {
        self.without_draws.contains(&graph)
    }

    /// Whether a region gives something of this kind to a function, or to an operator, or that is not known.
    fn is_given(&self, settled: Settled<'_>, function: Option<CodeId>, kind: &Kind) -> bool {
        let Some(function) = function else {
            let number = match kind {
                Kind::Number { captured, .. } => captured.as_float().to_bits(),
                _ => return true,
            };
            let mut constants = settled.constants.iter();
            return constants.any(|it| it.parse().is_ok_and(|it: f64| it.to_bits() == number));
        };
        let (file, name) = self.history.trace.code(function);
        let name = name.rsplit('.').next();
        let is_own = |it: &&TwinArguments| it.file == file && Some(it.function.as_str()) == name;
        let mut own = settled.arguments.iter().filter(is_own).peekable();
        own.peek().is_none() || own.any(|it| may_have(it, kind))
    }
}

/// Whether a function that was given this may have a number or a size from there.
fn may_have(arguments: &TwinArguments, kind: &Kind) -> bool {
    match kind {
        Kind::Number {
            captured: Number::Bool(_),
            ..
        } => arguments.truths,
        Kind::Number { captured, .. } => {
            let size = captured.size();
            arguments.numbers || size.is_some_and(|it| arguments.sizes.contains(&it))
        }
        _ => arguments.numbers || arguments.tensors,
    }
}
