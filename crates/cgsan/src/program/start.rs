//! Starting the program, and waiting for it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use cgsan_hangs::{Account, Watching};
use cgsan_trace::written;
use rustix::fs::Access;

use crate::cli::Twin;
use crate::output::error::Error;
use crate::output::streams;
use crate::program::driver_log;
use crate::program::gpu::Gpu;
use crate::program::hangs::{self, Hangs};
use crate::program::interrupt::Aside;
use crate::program::kernel_caches;
use crate::program::probe;
use crate::program::relay::Relay;
use crate::program::run_directory::RunDirectory;

/// Bytes of a file that show whether it is a text, as a shell decides it.
const BEGINNING: u64 = 4 << 10;

/// What the program is started with.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, as the command line gives it"
)]
pub struct Start<'a> {
    /// The program and its arguments; not empty.
    pub words: &'a [OsString],
    /// The folder of the run.
    pub directory: &'a RunDirectory,
    /// The GPU that it runs on.
    pub gpu: Gpu,
    /// The library that watches it there.
    pub library: &'a Path,
    /// The virtual GPU's memory in bytes, if not the usual.
    pub gpu_memory: Option<u64>,
    /// How many virtual GPUs there are, if it was asked for.
    pub gpus: Option<u32>,
    /// Whether operators are computed on the virtual GPU.
    pub values: bool,
    /// When the virtual GPU does work, where it computes values.
    pub schedule: &'a str,
    /// Whether calls of graphed callables are compared with eager runs.
    pub verify: bool,
    /// When captured regions are run again beside the program.
    pub twin: Twin,
    /// Whether the agent writes down what operators compute.
    pub results: bool,
    /// Whether it is run for that alone: without input, output and a trace.
    pub again: bool,
    /// Whether it is measured what executable graphs take from the driver of a real GPU.
    pub memory: bool,
    /// Whether a real GPU's calls are watched all the time.
    pub watch_always: bool,
    /// Whether its arguments are left out of the trace.
    pub no_arguments: bool,
    /// How it is watched for standing still, if it is.
    pub hangs: Option<Hangs>,
    /// How it is looked at by `cgsan perf`, which then is all that is done.
    pub perf: Option<Looked<'a>>,
}

/// How a program is looked at by `cgsan perf`.
#[derive(Clone, Copy, Debug)]
pub struct Looked<'a> {
    /// Seconds from its first launch until then.
    pub after: f64,
    /// The name of the ranges that mark its steps, if it has some.
    pub step_marker: Option<&'a str>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// As the system says.
    pub status: ExitStatus,
    /// Where it stood still before.
    pub hangs: Vec<Account>,
}

/// The variable that names the folder of the run, for the agent.
const RUN_DIRECTORY: &str = "CGSAN_RUN_DIRECTORY";

/// The variable that names the library which NVIDIA's driver loads.
const INJECTION: &str = "CUDA_INJECTION64_PATH";

/// The variable that names the folder where Triton finds the driver's library to link with
/// (`triton/backends/nvidia/driver.py`, Triton 3.6).
const TRITON_DRIVER: &str = "TRITON_LIBCUDA_PATH";

/// Whether this process runs under another `cgsan run`.
pub fn is_nested() -> bool {
    env::var_os(RUN_DIRECTORY).is_some()
}

/// Whether the driver is to load the library of another tool, such as a profiler. It stays in place; that of a cgsan around
/// this one does not.
pub fn another_tool_is_injected() -> bool {
    let library = env::var_os(INJECTION).filter(|library| !library.is_empty());
    library.is_some() && !(is_nested() && library == env::var_os("CGSAN_LIBRARY"))
}

/// Runs the program to its end, with our standard streams and in our process group.
pub fn run(start: &Start<'_>) -> Result<Ended, Error> {
    let relay = Relay::prepare()?;
    let mut child = spawn(start)?;
    let relaying = relay.begin(&child);
    let ended = wait(start, &mut child);
    relaying.end();
    ended
}

/// Runs the program as it would run without cgsan, where there is no place for what watching it takes.
pub fn run_unwatched(words: &[OsString]) -> Result<ExitStatus, Error> {
    let relay = Relay::prepare()?;
    let mut command = Command::new(&words[0]);
    streams::stay_closed(&mut command);
    let mut child = command
        .args(&words[1..])
        .spawn()
        .map_err(|reason| not_started(words, reason))?;
    let relaying = relay.begin(&child);
    hangs::wait_for_end(&child);
    let status = child.wait();
    relaying.end();
    status.map_err(|reason| not_started(words, reason))
}

/// Runs the program for the analysis alone: what ends that ends it too.
pub fn run_aside(start: &Start<'_>) -> Result<Ended, Error> {
    let mut child = spawn(start)?;
    let _aside = Aside::begin(child.id());
    wait(start, &mut child)
}

fn wait(start: &Start<'_>, child: &mut Child) -> Result<Ended, Error> {
    let watching = start.hangs.map(|hangs| hangs.watch(start.directory.path()));
    hangs::wait_for_end(child);
    let status = child.wait();
    let hangs = watching.map(Watching::end).unwrap_or_default();
    let status = status.map_err(|reason| Error::ProgramNotStarted {
        program: name(start.words),
        reason,
    })?;
    Ok(Ended { status, hangs })
}

