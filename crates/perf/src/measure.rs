//! What a step takes.

use cgsan_timeline::{CallKind, Span, Work, WorkKind};
use serde::Serialize;

use crate::bounds::{float, median, sum};
use crate::busy::Busy;
use crate::indexed::Indexed;
use crate::step::Step;

/// What a step takes: of each number, the median over the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measures {
    /// From its first launch to the first launch of the next step; where the device is behind, to its work for the next.
    pub duration_ns: u64,
    /// Calls that enqueue work: kernels, copies, fills, replays.
    pub launches: u64,
    /// Those that launch a graph.
    pub replays: u64,
    /// How often the host waits until the device has done all that it was given.
    pub waits: u64,
    /// How long the calls take in which it does.
    pub waited_ns: u64,
    /// Copies that come right before a replay.
    pub copies_before_replays: u64,
    /// What the device did; `None` if the file does not have it.
    pub device: Option<DeviceMeasures>,
}

/// What the device does in a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeviceMeasures {
    /// How long it has work on any stream.
    pub busy_ns: u64,
    /// How long it has none.
    pub idle_ns: u64,
    /// How many kernels, copies and fills it does.
    pub work: u64,
    /// The share of those that are nodes of graphs: how much of the step runs in graphs.
    pub work_in_graphs: f64,
    /// The share of their time.
    pub time_in_graphs: f64,
    /// The part of the idle time that lies within replays.
    pub idle_in_replays_ns: u64,
    /// How long the copies right before replays take.
    pub copies_before_replays_ns: u64,
    /// How long the replays take, from the begin of their first node to the end of their last.
    pub replays_ns: u64,
    /// From the return of a launch to the begin of its work. Negative where the device is waiting for it.
    pub ahead_ns: i64,
    /// How many streams have work.
    pub streams: u64,
    /// How many have work at once, at most.
    pub at_once: u64,
}

/// How far the host is ahead, in nanoseconds, from which on the device never waits for it: some launches.
const FAR: i64 = 100_000;
/// The idle part of a step below which there are no gaps but those between kernels.
const NOISE: f64 = 0.05;

impl Measures {
    /// Whether the device alone decides how long a step takes: the host is far ahead, and the device is hardly ever idle.
    pub(crate) fn is_bound_by_device(&self) -> bool {
        let idle = |it: &DeviceMeasures| float(it.idle_ns) / float(self.duration_ns.max(1));
        let is_bound = |it: &DeviceMeasures| idle(it) < NOISE && it.ahead_ns >= FAR;
        self.device.as_ref().is_some_and(is_bound)
    }

    /// Its counts, with zeros for all times.
    pub(crate) fn counts_only(self) -> Self {
        let device = self.device.map(|it| DeviceMeasures {
            work: it.work,
            work_in_graphs: it.work_in_graphs,
            streams: it.streams,
            ..DeviceMeasures::default()
        });
        Self {
            duration_ns: 0,
            waited_ns: 0,
            device,
            ..self
        }
    }
}

/// The window in which the device does the work of a step: from its first work to the first of the next step.
pub(crate) fn window(indexed: &Indexed<'_>, step: &Step) -> Option<Span> {
    let start = indexed.first_work(step.launches.clone())?;
    let next = step.launches.end;
    let following = next..(next + 1).min(indexed.launches.len());
    let end = match indexed.first_work(following) {
        Some(end) if step.is_followed => end,
        _ => {
            let work = indexed.work_of(step.launches.clone());
            work.map(|it| it.span.end).max()?.max(step.end)
        }
    };
    Some(Span {
        start,
        end: end.max(start),
    })
}

/// The measures of one step.
pub(crate) fn of_step(indexed: &Indexed<'_>, step: &Step) -> Measures {
    let launches = &indexed.launches[step.launches.clone()];
    let replays = launches
        .iter()
        .filter(|it| indexed.call(**it).kind == CallKind::Replay);
    let waits: Vec<u32> = indexed
        .waits_between(step.begin, step.end)
        .filter(|it| drains(indexed, *it))
        .collect();
    let copies = copies_before_replays(indexed, step);
    let window = window(indexed, step);
    let host = step.end.saturating_sub(step.begin);
    Measures {
        duration_ns: window.map_or(host, |it| it.length().max(host)),
        launches: launches.len() as u64,
        replays: replays.count() as u64,
        waits: waits.len() as u64,
        waited_ns: sum(waits.iter().map(|it| indexed.call(*it).span.length())),
        copies_before_replays: copies.len() as u64,
        device: window.map(|window| of_device(indexed, step, window, &copies)),
    }
}

