//! What only the stacks tell of processes that do not go on: whether a person has stopped to think, and who waits for whom.

use std::path::Path;

use cgsan_diagnose::{own_location, process_of};
use cgsan_finding::Process;
use cgsan_model::ThreadId;
use cgsan_threads::{Look, SystemCall, Thread, is_reading_a_terminal, look};
use cgsan_trace::{AgentEvent, StackFrame, Trace};

use crate::account::{Account, Died, Stuck};
use crate::judge::{Seen, Standing, Why, is_service};
use crate::native::{self, is_of_system};

/// Files of debuggers: by what their names end with, or the folder that they are in.
const DEBUGGERS: &[&str] = &[
    "/pdb.py",
    "/bdb.py",
    "/debugpy/",
    "/pydevd",
    "/ipdb/",
    "/pudb/",
];

/// The folder of what waits for other ranks over the network.
const DISTRIBUTED: &str = "/torch/distributed/";

/// The file of Python's locks and conditions.
const THREADING: &str = "/threading.py";

/// The driver, whose threads call the host functions of streams.
const DRIVER: &str = "/libcuda.so";

/// The names of its threads begin so (`cuda-EvtHandlr`, `cuda0000240000a`; recorded with driver 580).
const OF_DRIVER: &str = "cuda";

/// Looks closer at processes that do not go on. `None` if there may be a good reason for it.
pub fn examine(standing: &[Standing], seen: &Seen, folder: &Path) -> Option<Account> {
    let looks: Vec<(&Standing, Look)> = standing
        .iter()
        .map(|it| (it, look(it.pid, false)))
        .collect();
    let is_debugged = |(standing, look): &(&Standing, Look)| {
        look.threads
            .iter()
            .any(|thread| is_at_a_debugger(standing.pid, thread))
    };
    if looks.iter().any(is_debugged) {
        return None;
    }
    let mut stuck = Vec::new();
    for (standing, look) in &looks {
        let trace = trace_of(folder, standing.pid);
        let timers = trace.as_ref().map(ending_timers).unwrap_or_default();
        let why = match &standing.why {
            // A process that starts others and waits for them.
            Why::Idle | Why::Locks if !has_context(look, trace.as_ref()) => continue,
            Why::Idle => why_idle(standing.pid, look, seen, &timers)?,
            Why::Locks if !can_wait_for_itself(standing.pid, look, &timers) => return None,
            known => known.clone(),
        };
        stuck.push((standing.pid, why, trace));
    }
    // Ranks that meet over the network have a limit of their own for it.
    if stuck.iter().all(|(_, why, _)| *why == Why::Ranks) {
        return None;
    }
    let living: Vec<u32> = standing.iter().map(|it| it.pid).collect();
    Some(Account::of(
        stuck
            .into_iter()
            .map(|(pid, why, trace)| closer(pid, why, trace.as_ref()))
            .collect(),
        ended(folder, &living),
    ))
}

/// Whether a process works with a GPU. The trace of one that watches a real GPU begins before that is known, so there the
/// driver's own threads say it, which come with a context.
fn has_context(look: &Look, trace: Option<&Trace>) -> bool {
    trace.is_some_and(|trace| {
        if trace.process().virtual_gpu {
            return trace.uses_cuda();
        }
        let mut threads = look.threads.iter();
        threads.any(|thread| thread.status.name.starts_with(OF_DRIVER))
    })
}

/// Looks closer at processes that can only wait, beside some that do something else. `None` if one of those uses CUDA: it
/// may be what the others wait for.
pub fn deadlock(stuck: &[Standing], others: &[u32], folder: &Path) -> Option<Account> {
    let uses_cuda = |pid: &u32| trace_of(folder, *pid).is_some_and(|trace| trace.uses_cuda());
    if others.iter().any(uses_cuda) {
        return None;
    }
    let living: Vec<u32> = stuck
        .iter()
        .map(|it| it.pid)
        .chain(others.iter().copied())
        .collect();
    let stuck = stuck.iter().map(|it| {
        let trace = trace_of(folder, it.pid);
        closer(it.pid, it.why.clone(), trace.as_ref())
    });
    Some(Account::of(stuck.collect(), ended(folder, &living)))
}

