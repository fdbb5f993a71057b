//! Files of profilers, and the processes that they are of.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use cgsan_perf::{Device, Input, Options};
use cgsan_render::perf::OfProcess;
use cgsan_timeline::{Timeline, chrome, nsys};
use cgsan_trace::Trace;
use cgsan_trace::format::SIGNATURE;

use super::seen;
use crate::cli::PerfOptions;
use crate::output::error::Error;

/// The windows of one process.
struct Process {
    id: Option<u64>,
    files: Vec<String>,
    windows: Vec<Timeline>,
}

/// Reads the files and analyses each process.
pub fn analyse(options: &PerfOptions) -> Result<Vec<OfProcess>, Error> {
    let looked_for = Options {
        step_marker: options.step_marker.clone(),
        ..Options::default()
    };
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        options.files.iter().partition(|it| it.is_dir());
    let mut of_runs = Vec::new();
    for folder in folders {
        of_runs.extend(seen::analyse(folder, &looked_for)?);
    }
    let processes = by_process(&files)?;
    let analysed = processes.into_iter().map(|process| {
        let (windows, lines) = with_lines_apart(process.windows);
        let input = Input {
            timelines: &windows,
            lines: lines.as_ref(),
            undisturbed_steps: &[],
            device: Device::h100(),
        };
        OfProcess {
            performance: cgsan_perf::analyse(&input, &looked_for),
            files: process.files,
            process: process.id,
            notes: Vec::new(),
        }
    });
    Ok(of_runs.into_iter().chain(analysed).collect())
}

/// The files, those of one process together. A file that does not say whose it is stands for itself.
fn by_process(files: &[&PathBuf]) -> Result<Vec<Process>, Error> {
    let mut processes: Vec<Process> = Vec::new();
    for file in files {
        let timeline = read(file)?;
        let name = file.display().to_string();
        let id = timeline.process;
        match processes.iter_mut().find(|it| id.is_some() && it.id == id) {
            Some(process) => {
                process.files.push(name);
                process.windows.push(timeline);
            }
            None => processes.push(Process {
                id,
                files: vec![name],
                windows: vec![timeline],
            }),
        }
    }
    Ok(processes)
}

fn read(file: &Path) -> Result<Timeline, Error> {
    let mut input = cgsan_files::open_or_pipe(file).map_err(|reason| Error::NoText {
        name: file.display().to_string(),
        reason: reason.to_string(),
        help: "name a file of `profile.export_chrome_trace(FILE)`, or of `nsys export --type sqlite`",
    })?;
    let mut magic = Vec::new();
    let longest = nsys::MAGIC.len() as u64;
    let timeline = match input.by_ref().take(longest).read_to_end(&mut magic) {
        Err(reason) => Err(reason.into()),
        Ok(_) if magic == nsys::MAGIC => nsys::read(file),
        Ok(_) if magic.starts_with(&SIGNATURE) => {
            let trace = Trace::read(file).map_err(Error::Trace)?;
            Ok(cgsan_timeline::of_trace(&trace))
        }
        Ok(_) => chrome::read(magic.as_slice().chain(input)),
    };
    timeline.map_err(|reason| Error::Timeline {
        file: file.to_owned(),
        reason,
    })
}

/// Takes a window with stacks out of several, if others have none: recording stacks makes launches slower.
fn with_lines_apart(mut windows: Vec<Timeline>) -> (Vec<Timeline>, Option<Timeline>) {
    let has_stacks = |it: &Timeline| !it.frames.is_empty();
    let with = windows.iter().position(has_stacks);
    match with {
        Some(at) if !windows.iter().all(has_stacks) => {
            let lines = windows.remove(at);
            (windows, Some(lines))
        }
        _ => (windows, None),
    }
}
