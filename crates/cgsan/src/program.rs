//! Starting the program, and waiting for it.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::Error;
use crate::run_directory::RunDirectory;

/// What the program is started with.
#[derive(Debug)]
pub struct Start<'a> {
    /// The program and its arguments; not empty.
    pub words: &'a [OsString],
    /// The folder of the run.
    pub directory: &'a RunDirectory,
    /// The virtual GPU's library.
    pub library: &'a Path,
    /// The virtual GPU's memory in bytes, if not the usual.
    pub gpu_memory: Option<u64>,
}

/// Runs the program to its end, with our standard streams and in our process group.
pub fn run(start: &Start<'_>) -> Result<ExitStatus, Error> {
    let signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP]).map_err(Error::Signals)?;
    let mut child = spawn(start)?;
    let ended = Arc::new(AtomicBool::new(false));
    pass_on(signals, child_id(&child), Arc::clone(&ended));
    let status = child.wait();
    ended.store(true, Ordering::SeqCst);
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
        .env("CGSAN_RUN_DIRECTORY", start.directory.path())
        .env("CGSAN_LIBRARY", start.library);
    if let Some(bytes) = start.gpu_memory {
        command.env("CGSAN_GPU_MEMORY", bytes.to_string());
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

/// Keeps signals from ending cgsan before the program has ended, and lets them end it afterwards.
///
/// What the terminal sends (`Ctrl-C`, `Ctrl-\`) reaches the program by itself, because it is in our process group; what
/// is sent to cgsan alone is passed on.
fn pass_on(mut signals: Signals, child: Option<Pid>, ended: Arc<AtomicBool>) {
    thread::spawn(move || {
        for signal in &mut signals {
            if ended.load(Ordering::SeqCst) {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            let to_pass_on = match signal {
                SIGTERM => Some(Signal::TERM),
                SIGHUP => Some(Signal::HUP),
                _ => None,
            };
            if let (Some(signal), Some(child)) = (to_pass_on, child) {
                let _ = rustix::process::kill_process(child, signal);
            }
        }
    });
}

fn child_id(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn name(words: &[OsString]) -> String {
    words[0].to_string_lossy().into_owned()
}