fn spawn(start: &Start<'_>) -> Result<Child, Error> {
    let error = match command(start, &start.words[0], &[]).spawn() {
        Ok(child) => return Ok(child),
        Err(error) => error,
    };
    if let Some(file) = python_file(&start.words[0]) {
        return spawn_python(start, file);
    }
    let is_no_program = error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error());
    if is_no_program && let Some(script) = script(&start.words[0]) {
        // As shells and `env` do with a file that may be executed and names no interpreter.
        return command(start, OsStr::new("/bin/sh"), &[script.into_os_string()])
            .spawn()
            .map_err(|reason| not_started(start.words, reason));
    }
    Err(not_started(start.words, error))
}

/// A Python file, which is no program by itself: Python runs it, that of the environment.
fn spawn_python(start: &Start<'_>, file: &OsStr) -> Result<Child, Error> {
    // Python takes what begins with a dash for an option.
    let named = if file.as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(file).into_os_string()
    } else {
        file.to_owned()
    };
    for python in probe::interpreters() {
        match command(start, python.as_os_str(), std::slice::from_ref(&named)).spawn() {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(reason) => {
                return Err(Error::ProgramNotStarted {
                    program: python.display().to_string(),
                    reason,
                });
            }
        }
    }
    Err(Error::NoPython {
        file: PathBuf::from(file),
    })
}

/// The program, if it is a Python file in the place that it is named by.
fn python_file(word: &OsStr) -> Option<&OsStr> {
    let path = Path::new(word);
    let is_python = path.extension().is_some_and(|it| it == "py") && path.is_file();
    is_python.then_some(word)
}

/// What the agent is told of when to run captured regions again; nothing of what it does without being told.
fn twin_of(when: Twin) -> Option<String> {
    match when {
        Twin::Never => Some("never".to_owned()),
        Twin::Auto => None,
        Twin::Always => Some("always".to_owned()),
    }
}

/// The program, or what interprets it, with all that leads to the agent.
fn command(start: &Start<'_>, program: &OsStr, before: &[OsString]) -> Command {
    let mut command = Command::new(program);
    streams::stay_closed(&mut command);
    command
        .args(before)
        .args(&start.words[1..])
        .env("PYTHONPATH", start.directory.python_path())
        .env(RUN_DIRECTORY, start.directory.path())
        .env("CGSAN_LIBRARY", start.library);
    // Without the injection, CUPTI is free for PyTorch's profiler.
    if start.gpu == Gpu::Real && start.perf.is_none() {
        if !another_tool_is_injected() {
            command.env(INJECTION, start.library);
        } else if env::var_os(driver_log::VARIABLE).is_none() {
            command.env(
                driver_log::VARIABLE,
                driver_log::path(start.directory.path()),
            );
        }
    }
    if start.gpu == Gpu::Virtual {
        command
            .env(TRITON_DRIVER, start.directory.driver_folder())
            .envs(kernel_caches::for_virtual_gpu(start.directory));
    }
    for (variable, wanted) in [
        (
            "CGSAN_GPU_MEMORY",
            start.gpu_memory.map(|it| it.to_string()),
        ),
        ("CGSAN_GPUS", start.gpus.map(|it| it.to_string())),
        ("CGSAN_VALUES", start.values.then(|| "1".to_owned())),
        ("CGSAN_RESULTS", start.results.then(|| "1".to_owned())),
        (
            "CGSAN_SCHEDULE",
            start.values.then(|| start.schedule.to_owned()),
        ),
        ("CGSAN_TWIN", twin_of(start.twin)),
        ("CGSAN_VERIFY", start.verify.then(|| "1".to_owned())),
        ("CGSAN_MEMORY", start.memory.then(|| "1".to_owned())),
        (
            "CGSAN_ARGUMENTS",
            start.no_arguments.then(|| "0".to_owned()),
        ),
        ("CGSAN_PERF", start.perf.map(|_| "1".to_owned())),
        (
            "CGSAN_PERF_AFTER",
            start.perf.map(|it| it.after.to_string()),
        ),
        (
            "CGSAN_PERF_MARKER",
            start.perf.and_then(|it| it.step_marker).map(str::to_owned),
        ),
    ] {
        match wanted {
            Some(text) => command.env(variable, text),
            // What a cgsan around this one was asked for.
            None => command.env_remove(variable),
        };
    }
    if start.again {
        command
            .env("CGSAN_RECORD", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }
    if start.watch_always {
        command.env("CGSAN_WATCH", "always");
    }
    command
}

fn not_started(words: &[OsString], reason: io::Error) -> Error {
    let program = name(words);
    match reason.kind() {
        io::ErrorKind::NotFound => Error::ProgramMissing { program },
        io::ErrorKind::PermissionDenied | io::ErrorKind::ExecutableFileBusy => {
            Error::ProgramNotExecutable { program, reason }
        }
        _ if reason.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            Error::ProgramNotExecutable { program, reason }
        }
        _ => Error::ProgramNotStarted { program, reason },
    }
}

/// Where a program is that is named so, as the system would look for it.
pub fn found(word: &OsStr) -> Option<PathBuf> {
    if word.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(word));
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join(word))
        .find(|path| path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok())
}

/// Where a program is that the system does not know how to execute, if it is a text.
fn script(word: &OsStr) -> Option<PathBuf> {
    let path = found(word)?;
    let mut beginning = Vec::new();
    let file = cgsan_files::open(&path).ok()?;
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    let first_line = beginning.split(|byte| *byte == b'\n').next()?;
    (!first_line.contains(&0)).then_some(path)
}

fn name(words: &[OsString]) -> String {
    written::shown(&words[0])
}
