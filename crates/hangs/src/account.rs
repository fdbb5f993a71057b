//! Where the threads of processes stand that do not go on: as a text, and as a finding.

use std::fmt::Write as _;
use std::time::Duration;

use cgsan_diagnose::{own_location, place};
use cgsan_finding::{
    Basis, Confidence, Finding, Label, LabelRole, Location, Note, Observed, Process, StandingThread,
};
use cgsan_threads::{Look, Thread, What};
use cgsan_trace::StackFrame;

use crate::judge::Why;
use crate::words;

/// Threads that wait for each other, of which the lines are shown.
const THREADS: usize = 8;

/// Frames of a stack that are shown.
const FRAMES: usize = 24;

/// A process that does not go on.
#[derive(Debug)]
pub struct Stuck {
    /// Which one.
    pub process: Process,
    /// Why.
    pub why: Why,
    /// Where its threads are.
    pub look: Look,
    /// What the program calls them, in the same order.
    pub names: Vec<Option<String>>,
    /// Whether its GPU is the virtual one.
    pub is_virtual: bool,
    /// Whether the GPU may be at work all the while.
    pub may_compute: bool,
    /// The threads that an exception has ended before.
    pub died: Vec<Died>,
}

/// A thread that an exception has ended, so that it releases nobody any more.
#[derive(Debug)]
pub struct Died {
    /// What the program calls it.
    pub name: String,
    /// The exception, as a traceback ends.
    pub exception: String,
    /// The line that raised it.
    pub location: Option<Location>,
}

/// What is to be said of a run that stands still.
#[derive(Debug)]
pub struct Account {
    stuck: Vec<Stuck>,
    /// The ranks that are gone.
    ended: Vec<Process>,
    /// For how long nothing went on.
    since: Duration,
    /// Whether the run was ended for it.
    ended_by_us: bool,
    /// The option that sets for how long.
    option: &'static str,
}

impl Account {
    /// An account of these processes, and of ranks that are gone.
    pub fn of(mut stuck: Vec<Stuck>, ended: Vec<Process>) -> Account {
        stuck.sort_by_key(|it| (it.process.rank.is_none(), it.process.rank, it.process.pid));
        let frames = stuck.iter_mut().flat_map(|it| &mut it.look.threads);
        cgsan_symbols::name_native_stacks(frames.map(|thread| &mut thread.native));
        Account {
            stuck,
            ended,
            since: Duration::ZERO,
            ended_by_us: false,
            option: "--hang-timeout",
        }
    }

    /// The same where another option sets for how long nothing may go on.
    #[must_use]
    pub fn by_option(self, option: &'static str) -> Account {
        Account { option, ..self }
    }

    /// For how long nothing went on, and whether the run is ended for it.
    #[must_use]
    pub fn after(self, since: Duration, ended_by_us: bool) -> Account {
        Account {
            since,
            ended_by_us,
            ..self
        }
    }

    /// Whether there is no other explanation than that it hangs.
    pub fn is_certain(&self) -> bool {
        !self.may_pass() && self.stuck.iter().any(|it| !it.may_compute)
    }

    /// Whether one of the processes may yet go on, for which the others may wait.
    fn may_pass(&self) -> bool {
        self.stuck.iter().any(|it| it.why.may_pass())
    }