fn of_device(indexed: &Indexed<'_>, step: &Step, window: Span, copies: &[u32]) -> DeviceMeasures {
    let busy = indexed.busy.within(window);
    let work: Vec<&Work> = indexed.work_of(step.launches.clone()).collect();
    let total = sum(work.iter().map(|it| it.span.length()));
    let in_graphs = work.iter().filter(|it| indexed.timeline.is_in_graph(it));
    let in_graphs: Vec<u64> = in_graphs.map(|it| it.span.length()).collect();
    let share = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            float(part) / float(whole)
        }
    };
    let (replays_ns, idle_in_replays_ns) = replays(indexed, step);
    let before = copies.iter().flat_map(|it| indexed.work_of_call(*it));
    let mut streams: Vec<u32> = work.iter().map(|it| it.stream).collect();
    streams.sort_unstable();
    streams.dedup();
    DeviceMeasures {
        busy_ns: busy,
        idle_ns: window.length() - busy,
        work: work.len() as u64,
        work_in_graphs: share(in_graphs.len() as u64, work.len() as u64),
        time_in_graphs: share(sum(in_graphs.iter().copied()), total),
        idle_in_replays_ns,
        copies_before_replays_ns: sum(before.map(|it| indexed.work(*it).span.length())),
        replays_ns,
        ahead_ns: ahead(indexed, step).unwrap_or(0),
        streams: streams.len() as u64,
        at_once: at_once(&work),
    }
}

/// How long the replays of a step take on the device, and how much of it is idle.
fn replays(indexed: &Indexed<'_>, step: &Step) -> (u64, u64) {
    let mut all = (0u64, 0u64);
    for call in &indexed.launches[step.launches.clone()] {
        if indexed.call(*call).kind != CallKind::Replay {
            continue;
        }
        let spans = indexed.work_of_call(*call).iter();
        let mut spans: Vec<Span> = spans.map(|it| indexed.work(*it).span).collect();
        spans.sort_unstable();
        let (Some(start), Some(end)) = (
            spans.first().map(|it| it.start),
            spans.iter().map(|it| it.end).max(),
        ) else {
            continue;
        };
        let window = Span { start, end };
        let idle = window.length() - Busy::of(spans.into_iter()).within(window);
        all.0 = sum([all.0, window.length()]);
        all.1 = sum([all.1, idle]);
    }
    all
}

/// The median time from the return of a launch to the begin of its work.
fn ahead(indexed: &Indexed<'_>, step: &Step) -> Option<i64> {
    let launches = indexed.launches[step.launches.clone()].iter();
    median(launches.filter_map(|it| {
        let work = indexed.work_of_call(*it).iter();
        let start = work.map(|it| indexed.work(*it).span.start).min()?;
        let returned = indexed.call(*it).span.end;
        Some(start.cast_signed().saturating_sub(returned.cast_signed()))
    }))
}

/// How many streams have work at the same time, at most.
pub(crate) fn at_once(work: &[&Work]) -> u64 {
    levels(work).iter().map(|it| it.0).max().unwrap_or(0)
}

/// How long exactly so many streams have work at the same time.
pub(crate) fn at_level(work: &[&Work], streams: u64) -> u64 {
    let levels = levels(work).into_iter();
    sum(levels.filter(|it| it.0 == streams).map(|it| it.1.length()))
}

/// How many streams have work at the same time, and from when to when.
fn levels(work: &[&Work]) -> Vec<(u64, Span)> {
    let mut spans: Vec<(u32, Span)> = work.iter().map(|it| (it.stream, it.span)).collect();
    spans.sort_unstable();
    // Kernels of one stream may overlap a little (programmatic launch): they are one piece.
    let mut joined: Vec<(u32, Span)> = Vec::new();
    for (stream, span) in spans {
        match joined.last_mut() {
            Some((last, before)) if *last == stream && span.start < before.end => {
                before.end = before.end.max(span.end);
            }
            _ => joined.push((stream, span)),
        }
    }
    // What ends at a moment ends before what begins at it.
    let begins = joined.iter().map(|it| (it.1.start, 1i64));
    let ends = joined.iter().map(|it| (it.1.end, -1i64));
    let mut turns: Vec<(u64, i64)> = begins.chain(ends).collect();
    turns.sort_unstable();
    let mut now = 0i64;
    let mut levels = Vec::with_capacity(turns.len());
    for (at, (start, turn)) in turns.iter().enumerate() {
        now += turn;
        let end = turns.get(at + 1).map_or(*start, |it| it.0);
        levels.push((now.unsigned_abs(), Span { start: *start, end }));
    }
    levels
}

