//! From timelines to what is said of them.

use cgsan_finding::Gap;
use cgsan_timeline::Timeline;

use crate::bounds::{float, quantile, sum};
use crate::indexed::Indexed;
use crate::measure::{self, medians};
use crate::performance::Steps;
use crate::place::Asked;
use crate::rules::{self, Subject};
use crate::step::{self, Found, Step, StepsOf};
use crate::stretch::{Measured, Piece};
use crate::{
    Bounds, DeviceMeasures, Input, Measures, Options, Performance, Place, Prediction, Stretch,
    Verdict, lacks, place, predict, stretch,
};

/// Says what graphs would gain, and what keeps them from paying.
pub fn analyse(input: &Input<'_>, options: &Options) -> Performance {
    let found: Vec<(Indexed<'_>, StepsOf)> = input
        .timelines
        .iter()
        .map(Indexed::new)
        .map(|it| {
            let steps = step::find(&it, options);
            (it, steps)
        })
        .collect();
    let how = agreed(found.iter().map(|it| &it.1));
    let mut steps = Steps {
        found: how.clone(),
        count: 0,
        left_out: 0,
        undisturbed: input.undisturbed_steps.len() as u64,
    };
    let mut windows = Vec::new();
    for (indexed, found) in found {
        steps.left_out += found.left_out;
        let measured = if found.how == how {
            measured_steps(found.steps)
        } else {
            Vec::new()
        };
        steps.count += measured.len() as u64;
        windows.push((indexed, measured));
    }
    let each: Vec<Measures> = windows
        .iter()
        .flat_map(|(indexed, steps)| steps.iter().map(|it| measure::of_step(indexed, it)))
        .collect();
    let measures = medians(&each);
    let mut lacks = lacks::of(input, &windows, &steps, options);
    let parts = stretch::measured(&windows);
    let now = measures
        .device
        .as_ref()
        .map(|device| now(input, &measures, device));
    let stretches = match now {
        Some(now) => stretches(input, options, &windows, &parts, &measures, now),
        None => Vec::new(),
    };
    let prediction = now.map(|now| whole(&stretches, now));
    let verdict = prediction.map_or(Verdict::CannotTell, |it| Verdict::of(it.gain));
    if input.undisturbed_steps.is_empty() && prediction.is_some() {
        lacks.push(Gap::new(
            "steps without a profiler",
            Some("launches are slower while they are watched; the range allows for it"),
        ));
    }
    if !input.device.measured && prediction.is_some() {
        lacks.push(Gap::new(
            "the costs of launches and replays on this machine",
            Some("those of an H100 stand in, with a wide range"),
        ));
    }
    let first = first(&stretches);
    let findings = measures.device.as_ref().map(|device| {
        rules::findings(&Subject {
            measures: &measures,
            device,
            windows: &windows,
            stretches: &stretches,
            connections: options.connections.unwrap_or(rules::CONNECTIONS),
        })
    });
    Performance {
        verdict,
        reason: reason(verdict, prediction.as_ref(), &measures, &parts),
        steps,
        measures,
        prediction,
        stretches,
        first,
        findings: findings.unwrap_or_default(),
        lacks,
        device: input.device.clone(),
    }
}

/// How the steps of most launches were found: where windows disagree, what repeats in one is a part of a step or several.
fn agreed<'a>(found: impl Iterator<Item = &'a StepsOf>) -> Found {
    let mut launches: Vec<(Found, usize)> = Vec::new();
    for it in found {
        let of_it = it.steps.iter().map(|it| it.launches.len()).sum();
        match launches.iter_mut().find(|(how, _)| *how == it.how) {
            Some((_, count)) => *count += of_it,
            None => launches.push((it.how.clone(), of_it)),
        }
    }
    launches
        .into_iter()
        .max_by_key(|(how, count)| (*how != Found::Whole, *count))
        .map_or(Found::Whole, |(how, _)| how)
}

/// The steps that are measured: of several, not the last one, whose end is not known, nor the first, into which a profiler starts.
fn measured_steps(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > 1 && steps.last().is_some_and(|it| !it.is_followed) {
        steps.pop();
    }
    if steps.len() > 2 {
        steps.remove(0);
    }
    steps
}

