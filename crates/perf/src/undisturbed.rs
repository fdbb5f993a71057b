//! How long steps take while no profiler watches.

use cgsan_timeline::clock::Clock;
use cgsan_timeline::{Span, Timeline};
use rustc_hash::FxHashMap;

use crate::indexed::Indexed;
use crate::{Options, step};

/// Of the steps in the windows, the least part that has the usual number of ticks.
const USUAL: usize = 2;

/// The durations of steps in spans of time without a profiler, in nanoseconds. The windows of the profiler say how many ticks of the
/// clock a step has; so many ticks later, the next step is as far as this one was. Empty if that does not become clear, or if
/// the clock sees nothing of the program's work, as where all of it is launched past the CUDA runtime.
///
/// Times of `quiet` are nanoseconds since 1970, as those of the clock.
pub fn undisturbed_steps(
    timelines: &[Timeline],
    options: &Options,
    clock: &Clock,
    quiet: &[Span],
) -> Vec<u64> {
    let Some(ticks_of_step) = ticks_of_step(timelines, options, clock) else {
        return Vec::new();
    };
    let mut durations = Vec::new();
    for span in quiet {
        let ticks = clock.within(*span);
        for at in (0..ticks.len()).step_by(ticks_of_step) {
            let (tick, Some(next)) = (ticks[at], ticks.get(at + ticks_of_step)) else {
                break;
            };
            if (tick.asked, tick.value) == (next.asked, next.value) {
                durations.push(next.time_ns.saturating_sub(tick.time_ns));
            }
        }
    }
    durations
}

/// How many ticks a step has, by the steps in the windows of the profiler.
fn ticks_of_step(timelines: &[Timeline], options: &Options, clock: &Clock) -> Option<usize> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    let mut steps = 0;
    for timeline in timelines {
        let indexed = Indexed::new(timeline);
        for step in step::find(&indexed, options).steps {
            if !step.is_followed {
                continue;
            }
            let span = Span {
                start: timeline.base_unix_ns.saturating_add(step.begin),
                end: timeline.base_unix_ns.saturating_add(step.end),
            };
            *counts.entry(clock.within(span).len()).or_default() += 1;
            steps += 1;
        }
    }
    let (ticks, often) = counts
        .into_iter()
        .max_by_key(|(ticks, often)| (*often, *ticks))?;
    (ticks > 0 && often * USUAL >= steps).then_some(ticks)
}
