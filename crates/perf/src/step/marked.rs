//! Steps that the program marks.

use cgsan_timeline::Range;

use super::{Found, Step, StepsOf};
use crate::Options;
use crate::indexed::Indexed;

/// What `profile.step()` of PyTorch's profiler names its ranges, before `#` and the number.
const OF_PROFILER: &str = "ProfilerStep";

/// The steps that ranges of the asked name mark, or those of the profiler.
pub(super) fn find(indexed: &Indexed<'_>, options: &Options) -> Option<StepsOf> {
    let name = options.step_marker.as_deref().unwrap_or(OF_PROFILER);
    let timeline = indexed.timeline;
    let ranges: Vec<&Range> = timeline
        .ranges
        .iter()
        .filter(|it| is_marker(timeline.names.text(it.name), name))
        .collect();
    let steps = steps(indexed, &ranges);
    (!steps.is_empty()).then(|| StepsOf {
        how: Found::Marked {
            name: name.to_owned(),
        },
        steps,
        left_out: 0,
    })
}

/// Whether a range has the name, alone or with a number behind it: `step`, `step 12`, `step#12`.
fn is_marker(range: &str, name: &str) -> bool {
    let Some(rest) = range.strip_prefix(name) else {
        return false;
    };
    let number = rest.trim_start_matches([' ', '#', ':', '_', '-']);
    number.bytes().all(|it| it.is_ascii_digit()) && (number.len() < rest.len() || rest.is_empty())
}

/// One step for each range that has launches. Launches between two ranges belong to the first.
fn steps(indexed: &Indexed<'_>, ranges: &[&Range]) -> Vec<Step> {
    let launches = &indexed.launches;
    let begin = |launch: usize| indexed.call(launches[launch]).span.start;
    let first = |range: &Range| {
        launches.partition_point(|it| indexed.call(*it).span.start < range.span.start)
    };
    let mut steps = Vec::new();
    for (at, range) in ranges.iter().enumerate() {
        let next = ranges.get(at + 1);
        let from = first(range);
        let to = match next {
            Some(next) => first(next),
            None => launches.partition_point(|it| indexed.call(*it).span.start < range.span.end),
        };
        if from >= to {
            continue;
        }
        // A step ends with the first launch of the next; where none follows, with its range and its work.
        let followed = next.is_some() && to < launches.len();
        let last_work = indexed.work_of(from..to).map(|it| it.span.end).max();
        let end = if followed {
            begin(to)
        } else {
            range.span.end.max(last_work.unwrap_or(0))
        };
        steps.push(Step {
            launches: from..to,
            begin: begin(from),
            end,
            is_followed: followed,
        });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_follow_the_name() {
        for range in ["step", "step 12", "step#3", "step_4", "step: 5"] {
            assert!(is_marker(range, "step"), "{range}");
        }
        for range in ["steps", "step12", "a step", "step one", "step 1 of 2"] {
            assert!(!is_marker(range, "step"), "{range}");
        }
        assert!(is_marker("ProfilerStep#7", OF_PROFILER));
    }
}