    /// All of it, with every stack.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.title(), self.reasons().join("; "));
        for stuck in &self.stuck {
            let _ = writeln!(text, "{}", names(&stuck.process));
            for unseen in &stuck.look.unseen {
                let _ = writeln!(text, "  not seen: {unseen}");
            }
            for group in groups(&stuck.look.threads) {
                stuck.write_threads(&mut text, &group);
            }
        }
        text
    }

    /// What the report says where the program may go on.
    pub fn note(&self) -> Note {
        let seen = if self.may_pass() {
            "no progress was seen for {}, though the program may go on"
        } else {
            "no call returned for {}, and the GPU may still be working"
        };
        let text = format!(
            "{}: {}. `{}` sets the time",
            seen.replace("{}", &self.time()),
            self.reasons().join("; "),
            self.option
        );
        let stack = self.stuck.first().map(Stuck::stack).unwrap_or_default();
        Note::new(text, own_location(&stack))
    }

    /// The finding; `None` where the program may go on.
    pub fn finding(&self) -> Option<Finding> {
        if !self.is_certain() {
            return None;
        }
        let first = self.stuck.first();
        let stack = first.map(Stuck::stack).unwrap_or_default();
        let location = own_location(&stack);
        let processes = self.stuck.iter().map(|it| it.process.clone()).collect();
        Some(Finding {
            id: "CG405",
            title: self.title(),
            confidence: self.confidence(),
            labels: self.labels(location.as_ref()),
            location,
            notes: self.notes(),
            help: self.help(),
            basis: Basis::Run(Box::new(Observed {
                stack: stack.iter().map(place).collect(),
                native_stack: first.map(Stuck::native).unwrap_or_default(),
                count: 1,
                processes,
                standing: self.stuck.iter().flat_map(Stuck::standing).collect(),
                ..Observed::default()
            })),
        })
    }

    /// How sure it is: several ranks may all wait for much work that they gave to real GPUs.
    fn confidence(&self) -> Confidence {
        if self.decides() {
            return Confidence::Likely;
        }
        let may_work = |stuck: &Stuck| !stuck.is_virtual && matches!(stuck.why, Why::Call { .. });
        match (self.stuck.iter().all(may_work), self.ended.is_empty()) {
            (true, true) => Confidence::Possible,
            (true, false) => Confidence::Likely,
            _ => Confidence::Confirmed,
        }
    }

    /// Whether it goes on, and has nothing to end it.
    fn decides(&self) -> bool {
        let decides = |stuck: &Stuck| matches!(stuck.why, Why::Uncomputed { .. });
        self.stuck.iter().all(decides)
    }

    fn title(&self) -> String {
        if self.decides() {
            let time = self.time();
            return format!("for {time}, a loop has waited for a value that nothing computes");
        }
        format!("no progress for {}", self.time())
    }

    fn help(&self) -> Vec<String> {
        if self.decides() {
            return vec![
                "run it without `--no-values`, so that PyTorch's operators compute".to_owned(),
            ];
        }
        vec!["the stacks of all threads are in the report with `--stack` or `--json`".to_owned()]
    }

    fn time(&self) -> String {
        let seconds = self.since.as_secs();
        format!("{seconds} s")
    }

    fn labels(&self, first: Option<&Location>) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        for stuck in &self.stuck {
            let died = stuck.died.iter().filter_map(|died| {
                Some(Label {
                    role: LabelRole::Secondary,
                    location: died.location.clone()?,
                    text: format!("{} ended here before: {}", died.name, died.exception),
                })
            });
            labels.extend(died);
            let Some(location) = own_location(&stuck.stack()) else {
                continue;
            };
            match labels.iter_mut().find(|label| label.location == location) {
                Some(label) => label.text = format!("{}; {}", label.text, stuck.reason()),
                None => labels.push(Label {
                    role: if Some(&location) == first {
                        LabelRole::Primary
                    } else {
                        LabelRole::Secondary
                    },
                    location,
                    text: stuck.reason(),
                }),
            }
            for (location, text) in stuck.waiting() {
                match labels.iter_mut().find(|label| label.location == location) {
                    Some(label) => label.text = format!("{}; {text}", label.text),
                    None => labels.push(Label {
                        role: LabelRole::Secondary,
                        location,
                        text,
                    }),
                }
            }
        }
        labels
    }

    fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.stuck.iter().flat_map(Stuck::deaths).collect();
        reasons.extend(self.stuck.iter().map(Stuck::reason));
        reasons.extend(self.stuck.iter().filter_map(Stuck::holders));
        if !self.ended.is_empty() {
            let has = if self.ended.len() == 1 { "has" } else { "have" };
            reasons.push(format!("{} {has} ended", Process::names(&self.ended)));
        }
        reasons
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.reasons();
        notes.extend(self.stuck.iter().flat_map(|stuck| {
            let unseen = stuck.look.unseen.iter();
            unseen.map(|unseen| format!("of {} was not seen: {unseen}", names(&stuck.process)))
        }));
        if self.ended_by_us {
            notes.push("the program was ended, as `--on-hang kill` asks".to_owned());
        }
        notes
    }
}

impl Stuck {
    /// Why it does not go on, with its name.
    fn reason(&self) -> String {
        let name = names(&self.process);
        match &self.why {
            Why::Stopped => format!("{name} is stopped by a signal (SIGSTOP or SIGTSTP)"),
            Why::Call { thread, name: call } => {
                format!("in {name}, {} waits in {call}", self.thread_name(*thread))
            }
            Why::Locks => format!(
                "in {name}, every thread waits for a lock or a condition that only another one of them can release"
            ),
            Why::Gil { thread, .. } => format!(
                "in {name}, {} holds Python's global lock (the GIL) and waits; other threads wait for the lock",
                self.thread_name(*thread)
            ),
            Why::Uncomputed { thread } => format!(
                "in {name}, {} decides again and again by a truth value that no kernel computes with `--no-values`",
                self.thread_name(*thread)
            ),
            Why::Ranks => format!("{name} waits for other ranks in torch.distributed"),
            Why::Idle => format!("{name} is idle"),
        }
    }

    /// The threads that ended before, of which the others may wait for one.
    fn deaths(&self) -> impl Iterator<Item = String> {
        let name = names(&self.process);
        self.died.iter().map(move |died| {
            format!(
                "in {name}, {} was ended before by {}",
                died.name, died.exception
            )
        })
    }

    /// Where the threads of the program stand that wait for each other, and what they do there.
    fn waiting(&self) -> Vec<(Location, String)> {
        if self.why != Why::Locks {
            return Vec::new();
        }
        let at = |thread: &Thread| {
            let waits = thread.status.system_call?.waits_for_a_thread();
            let location = own_location(&frames(thread)).filter(|_| waits)?;
            let name = self.thread_name(thread.status.id);
            let by_frames = || words::awaited(&thread.python).map(str::to_owned);
            let text = match self.awaited(thread).or_else(by_frames) {
                Some(awaited) => format!("{name} waits here for {awaited}"),
                None => format!("{name} waits here"),
            };
            Some((location, text))
        };
        self.look
            .threads
            .iter()
            .filter_map(at)
            .take(THREADS)
            .collect()
    }

