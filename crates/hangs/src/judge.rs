//! Whether a run stands still: from what was seen of it over some time, and nothing else.

use std::collections::VecDeque;
use std::time::Duration;

use cgsan_trace::waits::{HOST_FUNCTION, Wait};

use crate::sample::{ProcessSample, Sample, ThreadSample};

/// Of this part of the time, in percent, threads may run without its counting as progress: loops that look for something to
/// do now and then.
const IDLING: u32 = 5;

/// As much, in percent, is work where waiting does not spin: on the virtual GPU, whose waits look for news now and then, and which
/// computes in the thread that waits or in one of its own.
const WORKING: u32 = 50;

/// As much, in percent, is work where the virtual GPU is known to compute: the machine may have others to serve.
const COMPUTING: u32 = 1;

/// For how long nothing may happen where nobody is left who could do anything.
pub const SURE: Duration = Duration::from_secs(2);

/// Threads of libraries that run whether or not the program goes on: by the beginnings of their names.
const SERVICES: &[&str] = &[
    "cgsan-",
    "cuda",
    "nvidia",
    "NCCL",
    "nccl",
    "pt_nccl",
    "pt_tcpstore",
    "pt_monitor",
];

/// Why a process does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A signal stopped it.
    Stopped,
    /// A thread is in a call that did not return.
    Call {
        /// The thread.
        thread: u32,
        /// The function.
        name: String,
    },
    /// Every thread waits for a lock or a condition, which only another one of them could release.
    Locks,
    /// A thread holds the lock of the interpreter and sleeps, and others wait for it.
    Gil {
        /// The thread.
        thread: u32,
        /// Whether its system call may return without another thread of the process: a sleep, a read.
        may_return: bool,
    },
    /// It waits for other ranks over the network.
    Ranks,
    /// A thread reads again and again a truth value that no kernel computes.
    Uncomputed {
        /// The thread.
        thread: u32,
    },
    /// Nothing was seen that says why. It did not run.
    Idle,
}

impl Why {
    /// Whether the process may yet go on, and others with it that wait for it: no reason to end it.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Why::Stopped
                | Why::Gil {
                    may_return: true,
                    ..
                }
        )
    }
}

/// A process that did not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its id.
    pub pid: u32,
    /// Why.
    pub why: Why,
}

/// What was seen of a run for as long as it has to stand still to be reported.
#[derive(Debug)]
pub struct Seen {
    limit: Duration,
    pause: Duration,
    is_virtual: bool,
    samples: VecDeque<Sample>,
}

impl Seen {
    /// Nothing yet. `pause` lies between samples. The GPU may be the virtual one, whose work takes no time.
    pub fn new(limit: Duration, pause: Duration, is_virtual: bool) -> Seen {
        Seen {
            limit,
            pause,
            is_virtual,
            samples: VecDeque::new(),
        }
    }

    /// Takes note of a sample. If there was a long time without one, somebody stopped this process, and perhaps the run with it.
    pub fn add(&mut self, sample: Sample) {
        let last = self.samples.back().map(|last| sample.at - last.at);
        if last.is_some_and(|since| since > self.pause * 4 + Duration::from_secs(1)) {
            self.samples.clear();
        }
        self.samples.push_back(sample);
        while self.samples.len() > 2 && self.spans(1) {
            self.samples.pop_front();
        }
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        self.samples.clear();
    }

    /// Whether something was done in the time that was seen.
    pub fn has_gone_on(&self) -> bool {
        let ends = self.samples.front().zip(self.samples.back());
        ends.is_some_and(|(first, last)| self.is_going_on(first, last))
    }

