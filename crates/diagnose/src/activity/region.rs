//! Functions that ran eagerly and were captured: their operators, call by call.
//!
//! A region is the outermost function of the program that the captured code calls. Its *calls* are runs of operators with that
//! function on the stack; those from one place of the program are compared with each other and with the capture.

use std::borrow::Cow;

use cgsan_trace::{Argument, CodeId, FrameId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames::{Frames, Place, Root};
use super::lasting::{Lasting, States};
use super::memory::BlockId;
use super::operation::tensors;
use super::{Activity, Operation};
use crate::history::{History, step};

/// A function, as it ran.
#[derive(Debug)]
pub(crate) struct Region {
    /// The capture: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// What was captured, usually one call.
    pub(crate) captured: Vec<Call>,
    /// What ran eagerly before, by the place that called it and by the state that it worked on, in order.
    pub(crate) before: Vec<Eager>,
    /// What ran eagerly after the first replay, likewise.
    pub(crate) after: Vec<Vec<Call>>,
    /// What other captures recorded of it.
    pub(crate) elsewhere: Vec<Call>,
}

/// Eager calls of a region's function, from one place and on one state.
#[derive(Clone, Debug)]
pub(crate) struct Eager {
    pub(crate) calls: Vec<Call>,
    /// Whether that is another state than the capture's: other parameters, for one.
    pub(crate) is_of_another_state: bool,
}

/// One call of a region's function: its outermost operators, as indices into the activity's.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) operations: Vec<usize>,
}

/// A run of operators with one function on the stack, called from one place.
#[derive(Clone)]
struct Run {
    place: Place,
    capture: Option<usize>,
    operations: Vec<usize>,
    /// Where each stands: the innermost function, and its line.
    places: Vec<(CodeId, u32)>,
    /// What of the program the function had called: from which of its lines, and what.
    called: Vec<Option<(u32, CodeId)>>,
}

impl Run {
    /// The one function of the program that this function has called for all of its operators, if there is one.
    fn only_called(&self) -> Option<(u32, CodeId)> {
        let first = self.called.first().copied()??;
        let is_first = |called: &Option<(u32, CodeId)>| *called == Some(first);
        self.called.iter().all(is_first).then_some(first)
    }

    /// What is left of it when another function than this one was called from the same line: then a function was handed over,
    /// and that is another step of the program.
    fn as_called(&self, only: Option<(u32, CodeId)>) -> Cow<'_, Run> {
        let is_other = |called: &Option<(u32, CodeId)>| {
            only.zip(*called)
                .is_some_and(|(own, it)| own.0 == it.0 && own.1 != it.1)
        };
        if !self.called.iter().any(is_other) {
            return Cow::Borrowed(self);
        }
        let kept: Vec<usize> = (0..self.called.len())
            .filter(|at| !is_other(&self.called[*at]))
            .collect();
        Cow::Owned(Run {
            operations: kept.iter().map(|at| self.operations[*at]).collect(),
            places: kept.iter().map(|at| self.places[*at]).collect(),
            called: kept.iter().map(|at| self.called[*at]).collect(),
            ..*self
        })
    }
}

/// The regions of all captures that were replayed.
pub(crate) fn regions(history: &History<'_>, activity: &Activity<'_>) -> Vec<Region> {
    let mut frames = Frames::new(history.trace);
    let roots: Vec<Option<Root>> = history
        .captures
        .iter()
        .map(|run| frames.user_frame(run.began.record.stack?))
        .collect();
    let mut functions = captured_functions(history, activity, &roots, &mut frames);
    let runners = runners(history, activity, &mut frames);
    functions.retain(|(_, function)| !runners.contains(function));
    let runs = runs(history, activity, &functions, &mut frames);
    let mut of_function: FxHashMap<CodeId, Vec<&Run>> = FxHashMap::default();
    for run in &runs {
        of_function.entry(run.place.function).or_default().push(run);
    }
    let mut regions = inline(history, activity, &roots, &mut frames);
    for graph in 0..activity.graphs.len() {
        let first_replay = activity.replays.iter().find(|it| it.graph == graph);
        let Some(first_replay) = first_replay.map(|it| it.position) else {
            continue;
        };
        let mut own: Vec<CodeId> = functions
            .iter()
            .filter(|(capture, _)| *capture == graph)
            .map(|(_, function)| *function)
            .collect();
        own.sort_unstable();
        for function in own {
            let runs = of_function.get(&function).map_or(&[][..], Vec::as_slice);
            regions.push(region(history, activity, graph, first_replay, runs));
        }
    }
    regions
}

