//! Functions that ran eagerly and were captured: their operators, call by call.
//!
//! A region is the outermost function of the program that the captured code calls. Its *calls* are runs of operators with that
//! function on the stack; those from one place of the program are compared with each other and with the capture.

use std::borrow::Cow;
use std::rc::Rc;

use cgsan_model::ThreadId;
use cgsan_trace::{CodeId, FrameId, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames::{Frames, Place, Root};
use super::inline::inline;
use super::lasting::{Lasting, States};
use super::{Activity, Operation};
use crate::history::{History, step};

/// A function, as it ran.
#[derive(Debug)]
pub(crate) struct Region {
    /// The capture: an index into [`History::captures`].
    pub(crate) graph: usize,
    /// Its code; none of an operator that the capturing function calls itself.
    pub(crate) function: Option<CodeId>,
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
    /// What the same place called eagerly after the first replay.
    pub(crate) later: Vec<Call>,
}

/// One call of a region's function: its outermost operators, as indices into the activity's.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) operations: Rc<[usize]>,
}

/// A run of operators with one function on the stack, called from one place.
#[derive(Clone)]
struct Run {
    place: Place,
    capture: Option<usize>,
    /// Whether a window of the recording ended behind its last operator: what came then of its last call is not known.
    is_cut: bool,
    operations: Vec<usize>,
    /// Where each stands: the innermost function, and its line.
    places: Vec<(CodeId, u32)>,
    /// What of the program the function had called: from which of its lines, and what.
    called: Vec<Option<Handed>>,
}

impl Run {
    /// The one function of the program that this function has called for all of its operators, if there is one.
    fn only_called(&self) -> Option<Handed> {
        let first = self.called.first().copied()??;
        let is_first = |called: &Option<Handed>| *called == Some(first);
        self.called.iter().all(is_first).then_some(first)
    }

    /// By the lines of this function from which it called one function of the program alone: that function. None for other lines.
    fn called_alone(&self) -> FxHashMap<u32, Option<CodeId>> {
        let mut alone = FxHashMap::default();
        for (line, function) in self.called.iter().flatten() {
            let known = alone.entry(*line).or_insert(Some(*function));
            *known = known.filter(|it| it == function);
        }
        alone
    }

    /// Whether it called other functions from the line of one of these, and never that one: then a function was handed over, and it is
    /// another step of the program, also where the function that was given it goes on by itself.
    fn is_another_step(&self, called_alone: &FxHashMap<u32, Option<CodeId>>) -> bool {
        let mut calls_it: FxHashMap<u32, bool> = FxHashMap::default();
        for (line, function) in self.called.iter().flatten() {
            if let Some(Some(alone)) = called_alone.get(line) {
                *calls_it.entry(*line).or_default() |= alone == function;
            }
        }
        calls_it.values().any(|calls_it| !calls_it)
    }

    /// What is left of it when another function than this one was called from the same line: then a function was handed over,
    /// and that is another step of the program.
    fn as_called(&self, only: Option<Handed>) -> Cow<'_, Run> {
        let is_other = |called: &Option<Handed>| {
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
    let running = running_captures(history, activity);
    let first_replays = first_replays(activity);
    let mut functions = captured_functions(activity, &running, &roots, &mut frames);
    let runners = runners(history, activity, &mut frames);
    functions.retain(|(_, function)| !runners.contains(function));
    let runs = runs(history, activity, &running, &functions, &mut frames);
    let mut of_function: FxHashMap<CodeId, Vec<&Run>> = FxHashMap::default();
    for run in &runs {
        of_function.entry(run.place.function).or_default().push(run);
    }
    let mut seen = SeenCalls::default();
    let mut regions = inline(
        history,
        activity,
        &running,
        &first_replays,
        &roots,
        &mut frames,
    );
    for (graph, first_replay) in first_replays.iter().enumerate() {
        let Some(first_replay) = *first_replay else {
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
            let between = (history.captures[graph].began.position, first_replay);
            regions.push(region(
                activity,
                &mut seen,
                (graph, function),
                between,
                runs,
            ));
        }
    }
    regions
}

/// What decides where a run is cut into calls: its first operator, what of it counts, and the captured places.
type Cut = (usize, Option<Handed>, Vec<(CodeId, u32)>);

/// What was found out of eager calls, which are compared with each capture of their function.
#[derive(Default)]
struct SeenCalls {
    /// The calls of runs.
    split: FxHashMap<Cut, Rc<[Call]>>,
    /// What calls work on, by their first and last operators.
    lasting: FxHashMap<(usize, usize), Rc<Lasting>>,
}

/// What of the program a function has called: from which of its lines, and what.
type Handed = (u32, CodeId);

impl SeenCalls {
    /// The calls of a run, of which that counts which is [as called](Run::as_called) by what was captured.
    fn calls(
        &mut self,
        activity: &Activity<'_>,
        run: &Run,
        only: Option<Handed>,
        captured: Option<&Run>,
    ) -> Rc<[Call]> {
        let split = || {
            let mut calls = split(run, captured, activity);
            if run.is_cut {
                calls.pop();
            }
            calls.into()
        };
        let Some(first) = run.operations.first() else {
            return split();
        };
        let places = captured.map(|it| it.places.clone());
        let key = (*first, only, places.unwrap_or_default());
        Rc::clone(self.split.entry(key).or_insert_with(split))
    }