    /// The watched processes, if none of the run's processes went on for so long, and why each did not. Whether that is a
    /// reason to worry is for the caller to say.
    pub fn standing(&self) -> Option<Vec<Standing>> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        if !self.spans(0) || self.is_going_on(first, last) {
            return None;
        }
        if last
            .processes
            .iter()
            .any(|it| !it.is_watched && is_stopped(it))
        {
            // Whoever stopped it may let it go on, and it may be what the others wait for.
            return None;
        }
        let watched = last.processes.iter().filter(|it| it.is_watched);
        let standing: Vec<Standing> = watched
            .map(|process| Standing {
                pid: process.pid,
                why: self.why(process),
            })
            .collect();
        (!standing.is_empty()).then_some(standing)
    }

    /// The watched processes, if on the virtual GPU some wait for others and nobody is left who could do anything: each of their
    /// threads waits for work of the GPU, or for another thread. Those that do something else come second; they matter if they
    /// use CUDA.
    pub fn deadlocked(&self) -> Option<(Vec<Standing>, Vec<u32>)> {
        let last = self.samples.back()?;
        let since = self
            .samples
            .iter()
            .rev()
            .find(|it| last.at - it.at >= SURE)?;
        if !self.is_virtual || self.is_going_on(since, last) {
            return None;
        }
        if last.processes.iter().any(is_stopped) {
            return None;
        }
        let recent = |pid: u32| {
            let recent = self.samples.iter().filter(|it| it.at >= since.at);
            recent
                .flat_map(|it| &it.processes)
                .filter(move |it| it.pid == pid)
        };
        let (mut stuck, mut others) = (Vec::new(), Vec::new());
        for process in last.processes.iter().filter(|it| it.is_watched) {
            let is_still = || {
                recent(process.pid).all(|it| it.waits == process.waits && same_places(it, process))
            };
            match cause(process.waits.iter()) {
                Some(wait) if can_only_wait(process) && is_still() => stuck.push(Standing {
                    pid: process.pid,
                    why: Why::Call {
                        thread: wait.thread,
                        name: wait.name.clone(),
                    },
                }),
                _ => others.push(process.pid),
            }
        }
        (!stuck.is_empty()).then_some((stuck, others))
    }

    /// Whether the samples from this one on span the limit.
    fn spans(&self, from: usize) -> bool {
        let (Some(first), Some(last)) = (self.samples.get(from), self.samples.back()) else {
            return false;
        };
        last.at - first.at >= self.limit
    }

    /// Whether something was done: a process or a thread was started, a call returned, somebody computed or used a disk. Or a
    /// debugger is at work.
    fn is_going_on(&self, first: &Sample, last: &Sample) -> bool {
        let mut ran = Duration::ZERO;
        for process in &last.processes {
            let Some(before) = first.processes.iter().find(|it| it.pid == process.pid) else {
                return true;
            };
            if process.is_traced || self.has_returned(process) || self.was_continued(process) {
                return true;
            }
            if has_computed(before, process, last.at - first.at) {
                return true;
            }
            for thread in &process.threads {
                if thread.state == 'D' {
                    return true;
                }
                let before = before.threads.iter().find(|it| it.id == thread.id);
                let before = before.map_or(Duration::ZERO, |it| it.ran);
                let of_thread = thread.ran.saturating_sub(before);
                if !is_service(&thread.name) && !is_waiting(process, thread) {
                    ran += of_thread;
                } else if self.is_virtual && of_thread * 100 > (last.at - first.at) * WORKING {
                    return true;
                }
            }
        }
        ran * 100 > (last.at - first.at) * IDLING
    }

    /// Whether a call that was seen in a process has returned.
    fn has_returned(&self, process: &ProcessSample) -> bool {
        self.of(process.pid).any(|earlier| {
            let mut waits = earlier.waits.iter();
            waits.any(|wait| !process.waits.contains(wait))
        })
    }

    /// Whether a process was stopped, and is no more.
    fn was_continued(&self, process: &ProcessSample) -> bool {
        !is_stopped(process) && self.of(process.pid).any(is_stopped)
    }

    fn why(&self, process: &ProcessSample) -> Why {
        if is_stopped(process) {
            return Why::Stopped;
        }
        let always = |holds: &dyn Fn(&ProcessSample) -> bool| self.of(process.pid).all(holds);
        let lasts = |wait: &&Wait| {
            // What a stream calls may begin a little after the call that waits for it.
            wait.name == HOST_FUNCTION || always(&|it| it.waits.contains(wait))
        };
        if let Some(wait) = cause(process.waits.iter().filter(lasts)) {
            return Why::Call {
                thread: wait.thread,
                name: wait.name.clone(),
            };
        }
        if always(&|it| it.threads == process.threads || same_places(it, process))
            && waits_for_itself(process)
        {
            return Why::Locks;
        }
        Why::Idle
    }

    /// What was seen of a process.
    fn of(&self, pid: u32) -> impl Iterator<Item = &ProcessSample> {
        let all = self.samples.iter().flat_map(|sample| &sample.processes);
        all.filter(move |process| process.pid == pid)
    }

    /// Whether signals mean something to a process, so that one may free it.
    pub fn handles_signals(&self, pid: u32) -> bool {
        self.of(pid).any(|process| process.handles_signals)
    }

    /// Whether a thread did nothing at all: it did not run, and was in one system call. It may have come there in the first quarter
    /// of the limit, of which a part may count as idling.
    pub fn was_still(&self, pid: u32, thread: u32) -> bool {
        let is_late = |it: &&Sample| {
            let last = self.samples.back();
            last.is_some_and(|last| last.at - it.at <= self.limit * 3 / 4)
        };
        let late = self.samples.iter().filter(is_late);
        let of_process = late
            .flat_map(|sample| &sample.processes)
            .filter(|process| process.pid == pid);
        let mut seen = of_process.map(|process| {
            let mut threads = process.threads.iter();
            let thread = threads.find(|it| it.id == thread)?;
            Some((thread.ran, thread.system_call))
        });
        let first = seen.next().flatten();
        first.is_some_and(|(_, call)| call.is_some()) && seen.all(|it| it == first)
    }
}

