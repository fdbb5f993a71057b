//! From timelines to what is said of them.

use cgsan_finding::Gap;
use cgsan_timeline::{Lack, Source, Timeline};

use crate::bounds::{float, quantile};
use crate::indexed::Indexed;
use crate::measure::{self, medians};
use crate::performance::Steps;
use crate::place::Asked;
use crate::rules::{self, Subject};
use crate::step::{self, Found, Step, StepsOf};
use crate::stretch::Measured;
use crate::{
    Bounds, DeviceMeasures, Input, Measures, Options, Performance, Place, Prediction, Stretch,
    Verdict, place, predict, stretch,
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
    let mut lacks = lacks(input, &windows, &steps, options);
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
            Some("launches are slower while one watches; the range allows for it"),
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
    let undisturbed = input.undisturbed_steps.iter().copied();
    let ends = [1, 3].map(|quarter| quantile(undisturbed.clone(), quarter, 4));
    if let [Some(low), Some(high)] = ends {
        // It takes at least what its work takes, also where the host ran ahead of the device while it was timed.
        return Bounds::new(float(low), float(high)).at_least(float(device.busy_ns));
    }
    // A profiler makes launches slower, and can lengthen a step by no more than the device is idle.
    let slower = input.device.profiler_launch_ns.high * float(measures.launches);
    let duration = float(measures.duration_ns);
    Bounds::new(duration - slower.min(float(device.idle_ns)), duration)
}

/// What graphs for all stretches would change.
fn whole(stretches: &[Stretch], now: Bounds) -> Prediction {
    let zero = Bounds::exactly(0.0);
    let sum = |get: &dyn Fn(&Prediction) -> Bounds| {
        let each = stretches.iter().map(|it| get(&it.prediction));
        each.fold(zero, |sum, it| sum + it)
    };
    let graph = sum(&|it| it.graph_ns);
    Prediction {
        now_ns: now,
        graph_ns: graph,
        device_ns: sum(&|it| it.device_ns),
        host_ns: sum(&|it| it.host_ns),
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
    let named = input
        .lines
        .map(|it| places(it, options))
        .unwrap_or_default();
    let own = |part: &Measured| {
        let indexed = &windows[part.timeline].0;
        place::of(
            indexed.timeline,
            &asked(indexed, part.example.launches.clone()),
        )
    };
    let total: u64 = parts.iter().map(|it| it.duration).sum();
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
                    _ => own(part),
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

/// The places of the stretches of a window with stacks.
fn places(lines: &Timeline, options: &Options) -> Vec<Place> {
    let indexed = Indexed::new(lines);
    let steps = measured_steps(step::find(&indexed, options).steps);
    let pieces = stretch::usual(&indexed, &steps);
    pieces
        .iter()
        .map(|it| place::of(lines, &asked(&indexed, it.launches.clone())))
        .collect()
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
        return "there are no times of the device to predict from".to_owned();
    };
    if !parts.is_empty() && parts.iter().all(Measured::is_graph) {
        return "the step runs in graphs already".to_owned();
    }
    match verdict {
        Verdict::WorthIt => "the device waits for launches that one replay would make".to_owned(),
        Verdict::NotWorthIt if device.idle_ns * 10 < measures.duration_ns => {
            "the device has work nearly all the time".to_owned()
        }
        Verdict::NotWorthIt => "the time is not lost between launches".to_owned(),
        Verdict::CannotTell => {
            "the range holds both; `cgsan perf -- PROGRAM` on the machine itself measures what this file leaves open"
                .to_owned()
        }
    }
}

/// What could not be measured.
fn lacks(
    input: &Input<'_>,
    windows: &[(Indexed<'_>, Vec<Step>)],
    steps: &Steps,
    options: &Options,
) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut add = |what: String, why: Option<&str>| {
        let gap = Gap::new(what, why);
        if !gaps.contains(&gap) {
            gaps.push(gap);
        }
    };
    for timeline in input.timelines {
        for lack in &timeline.lacks {
            if let Some((what, why)) = lacking(lack, timeline.source, input.lines.is_some()) {
                add(what, why);
            }
        }
    }
    if let Some(marker) = &options.step_marker
        && !matches!(steps.found, Found::Marked { .. })
    {
        add(
            format!("ranges named `{marker}`"),
            Some("none has launches; steps were found without them"),
        );
    }
    let others = windows.iter().map(|it| it.0.other_devices).max();
    if let Some(others) = others.filter(|it| *it > 0) {
        add(
            format!("{others} more devices"),
            Some("the one with the most work was judged"),
        );
    }
    gaps
}

fn lacking(lack: &Lack, source: Source, has_lines: bool) -> Option<(String, Option<&'static str>)> {
    Some(match lack {
        Lack::End(at) => (
            format!("what came after byte {at}"),
            Some("the file breaks off there, as of a profiler that was killed"),
        ),
        Lack::Work if source == Source::Cgsan => (
            "times of the device".to_owned(),
            Some("a trace of cgsan has the calls of the host only"),
        ),
        Lack::Work => (
            "times of the device".to_owned(),
            Some("profile with `ProfilerActivity.CUDA`, on a GPU"),
        ),
        Lack::Calls => (
            "calls of the host".to_owned(),
            Some("without them nothing says when work was launched"),
        ),
        Lack::Stacks if has_lines || source == Source::Cgsan => return None,
        Lack::Stacks if source == Source::Nsight => return None,
        Lack::Stacks => (
            "lines of the program".to_owned(),
            Some("profile with `with_stack=True`"),
        ),
        Lack::Nodes => (
            "the nodes of replays".to_owned(),
            Some("profile with `--cuda-graph-trace=node`"),
        ),
        Lack::Events(count) => (
            format!("{count} events"),
            Some("more than are kept; profile fewer steps"),
        ),
        Lack::Processes(others) => (
            format!("{others} more processes"),
            Some("profile each into a file of its own"),
        ),
    })
}
