//! What `/proc` says of processes and their threads.

use std::fs;
use std::time::Duration;

/// The most threads and processes that are looked at.
const MOST: usize = 4096;

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// That of the one that started it, or adopted it.
    pub parent: u32,
    /// The letter for its state.
    pub state: char,
}

/// What the kernel says of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStatus {
    /// What `gettid` returns in it.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The letter for its state: `R` runs, `S` sleeps, `T` is stopped, `t` is stopped by a debugger.
    pub state: char,
    /// How long it ran, in user mode and in the kernel.
    pub ran: Duration,
    /// The system call that it is in; `None` if it is in none, or it may not be known.
    pub system_call: Option<SystemCall>,
    /// The function of the kernel that it waits in, if it may be known.
    pub waits_in: Option<String>,
}

/// A system call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// Its number.
    pub number: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
}

/// In `futex`: the commands that wait, the flag of memory that no other process shares, and the mask of commands.
const FUTEX_WAITS: [u64; 2] = [0, 9];
const FUTEX_PRIVATE: u64 = 128;
const FUTEX_COMMAND: u64 = 127;

impl SystemCall {
    /// Whether only another thread of the process can end it: a wait for a lock or a condition, without a time limit.
    pub fn waits_for_a_thread(&self) -> bool {
        let [_, operation, _, limit, ..] = self.arguments;
        self.number == libc::SYS_futex
            && FUTEX_WAITS.contains(&(operation & FUTEX_COMMAND))
            && operation & FUTEX_PRIVATE != 0
            && limit == 0
    }

    /// Whether it is a wait for a lock or a condition, with or without a time limit.
    pub fn is_futex(&self) -> bool {
        self.number == libc::SYS_futex
    }

    /// Its name, as far as it is one that threads wait in.
    pub fn name(&self) -> String {
        let known = [
            (libc::SYS_futex, "futex"),
            (libc::SYS_read, "read"),
            (libc::SYS_write, "write"),
            (libc::SYS_poll, "poll"),
            (libc::SYS_ppoll, "ppoll"),
            (libc::SYS_select, "select"),
            (libc::SYS_pselect6, "pselect6"),
            (libc::SYS_epoll_wait, "epoll_wait"),
            (libc::SYS_epoll_pwait, "epoll_pwait"),
            (libc::SYS_nanosleep, "nanosleep"),
            (libc::SYS_clock_nanosleep, "clock_nanosleep"),
            // What the kernel goes on with where a stop has interrupted one of the others.
            (libc::SYS_restart_syscall, "a call with a time limit"),
            (libc::SYS_wait4, "wait4"),
            (libc::SYS_waitid, "waitid"),
            (libc::SYS_accept, "accept"),
            (libc::SYS_accept4, "accept4"),
            (libc::SYS_connect, "connect"),
            (libc::SYS_recvfrom, "recvfrom"),
            (libc::SYS_recvmsg, "recvmsg"),
            (libc::SYS_sendto, "sendto"),
            (libc::SYS_sendmsg, "sendmsg"),
            (libc::SYS_pause, "pause"),
            (libc::SYS_rt_sigtimedwait, "rt_sigtimedwait"),
            (libc::SYS_rt_sigsuspend, "rt_sigsuspend"),
            (libc::SYS_flock, "flock"),
            (libc::SYS_fcntl, "fcntl"),
            (libc::SYS_ioctl, "ioctl"),
            (libc::SYS_fsync, "fsync"),
            (libc::SYS_openat, "openat"),
            (libc::SYS_sched_yield, "sched_yield"),
        ];
        let known = known.iter().find(|(number, _)| *number == self.number);
        known.map_or_else(
            || format!("system call {}", self.number),
            |(_, name)| (*name).to_owned(),
        )
    }
}