/// Whether a thread of this name is one of a library's that runs whether or not the program goes on.
pub fn is_service(thread: &str) -> bool {
    SERVICES.iter().any(|name| thread.starts_with(name))
}

/// Whether the virtual GPU computed in a process for some time: other computations, or still the same and it ran.
fn has_computed(before: &ProcessSample, process: &ProcessSample, time: Duration) -> bool {
    let ran = |process: &ProcessSample| process.threads.iter().map(|it| it.ran).sum::<Duration>();
    let since = ran(process).saturating_sub(ran(before));
    before.computes != process.computes
        || !process.computes.is_empty() && since * 100 > time * COMPUTING
}

/// The call that others wait for: the first one that began, unless a stream calls a function of the program's.
fn cause<'a>(mut waits: impl Iterator<Item = &'a Wait> + Clone) -> Option<&'a Wait> {
    let first = waits.clone().next();
    waits.find(|wait| wait.name == HOST_FUNCTION).or(first)
}

/// Whether a signal stopped a process, not a debugger.
fn is_stopped(process: &ProcessSample) -> bool {
    let main = process.threads.first();
    main.is_some_and(|thread| thread.state == 'T')
}

/// Whether a thread is in a call that may block. Such calls may spin.
fn is_waiting(process: &ProcessSample, thread: &ThreadSample) -> bool {
    process.waits.iter().any(|wait| wait.thread == thread.id)
}

fn same_places(one: &ProcessSample, other: &ProcessSample) -> bool {
    let places = |process: &ProcessSample| {
        let own = process
            .threads
            .iter()
            .filter(|thread| !is_service(&thread.name));
        own.map(|thread| (thread.id, thread.system_call))
            .collect::<Vec<_>>()
    };
    places(one) == places(other)
}

/// Whether each thread of a process waits for work of the GPU, or for another thread.
fn can_only_wait(process: &ProcessSample) -> bool {
    let mut own = process.threads.iter().filter(|it| !is_service(&it.name));
    own.all(|thread| {
        let call = thread.system_call;
        is_waiting(process, thread) || call.is_some_and(|call| call.waits_for_a_thread())
    })
}

