//! The thread that watches a run.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::account::Account;
use crate::decisions::Decisions;
use crate::judge::{SURE, Seen};
use crate::{sample, suspects};

/// What becomes of a run that stands still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnHang {
    /// It is left alone.
    #[default]
    Continue,
    /// It is ended.
    Kill,
}

/// How a run is watched.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The folder of the run.
    pub folder: PathBuf,
    /// For how long nothing may go on.
    pub limit: Duration,
    /// Whether the GPU is the virtual one.
    pub is_virtual: bool,
    /// What becomes of it then.
    pub on_hang: OnHang,
}

/// What is done with an account at once, and by what the run is ended.
pub trait Actions: Send {
    /// Says it to the person.
    fn tell(&mut self, account: &Account);
    /// Ends the run.
    fn end(&mut self);
}

/// The samples of a limit, about; and the shortest and longest times between two, on the virtual GPU and on a real one.
const SAMPLES: u32 = 8;
const PAUSES: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(10),
];

/// A run that stands still again is told of again, so often.
const MOST: usize = 4;

/// A run that is being watched.
#[derive(Debug)]
pub struct Watching {
    end: Sender<()>,
    thread: Option<JoinHandle<Vec<Account>>>,
}

impl Watch {
    /// Begins to watch the processes that this one starts.
    pub fn begin(self, actions: impl Actions + 'static) -> Watching {
        let (end, ended) = mpsc::channel::<()>();
        let work = move || {
            let longest = PAUSES[usize::from(!self.is_virtual) + 1];
            let pause = (self.limit / SAMPLES).clamp(PAUSES[0], longest);
            let wait = || ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout);
            self.run(pause, wait, actions)
        };
        let thread = thread::Builder::new()
            .name("cgsan-hangs".to_owned())
            .spawn(work);
        Watching {
            end,
            thread: thread.ok(),
        }
    }

    /// Watches for as long as `wait` says that there is time for one more look.
    fn run(
        &self,
        pause: Duration,
        wait: impl Fn() -> bool,
        mut actions: impl Actions,
    ) -> Vec<Account> {
        let mut seen = Seen::new(self.limit, pause, self.is_virtual);
        let mut accounts = Vec::new();
        let mut is_told = false;
        let mut decisions = Decisions::new(self.limit);
        while accounts.len() < MOST && wait() {
            let sample = sample::take(std::process::id(), &self.folder);
            // Where the run is left alone, the program's own standard error has the line.
            if self.on_hang == OnHang::Kill
                && let Some(threads) = decisions.without_end(&sample)
            {
                let account = suspects::deciding(&threads, &self.folder).after(self.limit, true);
                actions.tell(&account);
                actions.end();
                accounts.push(account);
                return accounts;
            }
            seen.add(sample);
            if seen.has_gone_on() {
                is_told = false;
            }
            if is_told {
                continue;
            }
            let Some((account, since)) = self.standing_still(&mut seen) else {
                continue;
            };
            is_told = true;
            let kills = self.on_hang == OnHang::Kill && account.is_certain();
            let account = account.after(since, kills);
            actions.tell(&account);
            if kills {
                actions.end();
            }
            accounts.push(account);
        }
        accounts
    }

    /// What is to be said of the run, if it stands still, and for how long it has.
    fn standing_still(&self, seen: &mut Seen) -> Option<(Account, Duration)> {
        let deadlock = seen
            .deadlocked()
            .and_then(|(stuck, others)| suspects::deadlock(&stuck, &others, &self.folder));
        if let Some(account) = deadlock {
            return Some((account, SURE));
        }
        let standing = seen.standing()?;
        let account = suspects::examine(&standing, seen, &self.folder);
        if account.is_none() {
            // Not before it stood still for as long once more: each look costs something.
            seen.forget();
        }
        Some((account?, self.limit))
    }
}

impl Watching {
    /// Ends it. What was said meanwhile.
    pub fn end(mut self) -> Vec<Account> {
        drop(self.end);
        let thread = self.thread.take();
        thread.and_then(|it| it.join().ok()).unwrap_or_default()
    }
}
