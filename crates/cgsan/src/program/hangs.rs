//! Programs that stand still: what is done at once, and what goes into the report.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use cgsan_finding::{Consequence, Finding, Note, Observed, Report};
use cgsan_hangs::{Account, Actions, Watch, Watching};
use cgsan_threads::{Process, processes_below};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use crate::cli::{OnHang, RunOptions};
use crate::program::gpu::Gpu;

/// The exit status where the program was ended for standing still.
pub const ENDED: u8 = 123;

/// How long a program has to end by itself once it is asked to.
const GRACE: Duration = Duration::from_secs(3);

/// Between two looks whether it has.
const PAUSE: Duration = Duration::from_millis(50);

/// How a program is watched.
#[derive(Clone, Copy, Debug)]
pub struct Hangs {
    limit: Duration,
    on_hang: OnHang,
    is_virtual: bool,
}

impl Hangs {
    /// As the command line says; `None` if it is not.
    pub fn of(options: &RunOptions, gpu: Gpu) -> Option<Hangs> {
        let limit = Duration::from_secs(options.hang_timeout.into());
        (!limit.is_zero()).then_some(Hangs {
            limit,
            on_hang: options.on_hang,
            is_virtual: gpu == Gpu::Virtual,
        })
    }

    /// Whether a program that stands still is ended.
    pub fn kills(self) -> bool {
        self.on_hang == OnHang::Kill
    }

    /// Watches the program whose traces are in a folder.
    pub fn watch(self, folder: &Path) -> Watching {
        let on_hang = match self.on_hang {
            OnHang::Kill => cgsan_hangs::OnHang::Kill,
            OnHang::Continue => cgsan_hangs::OnHang::Continue,
        };
        Watch {
            folder: folder.to_owned(),
            limit: self.limit,
            is_virtual: self.is_virtual,
            on_hang,
        }
        .begin(AtOnce)
    }
}

/// Waits until a program has ended, without asking for its status: who asks is told of its threads' stops too, which are
/// there while their stacks are read.
pub fn wait_for_end(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(Ok(program)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
        return;
    };
    let mut end = [PollFd::new(&program, PollFlags::IN)];
    while poll(&mut end, None) == Err(rustix::io::Errno::INTR) {}
}

/// Failure modes that explain why ranks wait.
const EXPLAIN: [&str; 4] = ["CG401", "CG402", "CG403", "CG404"];

/// Adds to a report where the program stood still: as what followed from a finding that explains it, or by itself.
pub fn add_to(report: &mut Report, hangs: &[Account]) {
    for account in hangs {
        let Some(finding) = account.finding() else {
            report.notes.push(account.note());
            continue;
        };
        let mut findings = report.findings.iter_mut();
        let cause = findings.find(|it| EXPLAIN.contains(&it.id));
        match cause.and_then(Finding::observed_mut) {
            Some(cause) => follow(cause, finding),
            None => report.findings.push(finding),
        }
    }
}

/// That nobody could see whether the program stood still, where the system does not show processes.
pub fn unseen() -> Option<Note> {
    let text = "`/proc` is not mounted: it was not seen whether the program stood still";
    (!Path::new("/proc/self/stat").exists()).then(|| Note::new(text, None))
}

/// Makes a finding what followed from a cause.
fn follow(cause: &mut Observed, mut finding: Finding) {
    let standing = finding
        .observed_mut()
        .map(|it| std::mem::take(&mut it.standing));
    cause.standing.extend(standing.unwrap_or_default());
    cause.consequences.push(Consequence {
        id: Some(finding.id),
        text: format!("{}: {}", finding.title, finding.notes.join("; ")),
        location: finding.location,
    });
}

/// What is done while the program runs.
struct AtOnce;

impl Actions for AtOnce {
    fn tell(&mut self, account: &Account) {
        let text = cgsan_render::shown(&account.text());
        // If nobody reads it, the report has it still.
        let _ = write!(io::stderr().lock(), "cgsan: {text}");
    }

    fn end(&mut self) {
        let own = std::process::id();
        for signal in [Signal::TERM, Signal::CONT] {
            send_to_all(own, signal);
        }
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if living(own).is_empty() {
                return;
            }
            thread::sleep(PAUSE);
        }
        send_to_all(own, Signal::KILL);
    }
}

fn living(own: u32) -> Vec<Process> {
    let all = processes_below(own).into_iter();
    all.filter(|process| process.state != 'Z').collect()
}

fn send_to_all(own: u32, signal: Signal) {
    for process in living(own) {
        let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // It may have ended.
            let _ = kill_process(pid, signal);
        }
    }
}
