//! What is said of processes that were looked at, as text.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use cgsan_finding::Process;
use cgsan_threads::{Graph, Held, PythonFrame, Scope, Thread, Variable, What};

use crate::inside::Inside;
use crate::looked::{Doing, Looked};

/// Frames of a stack that are shown, and native frames above Python's, unless all are asked for.
const FRAMES: usize = 12;
const NATIVE: usize = 8;

/// Characters of a command line.
const COMMAND: usize = 160;

/// Functions of Python that wait, and for what: they are of C, so that its own stacks do not have them.
const LOCKS: [(&str, &str); 2] = [
    ("_queue_SimpleQueue_get", "an item of a queue"),
    ("PyThread_acquire_lock", "a lock of Python's"),
];

/// Graphs that are named.
const GRAPHS: usize = 8;

/// Files of the interpreter: what lies below their frames is Python's.
const INTERPRETER: [&str; 2] = ["libpython3", "python3"];

/// What a process does, in lines.
pub fn text(looked: &Looked, inside: Option<&Inside>, all_frames: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", heading(looked));
    let _ = writeln!(text, "  {}", facts(looked).join("; "));
    for unseen in &looked.look.unseen {
        let _ = writeln!(text, "  not seen: {unseen}");
    }
    let threads = looked.look.threads.iter().zip(&looked.threads);
    let (own, others): (Vec<_>, Vec<_>) =
        threads.partition(|(thread, doing)| !thread.python.is_empty() || is_worth_a_look(doing));
    for (thread, doing) in own {
        write_thread(&mut text, looked, thread, doing, all_frames);
    }
    if !others.is_empty() {
        let names = others.iter().map(|(_, doing)| doing.name.as_str());
        let count = others.len();
        let noun = if count == 1 { "thread" } else { "threads" };
        let _ = writeln!(text, "  {count} {noun} without Python: {}", counted(names));
    }
    for line in objects(looked) {
        let _ = writeln!(text, "  {line}");
    }
    match inside {
        Some(inside) => inside.lines().iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        }),
        None if looked.look.is_python => {
            let _ = writeln!(
                text,
                "  not known from outside: pools and who holds memory, lines of captures, members of process groups, collectives in flight (`--inside`, with Python 3.14)"
            );
        }
        None => {}
    }
    text
}

/// A thread that runs no Python and is in a call of CUDA or NCCL.
fn is_worth_a_look(doing: &Doing) -> bool {
    doing.call.is_some()
}

fn heading(looked: &Looked) -> String {
    let subject = &looked.subject;
    let mut words = format!("process {}", subject.pid);
    if let Some(rank) = subject.place.rank {
        let of = subject
            .place
            .world_size
            .map_or(String::new(), |size| format!(" of {size}"));
        let _ = write!(words, ", rank {rank}{of}");
    }
    if let Some(host) = &subject.host {
        let _ = write!(words, ", on {host}");
    }
    format!("{words}: {}", one_line(&subject.command.join(" ")))
}

/// A command line without line breaks, and not longer than is of use.
fn one_line(command: &str) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(COMMAND) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn facts(looked: &Looked) -> Vec<String> {
    let subject = &looked.subject;
    let mut facts = looked.software();
    facts.push(format!("running for {}", time(subject.age)));
    facts.push(format!("user {}", subject.user));
    if let Some(inner) = subject.inner_pid {
        facts.push(format!("process {inner} of its own namespace"));
    }
    if subject.is_elsewhere {
        facts.push("with files of its own, as in a container".to_owned());
    }
    facts
}

fn write_thread(text: &mut String, looked: &Looked, thread: &Thread, doing: &Doing, all: bool) {
    let does = does(looked, thread, doing);
    let gil = if thread.has_gil { ", with the GIL" } else { "" };
    let _ = writeln!(text, "  {} ({}): {does}{gil}", doing.name, thread.status.id);
    for frame in native(thread, doing, all) {
        let _ = writeln!(text, "        {frame}");
    }
    let shown = if all { usize::MAX } else { FRAMES };
    for frame in thread.python.iter().take(shown) {
        let _ = writeln!(text, "      {}", place(frame));
    }
    let left = thread.python.len().saturating_sub(shown);
    if left > 0 {
        let _ = writeln!(text, "      and {left} more (`--stack`)");
    }
}

/// The native frames to show: all, or those with names between a library's call and the interpreter.
fn native<'t>(thread: &'t Thread, doing: &Doing, all: bool) -> Vec<&'t String> {
    if all {
        return thread.native.iter().collect();
    }
    let inside = doing.call.as_ref().map_or(0, |call| call.frame);
    let frames = thread.native.iter().skip(inside);
    let frames = frames.take_while(|frame| !is_of_interpreter(frame));
    frames
        .filter(|frame| frame.contains(" ("))
        .take(NATIVE)
        .collect()
}

