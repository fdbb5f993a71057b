//! Signals that are sent to cgsan while a program runs.

use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::{fs, iter};

use rustix::process::{Pid, Signal};
use signal_hook::consts::{
    SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGURG, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU,
};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::exfiltrator::origin::Origin;
use signal_hook::iterator::{Handle, SignalsInfo};

use crate::output::error::Error;
use crate::output::signals;
use crate::output::signals::real_time;
use crate::program::interrupt::{self, Relayed};

/// What batch systems, supervisors and people send, most of which would end cgsan without a report.
/// Real-time signals are watched too, see [`real_time`].
const NAMED: [i32; 15] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGTSTP, SIGXCPU, SIGURG,
    SIGIO, SIGPROF, SIGVTALRM, SIGWINCH,
];

/// How many processes may lie between the sender of a signal and the program.
const DEEPEST: usize = 64;

/// Signals are caught, and wait for a program to be passed on to.
pub struct Relay {
    signals: SignalsInfo<WithOrigin>,
    relayed: Relayed,
}

impl Relay {
    /// Catches signals from here on, without those that cgsan was started to ignore.
    pub fn prepare() -> Result<Self, Error> {
        let watched: Vec<i32> = NAMED
            .into_iter()
            .chain(real_time())
            .filter(|signal| !signals::is_ignored(*signal))
            .collect();
        // In this order: from the first of these on a signal waits for the program, and ends nothing while it is started.
        let signals = SignalsInfo::new(&watched).map_err(Error::Signals)?;
        let relayed = Relayed::begin();
        interrupt::watch(&watched).map_err(Error::Signals)?;
        Ok(Self { signals, relayed })
    }

    /// Passes on what is sent to cgsan alone. What the terminal sends (`Ctrl-C`, `Ctrl-\\`) reaches the program by itself, because
    /// it is in our process group; and what the program sends to its group has reached it.
    ///
    /// What another process sends to the whole group reaches the program twice: the kernel does not say whether a signal
    /// was meant for a process or for its group, and a signal that is lost is worse than one that comes again.
    pub fn begin(mut self, child: &Child) -> Relaying {
        let handle = self.signals.handle();
        let program_ended = Arc::new(AtomicBool::new(false));
        let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let has_ended = Arc::clone(&program_ended);
        let thread = thread::spawn(move || {
            for origin in &mut self.signals {
                if let (Some(child), false) = (child, has_ended.load(Ordering::SeqCst)) {
                    pass_on(&origin, child);
                }
            }
        });
        Relaying {
            handle,
            thread,
            program_ended,
            relayed: self.relayed,
        }
    }
}

/// Signals are passed on.
pub struct Relaying {
    handle: Handle,
    thread: JoinHandle<()>,
    program_ended: Arc<AtomicBool>,
    relayed: Relayed,
}

impl Relaying {
    /// Ends it once the program has ended. A signal that came before is dealt with, so that it does not end cgsan late; from here
    /// on, they end the analysis.
    pub fn end(self) {
        drop(self.relayed);
        self.program_ended.store(true, Ordering::SeqCst);
        self.handle.close();
        let _ = self.thread.join();
    }
}

fn pass_on(origin: &Origin, child: Pid) {
    let sender = origin.process.as_ref().map(|process| process.pid);
    let is_for_us = sender.is_some_and(|sender| !is_of_program(sender, child));
    if is_for_us {
        send(child, origin.signal);
    }
    if origin.signal == SIGTSTP {
        // Its default, which the handler has taken away.
        let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
    }
}

/// Sends a signal. The value that a real-time signal may carry is lost.
#[expect(unsafe_code, reason = "rustix has no names for real-time signals")]
fn send(process: Pid, signal: i32) {
    // SAFETY: any numbers may be passed.
    unsafe { libc::kill(process.as_raw_nonzero().get(), signal) };
}

/// Whether a process is the program, or was started by it.
fn is_of_program(process: i32, program: Pid) -> bool {
    let parents = iter::successors(Some(process), |process| parent(*process));
    parents
        .take(DEEPEST)
        .any(|process| process == program.as_raw_nonzero().get())
}

fn parent(process: i32) -> Option<i32> {
    let about = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let (_, behind) = about.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}