    /// What a thread waits for, where that says who can end the wait.
    fn awaited(&self, thread: &Thread) -> Option<String> {
        let held = thread.waits_for?;
        let by_itself = held.by == thread.status.id;
        let holder = self.thread_name(held.by);
        let holds = if by_itself {
            "it has already".to_owned()
        } else {
            format!("{holder} holds")
        };
        Some(match held.what {
            What::Mutex => format!("a mutex that {holds}"),
            What::RLock => format!("an RLock that {holds}"),
            What::End => format!("the end of {holder}"),
        })
    }

    /// Which thread waits for which, if that is known of any.
    fn holders(&self) -> Option<String> {
        let threads = self.look.threads.iter().filter_map(|thread| {
            let awaited = self.awaited(thread)?;
            let waiting = self.thread_name(thread.status.id);
            Some(format!("{waiting} waits for {awaited}"))
        });
        let known: Vec<String> = threads.take(THREADS).collect();
        let name = names(&self.process);
        (!known.is_empty()).then(|| format!("in {name}, {}", known.join("; ")))
    }

    fn thread_name(&self, id: u32) -> String {
        let threads = self.look.threads.iter().zip(&self.names);
        let mut known = threads.filter(|(thread, _)| thread.status.id == id);
        known.next().map_or_else(
            || format!("thread {id}"),
            |(thread, name)| name.clone().unwrap_or_else(|| thread.status.name.clone()),
        )
    }

    /// The thread to look at first: the one that is the reason, else the main thread.
    fn thread(&self) -> Option<&Thread> {
        let wanted = match &self.why {
            Why::Call { thread, .. } | Why::Gil { thread, .. } | Why::Uncomputed { thread } => {
                Some(*thread)
            }
            _ => None,
        };
        let mut threads = self.look.threads.iter();
        let found =
            threads.find(|thread| Some(thread.status.id) == wanted && !thread.python.is_empty());
        found.or(self.look.threads.first())
    }

    fn stack(&self) -> Vec<StackFrame> {
        self.thread().map(frames).unwrap_or_default()
    }

    fn native(&self) -> Vec<String> {
        self.thread()
            .map(|thread| thread.native.clone())
            .unwrap_or_default()
    }

    fn standing(&self) -> impl Iterator<Item = StandingThread> {
        let threads = self.look.threads.iter().zip(&self.names);
        threads.map(|(thread, name)| StandingThread {
            pid: self.process.pid,
            rank: self.process.rank,
            id: thread.status.id,
            name: name.clone().unwrap_or_else(|| thread.status.name.clone()),
            waits_in: waits_in(thread),
            stack: frames(thread).iter().map(place).collect(),
            native_stack: thread.native.clone(),
        })
    }

    /// Threads that are at one place, with that.
    fn write_threads(&self, text: &mut String, threads: &[&Thread]) {
        let Some(first) = threads.first() else { return };
        let all: Vec<String> = threads
            .iter()
            .map(|thread| {
                format!(
                    "{} ({})",
                    self.thread_name(thread.status.id),
                    thread.status.id
                )
            })
            .collect();
        let gil = if first.has_gil { ", with the GIL" } else { "" };
        let _ = writeln!(text, "  {}: {}{gil}", all.join(", "), waits_in(first));
        for frame in first.python.iter().take(FRAMES) {
            let _ = writeln!(
                text,
                "    {}:{} in {}",
                frame.file, frame.line, frame.function
            );
        }
        for frame in first.native.iter().take(FRAMES) {
            let _ = writeln!(text, "      {frame}");
        }
    }
}

/// Threads that are at the same place, together.
fn groups(threads: &[Thread]) -> Vec<Vec<&Thread>> {
    let mut groups: Vec<Vec<&Thread>> = Vec::new();
    for thread in threads {
        let same = |group: &&mut Vec<&Thread>| {
            let first = group[0];
            first.python == thread.python
                && first.native == thread.native
                && waits_in(first) == waits_in(thread)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(thread),
            None => groups.push(vec![thread]),
        }
    }
    groups
}

/// What a thread does, as the kernel sees it.
fn waits_in(thread: &Thread) -> String {
    let status = &thread.status;
    let call = status
        .system_call
        .as_ref()
        .map(cgsan_threads::SystemCall::name);
    let place = call.or_else(|| status.waits_in.clone());
    match (status.state, place) {
        ('R', _) => "runs".to_owned(),
        ('T', _) => "stopped".to_owned(),
        (_, Some(place)) => format!("waits in {place}"),
        (state, None) => format!("state {state}"),
    }
}

fn frames(thread: &Thread) -> Vec<StackFrame> {
    let frames = thread.python.iter();
    frames
        .map(|frame| StackFrame {
            file: frame.file.clone(),
            function: frame.function.clone(),
            line: frame.line,
        })
        .collect()
}

fn names(process: &Process) -> String {
    Process::names(std::slice::from_ref(process))
}