fn region(
    history: &History<'_>,
    activity: &Activity<'_>,
    graph: usize,
    first_replay: usize,
    runs: &[&Run],
) -> Region {
    let began = history.captures[graph].began.position;
    let captured: Vec<&&Run> = runs
        .iter()
        .filter(|run| run.capture == Some(graph))
        .collect();
    let only = captured.first().and_then(|run| run.only_called());
    let calls = |run: &Run| split(run, captured.first().copied().copied(), activity);
    let mut states = States::new(
        captured
            .iter()
            .map(|run| Lasting::of(activity, &whole(run))),
    );
    let (mut before, mut after) = (ByPlace::default(), ByPlace::default());
    let mut elsewhere = Vec::new();
    for run in runs {
        let run = &*run.as_called(only);
        let Some(first) = run.operations.first() else {
            continue;
        };
        let position = activity.operations[*first].position;
        match run.capture {
            Some(other) if other == graph => {}
            Some(_) => elsewhere.push(whole(run)),
            None if position < began => {
                for call in calls(run) {
                    let state = states.of(Lasting::of(activity, &call));
                    before.add((run.place.caller, state), vec![call]);
                }
            }
            None if position > first_replay => after.add(run.place.caller, calls(run)),
            None => {}
        }
    }
    Region {
        graph,
        captured: captured.into_iter().map(|run| whole(run)).collect(),
        before: before.eager(|(_, state)| *state != States::CAPTURED),
        after: after.calls(),
        elsewhere,
    }
}

/// Calls by the place that made them, in the order of their first ones.
struct ByPlace<P>(Vec<(P, Vec<Call>)>);

impl<P> Default for ByPlace<P> {
    fn default() -> Self {
        ByPlace(Vec::new())
    }
}

impl<P: PartialEq> ByPlace<P> {
    fn add(&mut self, place: P, calls: Vec<Call>) {
        match self.0.iter_mut().find(|(it, _)| *it == place) {
            Some((_, known)) => known.extend(calls),
            None => self.0.push((place, calls)),
        }
    }

    fn eager(self, is_of_another_state: impl Fn(&P) -> bool) -> Vec<Eager> {
        let all = self.0.into_iter();
        all.map(|(place, calls)| Eager {
            calls,
            is_of_another_state: is_of_another_state(&place),
        })
        .collect()
    }

    fn calls(self) -> Vec<Vec<Call>> {
        self.0.into_iter().map(|(_, calls)| calls).collect()
    }
}

fn whole(run: &Run) -> Call {
    Call {
        operations: run.operations.clone(),
    }
}

/// A run cut where a new call begins: where it is back at the place that the captured one begins with, if that comes up once in
/// a call; or else into pieces that stand at the places of the captured one, or that are equal. One that cannot be cut is one
/// call.
fn split(run: &Run, captured: Option<&Run>, activity: &Activity<'_>) -> Vec<Call> {
    let call = |operations: &[usize]| Call {
        operations: operations.to_vec(),
    };
    let first = captured.and_then(|it| only_first(&it.places));
    if let Some(first) = first.filter(|first| run.places.first() == Some(first)) {
        let mut starts: Vec<usize> = (0..run.places.len())
            .filter(|at| run.places[*at] == *first)
            .collect();
        starts.push(run.places.len());
        let pieces = starts.windows(2);
        return pieces
            .map(|bounds| call(&run.operations[bounds[0]..bounds[1]]))
            .collect();
    }
    let names: Vec<_> = run
        .operations
        .iter()
        .zip(&run.places)
        .map(|(index, place)| (activity.operations[*index].name, *place))
        .collect();
    let length = captured
        .filter(|captured| is_repeated(&run.places, &captured.places))
        .map(|captured| captured.places.len())
        .or_else(|| (2..=names.len() / 2).find(|length| is_repeated(&names, &names[..*length])));
    let pieces = run
        .operations
        .chunks(length.unwrap_or(run.operations.len()).max(1));
    pieces.map(call).collect()
}

