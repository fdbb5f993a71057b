//! What a run of `cgsan perf` left of its processes, in a folder: the clock of each, windows of the profiler, and the lines.

use std::fs;
use std::path::Path;

use cgsan_finding::Gap;
use cgsan_perf::{Bounds, Device, Input, Options};
use cgsan_render::perf::OfProcess;
use cgsan_timeline::clock::{Clock, Looks};
use cgsan_timeline::{Span, Timeline, chrome};
use cgsan_trace::AgentEvent;
use cgsan_trace::written::WrittenPath;
use serde::Deserialize;

use crate::output::error::Error;

/// Bytes of the largest file of a process, but for its windows.
const LARGEST: u64 = 256 << 20;

/// How the names of the files of processes begin.
const PREFIX: &str = "perf-";

/// What the agent notes of a process (`python/cgsan/agent/cgsan_agent/perf/observer.py`).
#[derive(Debug, Deserialize)]
pub struct Process {
    /// Its process id.
    pub pid: u32,
    /// Its `RANK`, if it has one.
    pub rank: Option<String>,
    /// The interpreter.
    pub executable: WrittenPath,
    clock: String,
    phase: String,
    #[serde(rename = "virtual")]
    is_virtual: bool,
    quiet: Vec<(u64, u64)>,
    windows: Vec<Window>,
    lines: Option<Lines>,
    /// When the program called a module from outside of all modules.
    #[serde(default)]
    calls: Vec<u64>,
    #[serde(default)]
    compiled: Vec<AgentEvent>,
    problems: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Window {
    file: String,
    began: Moment,
}

/// One moment on two clocks.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Moment {
    monotonic_ns: u64,
    unix_ns: u64,
}

#[derive(Debug, Deserialize)]
struct Lines {
    frames: Vec<(String, u32, String)>,
    stacks: Vec<Vec<usize>>,
    samples: Vec<(u64, usize)>,
}

/// Why there are counts alone.
const NO_TIMES: &str = "the virtual GPU takes no time for its work: only the counts are meaningful";

/// The file with what launches and replays cost on the machine.
pub const CALIBRATION: &str = "calibration.json";

/// Analyses the processes whose files are in a folder.
///
/// # Errors
///
/// If there are none, or a file cannot be read.
pub fn analyse(folder: &Path, options: &Options) -> Result<Vec<OfProcess>, Error> {
    let processes = processes_in(folder);
    if processes.is_empty() {
        return Err(unreadable(
            folder,
            &"this folder has no recording of `cgsan perf`",
        ));
    }
    analyse_each(&processes, folder, options)
}

/// Analyses processes whose files are in a folder.
///
/// # Errors
///
/// If a file cannot be read.
pub fn analyse_each(
    processes: &[Process],
    folder: &Path,
    options: &Options,
) -> Result<Vec<OfProcess>, Error> {
    let device = device(folder);
    let mut analysed = Vec::new();
    for process in processes {
        analysed.extend(process.analyse(folder, &device, options)?);
    }
    Ok(analysed)
}

/// What launches and replays cost, as it was measured on the machine; else what they cost elsewhere.
fn device(folder: &Path) -> Device {
    let measured = cgsan_files::read(&folder.join(CALIBRATION), LARGEST);
    let measured = measured.map(|it| serde_json::from_slice::<Calibration>(&it));
    let Ok(Ok(measured)) = measured else {
        return Device::h100();
    };
    let bounds = |(low, high): (f64, f64)| Bounds::new(low, high);
    Device {
        name: measured.device,
        measured: true,
        node_gap_ns: bounds(measured.node_gap_ns),
        replay_gap_ns: bounds(measured.replay_gap_ns),
        replay_host_ns: bounds(measured.replay_host_ns),
        replay_host_ns_per_node: bounds(measured.replay_host_ns_per_node),
        profiler_launch_ns: bounds(measured.profiler_launch_ns),
    }
}

/// What `python/cgsan/agent/calibrate.py` writes: ranges.
#[derive(Debug, Deserialize)]
struct Calibration {
    device: String,
    node_gap_ns: (f64, f64),
    replay_gap_ns: (f64, f64),
    replay_host_ns: (f64, f64),
    replay_host_ns_per_node: (f64, f64),
    profiler_launch_ns: (f64, f64),
}

