//! Ctrl-C, and what else may end cgsan while it analyses and writes: the traces stay, and it is said where they are.
//!
//! While the program of a person runs, signals are passed on to it ([`relay`](crate::program::relay)). Whether it does is asked where a signal
//! arrives: one that came to the program's last moment does not end cgsan late.
#![expect(unsafe_code, reason = "acts where a signal arrives")]

use std::fs;
use std::io::{IsTerminal as _, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::{env, io, thread};

use cgsan_trace::TracePlace;
use signal_hook::consts::{SIGCONT, SIGINT, SIGTERM, SIGTSTP, SIGURG, SIGWINCH};
use signal_hook::low_level;

use crate::output::signals;
use crate::output::standard::Standard;
use crate::program::run_directory;
use crate::traces::leftovers::Unclaimed;
use crate::traces::recording;
use crate::traces::save;

/// Signals that end nothing by default, nor stop it.
const HARMLESS: [i32; 3] = [SIGCONT, SIGURG, SIGWINCH];

/// What a signal does that arrives now. One number, so that no signal comes between a question and what follows from it.
static STATE: AtomicU8 = AtomicU8::new(ENDS);

/// It begins to end cgsan.
const ENDS: u8 = 0;
/// The program of a person is started or runs: others pass it on.
const RELAYED: u8 = 1;
/// One has begun to end cgsan: the next one ends it at once.
const ENDING: u8 = 2;

/// Whether the process that started cgsan sends SIGTERM with its death, and whether it has. It does so for each of its threads, and
/// the later ones tell nothing new.
static ENDS_WITH_PARENT: AtomicBool = AtomicBool::new(false);
static PARENT_ENDED: AtomicBool = AtomicBool::new(false);

/// A process that was started for the analysis alone; 0 if there is none.
static ASIDE: AtomicI32 = AtomicI32::new(0);

/// Where the first signal is written to.
static WAKE: OnceLock<PipeWriter> = OnceLock::new();

/// Lets these signals end cgsan in this way, except while they are relayed.
///
/// # Errors
///
/// If the system has no room for a pipe or a handler.
pub fn watch(signals: &[i32]) -> io::Result<()> {
    if WAKE.get().is_some() {
        return Ok(());
    }
    let (woken, wake) = io::pipe()?;
    if WAKE.set(wake).is_err() {
        return Ok(());
    }
    thread::Builder::new()
        .name("cgsan-interrupt".to_owned())
        .spawn(move || end_when_woken(woken))?;
    for &signal in signals {
        if !HARMLESS.contains(&signal) {
            // SAFETY: the action reads and writes atomic numbers, and calls functions of the system that may be called
            // where a signal arrives.
            unsafe { low_level::register(signal, move || arrived(signal)) }?;
        }
    }
    Ok(())
}

/// SIGTERM comes with the death of the process that started cgsan.
pub fn ends_with_parent() {
    ENDS_WITH_PARENT.store(true, Ordering::SeqCst);
}

/// While this lives, signals are passed on by others.
#[derive(Debug)]
pub struct Relayed(());

impl Relayed {
    /// From here on. Where a signal has begun to end cgsan, no program is started any more: this waits for that end.
    pub fn begin() -> Relayed {
        while STATE.compare_exchange(ENDS, RELAYED, Ordering::SeqCst, Ordering::SeqCst)
            == Err(ENDING)
        {
            thread::park();
        }
        Relayed(())
    }
}

impl Drop for Relayed {
    fn drop(&mut self) {
        STATE.store(ENDS, Ordering::SeqCst);
    }
}

/// While this lives, a process runs that ends with the analysis.
#[derive(Debug)]
pub struct Aside(());

impl Aside {
    /// From here on, of this number.
    pub fn begin(process: u32) -> Aside {
        ASIDE.store(process.cast_signed(), Ordering::SeqCst);
        Aside(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        ASIDE.store(0, Ordering::SeqCst);
    }
}

/// What happens where a signal arrives.
fn arrived(signal: i32) {
    let is_of_parent = signal == SIGTERM && ENDS_WITH_PARENT.load(Ordering::SeqCst);
    let is_again = is_of_parent && PARENT_ENDED.swap(true, Ordering::SeqCst);
    if is_again || STATE.load(Ordering::SeqCst) == RELAYED {
        return;
    }
    if signal == SIGTSTP {
        let _ = low_level::emulate_default_handler(signal);
        return;
    }
    match STATE.compare_exchange(ENDS, ENDING, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => {}
        Err(RELAYED) => return,
        // The second one ends it at once.
        Err(_) => signals::by_default(signal),
    }
    let Some(wake) = WAKE.get() else {
        return signals::by_default(signal);
    };
    let bytes = signal.to_ne_bytes();
    // SAFETY: the pipe is never closed, and the pointer and the length are those of `bytes`.
    unsafe { libc::write(wake.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
}

fn end_when_woken(mut woken: PipeReader) {
    let mut signal = [0; 4];
    if woken.read_exact(&mut signal).is_err() {
        return;
    }
    let signal = i32::from_ne_bytes(signal);
    let aside = ASIDE.load(Ordering::SeqCst);
    if aside > 0 {
        // SAFETY: any numbers may be passed; the process is waited for only after the number is taken back.
        unsafe { libc::kill(aside, libc::SIGKILL) };
    }
    // Held to the end, so that the main thread removes none of them.
    let folders = run_directory::open();
    let left: Vec<String> = folders.iter().filter_map(|folder| leave(folder)).collect();
    let what = match signal {
        SIGINT => "interrupted".to_owned(),
        _ => format!("ended by signal {signal}"),
    };
    if io::stderr().is_terminal() {
        // The line that shows what is being done.
        let _ = io::stderr().write_all(b"\r\x1b[2K");
    }
    let what = format!("{what} before the analysis was done");
    for line in std::iter::once(what).chain(left) {
        let text = format!("cgsan: {line}\n");
        let _ = Standard::Error.write(&cgsan_render::shown(&text));
    }
    signals::by_default(signal);
}

/// Leaves of the folder of a run what is to stay, and says what that is.
fn leave(folder: &Path) -> Option<String> {
    let kept = kept(folder);
    let unclaimed = Unclaimed::of(folder);
    match &unclaimed {
        Some(unclaimed) => unclaimed.leave(),
        None => {
            let _ = fs::remove_dir_all(folder);
        }
    }
    let unclaimed = unclaimed.map(|it| it.text());
    let kept = (!kept.is_empty()).then(|| {
        let place = TracePlace::told(folder);
        let folder = match &place {
            Some(TracePlace::Folder(folder)) => Some(near(folder)),
            _ => None,
        };
        save::told(&kept, folder.as_deref())
    });
    let texts: Vec<String> = kept.into_iter().chain(unclaimed).collect();
    (!texts.is_empty()).then(|| texts.join("\ncgsan: "))
}

/// The traces of a run that are in the place that was asked for.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kept: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| recording::is_named_as_trace(path))
        .filter_map(|path| fs::read_link(path).ok())
        .map(|path| near(&path))
        .collect();
    kept.sort();
    kept
}

/// A path, relative to the working folder if it is in there.
fn near(path: &Path) -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    match path.strip_prefix(here) {
        Ok(inside) if !inside.as_os_str().is_empty() => inside.to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn where_a_signal_has_begun_to_end_cgsan_no_program_is_started() {
        STATE.store(ENDING, Ordering::SeqCst);
        let starting = thread::spawn(|| drop(Relayed::begin()));
        thread::sleep(Duration::from_millis(100));
        assert!(!starting.is_finished());

        STATE.store(ENDS, Ordering::SeqCst);
        starting.thread().unpark();
        starting.join().expect("it begins");
        assert_eq!(STATE.load(Ordering::SeqCst), ENDS);
    }
}
