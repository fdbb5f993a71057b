//! What the clock of a process adds to its timelines ([`cgsan_trace::clock`]): which graph a replay launched, where the program
//! says that steps begin, and the lines that ask for work.

use cgsan_trace::clock::{Asked, Tick};

use crate::{Builder, Call, CallKind, Range, Source, Span, ThreadId, Timeline};

/// How far the time of a tick may be from that of its call, in nanoseconds. The tick comes right before the call, but the profiler's
/// clock is some microseconds off, more than replays may be apart.
const NEAR: u64 = 1_000_000;
/// How many calls are compared with ticks, to find out which tick belongs to the first, and how many ticks are tried.
const COMPARED: usize = 256;
const TRIED: usize = 64;

/// The ticks of a process, in the time of its profiler's files.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// In order; their times in nanoseconds since 1970.
    pub ticks: Vec<Tick>,
}

impl Clock {
    /// Takes ticks whose times are those of `CLOCK_MONOTONIC`, of which `monotonic_ns` is the moment `unix_ns`.
    pub fn new(mut ticks: Vec<Tick>, monotonic_ns: u64, unix_ns: u64) -> Self {
        for tick in &mut ticks {
            let later = tick.time_ns.wrapping_sub(monotonic_ns);
            tick.time_ns = unix_ns.wrapping_add(later);
        }
        Self { ticks }
    }

    /// The ticks in a span of time.
    pub fn within(&self, span: Span) -> &[Tick] {
        let place = |moment| self.ticks.partition_point(|it| it.time_ns < moment);
        let (begin, end) = (place(span.start), place(span.end));
        &self.ticks[begin..end.max(begin)]
    }

    /// Tells the graphs of replays apart, where the profiler does not, and marks steps with ranges of a name.
    pub fn complete(&self, timeline: &mut Timeline, marker: Option<&str>) {
        self.name_graphs(timeline);
        if let Some(marker) = marker {
            self.mark_steps(timeline, marker);
        }
    }

    fn name_graphs(&self, timeline: &mut Timeline) {
        let base = timeline.base_unix_ns;
        let replays: Vec<&Tick> = self.of(Asked::Replay).collect();
        let mut graphs: Vec<u64> = replays.iter().map(|it| it.value).collect();
        graphs.sort_unstable();
        graphs.dedup();
        let calls = timeline.calls.iter_mut();
        let mut calls: Vec<&mut Call> = calls.filter(|it| it.kind == CallKind::Replay).collect();
        let moments: Vec<u64> = calls
            .iter()
            .map(|it| base.saturating_add(it.span.start))
            .collect();
        let Some(first) = first_of(&replays, &moments) else {
            return;
        };
        for ((call, moment), tick) in calls.iter_mut().zip(moments).zip(&replays[first..]) {
            let number = graphs.binary_search(&tick.value);
            if tick.time_ns.abs_diff(moment) <= NEAR
                && let Some(number) = number.ok().and_then(|it| u32::try_from(it).ok())
            {
                call.graph = Some(number);
            }
        }
    }

    fn mark_steps(&self, timeline: &mut Timeline, marker: &str) {
        let name = timeline.names.id_of_bytes(marker.as_bytes());
        let base = timeline.base_unix_ns;
        let first = timeline.calls.first().map_or(0, |it| it.span.start);
        let last = timeline.calls.last().map_or(0, |it| it.span.end);
        let steps: Vec<u64> = self
            .of(Asked::Step)
            .map(|it| it.time_ns.saturating_sub(base))
            .filter(|it| (first..last).contains(it))
            .collect();
        let ends = steps.iter().skip(1).copied().chain([last]);
        for (start, end) in steps.iter().copied().zip(ends) {
            timeline.ranges.push(Range {
                span: Span { start, end },
                name,
                thread: ThreadId(0),
            });
        }
        timeline.ranges.sort_by_key(|it| it.span);
    }

    fn of(&self, asked: Asked) -> impl Iterator<Item = &Tick> {
        self.ticks.iter().filter(move |it| it.asked == asked)
    }

    /// A timeline of what was asked for while the lines of the program were looked at.
    pub fn lines(&self, looks: &Looks) -> Timeline {
        let mut builder = Builder::new(Source::Cgsan);
        let base = looks.samples.first().map_or(0, |it| it.0);
        let end = looks.samples.last().map_or(0, |it| it.0);
        builder.base(base);
        for (number, tick) in self.within(Span { start: base, end }).iter().enumerate() {
            let kind = match tick.asked {
                Asked::Launch => CallKind::Launch,
                Asked::Replay => CallKind::Replay,
                Asked::Copy => CallKind::Copy,
                Asked::Wait => CallKind::Wait,
                Asked::Step => continue,
            };
            let name = builder.name(format!("{:x}", tick.value).as_bytes());
            let correlation = u32::try_from(number).unwrap_or(u32::MAX);
            let at = Span::new(tick.time_ns - base, 0);
            builder.call(at, name, kind, (0, 0), correlation);
        }
        looks.frames_into(&mut builder, base);
        builder.finish()
    }
}

