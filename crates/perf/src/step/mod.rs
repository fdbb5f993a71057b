//! Where steps begin and end.
//!
//! A step is a range of launches. What the timeline marks takes precedence; else the shortest sequence of launches that repeats is a
//! step. Where nothing repeats, all of it is one.

mod grouped;
mod marked;
mod repeating;

use std::ops::Range;

use serde::Serialize;

use crate::Options;
use crate::bounds::median;
use crate::indexed::Indexed;

/// At how many places of a sequence it is looked for steps that consist of several.
const GROUPED: usize = 4;

/// How the steps of a timeline were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Found {
    /// Ranges mark them.
    Marked {
        /// The name of the ranges, without numbers.
        name: String,
    },
    /// They are the shortest sequence of launches that repeats.
    Repeating {
        /// How many launches it has.
        launches: u64,
    },
    /// Nothing marks them and nothing repeats: all that was recorded counts as one.
    Whole,
}

/// The steps of a timeline.
#[derive(Clone, Debug)]
pub(crate) struct StepsOf {
    pub(crate) how: Found,
    pub(crate) steps: Vec<Step>,
    /// Steps that were found and deviate, such as those of a warm-up.
    pub(crate) left_out: u64,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Its launches, by their numbers in the timeline.
    pub(crate) launches: Range<usize>,
    /// When the host makes its first launch, and the first one of the next step; of the last step, when its range ends.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// Whether another step follows, so that its end is the begin of that one.
    pub(crate) is_followed: bool,
}

/// Finds the steps of a timeline.
pub(crate) fn find(indexed: &Indexed<'_>, options: &Options) -> StepsOf {
    marked::find(indexed, options)
        .or_else(|| repeating::find(&indexed.symbols).map(|it| repeated(indexed, &it, options)))
        .unwrap_or_else(|| whole(indexed))
}

/// The steps between the boundaries of a sequence that repeats.
fn repeated(indexed: &Indexed<'_>, sequence: &repeating::Sequence, options: &Options) -> StepsOf {
    let pauses = |shift: usize| pauses(indexed, sequence, shift);
    let by_pause: Vec<(u64, usize)> = (0..sequence.length)
        .map(|shift| (median(pauses(shift)).unwrap_or(0), usize::MAX - shift))
        .collect();
    let grouped = by_longest(by_pause.clone())
        .take(GROUPED)
        .filter_map(|shift| {
            let group = match options.together {
                None => grouped::find(&pauses(shift)),
                Some(1) => None,
                Some(length) => grouped::of_length(&pauses(shift), length),
            };
            Some((shift, group?))
        })
        .max_by_key(|(shift, group)| (group.pause, usize::MAX - shift));
    let (shift, every, first) = match grouped {
        Some((shift, group)) => (shift, group.length, group.first),
        // There a step begins: where in the sequence the host pauses longest, all repetitions together.
        None => (by_longest(by_pause).next().unwrap_or(0), 1, 0),
    };
    let at = |launch: usize| indexed.call(indexed.launches[launch]).span.start;
    let begins = sequence.begins.iter().skip(first).step_by(every);
    let begins: Vec<usize> = begins
        .map(|it| it + shift)
        .filter(|it| *it < indexed.launches.len())
        .collect();
    let steps = begins.windows(2).map(|it| Step {
        launches: it[0]..it[1],
        begin: at(it[0]),
        end: at(it[1]),
        is_followed: true,
    });
    let length = sequence.length * every;
    let (steps, others): (Vec<Step>, Vec<Step>) = steps.partition(|it| it.launches.len() == length);
    StepsOf {
        how: Found::Repeating {
            launches: length as u64,
        },
        steps,
        left_out: others.len() as u64,
    }
}

/// The places of a sequence, by the pauses there: the longest first.
fn by_longest(mut by_pause: Vec<(u64, usize)>) -> impl Iterator<Item = usize> {
    by_pause.sort_unstable_by(|one, two| two.cmp(one));
    by_pause.into_iter().map(|(_, place)| usize::MAX - place)
}

/// How long the host pauses before a launch of each repetition of the sequence, since the return of the launch before.
fn pauses(indexed: &Indexed<'_>, sequence: &repeating::Sequence, shift: usize) -> Vec<u64> {
    let span = |launch: usize| indexed.call(indexed.launches[launch]).span;
    let places = sequence.begins.iter().map(|it| it + shift);
    let places = places.take_while(|it| *it < indexed.launches.len());
    places
        .map(|it| match it.checked_sub(1) {
            Some(before) => span(it).start.saturating_sub(span(before).end),
            None => 0,
        })
        .collect()
}

fn whole(indexed: &Indexed<'_>) -> StepsOf {
    let calls = &indexed.launches;
    let begin = calls.first().map_or(0, |it| indexed.call(*it).span.start);
    let returned = calls.last().map_or(0, |it| indexed.call(*it).span.end);
    let worked = indexed.timeline.work.iter().map(|it| it.span.end).max();
    let steps = vec![Step {
        launches: 0..calls.len(),
        begin,
        end: returned.max(worked.unwrap_or(0)).max(begin),
        is_followed: false,
    }];
    StepsOf {
        how: Found::Whole,
        steps: if calls.is_empty() { Vec::new() } else { steps },
        left_out: 0,
    }
}