/// The processes in a folder that asked a GPU for work, by rank and process id.
pub fn processes_in(folder: &Path) -> Vec<Process> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut processes: Vec<Process> = entries
        .map(|entry| entry.path())
        .filter(|path| is_of_process(path))
        .filter_map(|path| serde_json::from_slice(&cgsan_files::read(&path, LARGEST).ok()?).ok())
        .collect();
    processes.sort_by_key(|it: &Process| {
        (
            it.rank.as_ref().and_then(|it| it.parse::<u32>().ok()),
            it.pid,
        )
    });
    processes
}

/// Whether a file is what the agent noted of a process: `perf-PID.json`.
fn is_of_process(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = name
        .strip_prefix(PREFIX)
        .and_then(|it| it.strip_suffix(".json"));
    number.is_some_and(|it| it.parse::<u32>().is_ok())
}

impl Process {
    /// The files that belong to it, by name.
    pub fn files(&self) -> Vec<String> {
        let windows = self.windows.iter().map(|it| it.file.clone());
        windows
            .chain([self.clock.clone(), format!("{PREFIX}{}.json", self.pid)])
            .collect()
    }

    /// Analyses it. `None` if it asked no GPU for work.
    ///
    /// # Errors
    ///
    /// If a file of it cannot be read.
    fn analyse(
        &self,
        folder: &Path,
        device: &Device,
        options: &Options,
    ) -> Result<Option<OfProcess>, Error> {
        let (monotonic_ns, unix_ns) = self
            .windows
            .first()
            .map_or((0, 0), |it| (it.began.monotonic_ns, it.began.unix_ns));
        let to_unix = |moment: u64| unix_ns.wrapping_add(moment.wrapping_sub(monotonic_ns));
        let bytes = read(folder, &self.clock)?;
        let clock = Clock::new(cgsan_trace::clock::parse(&bytes), monotonic_ns, unix_ns);
        if clock.ticks.is_empty() {
            return Ok(None);
        }
        let mut timelines = Vec::new();
        for window in &self.windows {
            let mut timeline = profiled(folder, &window.file)?;
            clock.complete(&mut timeline, options.step_marker.as_deref());
            timelines.push(timeline);
        }
        let lines = self.lines.as_ref().map(|it| {
            let mut timeline = clock.lines(&Looks {
                frames: it.frames.clone(),
                stacks: it.stacks.clone(),
                samples: it
                    .samples
                    .iter()
                    .map(|(moment, stack)| (to_unix(*moment), *stack))
                    .collect(),
            });
            clock.complete(&mut timeline, options.step_marker.as_deref());
            timeline
        });
        let calls: Vec<u64> = self.calls.iter().map(|it| to_unix(*it)).collect();
        let options = &Options {
            together: cgsan_perf::together(&timelines, options, &clock, &calls),
            ..options.clone()
        };
        let quiet: Vec<Span> = self
            .quiet
            .iter()
            .map(|(start, end)| Span {
                start: to_unix(*start),
                end: to_unix(*end),
            })
            .collect();
        let undisturbed = cgsan_perf::undisturbed_steps(&timelines, options, &clock, &quiet);
        let input = Input {
            timelines: &timelines,
            lines: lines.as_ref(),
            undisturbed_steps: &undisturbed,
            device: device.clone(),
        };
        let mut performance = cgsan_perf::analyse(&input, options);
        if self.is_virtual {
            performance = performance.counts_only(NO_TIMES);
            performance.lacks = Vec::new();
        }
        performance.lacks.extend(self.gaps());
        Ok(Some(OfProcess {
            performance,
            files: self.rank.iter().map(|it| format!("rank {it}")).collect(),
            process: Some(u64::from(self.pid)),
            notes: cgsan_diagnose::compiled(&self.compiled),
        }))
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

/// Reads a window of the profiler.
fn profiled(folder: &Path, file: &str) -> Result<Timeline, Error> {
    let path = folder.join(plain(file));
    let input = cgsan_files::open(&path).map_err(|reason| unreadable(&path, &reason))?;
    chrome::read(input).map_err(|reason| Error::Timeline { file: path, reason })
}

/// Reads another file of a process.
fn read(folder: &Path, file: &str) -> Result<Vec<u8>, Error> {
    let path = folder.join(plain(file));
    cgsan_files::read(&path, LARGEST).map_err(|reason| unreadable(&path, &reason))
}

/// A name without folders: the file that names it may be from elsewhere.
fn plain(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or_default()
}

fn unreadable(path: &Path, reason: &impl ToString) -> Error {
    Error::NoText {
        name: path.display().to_string(),
        reason: reason.to_string(),
        help: "name the folder of `cgsan perf --save FOLDER -- PROGRAM`, with all that is in it",
    }
}