/// What a step takes without a profiler.
fn now(input: &Input<'_>, measures: &Measures, device: &DeviceMeasures) -> Bounds {
    let duration = float(measures.duration_ns);
    if measures.is_bound_by_device() {
        // The profiler delays nothing then. The clock rates of a device differ from second to second by more than graphs gain, so
        // the step has to be of the same moments as its work.
        return Bounds::new(float(device.busy_ns).min(duration), duration);
    }
    let undisturbed = input.undisturbed_steps.iter().copied();
    let ends = [1, 3].map(|quarter| quantile(undisturbed.clone(), quarter, 4));
    if let [Some(low), Some(high)] = ends {
        // It takes at least what its work takes, also where the host ran ahead of the device while it was timed.
        return Bounds::new(float(low), float(high)).at_least(float(device.busy_ns));
    }
    // A profiler makes launches slower, and can lengthen a step by no more than the device is idle.
    let slower = input.device.profiler_launch_ns.high * float(measures.launches);
    Bounds::new(duration - slower.min(float(device.idle_ns)), duration)
}

/// What graphs for all stretches would change.
fn whole(stretches: &[Stretch], now: Bounds) -> Prediction {
    let zero = Bounds::exactly(0.0);
    let of_all = |get: &dyn Fn(&Prediction) -> Bounds| {
        let each = stretches.iter().map(|it| get(&it.prediction));
        each.fold(zero, |sum, it| sum + it)
    };
    let graph = of_all(&|it| it.graph_ns);
    Prediction {
        now_ns: now,
        graph_ns: graph,
        device_ns: of_all(&|it| it.device_ns),
        host_ns: of_all(&|it| it.host_ns),
        gain: predict::gain(now, graph, now),
    }
}

fn stretches(
    input: &Input<'_>,
    options: &Options,
    windows: &[(Indexed<'_>, Vec<Step>)],
    parts: &[Measured],
    measures: &Measures,
    now: Bounds,
) -> Vec<Stretch> {
    let wanted = idlest(parts);
    let named = input
        .lines
        .map(|it| places(it, options, &wanted))
        .unwrap_or_default();
    let own = |at: usize, part: &Measured| {
        if !wanted.contains(&at) {
            return Place::default();
        }
        let indexed = &windows[part.timeline].0;
        place::of(
            indexed.timeline,
            &asked(indexed, part.example.launches.clone()),
        )
    };
    let total = sum(parts.iter().map(|it| it.duration));
    let total = float(total.max(1)).max(float(measures.duration_ns.max(1)));
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let indexed = &windows[part.timeline].0;
            let wait = part.example.wait.map(|it| indexed.call(it).name);
            let prediction = predicted(input, part, now, total);
            Stretch {
                place: match named.get(at) {
                    Some(place) if named.len() == parts.len() => place.clone(),
                    _ => own(at, part),
                },
                wait: wait.map(|it| indexed.timeline.names.text(it).to_owned()),
                launches: part.launches,
                replays: part.replays,
                duration_ns: part.duration,
                idle_ns: part.idle(),
                verdict: Verdict::of(prediction.gain),
                prediction,
            }
        })
        .collect()
}

/// The stretches whose place is looked for: of very many, those with the most idle time.
fn idlest(parts: &[Measured]) -> Vec<usize> {
    const MOST: usize = 48;
    let mut numbers: Vec<usize> = (0..parts.len()).collect();
    numbers.sort_by_key(|it| (std::cmp::Reverse(parts[*it].idle()), *it));
    numbers.truncate(MOST);
    numbers
}

/// What a graph of a stretch would change. It takes the share of the step's time that it has in the profile.
fn predicted(input: &Input<'_>, part: &Measured, whole: Bounds, total: f64) -> Prediction {
    let now = whole.times(float(part.duration) / total);
    let graph = if part.is_graph() {
        now
    } else {
        part.part.as_graph(&input.device)
    };
    let gain = if part.is_graph() {
        Bounds::exactly(0.0)
    } else {
        predict::gain(now, graph, whole)
    };
    Prediction {
        now_ns: now,
        graph_ns: graph,
        device_ns: part.part.device(&input.device),
        host_ns: part.part.host(&input.device),
        gain,
    }
}