/// Whether a wait ends only when the device has done all work that was enqueued before: only then the device has nothing to do
/// until the next launch.
pub(crate) fn drains(indexed: &Indexed<'_>, wait: u32) -> bool {
    // The clocks of host and device are aligned to about a microsecond.
    const CLOCKS: u64 = 2000;
    if indexed.timeline.work.is_empty() {
        return true;
    }
    let call = indexed.call(wait);
    let before = indexed
        .launches
        .partition_point(|it| indexed.call(*it).span.start <= call.span.start);
    let last = indexed.launches[before.saturating_sub(64)..before].iter();
    let last = last.flat_map(|it| indexed.work_of_call(*it));
    let end = last.map(|it| indexed.work(*it).span.end).max();
    end.is_none_or(|it| it <= call.span.end.saturating_add(CLOCKS))
}

/// The copies that come right before a replay, with nothing else between them: calls, by their indices. Copies between tensors of a
/// device are kernels of PyTorch.
pub(crate) fn copies_before_replays(indexed: &Indexed<'_>, step: &Step) -> Vec<u32> {
    let mut copies = Vec::new();
    let mut before = Vec::new();
    for call in &indexed.launches[step.launches.clone()] {
        if indexed.call(*call).kind == CallKind::Replay {
            copies.append(&mut before);
        } else if is_copy(indexed, *call) {
            before.push(*call);
        } else {
            before.clear();
        }
    }
    copies
}

fn is_copy(indexed: &Indexed<'_>, call: u32) -> bool {
    let mut work = indexed.work_of_call(call).iter().peekable();
    if work.peek().is_none() {
        let kind = indexed.call(call).kind;
        return matches!(kind, CallKind::Copy | CallKind::BlockingCopy);
    }
    work.all(|it| {
        let work = indexed.work(*it);
        match work.kind {
            WorkKind::Copy | WorkKind::FromHost => true,
            WorkKind::Kernel => is_copy_kernel(indexed.timeline.names.text(work.name)),
            _ => false,
        }
    })
}

/// Whether a kernel is what `copy_` and `_foreach_copy_` of PyTorch launch.
fn is_copy_kernel(name: &str) -> bool {
    name.contains("direct_copy_kernel")
        || name.contains("bfloat16_copy_kernel")
        || name.contains("float8_copy_kernel")
        || (name.contains("multi_tensor_apply_kernel") && name.contains("Copy"))
}

/// The medians of several steps' measures.
pub(crate) fn medians(steps: &[Measures]) -> Measures {
    let of = |get: &dyn Fn(&Measures) -> u64| median(steps.iter().map(get)).unwrap_or(0);
    let devices: Vec<&DeviceMeasures> = steps.iter().filter_map(|it| it.device.as_ref()).collect();
    Measures {
        duration_ns: of(&|it| it.duration_ns),
        launches: of(&|it| it.launches),
        replays: of(&|it| it.replays),
        waits: of(&|it| it.waits),
        waited_ns: of(&|it| it.waited_ns),
        copies_before_replays: of(&|it| it.copies_before_replays),
        device: (!devices.is_empty()).then(|| medians_of_device(&devices)),
    }
}

fn medians_of_device(steps: &[&DeviceMeasures]) -> DeviceMeasures {
    let of =
        |get: &dyn Fn(&DeviceMeasures) -> u64| median(steps.iter().map(|it| get(it))).unwrap_or(0);
    let share = |get: &dyn Fn(&DeviceMeasures) -> f64| {
        median(steps.iter().map(|it| get(it))).unwrap_or(0.0)
    };
    DeviceMeasures {
        busy_ns: of(&|it| it.busy_ns),
        idle_ns: of(&|it| it.idle_ns),
        work: of(&|it| it.work),
        work_in_graphs: share(&|it| it.work_in_graphs),
        time_in_graphs: share(&|it| it.time_in_graphs),
        idle_in_replays_ns: of(&|it| it.idle_in_replays_ns),
        copies_before_replays_ns: of(&|it| it.copies_before_replays_ns),
        replays_ns: of(&|it| it.replays_ns),
        ahead_ns: median(steps.iter().map(|it| it.ahead_ns)).unwrap_or(0),
        streams: of(&|it| it.streams),
        at_once: of(&|it| it.at_once),
    }
}