/// The first element, if no other is equal to it.
fn only_first<T: PartialEq>(sequence: &[T]) -> Option<&T> {
    let (first, rest) = sequence.split_first()?;
    (!rest.contains(first)).then_some(first)
}

/// Whether a sequence is a shorter one over and over.
fn is_repeated<T: PartialEq>(whole: &[T], piece: &[T]) -> bool {
    !piece.is_empty()
        && whole.len().is_multiple_of(piece.len())
        && whole.chunks(piece.len()).all(|chunk| chunk == piece)
}

/// The functions that captures called, with the capture.
fn captured_functions(
    history: &History<'_>,
    activity: &Activity<'_>,
    roots: &[Option<Root>],
    frames: &mut Frames<'_>,
) -> FxHashSet<(usize, CodeId)> {
    let mut functions = FxHashSet::default();
    for operation in outermost(activity) {
        let capture = running_capture(history, operation);
        let Some((capture, stack)) = capture.zip(operation.stack) else {
            continue;
        };
        let Some(root) = roots[capture] else { continue };
        if let Some(place) = frames.below(stack, root) {
            functions.insert((capture, place.function));
        }
    }
    functions
}

/// Operators that the capturing function calls itself, each as a region of its own: it is compared with those of the same name
/// that another line of the function calls again and again on the same tensors.
fn inline(
    history: &History<'_>,
    activity: &Activity<'_>,
    roots: &[Option<Root>],
    frames: &mut Frames<'_>,
) -> Vec<Region> {
    let mut captured: Vec<(usize, usize, Alike<'_>)> = Vec::new();
    let mut eager: FxHashMap<Alike<'_>, Vec<(u32, usize)>> = FxHashMap::default();
    for (index, operation) in activity.operations.iter().enumerate() {
        let Some(stack) = operation.stack.filter(|_| operation.parent.is_none()) else {
            continue;
        };
        let Some((root, line)) = frames.own_line(stack) else {
            continue;
        };
        let tensors: Vec<_> = tensors(operation.arguments)
            .map(|it| (it.address, block_of(activity, operation, it.address)))
            .collect();
        if tensors.is_empty() {
            continue;
        }
        let alike = (root, frames.inside(stack), operation.name, tensors);
        match running_capture(history, operation) {
            Some(graph) if roots[graph] == Some(root) => captured.push((graph, index, alike)),
            Some(_) => {}
            None => eager.entry(alike).or_default().push((line, index)),
        }
    }
    let mut regions = Vec::new();
    for (graph, index, alike) in &captured {
        let first_replay = activity.replays.iter().find(|it| it.graph == *graph);
        let (Some(first_replay), Some(eager)) = (first_replay, eager.get(alike)) else {
            continue;
        };
        let twins = captured
            .iter()
            .filter(|it| it.0 == *graph && it.2 == *alike);
        if twins.count() > 1 {
            // Which of them an eager one stands for is not known.
            continue;
        }
        let began = history.captures[*graph].began.position;
        let call = |index: usize| Call {
            operations: vec![index],
        };
        let (mut before, mut after) = (ByPlace::default(), ByPlace::default());
        for (line, index) in eager {
            let position = activity.operations[*index].position;
            if position > first_replay.position {
                after.add(*line, vec![call(*index)]);
            } else if position < began {
                before.add(*line, vec![call(*index)]);
            }
        }
        let elsewhere = captured
            .iter()
            .filter(|it| it.0 != *graph && it.2 == *alike);
        regions.push(Region {
            graph: *graph,
            captured: vec![call(*index)],
            // They work on the same tensors.
            before: before.eager(|_| false),
            after: after.calls(),
            elsewhere: elsewhere.map(|it| call(it.1)).collect(),
        });
    }
    regions
}

/// What makes two operators the same step of a program: the frame, the lines of libraries that it went through, the name and the
/// tensors.
type Alike<'t> = (
    Root,
    Vec<(CodeId, u32)>,
    &'t str,
    Vec<(u64, Option<BlockId>)>,
);

