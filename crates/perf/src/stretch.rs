//! The parts of a step between two waits of the host.
//!
//! Where the host waits until the device is done, a graph has to end: what follows may depend on a value that was read. So each part
//! is predicted by itself.

use std::ops::Range;

use cgsan_timeline::{CallKind, Span};
use rustc_hash::FxHashMap;

use crate::bounds::{median, sum};
use crate::indexed::Indexed;
use crate::measure;
use crate::predict::Part;
use crate::step::Step;

/// A pause between two launches, in nanoseconds, that may be work of the host which no graph can hold: loading data, logging.
const LONG: u64 = 100_000;

/// A part of one step.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) launches: Range<usize>,
    /// The call that waits at its end.
    pub(crate) wait: Option<u32>,
}

/// A part of every step: medians.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// One of the steps' pieces, to name it by.
    pub(crate) example: Piece,
    /// The number of the timeline that the example is of.
    pub(crate) timeline: usize,
    pub(crate) launches: u64,
    pub(crate) replays: u64,
    pub(crate) duration: u64,
    pub(crate) part: Part,
}

impl Measured {
    /// How long the device has no work of it.
    pub(crate) fn idle(&self) -> u64 {
        self.duration.saturating_sub(self.part.busy)
    }

    /// Whether it is one replay and nothing else.
    pub(crate) fn is_graph(&self) -> bool {
        self.part.eager == 0 && self.replays == 1
    }
}

/// The pieces of a step, in order.
pub(crate) fn pieces(indexed: &Indexed<'_>, step: &Step) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = step.launches.start;
    for wait in indexed.waits_between(step.begin, step.end) {
        if !measure::drains(indexed, wait) {
            continue;
        }
        let begin = indexed.call(wait).span.start;
        let to = indexed
            .launches
            .partition_point(|it| indexed.call(*it).span.start <= begin)
            .clamp(from, step.launches.end);
        if to > from {
            pieces.push(Piece {
                launches: from..to,
                wait: Some(wait),
            });
            from = to;
        }
    }
    if from < step.launches.end {
        pieces.push(Piece {
            launches: from..step.launches.end,
            wait: None,
        });
    }
    pieces
}

/// The pieces of a step that has as many as steps usually have.
pub(crate) fn usual(indexed: &Indexed<'_>, steps: &[Step]) -> Vec<Piece> {
    let all: Vec<Vec<Piece>> = steps.iter().map(|it| pieces(indexed, it)).collect();
    let usual = median(all.iter().map(Vec::len));
    let with_usual = all.into_iter().rfind(|it| Some(it.len()) == usual);
    with_usual.unwrap_or_default()
}

/// What was measured of one piece.
struct One {
    launches: u64,
    replays: u64,
    duration: u64,
    busy: u64,
    longest: u64,
    nodes: u64,
    eager: u64,
    outside: u64,
}

fn one(indexed: &Indexed<'_>, step: Span, pieces: &[Piece], at: usize) -> Option<One> {
    let piece = &pieces[at];
    let end = match pieces.get(at + 1) {
        Some(next) => indexed.first_work(next.launches.clone())?,
        None => step.end,
    };
    let start = indexed.first_work(piece.launches.clone())?;
    let window = Span {
        start,
        end: end.max(start),
    };
    let calls = indexed.launches[piece.launches.clone()].iter();
    let replays = calls.filter(|it| indexed.call(**it).kind == CallKind::Replay);
    let work = indexed.work_of(piece.launches.clone());
    let eager = work.filter(|it| !indexed.timeline.is_in_graph(it)).count();
    Some(One {
        launches: piece.launches.len() as u64,
        replays: replays.count() as u64,
        duration: window.length(),
        busy: indexed.busy.within(window),
        longest: longest_stream(indexed, piece),
        nodes: indexed.work_of(piece.launches.clone()).count() as u64,
        eager: eager as u64,
        outside: outside(indexed, piece),
    })
}

/// How long the work of the stream with the most takes.
fn longest_stream(indexed: &Indexed<'_>, piece: &Piece) -> u64 {
    let mut streams: FxHashMap<u32, u64> = FxHashMap::default();
    for work in indexed.work_of(piece.launches.clone()) {
        let sum = streams.entry(work.stream).or_default();
        *sum = sum.saturating_add(work.span.length());
    }
    streams.into_values().max().unwrap_or(0)
}

/// How long the host does something else: before the first launch, and in long pauses between launches, which look like more than
/// the dispatch of an operator.
fn outside(indexed: &Indexed<'_>, piece: &Piece) -> u64 {
    let mut pauses = piece.launches.clone().map(|launch| pause(indexed, launch));
    let first = pauses.next().unwrap_or(0);
    let pauses: Vec<u64> = pauses.collect();
    let usual = median(pauses.iter().copied()).unwrap_or(0);
    let least = LONG.max(usual.saturating_mul(4));
    let long = pauses.into_iter().filter(|it| *it >= least);
    sum(long.chain([first]))
}

/// How long the host takes between a launch and what it waited for before: the return of the last launch, or of a wait.
fn pause(indexed: &Indexed<'_>, launch: usize) -> u64 {
    let Some(before) = launch.checked_sub(1) else {
        return 0;
    };
    let begin = indexed.call(indexed.launches[launch]).span.start;
    let before = indexed.call(indexed.launches[before]).span;
    let waits = indexed.waits_between(before.start, begin);
    let returned = waits.map(|it| indexed.call(it).span.end);
    begin.saturating_sub(returned.fold(before.end, u64::max))
}

/// The stretches of the steps of several timelines.
pub(crate) fn measured(windows: &[(Indexed<'_>, Vec<Step>)]) -> Vec<Measured> {
    // The number of the timeline, when the device does the step, and its pieces.
    let mut steps: Vec<(usize, Span, Vec<Piece>)> = Vec::new();
    for (at, (indexed, of_timeline)) in windows.iter().enumerate() {
        let in_time = of_timeline
            .iter()
            .filter_map(|it| Some((at, measure::window(indexed, it)?, pieces(indexed, it))));
        steps.extend(in_time);
    }
    // A step may wait once more than usual, to log something: those with the usual number of pieces are taken.
    let usual = median(steps.iter().map(|it| it.2.len())).unwrap_or(0);
    steps.retain(|it| it.2.len() == usual);
    (0..usual)
        .filter_map(|number| {
            let ones: Vec<One> = steps
                .iter()
                .filter_map(|(at, step, pieces)| one(&windows[*at].0, *step, pieces, number))
                .collect();
            let (timeline, _, pieces) = steps.last()?;
            medians(&ones, *timeline, &pieces[number])
        })
        .collect()
}

/// What the same piece of several steps takes.
fn medians(ones: &[One], timeline: usize, example: &Piece) -> Option<Measured> {
    let of = |get: &dyn Fn(&One) -> u64| median(ones.iter().map(get));
    Some(Measured {
        example: example.clone(),
        timeline,
        launches: of(&|it| it.launches)?,
        replays: of(&|it| it.replays)?,
        duration: of(&|it| it.duration)?,
        part: Part {
            busy: of(&|it| it.busy)?,
            longest: of(&|it| it.longest)?,
            eager: of(&|it| it.eager)?,
            nodes: of(&|it| it.nodes)?,
            outside: of(&|it| it.outside)?,
            waits: example.wait.is_some(),
        },
    })
}