/// What a thread does, and since when.
pub fn does(looked: &Looked, thread: &Thread, doing: &Doing) -> String {
    let window = time(looked.window);
    if let Some(call) = &doing.call {
        let within = call
            .within
            .as_ref()
            .map_or(String::new(), |it| format!(", for {it}"));
        let waits = format!("in {}{within}", call.function);
        return match (doing.still_for, doing.is_watched) {
            (Some(since), _) => format!(
                "waits {waits}, which has not returned for at least {}",
                time(since)
            ),
            (None, true) => format!("{waits}; such calls returned within {window}"),
            (None, false) => {
                format!(
                    "{waits}; the thread has run within {window}, so it may be another call than before"
                )
            }
        };
    }
    let waits = awaited(looked, thread);
    match (doing.still_for, thread.status.state) {
        (_, 'T') => "stopped by a signal".to_owned(),
        (Some(since), _) => format!("waits {waits}; has not run for at least {}", time(since)),
        (None, 'R') => "runs".to_owned(),
        (None, _) => format!("waits {waits}; has run within {window}"),
    }
}

fn awaited(looked: &Looked, thread: &Thread) -> String {
    if let Some(held) = thread.waits_for {
        return format!("for {}", by_whom(looked, thread, held));
    }
    if let Some(awaited) = cgsan_hangs::awaited(&thread.python) {
        return format!("for {awaited}");
    }
    let native = |name: &str| thread.native.iter().any(|frame| frame.starts_with(name));
    if let Some((_, awaited)) = LOCKS.iter().find(|(name, _)| native(name)) {
        return format!("for {awaited}");
    }
    let call = thread.status.system_call.as_ref();
    let call = call.map(cgsan_threads::SystemCall::name);
    call.or_else(|| thread.status.waits_in.clone())
        .map_or_else(|| "in the kernel".to_owned(), |it| format!("in {it}"))
}

fn by_whom(looked: &Looked, thread: &Thread, held: Held) -> String {
    let threads = looked.look.threads.iter().zip(&looked.threads);
    let mut named = threads.filter(|(it, _)| it.status.id == held.by);
    let holder = named.next();
    let holder = holder.map_or_else(
        || format!("thread {}", held.by),
        |(_, doing)| doing.name.clone(),
    );
    let holds = if held.by == thread.status.id {
        "it has already".to_owned()
    } else {
        format!("{holder} holds")
    };
    match held.what {
        What::Mutex => format!("a mutex that {holds}"),
        What::RLock => format!("an RLock that {holds}"),
        What::End => format!("the end of {holder}"),
    }
}

fn objects(looked: &Looked) -> Vec<String> {
    if !looked.uses_cuda() {
        return Vec::new();
    }
    let objects = match &looked.objects {
        Ok(objects) => objects,
        Err(reason) => return vec![format!("live graphs and captures: not seen: {reason}")],
    };
    let mut lines = vec![format!("live graphs: {}", graphs(&objects.graphs))];
    for block in &objects.captures {
        let threads = looked.look.threads.iter().zip(&looked.threads);
        let mut named = threads.filter(|(it, _)| it.pthread == block.pthread);
        let name = named
            .next()
            .map_or("a thread", |(_, doing)| doing.name.as_str());
        lines.push(format!(
            "capture under way: {name}, {}",
            place(&block.frame)
        ));
    }
    if objects.captures.is_empty() {
        lines.push("captures under way: none in a `with torch.cuda.graph(…)` statement".to_owned());
    }
    if objects.streams > 0 {
        lines.push(format!("streams: {}", objects.streams));
    }
    let watchdogs = looked
        .threads
        .iter()
        .filter(|it| it.name.starts_with("pt_nccl_watchd"));
    let watchdogs = watchdogs.count();
    if watchdogs > 0 {
        lines.push(format!(
            "process groups of NCCL: {watchdogs}, by their watchdogs"
        ));
    }
    lines
}