/// The block that an operator found at an address: later, another one may lie there.
fn block_of(activity: &Activity<'_>, operation: &Operation<'_>, address: u64) -> Option<BlockId> {
    let mut blocks = operation.touched.iter().map(|(block, _)| *block);
    blocks.find(|block| activity.memory[*block].overlaps(address, 1))
}

/// The functions that capture or replay graphs themselves: what they do eagerly is in part what a graph does.
fn runners(
    history: &History<'_>,
    activity: &Activity<'_>,
    frames: &mut Frames<'_>,
) -> FxHashSet<CodeId> {
    let began = history.captures.iter().map(|run| run.began.record.stack);
    let replays = activity.replays.iter().map(|replay| {
        let step = step::at(history.trace, replay.position);
        step.and_then(|step| step.record.stack)
    });
    let stacks: FxHashSet<FrameId> = began.chain(replays).flatten().collect();
    let functions = stacks.into_iter().flat_map(|stack| frames.functions(stack));
    functions.collect()
}

/// The runs of these functions, in order.
fn runs(
    history: &History<'_>,
    activity: &Activity<'_>,
    functions: &FxHashSet<(usize, CodeId)>,
    frames: &mut Frames<'_>,
) -> Vec<Run> {
    let functions: FxHashSet<CodeId> = functions.iter().map(|(_, function)| *function).collect();
    let mut runs: Vec<Run> = Vec::new();
    // The run that each thread is in.
    let mut current: FxHashMap<_, usize> = FxHashMap::default();
    for (index, operation) in activity.operations.iter().enumerate() {
        let Some(stack) = operation.stack.filter(|_| operation.parent.is_none()) else {
            continue;
        };
        let capture = running_capture(history, operation);
        let Some(place) = frames.outermost_of(stack, &functions) else {
            current.remove(&operation.thread);
            continue;
        };
        let known = current.get(&operation.thread).copied().filter(|run| {
            let run = &runs[*run];
            run.capture == capture
                && run.place.function == place.function
                && run.place.caller == place.caller
        });
        let run = known.unwrap_or_else(|| {
            runs.push(Run {
                place,
                capture,
                operations: Vec::new(),
                places: Vec::new(),
                called: Vec::new(),
            });
            current.insert(operation.thread, runs.len() - 1);
            runs.len() - 1
        });
        runs[run].operations.push(index);
        runs[run].places.extend(frames.innermost(stack));
        let called = frames.below(stack, (place.caller, place.function));
        let called = called.and_then(|it| Some((frames.innermost(it.caller?)?.1, it.function)));
        runs[run].called.push(called);
    }
    runs
}

fn outermost<'a, 't>(activity: &'a Activity<'t>) -> impl Iterator<Item = &'a Operation<'t>> {
    activity.operations.iter().filter(|it| it.parent.is_none())
}

/// The capture that runs on an operator's thread.
fn running_capture(history: &History<'_>, operation: &Operation<'_>) -> Option<usize> {
    let captures = &history.captures;
    let end = captures.partition_point(|run| run.began.position < operation.position);
    captures[..end]
        .iter()
        .rposition(|run| run.thread() == operation.thread && run.spans(operation.position))
}

/// A number that an operator is given, and which.
pub(crate) fn numbers(arguments: &[Argument]) -> Vec<Number> {
    let mut numbers = Vec::new();
    for argument in arguments {
        let elements = match argument {
            Argument::List(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        numbers.extend(elements.iter().filter_map(|element| match element {
            Argument::Bool(value) => Some(Number::Bool(*value)),
            Argument::Integer(value) => Some(Number::Integer(*value)),
            Argument::Float(value) => Some(Number::Float(value.to_bits())),
            _ => None,
        }));
    }
    numbers
}

/// A number, by its bits so that it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    Bool(bool),
    Integer(i64),
    Float(u64),
}

impl Number {
    /// The same number with a fraction, which compares whole numbers and others.
    pub(crate) fn as_float(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(u8::from(value)),
            #[expect(
                clippy::cast_precision_loss,
                reason = "large numbers may count as equal"
            )]
            Number::Integer(value) => value as f64,
            Number::Float(bits) => f64::from_bits(bits),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Bool(value) => write!(f, "{value}"),
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(bits) => write!(f, "{}", f64::from_bits(*bits)),
        }
    }
}
