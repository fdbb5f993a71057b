//! How long steps take while no profiler watches.

use cgsan_timeline::clock::Clock;
use cgsan_timeline::{Span, Timeline};
use cgsan_trace::clock::{Asked, Tick};
use rustc_hash::FxHashMap;

use crate::indexed::Indexed;
use crate::{Options, step};

/// Of the steps in the windows, the least part that has the usual number of ticks.
const USUAL: usize = 2;
/// How many blocks the steps of a span are divided into, at most.
const BLOCKS: usize = 8;

/// The durations of steps in spans of time without a profiler, in nanoseconds: means over several steps each, since a host may run
/// ahead for some steps and then wait. The windows of the profiler say how many ticks of the clock a step has; so many ticks
/// later, the next step is as far as this one was. Empty if that does not become clear, or if the clock sees nothing of the
/// program's work, as where all of it is launched past the CUDA runtime.
///
/// Times of `quiet` are nanoseconds since 1970, as those of the clock.
pub(crate) fn undisturbed_steps(
    timelines: &[Timeline],
    options: &Options,
    clock: &Clock,
    quiet: &[Span],
) -> Vec<u64> {
    let Some(ticks_of_step) = ticks_of_step(timelines, options, clock) else {
        return Vec::new();
    };
    let means = quiet
        .iter()
        .flat_map(|span| means(&work(clock, *span), ticks_of_step));
    means.collect()
}

/// The ticks that ask for work: the host may wait in some steps, and not in others.
pub(crate) fn work(clock: &Clock, span: Span) -> Vec<Tick> {
    let ticks = clock.within(span).iter().copied();
    ticks.filter(|it| it.asked != Asked::Wait).collect()
}

/// The mean durations of steps in blocks of steps.
fn means(ticks: &[Tick], ticks_of_step: usize) -> Vec<u64> {
    let steps = ticks.len() / ticks_of_step;
    let of_block = steps.div_ceil(BLOCKS).max(1);
    let what = |at: usize| (ticks[at].asked, ticks[at].value);
    let is_alike = |at: &usize| what(*at) == what(at - ticks_of_step);
    (of_block..=steps.saturating_sub(1))
        .step_by(of_block)
        .filter_map(|step| {
            let (from, to) = ((step - of_block) * ticks_of_step, step * ticks_of_step);
            // Where another kind of step came between, such as one that logs, the ticks are no longer in phase.
            let alike = (from + ticks_of_step..=to).filter(is_alike).count();
            let duration = ticks[to].time_ns.saturating_sub(ticks[from].time_ns);
            let is_usual = 10 * alike >= 9 * (to - from - ticks_of_step + 1);
            is_usual.then_some(duration / of_block as u64)
        })
        .collect()
}

/// How many ticks a step has, by the steps in the windows of the profiler.
pub(crate) fn ticks_of_step(
    timelines: &[Timeline],
    options: &Options,
    clock: &Clock,
) -> Option<usize> {
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
            *counts.entry(work(clock, span).len()).or_default() += 1;
            steps += 1;
        }
    }
    let (ticks, often) = counts
        .into_iter()
        .max_by_key(|(ticks, often)| (*often, *ticks))?;
    (ticks > 0 && often * USUAL >= steps).then_some(ticks)
}