/// The places of the stretches of a window with stacks, of those that are wanted.
fn places(lines: &Timeline, options: &Options, wanted: &[usize]) -> Vec<Place> {
    let indexed = Indexed::new(lines);
    let steps = measured_steps(step::find(&indexed, options).steps);
    let pieces = stretch::usual(&indexed, &steps);
    let place = |(at, piece): (usize, &Piece)| {
        if wanted.contains(&at) {
            place::of(lines, &asked(&indexed, piece.launches.clone()))
        } else {
            Place::default()
        }
    };
    pieces.iter().enumerate().map(place).collect()
}

/// The threads and moments of launches.
fn asked(indexed: &Indexed<'_>, launches: std::ops::Range<usize>) -> Vec<Asked> {
    let calls = indexed.launches[launches].iter();
    calls
        .map(|it| indexed.call(*it))
        .map(|it| (it.thread, it.span.start))
        .collect()
}

/// The stretch to graph first: of those that are worth it or may be, the one that gains most.
fn first(stretches: &[Stretch]) -> Option<usize> {
    let worth = |it: &Stretch| it.verdict != Verdict::NotWorthIt;
    let candidates = stretches.iter().enumerate().filter(|(_, it)| worth(it));
    let gains = candidates.map(|(at, it)| (at, it.prediction.gain.middle()));
    gains
        .max_by(|one, two| one.1.total_cmp(&two.1).then(two.0.cmp(&one.0)))
        .map(|(at, _)| at)
}

