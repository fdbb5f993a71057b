//! What a run of `cgsan perf` noted of a process: its clock, windows of the profiler, and the lines.

use cgsan_finding::Gap;
use cgsan_timeline::clock::{Clock, Looks};
use cgsan_timeline::{Span, Timeline};
use cgsan_trace::AgentEvent;
use cgsan_trace::clock::Tick;
use cgsan_trace::written::WrittenPath;
use serde::Deserialize;

use crate::{Device, Input, Options, Performance, analyse, together, undisturbed};

/// Why there are counts alone.
const NO_TIMES: &str = "the virtual GPU takes no time for its work: only the counts are meaningful";

/// What the agent notes of a process (`python/cgsan/agent/cgsan_agent/perf/observer.py`), but for the files that it names.
#[derive(Debug, Deserialize)]
pub struct Observed {
    /// Its process id.
    pub pid: u32,
    /// Its `RANK`, if it has one.
    pub rank: Option<String>,
    /// The interpreter.
    pub executable: WrittenPath,
    /// The name of the file with the ticks of its clock.
    pub clock: String,
    /// What became of the captures of `torch.compile`.
    #[serde(default)]
    pub compiled: Vec<AgentEvent>,
    phase: String,
    #[serde(rename = "virtual")]
    is_virtual: bool,
    quiet: Vec<(u64, u64)>,
    windows: Vec<Window>,
    lines: Option<Lines>,
    /// When the program called a module from outside of all modules.
    #[serde(default)]
    calls: Vec<u64>,
    problems: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Window {
    file: String,
    began: Moment,
}

/// One moment on two clocks.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Moment {
    monotonic_ns: u64,
    unix_ns: u64,
}

impl Moment {
    /// A moment of `CLOCK_MONOTONIC` in nanoseconds since 1970.
    fn to_unix(self, moment: u64) -> u64 {
        self.unix_ns
            .wrapping_add(moment.wrapping_sub(self.monotonic_ns))
    }
}

#[derive(Debug, Deserialize)]
struct Lines {
    frames: Vec<(String, u32, String)>,
    stacks: Vec<Vec<usize>>,
    samples: Vec<(u64, usize)>,
}

impl Observed {
    /// The names of the files with the windows of the profiler, in order.
    pub fn windows(&self) -> impl Iterator<Item = &str> {
        self.windows.iter().map(|it| it.file.as_str())
    }

    /// Analyses the process, with what its files hold: the ticks of [`Observed::clock`], of which there is one at least if it asked a
    /// GPU for work, and the [`Observed::windows`].
    pub fn analyse(
        &self,
        ticks: Vec<Tick>,
        mut windows: Vec<Timeline>,
        device: &Device,
        options: &Options,
    ) -> Performance {
        let began = self.windows.first().map(|it| it.began).unwrap_or_default();
        let clock = Clock::new(ticks, began.monotonic_ns, began.unix_ns);
        for window in &mut windows {
            clock.complete(window, options.step_marker.as_deref());
        }
        let lines = self.lines.as_ref().map(|it| {
            let mut timeline = clock.lines(&it.looks(began));
            clock.complete(&mut timeline, options.step_marker.as_deref());
            timeline
        });
        let calls: Vec<u64> = self.calls.iter().map(|it| began.to_unix(*it)).collect();
        let options = &Options {
            together: together::together(&windows, options, &clock, &calls),
            ..options.clone()
        };
        let quiet = self.quiet.iter().map(|(start, end)| Span {
            start: began.to_unix(*start),
            end: began.to_unix(*end),
        });
        let quiet: Vec<Span> = quiet.collect();
        let input = Input {
            timelines: &windows,
            lines: lines.as_ref(),
            undisturbed_steps: &undisturbed::undisturbed_steps(&windows, options, &clock, &quiet),
            device: device.clone(),
        };
        let mut performance = analyse(&input, options);
        if self.is_virtual {
            performance = performance.counts_only(NO_TIMES);
            performance.lacks = Vec::new();
        }
        performance.lacks.extend(self.gaps());
        performance
    }

    /// What could not be looked at.
    fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = self
            .problems
            .iter()
            .map(|it| Gap::new("a window of the profiler", Some(it.as_str())))
            .collect();
        if self.windows.is_empty() && self.problems.is_empty() {
            let why = format!(
                "the program ended in the phase `{}`: let it run some ten seconds, or name a smaller --after",
                self.phase
            );
            gaps.push(Gap::new("a window of the profiler", Some(&why)));
        }
        if self.is_virtual {
            gaps.push(Gap::new("times", Some(NO_TIMES)));
        }
        gaps
    }
}

impl Lines {
    /// The looks, with times since 1970.
    fn looks(&self, began: Moment) -> Looks {
        let samples = self.samples.iter();
        Looks {
            frames: self.frames.clone(),
            stacks: self.stacks.clone(),
            samples: samples
                .map(|(moment, stack)| (began.to_unix(*moment), *stack))
                .collect(),
        }
    }
}
