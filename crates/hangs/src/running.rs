//! Whether processes stand still that were not started by this command, so that no recorder tells which calls have not returned:
//! whoever looks at them says it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use cgsan_finding::Process;
use cgsan_threads::{Look, Thread, switches_of, threads_of};
use cgsan_trace::waits::Wait;

use crate::account::{Account, Stuck};
use crate::judge::{Seen, Standing, Why};
use crate::sample::{self, Sample};
use crate::suspects::{
    can_wait_for_itself, is_at_a_debugger, is_stuck_host_function, own, why_idle,
};

/// For so long a real GPU is taken to compute in one call.
const COMPUTES: Duration = Duration::from_mins(1);

/// A process that was not started by this command.
#[derive(Clone, Debug)]
pub struct RunningProcess {
    /// Which one.
    pub process: Process,
    /// Where its threads are.
    pub look: Look,
    /// What the program calls them, in the same order.
    pub names: Vec<Option<String>>,
    /// Whether its GPU is the virtual one.
    pub is_virtual: bool,
    /// For how long threads are known to have slept.
    pub slept: HashMap<u32, Duration>,
}

/// What was seen of such processes until now.
#[derive(Debug)]
pub struct Running {
    seen: Seen,
    /// How often each thread was scheduled when it was first seen, and whether it was since.
    scheduled: HashMap<(u32, u32), (Option<u64>, bool)>,
    begun: Instant,
}

impl Running {
    /// Nothing yet. `pause` lies between samples, which span at least `limit`.
    pub fn new(limit: Duration, pause: Duration, is_virtual: bool) -> Running {
        Running {
            seen: Seen::new(limit, pause, is_virtual),
            scheduled: HashMap::new(),
            begun: Instant::now(),
        }
    }

    /// Takes a sample: of the processes, each with the calls that have not returned, and of those that they started.
    pub fn add(&mut self, processes: &[(u32, Vec<Wait>)], others: &[u32]) {
        let all = processes.iter().map(|(pid, _)| pid).chain(others);
        for pid in all {
            for thread in threads_of(*pid) {
                let now = switches_of(*pid, thread.id);
                let first = self.scheduled.entry((*pid, thread.id));
                let (before, was) = first.or_insert((now, false));
                *was |= *before != now;
            }
        }
        let named = processes.iter();
        let named = named.map(|(pid, waits)| sample::of_running(*pid, true, waits.clone()));
        let others = others
            .iter()
            .map(|pid| sample::of_running(*pid, false, Vec::new()));
        self.seen.add(Sample {
            at: Instant::now(),
            processes: named.chain(others).collect(),
        });
    }

    /// What is to be said if all of these processes stand still; `None` if one goes on, or may. Others of their job may be what they
    /// wait for, unless those are `looked_at` elsewhere.
    pub fn account(&self, processes: Vec<RunningProcess>, looked_at: bool) -> Option<Account> {
        let standing = self.seen.standing()?;
        let is_debugged = |it: &RunningProcess| {
            let mut threads = it.look.threads.iter();
            threads.any(|thread| is_at_a_debugger(it.process.pid, thread))
        };
        if processes.iter().any(is_debugged) {
            return None;
        }
        let size = processes
            .iter()
            .filter_map(|it| it.process.world_size)
            .max();
        let is_part = !looked_at && size.is_some_and(|size| size as usize > processes.len());
        let window = self.begun.elapsed();
        let mut since: Option<Duration> = None;
        let mut stuck = Vec::new();
        let several = processes.len() > 1;
        for process in processes {
            // A process that starts others and waits for them.
            if several && !process.has_context() && is_idle(&standing, &process) {
                continue;
            }
            let why = self.why(&standing, &process)?;
            let reasons = process.reasons(&why);
            let slept = reasons
                .iter()
                .map(|id| process.slept.get(id).copied().unwrap_or(window));
            since = since.into_iter().chain(slept).min();
            stuck.push(process.stuck(why, since.unwrap_or(window), is_part));
        }
        // Also if there are none.
        if stuck.iter().all(|it| it.why == Why::Ranks) {
            return None;
        }
        let since = since.unwrap_or(window).max(window);
        Some(
            Account::of(stuck, Vec::new())
                .by_option("--for")
                .after(since, false),
        )
    }

    fn why(&self, standing: &[Standing], process: &RunningProcess) -> Option<Why> {
        let pid = process.process.pid;
        let why = &standing.iter().find(|it| it.pid == pid)?.why;
        let why = match why {
            Why::Idle => why_idle(pid, &process.look, &self.seen, &[])?,
            Why::Locks if !can_wait_for_itself(pid, &process.look, &[]) => return None,
            known => known.clone(),
        };
        let was_scheduled = |thread: &Thread| {
            let scheduled = self.scheduled.get(&(pid, thread.status.id));
            scheduled.is_none_or(|(_, was)| *was)
        };
        let moved = why == Why::Locks && own(&process.look, &[]).any(was_scheduled);
        (!moved).then_some(why)
    }
}

fn is_idle(standing: &[Standing], process: &RunningProcess) -> bool {
    let mut standing = standing.iter();
    standing.any(|it| it.pid == process.process.pid && it.why == Why::Idle)
}

/// The names of threads begin so that a context of CUDA, or of the virtual GPU, comes with.
const OF_CONTEXTS: [&str; 2] = ["cuda", "cgsan-streams"];

impl RunningProcess {
    /// Whether it works with a GPU.
    fn has_context(&self) -> bool {
        let mut threads = self.look.threads.iter();
        threads.any(|it| {
            OF_CONTEXTS
                .iter()
                .any(|name| it.status.name.starts_with(name))
        })
    }

    /// The threads that are why it does not go on.
    fn reasons(&self, why: &Why) -> Vec<u32> {
        match why {
            Why::Call { thread, .. } | Why::Gil { thread, .. } | Why::Uncomputed { thread } => {
                vec![*thread]
            }
            Why::Locks => own(&self.look, &[]).map(|it| it.status.id).collect(),
            Why::Stopped | Why::Ranks | Why::Idle => Vec::new(),
        }
    }

    fn stuck(self, why: Why, since: Duration, is_part: bool) -> Stuck {
        let mut threads = self.look.threads.iter();
        let in_host_function = threads.any(|it| is_stuck_host_function(it, &self.look));
        let is_call = matches!(why, Why::Call { .. });
        let is_alone = self.process.world_size.is_none_or(|size| size < 2);
        let may_compute = !self.is_virtual && (is_alone || since < COMPUTES) && !in_host_function;
        Stuck {
            may_compute: is_call && (may_compute || is_part),
            process: self.process,
            why,
            look: self.look,
            names: self.names,
            is_virtual: self.is_virtual,
            died: Vec::new(),
        }
    }
}
