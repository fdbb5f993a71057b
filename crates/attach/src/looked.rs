//! What processes do: two looks at each, and samples of the time between them.

use std::collections::{BTreeMap, HashMap};
use std::thread;
use std::time::{Duration, Instant};

use cgsan_finding::Process;
use cgsan_hangs::{Account, Running, RunningProcess};
use cgsan_threads::{
    Look, Objects, Returns, Thread, look, objects, processes_below, slept_for, switches_of,
};
use cgsan_trace::waits::Wait;

use crate::calls::{Call, call_of};
use crate::subject::Subject;

/// How long a thread has, once it was stopped, to be back where it waits.
const SETTLES: Duration = Duration::from_millis(200);

/// About as many samples are taken of the time between the looks, not closer together than this.
const SAMPLES: u32 = 20;
const CLOSEST: Duration = Duration::from_millis(50);

/// The most threads of a process of which returns are counted.
const COUNTED: usize = 64;

/// A process that was looked at.
#[derive(Debug)]
pub struct Looked {
    /// Which one.
    pub subject: Subject,
    /// Its threads, as the second look shows them.
    pub look: Look,
    /// What more is known of each, in the same order.
    pub threads: Vec<Doing>,
    /// Its graphs, streams and captures; or why they cannot be seen.
    pub objects: Result<Objects, String>,
    /// Between the looks lay so much time.
    pub window: Duration,
}

/// What a thread does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// What to call it.
    pub name: String,
    /// The call of a library that it is in.
    pub call: Option<Call>,
    /// For at least so long, it has been in this call, or has not moved at all.
    pub still_for: Option<Duration>,
    /// Whether the end of the call was watched, and not only whether the thread was scheduled.
    pub is_watched: bool,
}

/// What was found out about several processes.
#[derive(Debug)]
pub struct Attached {
    /// The processes, in the order in which they were named.
    pub processes: Vec<Looked>,
    /// What is to be said if all of them stand still.
    pub account: Option<Account>,
    /// What is to be said of each, whatever the others do.
    pub accounts: Vec<Option<Account>>,
}

/// Looks at processes for as long as `window`.
pub fn look_at(subjects: Vec<Subject>, window: Duration) -> Attached {
    let mut first: Vec<First> = subjects.into_iter().map(First::of).collect();
    thread::sleep(SETTLES.min(window));
    first.iter_mut().for_each(First::count);
    let begun = Instant::now();
    let pause = (window / SAMPLES).max(CLOSEST);
    let is_virtual = first.iter().all(|it| is_virtual(&it.look));
    let watch = |is_virtual| Running::new(window * 9 / 10, pause, is_virtual);
    let mut running = watch(is_virtual);
    let mut each: Vec<Running> = first
        .iter()
        .map(|it| watch(self::is_virtual(&it.look)))
        .collect();
    loop {
        let named: Vec<(u32, Vec<Wait>)> = first
            .iter_mut()
            .map(|it| (it.subject.pid, it.waits()))
            .collect();
        let pids: Vec<u32> = named.iter().map(|(pid, _)| *pid).collect();
        let others = below(&pids, &pids);
        running.add(&named, &others);
        for (running, process) in each.iter_mut().zip(named.chunks(1)) {
            running.add(process, &below(&[process[0].0], &pids));
        }
        let left = window.saturating_sub(begun.elapsed());
        if left.is_zero() {
            break;
        }
        thread::sleep(pause.min(left));
    }
    let processes: Vec<Looked> = first.into_iter().map(|it| it.again(begun)).collect();
    let account = running.account(processes.iter().map(Looked::running).collect(), false);
    let accounts = each.iter().zip(&processes);
    let accounts = accounts.map(|(running, looked)| running.account(vec![looked.running()], true));
    Attached {
        accounts: accounts.collect(),
        processes,
        account,
    }
}