    fn lasting(&mut self, activity: &Activity<'_>, call: &Call) -> Rc<Lasting> {
        let ends = call.operations.first().zip(call.operations.last());
        let key = ends.map(|(first, last)| (*first, *last));
        let lasting = || Rc::new(Lasting::of(activity, call));
        match key {
            Some(key) => Rc::clone(self.lasting.entry(key).or_insert_with(lasting)),
            None => lasting(),
        }
    }
}

/// The region of a capture that began at a position and was first replayed at another, and of a function that it called.
fn region(
    activity: &Activity<'_>,
    seen: &mut SeenCalls,
    (graph, function): (usize, CodeId),
    (began, first_replay): (usize, usize),
    runs: &[&Run],
) -> Region {
    let captured: Vec<&&Run> = runs
        .iter()
        .filter(|run| run.capture == Some(graph))
        .collect();
    let only = captured.first().and_then(|run| run.only_called());
    let first_captured = captured.first().copied().copied();
    let called_alone = first_captured.map_or_else(FxHashMap::default, Run::called_alone);
    let mut states = States::new(
        captured
            .iter()
            .map(|run| Lasting::of(activity, &whole(run))),
    );
    let (mut before, mut after) = (ByPlace::default(), ByPlace::default());
    let mut elsewhere = Vec::new();
    let is_another_step = |run: &Run| run.capture.is_none() && run.is_another_step(&called_alone);
    for run in runs.iter().filter(|run| !is_another_step(run)) {
        let run = &*run.as_called(only);
        let Some(first) = run.operations.first() else {
            continue;
        };
        let position = activity.operations[*first].position;
        match run.capture {
            Some(other) if other == graph => {}
            Some(_) => elsewhere.push(whole(run)),
            None if position < began => {
                for call in seen.calls(activity, run, only, first_captured).iter() {
                    let state = states.of(&seen.lasting(activity, call));
                    before.add((run.place.caller, state), std::slice::from_ref(call));
                }
            }
            None if position > first_replay => {
                let calls = seen.calls(activity, run, only, first_captured);
                after.add(run.place.caller, &calls);
            }
            None => {}
        }
    }
    Region {
        graph,
        function: Some(function),
        captured: captured.into_iter().map(|run| whole(run)).collect(),
        before: before.eager(|(caller, state)| (*state != States::CAPTURED, after.of(caller))),
        after: after.calls(),
        elsewhere,
    }
}

/// Calls by the place that made them, in the order of their first ones.
pub(super) struct ByPlace<P>(Vec<(P, Vec<Call>)>);

impl<P> Default for ByPlace<P> {
    fn default() -> Self {
        ByPlace(Vec::new())
    }
}

impl<P: PartialEq> ByPlace<P> {
    pub(super) fn add(&mut self, place: P, calls: &[Call]) {
        match self.0.iter_mut().find(|(it, _)| *it == place) {
            Some((_, known)) => known.extend_from_slice(calls),
            None => self.0.push((place, calls.to_vec())),
        }
    }

    /// With what is known of each place: whether it works on another state, and what it called later.
    pub(super) fn eager(self, known: impl Fn(&P) -> (bool, Vec<Call>)) -> Vec<Eager> {
        let all = self.0.into_iter();
        let eager = all.map(|(place, calls)| {
            let (is_of_another_state, later) = known(&place);
            Eager {
                calls,
                is_of_another_state,
                later,
            }
        });
        eager.collect()
    }