/// Looks closer at processes of which a thread each decides, again and again, by what nothing computes.
pub fn deciding(threads: &[(u32, u32)], folder: &Path) -> Account {
    let stuck = threads.iter().map(|(pid, thread)| {
        let why = Why::Uncomputed { thread: *thread };
        closer(*pid, why, trace_of(folder, *pid).as_ref())
    });
    Account::of(stuck.collect(), Vec::new())
}

/// Whether a person may be looking at the process, and it waits for what they type.
pub(crate) fn is_at_a_debugger(pid: u32, thread: &Thread) -> bool {
    let in_debugger = |file: &str| DEBUGGERS.iter().any(|known| file.contains(known));
    thread.python.iter().any(|frame| in_debugger(&frame.file))
        || is_reading_a_terminal(pid, &thread.status)
}

/// Why a process with no call that blocks does nothing; `None` if it may go on by itself.
pub(crate) fn why_idle(pid: u32, look: &Look, seen: &Seen, timers: &[u32]) -> Option<Why> {
    let waits_for_lock = |thread: &&Thread| {
        let call = thread.status.system_call;
        !thread.has_gil && call.is_some_and(|call| call.is_futex() && !call.waits_for_a_thread())
    };
    let holder = pythons(look).find(|thread| thread.has_gil);
    if let Some(holder) = holder
        && seen.was_still(pid, holder.status.id)
        && pythons(look).any(|thread| waits_for_lock(&thread))
    {
        let call = holder.status.system_call;
        return Some(Why::Gil {
            thread: holder.status.id,
            may_return: !call.is_some_and(|call| call.waits_for_a_thread()),
        });
    }
    if wait_for_each_other(pid, look, seen, timers) {
        return Some(Why::Locks);
    }
    let main = look.threads.first()?;
    let innermost = main.python.first()?;
    innermost.file.contains(DISTRIBUTED).then_some(Why::Ranks)
}

/// Whether all threads that run Python wait for a lock or a condition without a limit, and no other thread waits for anything
/// from outside. Libraries have threads that look for news now and then, as the driver of a real GPU does.
fn wait_for_each_other(pid: u32, look: &Look, seen: &Seen, timers: &[u32]) -> bool {
    let waits_for_a_thread = |thread: &Thread| {
        let call = thread.status.system_call;
        call.is_some_and(|call| call.waits_for_a_thread()) && seen.was_still(pid, thread.status.id)
    };
    let is_inside = |thread: &Thread| {
        let call = thread.status.system_call;
        is_service(&thread.status.name) || call.is_some_and(|call| call.is_futex())
    };
    let others = look.threads.iter().filter(|it| it.python.is_empty());
    !seen.handles_signals(pid)
        && own(look, timers).all(waits_for_a_thread)
        && others.into_iter().all(is_inside)
        && can_wait_for_itself(pid, look, timers)
}

/// Whether a process has threads that could wait for each other, or its only one waits for a lock of Python's: that of a queue into
/// which nobody puts anything any more, of a condition that nobody is left to notify, or one that this thread has taken itself.
pub(crate) fn can_wait_for_itself(pid: u32, look: &Look, timers: &[u32]) -> bool {
    let own: Vec<&Thread> = own(look, timers).collect();
    match own[..] {
        [] => false,
        [alone] => {
            let innermost = alone.python.first();
            innermost.is_some_and(|it| it.file.ends_with(THREADING))
                || nobody_looks_for_news(look)
                    && native::waits_for_a_python_lock(pid, alone.status.id)
        }
        _ => true,
    }
}

/// Whether each thread that runs no Python is a library's service, or waits for another thread without a limit. One that wakes by
/// itself may call Python then, and release a lock.
fn nobody_looks_for_news(look: &Look) -> bool {
    let mut others = look.threads.iter().filter(|it| it.python.is_empty());
    others.all(|thread| {
        let call = thread.status.system_call;
        is_service(&thread.status.name) || call.is_some_and(|call| call.waits_for_a_thread())
    })
}

/// The threads that are timers of Python's and do nothing but end the process: they free nobody.
fn ending_timers(trace: &Trace) -> Vec<u32> {
    let events = trace.agent_events();
    let timers = events.filter(|(_, event)| matches!(event, AgentEvent::EndingTimer));
    timers
        .map(|(position, _)| trace.entries()[position].thread.0)
        .collect()
}