fn reason(
    verdict: Verdict,
    prediction: Option<&Prediction>,
    measures: &Measures,
    parts: &[Measured],
) -> String {
    let (Some(_), Some(device)) = (prediction, &measures.device) else {
        return "no device times were recorded, and a prediction needs them".to_owned();
    };
    if !parts.is_empty() && parts.iter().all(Measured::is_graph) {
        return "the step runs in graphs already".to_owned();
    }
    match verdict {
        Verdict::WorthIt => "the device waits for launches that one replay would make".to_owned(),
        Verdict::NotWorthIt if device.idle_ns < measures.duration_ns / 10 => {
            "the device has work nearly all the time".to_owned()
        }
        Verdict::NotWorthIt => "the time is not lost between launches".to_owned(),
        Verdict::CannotTell => {
            "the predicted range includes a gain and none; `cgsan perf -- PROGRAM` on the machine itself measures what this file leaves open"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use cgsan_timeline::{Builder, CallKind, Source, Span, Work, WorkKind};
    use proptest::prelude::any;

    use super::*;
    use crate::Device;
    use crate::sketch::{Sketch, judged, steps};

    /// Small kernels, with Python between their launches.
    fn small_kernels(it: &mut Sketch, count: u32) {
        for number in 0..count {
            it.kernel(["gemm", "relu", "add"][number as usize % 3], 3_000)
                .host(10_000);
        }
    }

    #[test]
    fn small_kernels_are_worth_a_graph() {
        let found = judged(steps(|it| small_kernels(it, 100)));
        assert_eq!(found.verdict, Verdict::WorthIt);
        let prediction = found.prediction.expect("times of the device");
        // 100 kernels of 3 µs and their gaps, instead of 100 launches of 15 µs.
        assert!(prediction.graph_ns.low >= 150_000.0, "{prediction:?}");
        assert!(prediction.graph_ns.high <= 500_000.0, "{prediction:?}");
        assert_eq!(found.measures.duration_ns, 1_500_000);
        assert_eq!((found.first, found.stretches.len()), (Some(0), 1));
    }

    #[test]
    fn large_kernels_are_not() {
        let found = judged(steps(|it| {
            for _ in 0..30 {
                it.kernel("gemm", 300_000);
            }
        }));
        assert_eq!(found.verdict, Verdict::NotWorthIt);
        assert_eq!(found.first, None);
    }

    #[test]
    fn a_step_that_is_one_replay_has_nothing_to_gain() {
        let found = judged(steps(|it| {
            it.replay(&[("gemm", 3_000); 100], 1_000).host(5_000);
        }));
        assert_eq!(found.verdict, Verdict::NotWorthIt);
        assert_eq!(found.reason, "the step runs in graphs already");
    }

    #[test]
    fn a_graph_ends_where_the_host_waits() {
        let found = judged(steps(|it| {
            small_kernels(it, 60);
            it.wait();
            it.kernel("large", 900_000).wait();
        }));
        let [first, second] = &found.stretches[..] else {
            panic!("{:?}", found.stretches);
        };
        assert_eq!(first.wait.as_deref(), Some("cudaDeviceSynchronize"));
        assert_eq!((first.launches, second.launches), (60, 1));
        assert_eq!(first.verdict, Verdict::WorthIt);
        assert_eq!(second.verdict, Verdict::NotWorthIt);
        assert_eq!(found.first, Some(0));
        // The host comes after the device each time.
        let one = first.prediction;
        assert_eq!(one.graph_ns, one.device_ns + one.host_ns);
    }

    #[test]
    fn work_of_the_host_between_launches_may_stay() {
        let found = judged(steps(|it| {
            small_kernels(it, 20);
            // A batch is loaded, in the midst of a step.
            it.host(8_000_000);
            small_kernels(it, 20);
        }));
        assert_eq!(found.verdict, Verdict::CannotTell);
    }

    #[test]
    fn durations_without_a_profiler_take_precedence() {
        let timelines = [steps(|it| small_kernels(it, 100))];
        let input = Input {
            timelines: &timelines,
            lines: None,
            undisturbed_steps: &[330_000, 300_000, 310_000, 320_000],
            device: Device::h100(),
        };
        let found = analyse(&input, &Options::default());
        let prediction = found.prediction.expect("times of the device");
        assert_eq!(prediction.now_ns, Bounds::new(300_000.0, 320_000.0));
        assert_ne!(found.verdict, Verdict::WorthIt);
        assert_eq!(found.steps.undisturbed, 4);
    }

    #[test]
    fn a_window_with_stacks_names_the_lines_of_others() {
        let draw = |it: &mut Sketch| small_kernels(it, 30);
        let lines = steps(|it| {
            it.frame("train.py(7): step", |it| draw(it));
        });
        let input = Input {
            timelines: &[steps(draw)],
            lines: Some(&lines),
            undisturbed_steps: &[],
            device: Device::h100(),
        };
        let found = analyse(&input, &Options::default());
        let location = found.stretches[0].place.location.as_ref();
        assert_eq!(location.expect("a line").line, 7);
        assert!(found.lacks.iter().all(|it| !it.what.contains("lines")));
    }

    proptest::proptest! {
        #[test]
        fn no_timeline_makes_it_panic(
            rows in proptest::collection::vec(any::<(u8, u64, u64, u8, u8)>(), 0..80),
            is_small in any::<bool>(),
        ) {
            const FUNCTIONS: [&str; 6] = [
                "cudaLaunchKernel", "cudaGraphLaunch", "cudaMemcpyAsync", "cudaMemcpy", "cudaMemsetAsync", "cudaStreamSynchronize",
            ];
            let mut builder = Builder::new(Source::Profiler);
            for (what, start, length, number, stream) in rows {
                let span = if is_small { Span::new(start % 500, length % 50) } else { Span::new(start, length) };
                let function = FUNCTIONS[usize::from(what) % FUNCTIONS.len()];
                let name = builder.name(function.as_bytes());
                let kind = CallKind::of(function).expect("it launches or waits");
                builder.call(span, name, kind, (1, u64::from(stream % 3)), u32::from(number % 40));
                let kind = if what < 50 { WorkKind::ToPageable } else { WorkKind::Kernel };
                let work = Work {
                    span: Span::new(start.wrapping_add(length), u64::from(number)),
                    bytes: 0, name, call: Some(u32::from(what % 40)), stream: u32::from(stream), device: u16::from(stream % 2), kind,
                };
                builder.work(work, None);
                let mark = builder.name(b"ProfilerStep#1");
                if number > 200 {
                    let thread = builder.thread(1, 0);
                    builder.range(span, mark, thread);
                }
            }
            judged(builder.finish());
        }
    }

    #[test]
    fn nothing_is_said_of_an_empty_file() {
        let found = judged(Sketch::new().done());
        assert_eq!(found.verdict, Verdict::CannotTell);
        assert_eq!(found.steps.found, Found::Whole);
        assert!(found.findings.is_empty() && found.prediction.is_none());
    }
}