/// The living processes that some have started, but for those that are looked at themselves.
fn below(pids: &[u32], without: &[u32]) -> Vec<u32> {
    let all = pids.iter().flat_map(|pid| processes_below(*pid));
    let all = all.filter(|it| it.state != 'Z' && !without.contains(&it.pid));
    let mut found: Vec<u32> = all.map(|it| it.pid).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a process uses the virtual GPU.
pub fn is_virtual(look: &Look) -> bool {
    look.files.iter().any(|it| it.contains("/libcgsan_vgpu"))
}

/// A process at the first look.
struct First {
    subject: Subject,
    look: Look,
    slept: HashMap<u32, Duration>,
    calls: HashMap<u32, Counted>,
    switches: HashMap<u32, Option<u64>>,
}

/// A call, and how often its thread has left it since.
struct Counted {
    call: Call,
    returns: Option<Returns>,
}

impl First {
    fn of(subject: Subject) -> First {
        let pid = subject.pid;
        // Before they are woken to be stopped.
        let ids = cgsan_threads::threads_of(pid).into_iter().map(|it| it.id);
        let slept = ids
            .filter_map(|id| Some((id, slept_for(pid, id)?)))
            .collect();
        let look = named_look(pid);
        let calls = look.threads.iter().filter_map(|thread| {
            let call = call_of(&thread.native)?;
            let returns = None;
            Some((thread.status.id, Counted { call, returns }))
        });
        First {
            calls: calls.collect(),
            switches: HashMap::new(),
            subject,
            slept,
            look,
        }
    }

    /// Begins to count returns.
    fn count(&mut self) {
        for thread in &self.look.threads {
            let id = thread.status.id;
            self.switches.insert(id, switches_of(self.subject.pid, id));
        }
        let threads = self.look.threads.iter();
        for thread in threads.take(COUNTED) {
            let Some(counted) = self.calls.get_mut(&thread.status.id) else {
                continue;
            };
            // Frames of cgsan's own libraries, which come first, are named no more.
            let unnamed = thread
                .native_addresses
                .len()
                .saturating_sub(thread.native.len());
            let caller = thread
                .native_addresses
                .get(unnamed + counted.call.frame + 1);
            counted.returns = caller.and_then(|it| Returns::count(thread.status.id, *it).ok());
        }
    }

    /// The calls that have not returned, each with a number that changes when one does.
    fn waits(&mut self) -> Vec<Wait> {
        let pid = self.subject.pid;
        let mut waits: Vec<Wait> = self
            .calls
            .iter_mut()
            .filter_map(|(id, counted)| {
                let count = match &mut counted.returns {
                    Some(returns) => returns.until_now(),
                    None => switches_of(pid, *id),
                };
                Some(Wait {
                    thread: *id,
                    call: u32::try_from(count? % u64::from(u32::MAX)).unwrap_or_default(),
                    name: counted.call.function.clone(),
                })
            })
            .collect();
        waits.sort_by_key(|wait| wait.thread);
        waits
    }

    fn again(mut self, begun: Instant) -> Looked {
        let pid = self.subject.pid;
        let scheduled: HashMap<u32, Option<u64>> = self
            .switches
            .keys()
            .map(|id| (*id, switches_of(pid, *id)))
            .collect();
        let returned: HashMap<u32, Option<u64>> = self
            .calls
            .iter_mut()
            .filter_map(|(id, it)| Some((*id, it.returns.as_mut()?.until_now())))
            .collect();
        let window = begun.elapsed();
        let look = named_look(pid);
        let objects = objects(pid);
        let own = look.threads.first().map(|it| it.status.name.clone());
        let doing = |thread: &Thread| {
            let id = thread.status.id;
            let call = call_of(&thread.native);
            let before = self.calls.get(&id).map(|it| &it.call);
            let is_same = call.as_ref().zip(before).is_some_and(|(now, before)| {
                (&now.function, &now.within) == (&before.function, &before.within)
            });
            let was_scheduled = self.switches.get(&id) != scheduled.get(&id);
            let returned = returned.get(&id).copied().flatten();
            let is_still = match returned {
                Some(count) => is_same && count == 0,
                None => !was_scheduled && self.switches.get(&id).is_some_and(Option::is_some),
            };
            let slept = self.slept.get(&id).copied().unwrap_or_default();
            Doing {
                name: name(pid, thread, own.as_deref()),
                call,
                still_for: is_still.then(|| window + slept),
                is_watched: returned.is_some() && is_same,
            }
        };
        let threads = look.threads.iter().map(doing).collect();
        if let Ok(objects) = &objects {
            self.subject.place.rank = self.subject.place.rank.or(objects.spawned);
        }
        Looked {
            subject: self.subject,
            threads,
            look,
            objects,
            window,
        }
    }
}

impl Looked {
    /// The same as findings name it.
    pub fn process(&self) -> Process {
        self.subject.process()
    }

    /// Takes the names that the process itself has for its threads.
    pub fn rename(&mut self, names: &BTreeMap<String, String>) {
        for (thread, doing) in self.look.threads.iter().zip(&mut self.threads) {
            if let Some(name) = names.get(&thread.inner_id.to_string()) {
                doing.name.clone_from(name);
            }
        }
    }

    fn running(&self) -> RunningProcess {
        let threads = || self.look.threads.iter().zip(&self.threads);
        RunningProcess {
            process: self.process(),
            look: self.look.clone(),
            names: self
                .threads
                .iter()
                .map(|it| Some(it.name.clone()))
                .collect(),
            is_virtual: is_virtual(&self.look),
            slept: threads()
                .filter_map(|(thread, doing)| Some((thread.status.id, doing.still_for?)))
                .collect(),
        }
    }
}

/// What to call a thread: by the name that the system has for it, unless it has inherited that.
fn name(pid: u32, thread: &Thread, own: Option<&str>) -> String {
    let status = &thread.status;
    if status.id == pid {
        return "MainThread".to_owned();
    }
    if Some(status.name.as_str()) == own {
        return format!("thread {}", status.id);
    }
    status.name.clone()
}

/// A look at a process, with the names of native functions.
pub(crate) fn named_look(pid: u32) -> Look {
    let mut look = look(pid, true);
    let threads = look.threads.iter_mut();
    cgsan_symbols::name_native_stacks(threads.map(|it| &mut it.native));
    look
}