/// The threads that run Python, without these timers.
pub(crate) fn own<'l>(look: &'l Look, timers: &[u32]) -> impl Iterator<Item = &'l Thread> {
    pythons(look).filter(|thread| !timers.contains(&thread.status.id))
}

fn pythons(look: &Look) -> impl Iterator<Item = &Thread> {
    look.threads
        .iter()
        .filter(|thread| !thread.python.is_empty())
}

/// A process with all that can be seen of it.
fn closer(pid: u32, why: Why, trace: Option<&Trace>) -> Stuck {
    let look = look(pid, true);
    let process = trace.map_or_else(
        || Process {
            pid,
            ..Process::default()
        },
        process_of,
    );
    let is_alone = process.world_size.is_none_or(|size| size < 2);
    let is_real = trace.is_some_and(|trace| !trace.process().virtual_gpu);
    // A real GPU may be computing all the while, and nobody could tell.
    let may_compute = matches!(why, Why::Call { .. })
        && is_real
        && is_alone
        && !look
            .threads
            .iter()
            .any(|thread| is_stuck_host_function(thread, &look));
    let name = |thread: u32| {
        let name = trace?.thread_name(ThreadId(thread))?;
        Some(name.to_owned())
    };
    let died = trace.map(|trace| died(trace, &look)).unwrap_or_default();
    Stuck {
        died,
        names: look.threads.iter().map(|it| name(it.status.id)).collect(),
        process,
        why,
        look,
        is_virtual: !is_real,
        may_compute,
    }
}

/// How many threads that ended are named.
const DIED: usize = 4;

/// The threads of a process that an exception has ended.
fn died(trace: &Trace, look: &Look) -> Vec<Died> {
    let living = |thread: ThreadId| look.threads.iter().any(|it| it.status.id == thread.0);
    let ended = trace.agent_events().filter_map(|(position, event)| {
        let AgentEvent::Exception {
            type_name,
            message,
            traceback,
            uncaught: true,
        } = event
        else {
            return None;
        };
        let thread = trace.entries()[position].thread;
        let innermost_first: Vec<StackFrame> = traceback.iter().rev().cloned().collect();
        let headline = message.trim_start().lines().next().unwrap_or_default();
        (!living(thread)).then(|| Died {
            name: trace
                .thread_name(thread)
                .map_or_else(|| format!("thread {}", thread.0), str::to_owned),
            exception: format!("{type_name}: {headline}"),
            location: own_location(&innermost_first),
        })
    });
    ended.take(DIED).collect()
}

/// Whether a thread of the driver runs a function of the program that waits for another thread.
pub(crate) fn is_stuck_host_function(thread: &Thread, look: &Look) -> bool {
    let driver = thread
        .native
        .iter()
        .position(|frame| frame.contains(DRIVER));
    let called = driver.map_or(&[][..], |driver| &thread.native[..driver]);
    let has_lock = || look.threads.iter().any(|it| it.has_gil) && !thread.has_gil;
    let waits = |call: SystemCall| call.waits_for_a_thread() || call.is_futex() && has_lock();
    called.iter().any(|frame| !is_of_system(frame)) && thread.status.system_call.is_some_and(waits)
}

fn trace_of(folder: &Path, pid: u32) -> Option<Trace> {
    // A process that replaced itself has left another one under its id.
    let names = (2..100)
        .rev()
        .map(|attempt| format!("trace-{pid}-{attempt}.cgsan"));
    let mut paths = names
        .chain([format!("trace-{pid}.cgsan")])
        .map(|name| folder.join(name));
    Trace::read(&paths.find(|path| path.exists())?).ok()
}

/// The ranks of the run that are gone.
fn ended(folder: &Path, living: &[u32]) -> Vec<Process> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut ended: Vec<Process> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let pid = name.strip_prefix("trace-")?.strip_suffix(".cgsan")?;
            let pid: u32 = pid.parse().ok()?;
            (!living.contains(&pid)).then(|| trace_of(folder, pid))?
        })
        .filter(Trace::uses_cuda)
        .map(|trace| process_of(&trace))
        .filter(|process| process.rank.is_some())
        .collect();
    Process::sort(&mut ended);
    ended
}
