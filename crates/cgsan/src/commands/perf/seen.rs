//! What a run of `cgsan perf` left of its processes in a folder: what the agent noted of each, and the files that this names.

use std::fs;
use std::path::Path;

use cgsan_perf::{Calibration, Device, Observed, Options};
use cgsan_render::perf::OfProcess;
use cgsan_timeline::{Timeline, chrome};
use serde::de::DeserializeOwned;

use crate::output::error::Error;

/// Bytes of the largest file of a process, but for its windows.
const LARGEST: u64 = 256 << 20;

/// How the names of the files of processes begin.
const PREFIX: &str = "perf-";

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

/// Analyses processes whose files are in a folder, but for those that asked no GPU for work.
///
/// # Errors
///
/// If a file cannot be read.
pub fn analyse_each(
    processes: &[Observed],
    folder: &Path,
    options: &Options,
) -> Result<Vec<OfProcess>, Error> {
    // Else what they cost elsewhere.
    let measured = json::<Calibration>(&folder.join(CALIBRATION));
    let device = measured.map_or_else(Device::h100, Device::from);
    let mut analysed = Vec::new();
    for process in processes {
        let ticks = cgsan_trace::clock::parse(&read(folder, &process.clock)?);
        if ticks.is_empty() {
            continue;
        }
        let windows = process.windows().map(|file| profiled(folder, file));
        let windows = windows.collect::<Result<_, _>>()?;
        analysed.push(OfProcess {
            performance: process.analyse(ticks, windows, &device, options),
            files: process.rank.iter().map(|it| format!("rank {it}")).collect(),
            process: Some(u64::from(process.pid)),
            notes: cgsan_diagnose::compiled(&process.compiled),
        });
    }
    Ok(analysed)
}

/// The processes in a folder that asked a GPU for work, by rank and process id.
pub fn processes_in(folder: &Path) -> Vec<Observed> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut processes: Vec<Observed> = entries
        .map(|entry| entry.path())
        .filter(|path| is_of_process(path))
        .filter_map(|path| json(&path))
        .collect();
    processes.sort_by_key(|it| {
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

/// The names of the files that belong to a process.
pub fn files_of(process: &Observed) -> Vec<String> {
    let windows = process.windows().map(str::to_owned);
    windows
        .chain([
            process.clock.clone(),
            format!("{PREFIX}{}.json", process.pid),
        ])
        .collect()
}

/// What a file of JSON holds, if it can be read and is of that form.
fn json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&cgsan_files::read(path, LARGEST).ok()?).ok()
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