/// Whether nothing from outside can free a process: each thread that is the program's waits for another one, and no signal
/// means anything to it.
fn waits_for_itself(process: &ProcessSample) -> bool {
    let mut own = process
        .threads
        .iter()
        .filter(|thread| !is_service(&thread.name));
    !process.handles_signals
        && own.all(|thread| {
            thread
                .system_call
                .is_some_and(|call| call.waits_for_a_thread())
        })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use cgsan_threads::SystemCall;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_secs(1);

    /// A wait for a lock, without a time limit.
    const LOCK: SystemCall = SystemCall {
        number: 202,
        arguments: [0x1000, 128, 0, 0, 0, 0],
    };
    /// A read of a socket.
    const READ: SystemCall = SystemCall {
        number: 0,
        arguments: [7, 0, 0, 0, 0, 0],
    };

    fn thread(id: u32, call: SystemCall) -> ThreadSample {
        ThreadSample {
            id,
            name: "python".to_owned(),
            state: 'S',
            ran: Duration::ZERO,
            system_call: Some(call),
        }
    }

    fn process(pid: u32, threads: Vec<ThreadSample>) -> ProcessSample {
        ProcessSample {
            pid,
            is_watched: true,
            threads,
            ..ProcessSample::default()
        }
    }

    fn in_call(pid: u32, call: u32) -> ProcessSample {
        ProcessSample {
            waits: vec![Wait {
                thread: pid,
                call,
                name: "cudaDeviceSynchronize".to_owned(),
            }],
            ..process(pid, vec![thread(pid, READ)])
        }
    }

    /// What is said of a run whose processes look so in each second.
    fn standing(processes: impl Fn(u32) -> Vec<ProcessSample>) -> Option<Vec<Standing>> {
        let mut seen = Seen::new(LIMIT, PAUSE, false);
        let begun = Instant::now();
        for second in 0..=11 {
            seen.add(Sample {
                at: begun + PAUSE * second,
                processes: processes(second),
            });
        }
        seen.standing()
    }

    fn why(processes: impl Fn(u32) -> Vec<ProcessSample>) -> Option<Vec<Why>> {
        let standing = standing(processes)?;
        Some(standing.into_iter().map(|it| it.why).collect())
    }

    #[test]
    fn what_computes_goes_on_on_a_busy_machine_as_long_as_it_runs() {
        let computing = |ran: Duration| {
            move |second| {
                let mut process = in_call(7, 1);
                process.computes = process.waits.clone();
                process.threads[0].ran = ran * second;
                vec![process]
            }
        };
        assert_eq!(why(computing(PAUSE / 50)), None);
        assert!(why(computing(Duration::ZERO)).is_some());
    }

    #[test]
    fn a_function_that_a_stream_calls_is_what_others_wait_for() {
        let both = |from| {
            move |second| {
                let mut process = in_call(7, 1);
                if second >= from {
                    process.waits.push(Wait {
                        thread: 8,
                        call: 2,
                        name: HOST_FUNCTION.to_owned(),
                    });
                }
                vec![process]
            }
        };
        let expected = Why::Call {
            thread: 8,
            name: HOST_FUNCTION.to_owned(),
        };
        for from in [0, 2] {
            assert_eq!(why(both(from)), Some(vec![expected.clone()]), "{from}");
        }
    }

    #[test]
    fn a_call_that_does_not_return_is_seen_also_if_it_spins() {
        let spinning = |second| {
            let mut process = in_call(7, 1);
            process.threads[0].ran = PAUSE * second;
            vec![process]
        };
        let expected = Why::Call {
            thread: 7,
            name: "cudaDeviceSynchronize".to_owned(),
        };
        assert_eq!(why(spinning), Some(vec![expected]));
    }

    #[test]
    fn a_call_that_returns_now_and_then_is_progress() {
        assert_eq!(why(|second| vec![in_call(7, second / 8)]), None);
    }

    #[test]
    fn somebody_who_computes_may_be_what_others_wait_for() {
        let other = |second| {
            let mut thread = thread(8, READ);
            thread.ran = PAUSE * second;
            vec![in_call(7, 1), process(8, vec![thread])]
        };
        assert_eq!(why(other), None);
        assert_eq!(
            why(|second| vec![in_call(7, 1), process(8 + second, Vec::new())]),
            None
        );
    }

    #[test]
    fn a_service_that_runs_is_no_progress() {
        let watchdog = |second| {
            let mut process = in_call(7, 1);
            process.threads.push(ThreadSample {
                name: "pt_nccl_watchdg".to_owned(),
                ran: PAUSE * second,
                ..thread(9, LOCK)
            });
            vec![process]
        };
        assert!(why(watchdog).is_some());
    }

    #[test]
    fn locks_are_a_reason_where_nobody_else_can_release_them() {
        let stuck = || process(7, vec![thread(7, LOCK), thread(8, LOCK)]);
        assert_eq!(why(|_| vec![stuck()]), Some(vec![Why::Locks]));
        let served = || process(7, vec![thread(7, LOCK), thread(8, READ)]);
        assert_eq!(why(|_| vec![served()]), Some(vec![Why::Idle]));
        let told = || ProcessSample {
            handles_signals: true,
            ..stuck()
        };
        assert_eq!(why(|_| vec![told()]), Some(vec![Why::Idle]));
    }

    #[test]
    fn stopped_is_not_traced() {
        let stopped = |is_traced| {
            let mut process = process(7, vec![thread(7, READ)]);
            process.threads[0].state = 'T';
            ProcessSample {
                is_traced,
                ..process
            }
        };
        assert_eq!(why(|_| vec![stopped(false)]), Some(vec![Why::Stopped]));
        assert_eq!(why(|_| vec![stopped(true)]), None);
        assert_eq!(why(|second| vec![stopped(false), in_call(8, second)]), None);
    }

    /// A process in a call, stopped or not.
    fn in_call_and(pid: u32, is_stopped: bool) -> ProcessSample {
        let mut process = in_call(pid, 1);
        process.threads[0].state = if is_stopped { 'T' } else { 'S' };
        process
    }

    #[test]
    fn whoever_was_stopped_may_be_let_go_on() {
        let standing = |stopped: std::ops::Range<u32>| {
            why(|second| vec![in_call_and(7, stopped.contains(&second)), in_call(8, 1)])
        };
        let in_call = Why::Call {
            thread: 8,
            name: "cudaDeviceSynchronize".to_owned(),
        };
        assert_eq!(standing(5..12), Some(vec![Why::Stopped, in_call]));
        assert_eq!(standing(3..8), None, "it was continued");
        assert!(Why::Stopped.may_pass());
        let other = |second| {
            let mut other = in_call_and(8, second > 5);
            (other.is_watched, other.waits) = (false, Vec::new());
            vec![in_call_and(7, false), other]
        };
        assert_eq!(why(other), None, "others may wait for it");
    }

    #[test]
    fn a_time_in_which_we_were_stopped_does_not_count() {
        let mut seen = Seen::new(LIMIT, PAUSE, false);
        let begun = Instant::now();
        for second in [0, 1, 60, 61] {
            seen.add(Sample {
                at: begun + PAUSE * second,
                processes: vec![in_call(7, 1)],
            });
        }
        assert_eq!(seen.standing(), None);
    }

    #[test]
    fn on_the_virtual_gpu_nobody_waits_for_what_is_known() {
        let seen = |is_virtual, other: &dyn Fn(u32) -> ProcessSample| {
            let mut seen = Seen::new(LIMIT, PAUSE, is_virtual);
            let begun = Instant::now();
            for second in 0..=3 {
                seen.add(Sample {
                    at: begun + PAUSE * second,
                    processes: vec![in_call(7, 1), other(second)],
                });
            }
            let (stuck, others) = seen.deadlocked()?;
            Some((stuck.len(), others))
        };
        assert_eq!(seen(true, &|_| in_call(8, 5)), Some((2, vec![])));
        assert_eq!(seen(false, &|_| in_call(8, 5)), None);
        assert_eq!(seen(true, &|_| in_call_and(8, true)), None);
        assert_eq!(seen(true, &|second| in_call_and(8, second < 2)), None);
        let reads = |_| process(8, vec![thread(8, READ)]);
        assert_eq!(seen(true, &reads), Some((1, vec![8])));
        let computes = |second| {
            let mut process = in_call(8, 5);
            process.threads[0].ran = PAUSE * second;
            process
        };
        assert_eq!(seen(true, &computes), None);
        let has_another_thread = |_| {
            let mut process = in_call(8, 5);
            process.threads.push(thread(9, READ));
            process
        };
        assert_eq!(seen(true, &has_another_thread), Some((1, vec![8])));
    }
}