/// The tick that belongs to the first of some calls: that from which on ticks and calls are closest.
fn first_of(ticks: &[&Tick], calls: &[u64]) -> Option<usize> {
    let near = ticks.partition_point(|it| it.time_ns < *calls.first().unwrap_or(&0));
    let tried = near.saturating_sub(TRIED)..(near + TRIED).min(ticks.len());
    tried.min_by_key(|first| {
        let pairs = ticks[*first..].iter().zip(calls).take(COMPARED);
        let (count, sum) = pairs.fold((0, 0), |(count, sum), (tick, call)| {
            (count + 1, sum + u128::from(tick.time_ns.abs_diff(*call)))
        });
        sum / u128::from(count.max(1_u64))
    })
}

/// Looks at the main thread of a program, many a second.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// Lines that were seen: file, line and function.
    pub frames: Vec<(String, u32, String)>,
    /// Stacks: numbers of frames, innermost first.
    pub stacks: Vec<Vec<usize>>,
    /// Nanoseconds since 1970, and the number of a stack; in order.
    pub samples: Vec<(u64, usize)>,
}

impl Looks {
    /// A frame lasts from the first look that sees it to the first one that does not.
    fn frames_into(&self, builder: &mut Builder, base: u64) {
        let thread = builder.thread(0, 0);
        // Outermost first: the number of the frame, and since when it is there.
        let mut open: Vec<(usize, u64)> = Vec::new();
        let none = (self.samples.last().map_or(0, |it| it.0), usize::MAX);
        for (moment, stack) in self.samples.iter().copied().chain([none]) {
            let empty = Vec::new();
            let stack = self.stacks.get(stack).unwrap_or(&empty);
            let same = open
                .iter()
                .zip(stack.iter().rev())
                .take_while(|((one, _), two)| one == *two)
                .count();
            for (frame, since) in open.drain(same..) {
                let Some((file, line, function)) = self.frames.get(frame) else {
                    continue;
                };
                let name = builder.name(format!("{file}({line}): {function}").as_bytes());
                let span = Span {
                    start: since.saturating_sub(base),
                    end: moment.saturating_sub(base),
                };
                builder.frame(span, name, thread);
            }
            let entered = stack.iter().rev().skip(same);
            open.extend(entered.map(|frame| (*frame, moment)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(time_ns: u64, asked: Asked, value: u64) -> Tick {
        Tick {
            time_ns,
            asked,
            value,
        }
    }

    fn replay(start: u64) -> Call {
        Call {
            span: Span::new(start, 10),
            name: crate::Names::default().id_of_bytes(b"cudaGraphLaunch"),
            correlation: 0,
            graph: None,
            thread: ThreadId(0),
            kind: CallKind::Replay,
        }
    }

    #[test]
    fn replays_get_the_graphs_of_their_ticks_in_order() {
        let ticks = (0..100_u64).map(|it| tick(1000 * it + 7 * (it % 3), Asked::Replay, it % 4));
        // The profiler's clock is a little behind, and its window begins later.
        let calls = (40..90_u64).map(|it| replay(1000 * it + 7 * (it % 3) - 300));
        let mut timeline = Timeline {
            base_unix_ns: 5000,
            calls: calls.collect(),
            ..Timeline::default()
        };
        Clock::new(ticks.collect(), 0, 5000).complete(&mut timeline, None);
        let graphs: Vec<_> = timeline.calls.iter().map(|it| it.graph).collect();
        let expected: Vec<_> = (40..90_u32).map(|it| Some(it % 4)).collect();
        assert_eq!(graphs, expected);
    }

    #[test]
    fn marks_of_the_program_become_ranges() {
        let ticks = [5, 60, 90, 500].map(|time| tick(time, Asked::Step, 0));
        let mut timeline = Timeline {
            calls: [10, 100].map(replay).to_vec(),
            ..Timeline::default()
        };
        Clock::new(ticks.to_vec(), 0, 0).complete(&mut timeline, Some("step"));
        let spans: Vec<_> = timeline
            .ranges
            .iter()
            .map(|it| (it.span.start, it.span.end))
            .collect();
        assert_eq!(spans, [(60, 90), (90, 110)]);
    }

    #[test]
    fn a_frame_lasts_while_looks_see_it() {
        let looks = Looks {
            frames: [
                ("a.py", 9, "main"),
                ("a.py", 3, "step"),
                ("a.py", 4, "step"),
            ]
            .map(|(file, line, function)| (file.to_owned(), line, function.to_owned()))
            .to_vec(),
            stacks: vec![vec![1, 0], vec![2, 0]],
            samples: vec![(1000, 0), (1010, 0), (1020, 1), (1030, 0), (1040, 7)],
        };
        let ticks = [1005, 1025, 2000].map(|time| tick(time, Asked::Launch, 1));
        let timeline = Clock::new(ticks.to_vec(), 0, 0).lines(&looks);
        assert_eq!(timeline.calls.len(), 2);
        let frames: Vec<_> = timeline
            .frames
            .iter()
            .map(|it| (timeline.names.text(it.name), it.span.start, it.span.end))
            .collect();
        assert_eq!(
            frames,
            [
                ("a.py(9): main", 0, 40),
                ("a.py(3): step", 0, 20),
                ("a.py(4): step", 20, 30),
                ("a.py(3): step", 30, 40),
            ]
        );
    }
}
