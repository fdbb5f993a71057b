//! Whether this process is recording, and the way in for whoever records.
//!
//! ```text
//! off ─start─▶ on ─exit─▶ ended
//!              │ ▲
//!   fork, in   │ │ first record: a trace of the child's own
//!   the child  ▼ │
//!            forked            on, forked ─error─▶ stopped      any ─in a sealed child─▶ sealed
//! ```
#![expect(unsafe_code, reason = "replaces a mutex after a fork")]

use std::cell::UnsafeCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use cgsan_files::in_words;
use cgsan_model::ThreadId;

use crate::clock;
use crate::config::Config;
use crate::fork;
use crate::python::Reader;
use crate::recorder::Recorder;
use crate::sealed::is_sealed;
use crate::thread;
use crate::waits;
use crate::window;

/// Why recording could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Recording was started before in this process.
    #[error("recording has started already")]
    AlreadyStarted,
    /// The trace could not be made.
    #[error("cannot record into {}: {}", directory.display(), in_words(source))]
    Create {
        /// The run's folder.
        directory: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// What a recorder is made from, in this process and in every child it forks.
#[derive(Debug)]
pub(crate) struct Setup {
    pub config: Config,
    /// How Python's stacks are read, or why they are not.
    pub python: Result<Reader, String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    Off,
    On,
    Forked,
    Stopped,
    Ended,
    Sealed,
}

/// The recorder, in a place that a forked child can make new.
struct Shared(UnsafeCell<Mutex<Option<Recorder>>>);

// SAFETY: the mutex is shared as any other; it is overwritten only in a forked child, which has one thread.
unsafe impl Sync for Shared {}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Off as u8);
static SETUP: OnceLock<Setup> = OnceLock::new();
static RECORDER: Shared = Shared(UnsafeCell::new(Mutex::new(None)));

/// Starts recording into `trace-<pid>.cgsan` in the run's folder. Call it from the main thread, holding no lock; when
/// Python called, its stack serves to check that Python's stacks can be read.
///
/// # Errors
///
/// When the file cannot be made, or recording has started already. The program can go on, unrecorded.
pub fn start(config: Config) -> Result<(), StartError> {
    if is_sealed() {
        return Err(StartError::AlreadyStarted);
    }
    if config.clock {
        clock::start(config.run_directory()).map_err(|source| StartError::Create {
            directory: config.run_directory().to_owned(),
            source,
        })?;
    }
    if !config.record {
        return Ok(());
    }
    let mut new = false;
    let setup = SETUP.get_or_init(|| {
        new = true;
        Setup {
            config,
            python: Reader::new(),
        }
    });
    if !new {
        return Err(StartError::AlreadyStarted);
    }
    let mut recorder = Recorder::open(setup).map_err(|source| StartError::Create {
        directory: setup.config.run_directory().to_owned(),
        source,
    })?;
    for (thread, name) in &setup.config.threads {
        recorder.name_thread(ThreadId(*thread), name);
    }
    *lock() = Some(recorder);
    waits::open(setup.config.run_directory());
    fork::watch(on_fork_in_child);
    // SAFETY: the handler is a function of a library that is never unloaded. Should there be no room for it, the trace
    // merely looks cut off.
    unsafe { libc::atexit(on_exit) };
    set_phase(Phase::On);
    Ok(())
}

/// Whether calls are being recorded; costs one atomic load.
#[inline]
pub fn is_recording() -> bool {
    let phase = PHASE.load(Ordering::Relaxed);
    phase == Phase::On as u8 || phase == Phase::Forked as u8
}

/// Lets `record` write to the trace, if this process is recording.
pub(crate) fn with(record: impl FnOnce(&mut Recorder)) {
    with_and_then(Phase::On, record);
}

/// The same, and goes over to `next` before anybody else can write.
fn with_and_then(next: Phase, record: impl FnOnce(&mut Recorder)) {
    if !is_recording() {
        return;
    }
    let Some(_recording) = thread::recording() else {
        return;
    };
    let mut slot = lock();
    if slot.is_none() {
        // Either this is a forked child, or the recording ended while this thread waited.
        *slot = open_in_child();
    }
    let Some(recorder) = slot.as_mut() else {
        return;
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        recorder.stamp();
        fork::children(|child| recorder.fork(child));
        record(recorder);
        recorder.publish_window();
        recorder.take_failure()
    }));
    let next = match outcome {
        Ok(None) => next,
        Ok(Some(error)) => stop(recorder, &in_words(&error)),
        Err(_) => stop(recorder, "an internal error of cgsan"),
    };
    if next != Phase::On {
        set_phase(next);
        *slot = None;
    }
}

/// Says, in the trace and to the person, that recording stops.
fn stop(recorder: &mut Recorder, reason: &str) -> Phase {
    recorder.mark_stopped();
    say(&format!(
        "recording stopped ({reason}) in {}; the program goes on, and the report tells what was recorded until then",
        recorder.folder().display()
    ));
    Phase::Stopped
}

/// The recorder of a forked child, made when it has something to record.
fn open_in_child() -> Option<Recorder> {
    if PHASE.load(Ordering::Relaxed) != Phase::Forked as u8 {
        return None;
    }
    let setup = SETUP.get()?;
    match Recorder::open(setup) {
        Ok(recorder) => {
            waits::open(setup.config.run_directory());
            set_phase(Phase::On);
            Some(recorder)
        }
        Err(error) => {
            set_phase(Phase::Stopped);
            say(&format!(
                "cannot record the forked process {} into {} ({}); the program goes on",
                std::process::id(),
                setup.config.run_directory().display(),
                in_words(&error)
            ));
            None
        }
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Recorder>> {
    // SAFETY: the mutex is replaced only in a forked child before any of its code runs.
    let mutex = unsafe { &*RECORDER.0.get() };
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_phase(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Relaxed);
}

fn on_fork_in_child() {
    if !is_recording() {
        return;
    }
    // SAFETY: the child has one thread, and it is in fork(), so no reference to the mutex is in use. Another thread of
    // the parent may have held it, in the middle of a change: the old value is therefore neither used nor dropped. The
    // trace that it wrote to is not mapped here.
    unsafe { RECORDER.0.get().write(Mutex::new(None)) };
    thread::reset_after_fork();
    waits::reset_after_fork();
    window::reset_after_fork();
    set_phase(Phase::Forked);
}

/// In a sealed child: nothing is recorded from now on, and nobody takes the lock, which another thread of the parent may hold.
pub(crate) fn seal() {
    set_phase(Phase::Sealed);
}

extern "C" fn on_exit() {
    if PHASE.load(Ordering::Relaxed) == Phase::On as u8 {
        with_and_then(Phase::Ended, Recorder::end);
    }
    if is_recording() {
        // A forked child that recorded nothing.
        set_phase(Phase::Ended);
    }
}

/// One line on standard error. It is written at once: Rust's own standard error could wait for a lock that another
/// thread of a forked parent held.
pub fn say(message: &str) {
    let line = format!("cgsan: {message}\n");
    // SAFETY: the pointer and the length are those of `line`.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}
