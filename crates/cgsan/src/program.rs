//! Starting the program, and waiting for it.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use crate::driver_log;
use crate::error::Error;
use crate::gpu::Gpu;
use crate::run_directory::RunDirectory;
use crate::signals;

/// What the program is started with.
#[derive(Debug)]
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
    /// Whether a real GPU's calls are watched all the time.
    pub watch_always: bool,
}

/// The variable that names the folder of the run, for the agent.
const RUN_DIRECTORY: &str = "CGSAN_RUN_DIRECTORY";

/// The variable that names the library which NVIDIA's driver loads.
const INJECTION: &str = "CUDA_INJECTION64_PATH";

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
pub fn run(start: &Start<'_>) -> Result<ExitStatus, Error> {
    let watched = signals_to_watch();
    let signals = Signals::new(&watched).map_err(Error::Signals)?;
    let mut child = spawn(start)?;
    let passing_on = PassingOn::begin(signals, &child);
    let status = child.wait();
    passing_on.end();
    for signal in watched {
        // From here on, they end cgsan as they would any program.
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(signal, always).map_err(Error::Signals)?;
    }
    status.map_err(|reason| Error::ProgramNotStarted {
        program: name(start.words),
        reason,
    })
}

fn spawn(start: &Start<'_>) -> Result<Child, Error> {
    let mut command = Command::new(&start.words[0]);
    command
        .args(&start.words[1..])
        .env("PYTHONPATH", start.directory.python_path())
        .env(RUN_DIRECTORY, start.directory.path())
        .env("CGSAN_LIBRARY", start.library);
    if start.gpu == Gpu::Real {
        if !another_tool_is_injected() {
            command.env(INJECTION, start.library);
        } else if env::var_os(driver_log::VARIABLE).is_none() {
            command.env(
                driver_log::VARIABLE,
                driver_log::path(start.directory.path()),
            );
        }
    }
    match start.gpu_memory {
        Some(bytes) => command.env("CGSAN_GPU_MEMORY", bytes.to_string()),
        // What a cgsan around this one was asked for.
        None => command.env_remove("CGSAN_GPU_MEMORY"),
    };
    if start.watch_always {
        command.env("CGSAN_WATCH", "always");
    }
    command.spawn().map_err(|reason| {
        let program = name(start.words);
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
    })
}

/// The signals that would end cgsan, without those that it was started to ignore.
fn signals_to_watch() -> Vec<i32> {
    [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| !signals::is_ignored(*signal))
        .collect()
}

/// Keeps signals from ending cgsan before the program has ended.
///
/// What the terminal sends (`Ctrl-C`, `Ctrl-\`) reaches the program by itself, because it is in our process group; what
/// is sent to cgsan alone is passed on.
struct PassingOn {
    handle: Handle,
    thread: JoinHandle<()>,
    program_ended: Arc<AtomicBool>,
}

impl PassingOn {
    fn begin(mut signals: Signals, child: &Child) -> Self {
        let handle = signals.handle();
        let program_ended = Arc::new(AtomicBool::new(false));
        let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let has_ended = Arc::clone(&program_ended);
        let thread = thread::spawn(move || {
            for signal in &mut signals {
                let to_pass_on = match signal {
                    SIGTERM => Some(Signal::TERM),
                    SIGHUP => Some(Signal::HUP),
                    _ => None,
                };
                if let (Some(signal), Some(child), false) =
                    (to_pass_on, child, has_ended.load(Ordering::SeqCst))
                {
                    let _ = rustix::process::kill_process(child, signal);
                }
            }
        });
        Self {
            handle,
            thread,
            program_ended,
        }
    }

    /// Ends it once the program has ended. A signal that came before is dealt with, so that it does not end cgsan late.
    fn end(self) {
        self.program_ended.store(true, Ordering::SeqCst);
        self.handle.close();
        let _ = self.thread.join();
    }
}

fn name(words: &[OsString]) -> String {
    words[0].to_string_lossy().into_owned()
}