/// The threads of a process, the first one first; none if it is gone.
pub fn threads_of(pid: u32) -> Vec<ThreadStatus> {
    let mut ids = numbers_in(&format!("/proc/{pid}/task"));
    ids.sort_by_key(|id| (*id != pid, *id));
    ids.truncate(MOST);
    let tasks = ids.into_iter();
    tasks.filter_map(|id| thread(pid, id)).collect()
}

fn thread(pid: u32, id: u32) -> Option<ThreadStatus> {
    let folder = format!("/proc/{pid}/task/{id}");
    let stat = Stat::of(&folder)?;
    let waits_in = fs::read_to_string(format!("{folder}/wchan")).ok();
    let system_call = fs::read_to_string(format!("{folder}/syscall")).ok();
    Some(ThreadStatus {
        id,
        name: stat.name,
        state: stat.state,
        ran: stat.ran,
        system_call: system_call.and_then(|text| system_call_of(&text)),
        waits_in: waits_in.filter(|name| !name.is_empty() && name != "0"),
    })
}

/// Reads `/proc/PID/syscall`: a number and six arguments; -1 or `running` outside of a system call.
fn system_call_of(text: &str) -> Option<SystemCall> {
    let mut words = text.split_ascii_whitespace();
    let number: i64 = words.next()?.parse().ok()?;
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        let word = words.next()?.strip_prefix("0x")?;
        *argument = u64::from_str_radix(word, 16).ok()?;
    }
    (number >= 0).then_some(SystemCall { number, arguments })
}

/// Whether a thread of the process waits for what a person types: reads a terminal, or its standard input.
pub fn is_reading_a_terminal(pid: u32, thread: &ThreadStatus) -> bool {
    let Some(call) = thread.system_call else {
        return false;
    };
    let file = match call.number {
        libc::SYS_read => call.arguments[0],
        // Python's line editor waits for standard input in one of these.
        libc::SYS_select | libc::SYS_pselect6 | libc::SYS_poll | libc::SYS_ppoll => 0,
        _ => return false,
    };
    let target = fs::read_link(format!("/proc/{pid}/fd/{file}")).unwrap_or_default();
    let target = target.to_string_lossy();
    let is_terminal = target.starts_with("/dev/pts/") || target.starts_with("/dev/tty");
    is_terminal || call.number == libc::SYS_read && file == 0
}

/// What `gettid` returns in a thread: another number than outside of its namespace.
pub fn inner_id(pid: u32, id: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/task/{id}/status")).unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let innermost = ids.and_then(|ids| ids.split_ascii_whitespace().last()?.parse().ok());
    innermost.unwrap_or(id)
}

/// How often a thread was scheduled until now.
pub fn switches_of(pid: u32, id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/task/{id}/status")).ok()?;
    let counts = status.lines().filter_map(|line| {
        let (name, count) = line.split_once(':')?;
        let is_count = name.ends_with("voluntary_ctxt_switches");
        is_count.then(|| count.trim().parse::<u64>().ok())?
    });
    counts.reduce(u64::saturating_add)
}

/// For how long a thread has slept without a break; `None` if it does not sleep, or the kernel does not tell
/// (`CONFIG_SCHED_DEBUG`).
pub fn slept_for(pid: u32, id: u32) -> Option<Duration> {
    let stat = Stat::of(&format!("/proc/{pid}/task/{id}"))?;
    if !matches!(stat.state, 'S' | 'D') {
        return None;
    }
    let last = ran_last(&fs::read_to_string(format!("/proc/{pid}/task/{id}/sched")).ok()?)?;
    // This thread runs now. On the clock that the kernel schedules by, that is the same moment.
    let now = ran_last(&fs::read_to_string("/proc/thread-self/sched").ok()?)?;
    Duration::try_from_secs_f64((now - last).max(0.0) / 1000.0).ok()
}

/// When a thread was last seen to run, in milliseconds.
fn ran_last(sched: &str) -> Option<f64> {
    let line = sched
        .lines()
        .find_map(|line| line.strip_prefix("se.exec_start"))?;
    line.trim_start_matches([' ', ':']).parse().ok()
}