    /// The calls of one place.
    pub(super) fn of(&self, place: &P) -> Vec<Call> {
        let found = self.0.iter().find(|(it, _)| it == place);
        found.map(|(_, calls)| calls.clone()).unwrap_or_default()
    }

    pub(super) fn calls(self) -> Vec<Vec<Call>> {
        self.0.into_iter().map(|(_, calls)| calls).collect()
    }
}

fn whole(run: &Run) -> Call {
    Call {
        operations: run.operations.as_slice().into(),
    }
}

/// A run cut where a new call begins: where it is back at the place that the captured one begins with, if that comes up once in
/// a call; or else into pieces that stand at the places of the captured one, or that are equal. One that cannot be cut is one
/// call.
fn split(run: &Run, captured: Option<&Run>, activity: &Activity<'_>) -> Vec<Call> {
    let call = |operations: &[usize]| Call {
        operations: operations.into(),
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
    activity: &Activity<'_>,
    running: &[Option<usize>],
    roots: &[Option<Root>],
    frames: &mut Frames<'_>,
) -> FxHashSet<(usize, CodeId)> {
    let mut functions = FxHashSet::default();
    for (operation, capture) in activity.operations.iter().zip(running) {
        let stack = operation.stack.filter(|_| operation.parent.is_none());
        let Some((capture, stack)) = capture.zip(stack) else {
            continue;
        };
        let Some(root) = roots[capture] else { continue };
        if let Some(place) = frames.below(stack, root) {
            functions.insert((capture, place.function));
        }
    }
    functions
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
    running: &[Option<usize>],
    functions: &FxHashSet<(usize, CodeId)>,
    frames: &mut Frames<'_>,
) -> Vec<Run> {
    let functions: FxHashSet<CodeId> = functions.iter().map(|(_, function)| *function).collect();
    let gaps = gaps(history);
    let mut runs: Vec<Run> = Vec::new();
    // The run that each thread is in.
    let mut current: FxHashMap<_, usize> = FxHashMap::default();
    // In which window the last operator of each thread is.
    let mut windows: FxHashMap<_, usize> = FxHashMap::default();
    for (index, operation) in activity.operations.iter().enumerate() {
        if !operation.is_seen_eagerly(history.trace) {
            continue;
        }
        let Some(stack) = operation.stack.filter(|_| operation.parent.is_none()) else {
            continue;
        };
        if frames.is_compiling(stack) {
            continue;
        }
        let capture = running[index];
        let window = gaps.partition_point(|gap| *gap < operation.position);
        if windows
            .insert(operation.thread, window)
            .is_some_and(|last| last != window)
            && let Some(run) = current.remove(&operation.thread)
        {
            runs[run].is_cut = true;
        }
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
                is_cut: false,
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
    for (thread, run) in current {
        runs[run].is_cut |= windows[&thread] < gaps.len();
    }
    runs
}

/// Where what happened was counted for a while, and not recorded one by one.
fn gaps(history: &History<'_>) -> Vec<usize> {
    let entries = history.trace.entries().iter().enumerate();
    entries
        .filter(|(_, entry)| matches!(entry.record, Record::Counted(_)))
        .map(|(position, _)| position)
        .collect()
}

/// For each operator, the capture that runs on its thread: of several, the one that began last.
pub(crate) fn running_captures(
    history: &History<'_>,
    activity: &Activity<'_>,
) -> Vec<Option<usize>> {
    let captures = &history.captures;
    let mut begun = captures.iter().enumerate().peekable();
    let mut running: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    let capture = |operation: &Operation<'_>| {
        let position = operation.position;
        while let Some((capture, run)) = begun.next_if(|(_, run)| run.began.position < position) {
            running.entry(run.thread()).or_default().push(capture);
        }
        let own = running.get_mut(&operation.thread)?;
        // What has ended has ended for all operators to come.
        while own.last().is_some_and(|it| !captures[*it].spans(position)) {
            own.pop();
        }
        own.last().copied()
    };
    activity.operations.iter().map(capture).collect()
}

/// Where each graph is replayed first.
fn first_replays(activity: &Activity<'_>) -> Vec<Option<usize>> {
    let mut first = vec![None; activity.graphs.len()];
    for replay in &activity.replays {
        first[replay.graph].get_or_insert(replay.position);
    }
    first
}
