//! Where steps begin and end.
//!
//! A step is a range of launches. What the timeline marks takes precedence; else the shortest sequence of launches that repeats is a
//! step. Where nothing repeats, all of it is one.

mod marked;
mod repeating;

use std::ops::Range;

use serde::Serialize;

use crate::Options;
use crate::bounds::median;
use crate::indexed::Indexed;

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
        .or_else(|| repeating::find(&indexed.symbols).map(|it| repeated(indexed, &it)))
        .unwrap_or_else(|| whole(indexed))
}

/// The steps between the boundaries of a sequence that repeats.
fn repeated(indexed: &Indexed<'_>, sequence: &repeating::Sequence) -> StepsOf {
    let at = |launch: usize| indexed.call(indexed.launches[launch]).span.start;
    let shift = longest_pause(indexed, sequence);
    let begins: Vec<usize> = sequence.begins.iter().map(|it| it + shift).collect();
    let known = begins.partition_point(|it| *it < indexed.launches.len());
    let steps = begins[..known].windows(2).map(|it| Step {
        launches: it[0]..it[1],
        begin: at(it[0]),
        end: at(it[1]),
        is_followed: true,
    });
    let (steps, others): (Vec<Step>, Vec<Step>) =
        steps.partition(|it| it.launches.len() == sequence.length);
    StepsOf {
        how: Found::Repeating {
            launches: sequence.length as u64,
        },
        steps,
        left_out: others.len() as u64,
    }
}

/// Where in the sequence the host pauses longest before a launch, all repetitions together: there a step begins.
fn longest_pause(indexed: &Indexed<'_>, sequence: &repeating::Sequence) -> usize {
    let span = |launch: usize| indexed.call(indexed.launches[launch]).span;
    let pauses = |shift: usize| {
        let places = sequence.begins.iter().map(|it| it + shift);
        let places = places.filter(|it| (1..indexed.launches.len()).contains(it));
        let pauses = places.map(|it| span(it).start.saturating_sub(span(it - 1).end));
        median(pauses).unwrap_or(0)
    };
    let longest = (0..sequence.length).max_by_key(|shift| (pauses(*shift), usize::MAX - shift));
    longest.unwrap_or(0)
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