/// All processes.
pub fn processes() -> Vec<Process> {
    let mut all = numbers_in("/proc");
    all.sort_unstable();
    let known = all.into_iter().filter_map(|pid| {
        let stat = Stat::of(&format!("/proc/{pid}"))?;
        Some(Process {
            pid,
            parent: stat.parent,
            state: stat.state,
        })
    });
    known.collect()
}

/// The processes that a process started, and those that they started, without itself.
pub fn processes_below(root: u32) -> Vec<Process> {
    let all = processes();
    let mut below = vec![root];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(parent) = below.get(at).copied().filter(|_| at < MOST) {
        at += 1;
        for process in all.iter().filter(|it| it.parent == parent) {
            if !below.contains(&process.pid) {
                below.push(process.pid);
                found.push(*process);
            }
        }
    }
    found
}

fn numbers_in(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// What `stat` says of a process or a thread.
struct Stat {
    name: String,
    state: char,
    parent: u32,
    ran: Duration,
}

/// Places behind the name.
const STATE: usize = 0;
const PARENT: usize = 1;
const USER: usize = 11;
const KERNEL: usize = 12;

/// Ticks of the clock that `/proc` counts in, per second, on every Linux that this runs on.
const TICKS: u64 = 100;

impl Stat {
    fn of(folder: &str) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(format!("{folder}/stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Stat> {
        // The name, in parentheses, may hold anything.
        let (before, behind) = text.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let words: Vec<&str> = behind.split_ascii_whitespace().collect();
        let number = |at: usize| words.get(at)?.parse::<u64>().ok();
        let ticks = number(USER)?.checked_add(number(KERNEL)?)?;
        Some(Stat {
            name: name.to_owned(),
            state: words.get(STATE)?.chars().next()?,
            parent: u32::try_from(number(PARENT)?).ok()?,
            ran: Duration::from_millis(ticks.saturating_mul(1000 / TICKS)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let text = "7 (a) R (b) S 1 7 7 0 -1 4194560 1 0 0 0 120 30 0 0 20 0 1 0 5 0 0";
        let stat = Stat::parse(text).unwrap();
        assert_eq!(
            (stat.name.as_str(), stat.state, stat.parent),
            ("a) R (b", 'S', 1)
        );
        assert_eq!(stat.ran, Duration::from_millis(1500));
        assert!(Stat::parse("").is_none() && Stat::parse("7 (a) S").is_none());
    }

    #[test]
    fn a_wait_with_a_limit_ends_by_itself() {
        let wait = |operation: &str, limit: &str| {
            let call = system_call_of(&format!("202 0x1 {operation} 0x0 {limit} 0x0 0x0 0x1 0x2"));
            call.unwrap().waits_for_a_thread()
        };
        assert!(wait("0x189", "0x0") && wait("0x80", "0x0"));
        assert!(!wait("0x189", "0x7ffe0"));
        assert!(
            !wait("0x109", "0x0"),
            "another process may share the memory"
        );
        assert!(system_call_of("running").is_none());
        assert!(system_call_of("-1 0x7ffe 0x1").is_none());
    }

    #[test]
    fn when_a_thread_ran_is_told_in_milliseconds() {
        let text = "python (7, #threads: 1)\nse.exec_start       :      40155062.805161\nnr_switches : 1\n";
        assert_eq!(ran_last(text), Some(40_155_062.805_161));
        assert_eq!(ran_last(""), None);
        assert_eq!(slept_for(std::process::id(), u32::MAX), None);
    }

    #[test]
    fn this_process_has_this_thread() {
        let pid = std::process::id();
        let threads = threads_of(pid);
        assert!(threads.iter().any(|thread| thread.id == pid));
        assert!(threads.iter().any(|thread| thread.state == 'R'));
        assert!(threads_of(u32::MAX).is_empty());
        assert!(switches_of(pid, pid).is_some() && switches_of(u32::MAX, 1).is_none());
    }
}
