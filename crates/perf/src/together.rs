//! How many equal sequences of launches are a step, by the calls of modules: layers that are all alike repeat as steps do, but they
//! are called by the module that they are parts of.

use cgsan_timeline::clock::Clock;
use cgsan_timeline::{Span, Timeline};
use cgsan_trace::clock::Asked;

use crate::undisturbed::{ticks_of_step, work};
use crate::{Options, bounds};

/// How often what the program does from call to call has to repeat.
const OFTEN: usize = 3;

/// How many times a step has the same sequence of launches. `calls` are moments at which the program called a module from outside of
/// all modules, in nanoseconds since 1970. `None` if they do not repeat, or do not fit the sequences that repeat in the windows of
/// the profiler.
pub(crate) fn together(
    timelines: &[Timeline],
    options: &Options,
    clock: &Clock,
    calls: &[u64],
) -> Option<usize> {
    let of_step = ticks_from_call_to_call(clock, calls)?;
    let single = Options {
        together: Some(1),
        ..options.clone()
    };
    let of_sequence = ticks_of_step(timelines, &single, clock)?;
    (of_step > 0 && of_step % of_sequence == 0).then_some(of_step / of_sequence)
}

/// How many ticks the clock has in the shortest sequence of calls that repeats.
fn ticks_from_call_to_call(clock: &Clock, calls: &[u64]) -> Option<usize> {
    let between: Vec<Vec<(Asked, u64)>> = calls
        .windows(2)
        .map(|it| {
            let span = Span {
                start: it[0],
                end: it[1],
            };
            let ticks = work(clock, span).into_iter();
            ticks.map(|it| (it.asked, it.value)).collect()
        })
        .collect();
    let is_period = |period: &usize| {
        let pairs = between.iter().zip(&between[*period..]);
        let alike = pairs.filter(|(one, other)| one == other).count();
        10 * alike >= 9 * (between.len() - period)
    };
    let period = (1..=between.len() / OFTEN).find(is_period)?;
    let sums = between
        .windows(period)
        .map(|it| it.iter().map(Vec::len).sum());
    bounds::median(sums)
}

#[cfg(test)]
mod tests {
    use cgsan_trace::clock::Tick;

    use super::*;

    /// A clock with a tick at each moment, for kernels by number.
    fn clock(kernels: impl IntoIterator<Item = u64>) -> Clock {
        let ticks = (0u64..).zip(kernels).map(|(at, value)| Tick {
            time_ns: 1000 * at,
            asked: Asked::Launch,
            value,
        });
        Clock {
            ticks: ticks.collect(),
        }
    }

    /// Calls right before every so many ticks.
    fn calls(every: u64, count: u64) -> Vec<u64> {
        (1..=count).map(|it| 1000 * every * it - 1).collect()
    }

    #[test]
    fn equal_layers_are_counted_from_one_call_of_the_model_to_the_next() {
        let equal = clock([7; 100]);
        assert_eq!(ticks_from_call_to_call(&equal, &calls(8, 10)), Some(8));
    }

    #[test]
    fn several_models_that_are_called_in_turn_are_a_step_together() {
        let kernels = [1, 1, 1, 2, 2].repeat(20);
        let turns = (0u64..20).flat_map(|it| [5000 * it, 5000 * it + 3000]);
        let calls: Vec<u64> = turns.collect();
        assert_eq!(ticks_from_call_to_call(&clock(kernels), &calls), Some(5));
    }

    #[test]
    fn calls_without_an_order_say_nothing() {
        let irregular: Vec<u64> = [1, 5, 6, 13, 15, 26, 29, 43].map(|it| 1000 * it).to_vec();
        assert_eq!(ticks_from_call_to_call(&clock([7; 100]), &irregular), None);
        assert_eq!(ticks_from_call_to_call(&clock([7; 100]), &[]), None);
    }
}