fn graphs(graphs: &[Graph]) -> String {
    if graphs.is_empty() {
        return "none".to_owned();
    }
    let named: Vec<String> = graphs
        .iter()
        .filter_map(|graph| graph.names.first())
        .map(variable)
        .collect();
    let mut distinct: Vec<String> = Vec::new();
    for name in &named {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    let more = distinct.len().saturating_sub(GRAPHS);
    distinct.truncate(GRAPHS);
    let mut text = graphs.len().to_string();
    if !distinct.is_empty() {
        let _ = write!(text, ": {}", distinct.join("; "));
    }
    if more > 0 {
        let _ = write!(text, "; and {more} more names");
    }
    let unnamed = graphs.len() - named.len();
    if unnamed > 0 {
        let _ = write!(
            text,
            "; {unnamed} in no variable of a module or a running function"
        );
    }
    text
}

/// A variable with whose it is.
pub fn variable(variable: &Variable) -> String {
    let held = if variable.is_container { "in " } else { "" };
    let of = match &variable.of {
        Scope::Module(module) => format!("of module {module}"),
        Scope::Frame(frame) => format!("in {}", place(frame)),
    };
    format!("{held}`{}` {of}", variable.name)
}

fn place(frame: &PythonFrame) -> String {
    format!("{}:{} in {}", frame.file, frame.line, frame.function)
}

/// Names, each once, with how often it is there.
fn counted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match known.iter_mut().find(|(it, _)| *it == name) {
            Some((_, count)) => *count += 1,
            None => known.push((name, 1)),
        }
    }
    let words = known.iter().map(|(name, count)| match count {
        1 => (*name).to_owned(),
        _ => format!("{name} ({count})"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn is_of_interpreter(frame: &str) -> bool {
    let place = frame.rsplit_once(" (").map_or(frame, |(_, place)| place);
    let file = place.rsplit('/').next().unwrap_or(place);
    INTERPRETER.iter().any(|it| file.starts_with(it))
}

/// A time, as people say it.
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{} ms", duration.as_millis()),
        1..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// What is wrong with a process that cannot be looked at; `None` if it can.
pub fn refusal(looked: &Looked) -> Option<String> {
    let reads_nothing = looked
        .look
        .threads
        .iter()
        .all(|it| it.python.is_empty() && it.native.is_empty());
    reads_nothing.then(|| {
        let reasons = looked.look.unseen.join("; ");
        format!("process {}: {reasons}", looked.subject.pid)
    })
}

impl Looked {
    /// Whether it has loaded the driver of CUDA, or the virtual GPU.
    pub fn uses_cuda(&self) -> bool {
        self.has("libcuda.so") || crate::is_virtual(&self.look)
    }

    /// What it runs on.
    pub fn software(&self) -> Vec<String> {
        let mut known = Vec::new();
        known.extend(self.python_version().map(|it| format!("Python {it}")));
        if self.has("libtorch_python.so") {
            known.push("PyTorch".to_owned());
        }
        if crate::is_virtual(&self.look) {
            known.push("the virtual GPU of `cgsan run`".to_owned());
        } else if self.has("libcuda.so") {
            known.push("CUDA".to_owned());
        }
        known
    }

    /// The version of its interpreter, as the name of that tells it.
    pub fn python_version(&self) -> Option<&str> {
        let names = self.look.files.iter();
        let names = names.filter_map(|it| Path::new(it).file_name()?.to_str());
        let mut versions = names.filter_map(|name| {
            let version = name
                .strip_prefix("libpython")
                .or_else(|| name.strip_prefix("python"))?;
            let end = version.find(|c: char| !c.is_ascii_digit() && c != '.');
            let version = version[..end.unwrap_or(version.len())].trim_end_matches('.');
            version.starts_with("3.").then_some(version)
        });
        versions.next()
    }

    fn has(&self, library: &str) -> bool {
        let mut files = self.look.files.iter();
        files.any(|it| {
            it.rsplit('/')
                .next()
                .is_some_and(|it| it.starts_with(library))
        })
    }
}

/// The ranks of a job that were not looked at; `None` if all were, or nobody knows how many there are.
pub fn missing(all: &[Looked]) -> Option<String> {
    let size = all
        .iter()
        .filter_map(|it| it.subject.place.world_size)
        .max()?;
    let seen = all
        .iter()
        .filter(|it| it.subject.place.rank.is_some())
        .count();
    let missing = usize::try_from(size)
        .ok()?
        .checked_sub(seen)
        .filter(|it| *it > 0)?;
    let processes: Vec<Process> = all.iter().map(Looked::process).collect();
    Some(format!(
        "{missing} of the {size} ranks were not looked at: {} may wait for them (`cgsan attach --job` takes all ranks of this machine)",
        Process::names(&processes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said = |milliseconds| time(Duration::from_millis(milliseconds));
        assert_eq!(said(250), "250 ms");
        assert_eq!(said(14_900), "14 s");
        assert_eq!(said(130_000), "2 min");
        assert_eq!(said(11_580_000), "3 h 13 min");
        assert_eq!(said(400_000_000), "4 days");
    }

    #[test]
    fn graphs_are_named_by_what_leads_to_them() {
        let named = |name: &str| Graph {
            names: vec![Variable {
                name: name.to_owned(),
                is_container: true,
                of: Scope::Module("serve".to_owned()),
            }],
        };
        let all = [named("graphs"), named("graphs"), Graph::default()];
        assert_eq!(
            graphs(&all),
            "3: in `graphs` of module serve; 1 in no variable of a module or a running function"
        );
        assert_eq!(graphs(&[]), "none");
    }
}
