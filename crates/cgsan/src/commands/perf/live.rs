//! A program that runs, on this machine's GPU.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cgsan_files::{Destination, Links};
use cgsan_perf::{Observed, Options};
use cgsan_render::Run;
use cgsan_render::perf::OfProcess;
use cgsan_trace::command_line;

use super::seen::{self, CALIBRATION};
use crate::cli::PerfOptions;
use crate::cli::Twin;
use crate::output::error::Error;
use crate::output::exit::{self, Exit};
use crate::output::progress::Progress;
use crate::output::standard::Standard;
use crate::program::gpu::Gpu;
use crate::program::library;
use crate::program::run_directory::RunDirectory;
use crate::program::start::{self, Ended, Looked, Start};
use crate::program::status;

/// Bytes of the largest file that is kept.
const LARGEST: u64 = 1 << 30;

/// How long measuring may take: importing PyTorch is most of it.
const LONGEST: Duration = Duration::from_mins(1);

/// Runs the program to its end, and analyses what was seen of it.
pub fn run(options: &PerfOptions) -> Result<(Vec<OfProcess>, Run, Exit), Error> {
    let gpu = match (options.virtual_gpu, Gpu::of_machine()) {
        (true, _) => Gpu::Virtual,
        (false, Gpu::Real) => Gpu::Real,
        (false, Gpu::Virtual) => return Err(Error::NoTimes),
    };
    if let Some(folder) = &options.save {
        fs::create_dir_all(folder)
            .map_err(|reason| Error::not_writable("--save", folder, reason))?;
    }
    let directory = RunDirectory::create(gpu)?;
    let library = library::find(gpu, &directory)?;
    let Ended { status, .. } = start::run(&Start {
        words: &options.program,
        directory: &directory,
        gpu,
        library: &library,
        gpu_memory: None,
        gpus: None,
        values: false,
        verify: false,
        schedule: "eager",
        twin: Twin::Never,
        results: false,
        again: false,
        memory: false,
        watch_always: false,
        no_arguments: false,
        hangs: None,
        perf: Some(Looked {
            after: options.after,
            step_marker: options.step_marker.as_deref(),
        }),
    })?;
    let folder = directory.path();
    let seen = seen::processes_in(folder);
    match seen.first() {
        Some(process) if gpu == Gpu::Real => calibrate(&directory, process),
        Some(_) => {}
        None => {
            let reason = status::read_all(folder).why_nothing();
            let _ = Standard::Error.write(&format!("cgsan perf: nothing was seen: {reason}\n"));
        }
    }
    let looked_for = Options {
        step_marker: options.step_marker.clone(),
        connections: connections(),
        ..Options::default()
    };
    let processes = seen::analyse_each(&seen, folder, &looked_for)?;
    if let Some(place) = &options.save {
        save(&seen, folder, place)?;
    }
    let run = Run {
        program: command_line::masked(&options.program),
        ending: exit::ending(status),
        ..Run::default()
    };
    Ok((processes, run, Exit::of_program(status, false, false)))
}

/// How many connections the program was given to its device, if that was set.
fn connections() -> Option<u32> {
    std::env::var("CUDA_DEVICE_MAX_CONNECTIONS")
        .ok()?
        .parse()
        .ok()
}

/// Measures what launches and replays cost on this machine, with the program's Python. Where that fails, what they cost elsewhere
/// has to do, and the report says so.
fn calibrate(directory: &RunDirectory, process: &Observed) {
    let _progress = Progress::start("measuring what launches and replays cost here");
    let started = Command::new(&process.executable.0)
        .arg(directory.calibrate())
        .arg(directory.path().join(CALIBRATION))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = started {
        end_within(&mut child, LONGEST);
    }
}

/// Waits for a process, and ends it if that takes too long.
fn end_within(child: &mut Child, limit: Duration) {
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if began.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Copies what was recorded of processes into a folder.
fn save(processes: &[Observed], from: &Path, to: &Path) -> Result<(), Error> {
    let files = processes.iter().flat_map(seen::files_of);
    for name in files.chain([CALIBRATION.to_owned()]) {
        // What is missing was not recorded.
        let Ok(bytes) = cgsan_files::read(&from.join(&name), LARGEST) else {
            continue;
        };
        let path = to.join(name);
        let place = Destination::open(&path, Links::Part);
        place
            .and_then(|place| place.private().write(&bytes))
            .map_err(|reason| Error::not_writable("--save", &path, reason))?;
    }
    Ok(())
}
