//! Looks at processes that sleep, wait, run or are stopped.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cgsan_threads::{Held, Look, Thread, What, look, threads_of};

/// A Python that says when it is where it is to be looked at.
struct Subject(Child);

/// The interpreters of `CGSAN_TEST_PYTHON` (separated by colons) and on the `PATH`.
fn pythons() -> Vec<String> {
    let asked = std::env::var("CGSAN_TEST_PYTHON").unwrap_or_default();
    let asked = asked.split(':').filter(|name| !name.is_empty());
    let versions = [
        "", ".10", ".11", ".12", ".13", ".13t", ".14", ".14t", ".15", ".15t",
    ];
    let usual = versions.map(|version| format!("python3{version}"));
    let works = |name: &String| {
        let output = Command::new(name).args(["-c", "pass"]).output();
        output.is_ok_and(|it| it.status.success())
    };
    let all = asked.map(str::to_owned).chain(usual);
    all.filter(works).collect()
}

impl Subject {
    fn start(python: &str, program: &str) -> Subject {
        let mut child = Command::new(python)
            .args(["-u", "-c", program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python is there");
        let output = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        Subject(child)
    }

    /// Looks at it once its first thread rests, which on a busy machine it does not do at once after it wrote its line or was
    /// stopped by the look before.
    fn look(&self) -> Look {
        self.wait_for_rest();
        look(self.0.id(), true)
    }

    fn wait_for_rest(&self) {
        let since = Instant::now();
        while !self.rests() {
            assert!(since.elapsed() < Duration::from_mins(1), "never at rest");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether its first thread is stopped, or sleeps in a system call that is not a wait for Python's lock.
    fn rests(&self) -> bool {
        let threads = threads_of(self.0.id());
        let first = threads.first().expect("it has a thread");
        match first.state {
            'S' => first.system_call.is_some_and(|call| !call.is_futex()),
            state => state == 'T',
        }
    }

    /// Stops it where it is to be looked at, and not on the way there.
    fn stop(&self) {
        self.wait_for_rest();
        let stopped = Command::new("kill")
            .args(["-STOP", &self.0.id().to_string()])
            .status();
        assert!(stopped.is_ok_and(|status| status.success()));
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().expect("it is ours").is_none()
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const SLEEPS: &str = "\
import time
def rest():
    print('ready')
    time.sleep(100)
rest()
";

/// Without the GIL, each thread runs a copy of the instructions of its own.
const THREADS: &str = "\
import threading, time
def rest(said):
    print(said) if said else None
    time.sleep(100)
for _ in range(4):
    threading.Thread(target=rest, args=[None], daemon=True).start()
time.sleep(1)
rest('ready')
";

/// Calls and returns all the time.
const CALLS: &str = "\
import queue
queue = queue.Queue()
print('ready')
while True: queue.put(1), queue.get()
";

fn functions(thread: &Thread) -> Vec<(String, u32)> {
    let frames = thread.python.iter();
    frames
        .map(|frame| (frame.function.clone(), frame.line))
        .collect()
}

#[test]
fn a_thread_that_calls_and_returns_keeps_its_frames() {
    let subject = Subject::start("python3", CALLS);
    for _ in 0..200 {
        let look = look(subject.0.id(), false);
        assert!(look.is_python);
        let functions = functions(&look.threads[0]);
        assert!(
            functions.iter().any(|(name, _)| name == "<module>"),
            "{functions:?}"
        );
    }
}

#[test]
fn a_process_that_sleeps_is_seen_and_goes_on_sleeping() {
    let mut subject = Subject::start("python3", SLEEPS);
    for _ in 0..3 {
        let look = subject.look();
        assert_eq!(look.unseen, [""; 0]);
        assert_eq!(
            functions(&look.threads[0]),
            [("rest".to_owned(), 4), ("<module>".to_owned(), 5)]
        );
        let thread = &look.threads[0];
        assert!(thread.native.len() > 5, "{:?}", thread.native);
        assert!(
            thread.native.iter().any(|frame| frame.contains("python")),
            "{:?}",
            thread.native
        );
        assert!(!thread.has_gil);
        assert_eq!(thread.status.state, 'S');
        assert!(thread.status.system_call.is_some());
    }
    assert!(subject.is_alive());
}

#[test]
fn every_version_of_python_is_read() {
    for python in pythons() {
        let subject = Subject::start(&python, THREADS);
        let look = subject.look();
        assert_eq!(look.unseen, [""; 0], "{python}");
        let rest = ("rest".to_owned(), 4);
        assert_eq!(functions(&look.threads[0])[0], rest, "{python}");
        for thread in &look.threads[1..] {
            assert!(functions(thread).contains(&rest), "{python}: {thread:?}");
        }
        assert_eq!(look.threads.len(), 5, "{python}");
    }
}

#[test]
fn a_process_that_is_stopped_stays_so() {
    let subject = Subject::start("python3", SLEEPS);
    subject.stop();
    for _ in 0..2 {
        let look = subject.look();
        assert_eq!(functions(&look.threads[0])[0], ("rest".to_owned(), 4));
        assert!(!look.threads[0].native.is_empty());
        assert_eq!(subject.look().threads[0].status.state, 'T');
    }
}

#[test]
fn who_holds_the_interpreters_lock_is_seen() {
    let subject = Subject::start(
        "python3",
        "\
import ctypes, threading
waits = threading.Thread(target=lambda: [i for i in iter(int, 1)], daemon=True)
print('ready')
waits.start()
ctypes.PyDLL(None).sleep(100)
",
    );
    let look = subject.look();
    assert!(look.threads[0].has_gil);
    let other = &look.threads[1];
    assert!(!other.has_gil && !other.python.is_empty(), "{other:?}");
}

#[test]
fn what_is_no_python_and_who_is_gone_are_no_error() {
    let mut child = Command::new("sleep")
        .arg("100")
        .spawn()
        .expect("it is there");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let seen = look(child.id(), true);
    assert!(seen.threads[0].python.is_empty() && !seen.threads[0].native.is_empty());
    assert_eq!(seen.unseen.len(), 1);
    let _ = child.kill();
    let _ = child.wait();
    assert!(look(child.id(), true).threads.is_empty());
}

/// Two threads take a lock that says who has it, and one waits for the end of the other; a third lock says nothing.
const HOLD: &str = "\
import ctypes, sys, threading, time
native = ctypes.CDLL(None)
mutex, lock, silent = ctypes.create_string_buffer(64), threading.RLock(), threading.Lock()
all_there = threading.Barrier(3)
def first():
    native.pthread_mutex_lock(mutex)
    lock.acquire()
    silent.acquire()
    all_there.wait()
    silent.acquire()
def second():
    all_there.wait()
    WAIT
holder = threading.Thread(target=first, daemon=True)
holder.start()
threading.Thread(target=second, daemon=True).start()
all_there.wait()
time.sleep(1)
print('ready')
time.sleep(100)
";

#[test]
fn who_holds_what_others_wait_for_is_seen_where_it_is_known() {
    for python in pythons() {
        for (wait, what) in [
            ("native.pthread_mutex_lock(mutex)", What::Mutex),
            ("with lock: pass", What::RLock),
            ("lock.acquire()", What::RLock),
            ("with threading.Condition(lock): pass", What::RLock),
            ("holder.join()", What::End),
        ] {
            let subject = Subject::start(&python, &HOLD.replace("WAIT", wait));
            let look = subject.look();
            let [_, holder, waiting] = look.threads.as_slice() else {
                panic!("{python}: {look:?}");
            };
            let held = Held {
                what,
                by: holder.status.id,
            };
            assert_eq!(waiting.waits_for, Some(held), "{python}: {wait}");
            assert_eq!(holder.waits_for, None, "{python}: a lock keeps no holder");
        }
    }
}
