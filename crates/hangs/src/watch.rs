//! The thread that watches a run.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::judge::Seen;
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

/// The samples of a limit, about; and the shortest and longest time between two.
const SAMPLES: u32 = 8;
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(10)];

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
            let pause = (self.limit / SAMPLES).clamp(PAUSES[0], PAUSES[1]);
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
        let mut seen = Seen::new(self.limit, pause);
        let mut accounts = Vec::new();
        let mut is_told = false;
        let mut since = Instant::now();
        while accounts.len() < MOST && wait() {
            seen.add(sample::take(std::process::id(), &self.folder));
            let Some(standing) = seen.standing() else {
                is_told = false;
                since = Instant::now();
                continue;
            };
            if is_told {
                continue;
            }
            let Some(account) = suspects::examine(&standing, &seen, &self.folder) else {
                // Not before it stood still for as long once more: each look costs something.
                seen.forget();
                continue;
            };
            is_told = true;
            let kills = self.on_hang == OnHang::Kill && account.is_certain();
            let account = account.after(since.elapsed() + self.limit, kills);
            actions.tell(&account);
            if kills {
                actions.end();
            }
            accounts.push(account);
        }
        accounts
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
