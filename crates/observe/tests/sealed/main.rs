//! Sealed children try what they must not be able to do, through the functions that the agent calls.
#![allow(unsafe_code, reason = "does in children what programs do")]

mod support;

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{Read as _, pipe};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, thread};

use support::{
    BYTES, Child, End, FORBIDDEN, SECONDS, alone, end_of, has_no_child, has_no_child_at_all,
    report, shared_page,
};

cgsan_observe::export_agent_functions!(cgsan_observe::start, || ());

static CHILD_SIGNALS: AtomicU32 = AtomicU32::new(0);

extern "C" fn on_child_signal(_signal: i32) {
    CHILD_SIGNALS.fetch_add(1, Ordering::Relaxed);
}

fn count_child_signals() {
    let handler = on_child_signal as extern "C" fn(i32) as libc::sighandler_t;
    // SAFETY: the handler adds to a number.
    unsafe { libc::signal(libc::SIGCHLD, handler) };
}

#[test]
fn what_it_computes_comes_through_the_pipe() {
    let _alone = alone();
    let words = ["the", "same", "memory"].map(str::to_owned);
    let (end, reported) = end_of(|| {
        let more = vec![1_u64; 1 << 18];
        let sum: u64 = more.iter().sum();
        assert!(cgsan_observe::sealed::is_sealed());
        report(format!("{} {sum}", words.join(" ")).as_bytes());
    });
    assert_eq!(end, End::Exit(0));
    assert_eq!(reported, b"the same memory 262144.");
    assert!(!cgsan_observe::sealed::is_sealed());
    assert!(has_no_child_at_all());
}

#[test]
fn no_file_is_opened_changed_or_removed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "as it was").unwrap();
    let path = std::ffi::CString::new(file.as_os_str().as_bytes()).unwrap();
    let open = File::options().append(true).open(&file).unwrap();
    // A number that is none of the child's own.
    // SAFETY: takes numbers only.
    let held = unsafe { libc::fcntl(open.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 100) };
    assert!(held >= 100);

    // SAFETY: what is passed holds; the child may end at the call.
    let opened = end_of(|| unsafe {
        libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_TRUNC);
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let removed = end_of(|| unsafe {
        libc::unlink(path.as_ptr());
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let written = end_of(|| unsafe {
        libc::write(held, b"changed".as_ptr().cast(), 7);
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let truncated = end_of(|| unsafe {
        libc::ftruncate(held, 0);
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let read = end_of(|| unsafe {
        libc::read(0, [0_u8; 8].as_mut_ptr().cast(), 8);
    });
    for (end, reported) in [opened, removed, written, truncated, read] {
        assert_eq!((end, reported), (FORBIDDEN, Vec::new()));
    }
    // SAFETY: as above.
    unsafe { libc::close(held) };
    assert_eq!(fs::read_to_string(&file).unwrap(), "as it was");
}

#[test]
fn standard_output_and_error_lead_nowhere() {
    let _alone = alone();
    let (mut read, write) = pipe().unwrap();
    // SAFETY: takes numbers only.
    let before = unsafe { libc::dup(2) };
    // SAFETY: as above; what was there is put back below.
    unsafe { libc::dup2(write.as_raw_fd(), 2) };
    // SAFETY: what is passed holds; the child may end at the call.
    let (end, _) = end_of(|| unsafe {
        libc::write(1, b"output".as_ptr().cast(), 6);
        libc::write(2, b"error".as_ptr().cast(), 5);
    });
    // SAFETY: as above.
    unsafe {
        libc::dup2(before, 2);
        libc::close(before);
    }
    drop(write);
    let mut written = String::new();
    read.read_to_string(&mut written).unwrap();
    assert_eq!((end, written.as_str()), (End::Exit(0), ""));
}

#[test]
fn no_process_or_socket_is_reached() {
    let _alone = alone();
    // SAFETY: what is passed holds; the child may end at the call.
    let connected = end_of(|| unsafe {
        libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0);
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let forked = end_of(|| unsafe {
        libc::fork();
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let killed = end_of(|| unsafe {
        libc::kill(libc::getppid(), libc::SIGTERM);
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let controlled = end_of(|| unsafe {
        libc::ioctl(1, libc::TIOCSTI, c"x".as_ptr());
    });
    // SAFETY: what is passed holds; the child may end at the call.
    let unsealed = end_of(|| unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, 0);
    });
    for (end, reported) in [connected, forked, killed, controlled, unsealed] {
        assert_eq!((end, reported), (FORBIDDEN, Vec::new()));
    }
    let (end, _) = end_of(|| report(&cgsan_sealed_clone(3, 0, 1).to_le_bytes()));
    assert_eq!(end, End::Exit(0), "a child makes no child, and goes on");
}

#[test]
fn shared_memory_stays_as_it_is() {
    let _alone = alone();
    let file = tempfile::tempfile().unwrap();
    file.set_len(4096).unwrap();
    // SAFETY: the name is a string of C.
    let memory = unsafe { libc::memfd_create(c"other".as_ptr(), 0) };
    // SAFETY: the descriptor was made just now.
    let memory = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(memory) };
    memory.set_len(4096).unwrap();
    for page in [None, Some(&file), Some(&memory)].map(shared_page) {
        // SAFETY: the page is this test's own.
        unsafe { page.write(7) };
        // SAFETY: the page is this test's own.
        let (end, reported) = end_of(|| unsafe {
            // It can be read.
            report(&page.read().to_le_bytes());
            page.write(8);
        });
        assert_eq!(end, End::Signal(libc::SIGSEGV));
        assert_eq!(reported, 7_u64.to_le_bytes());
        // SAFETY: the page is this test's own.
        let (end, _) = end_of(|| unsafe {
            // The right to write does not come back.
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            if libc::mprotect(page.cast(), 4096, rights) == 0 {
                page.write(9);
            }
        });
        assert_eq!(end, End::Exit(0));
        // SAFETY: the page is this test's own.
        let (end, _) = end_of(|| unsafe {
            libc::madvise(page.cast(), 4096, libc::MADV_REMOVE);
        });
        assert_eq!(end, FORBIDDEN);
        // SAFETY: as above.
        assert_eq!(unsafe { page.read() }, 7);
    }
}

#[test]
fn the_memory_of_the_virtual_gpu_becomes_its_own() {
    let _alone = alone();
    let name = cgsan_observe::sealed::PRIVATE_MEMORY.as_ptr();
    // SAFETY: the name is a string of C.
    let memory = unsafe { libc::memfd_create(name, libc::MFD_CLOEXEC) };
    // SAFETY: the descriptor was made just now.
    let memory = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(memory) };
    memory.set_len(4096).unwrap();
    let page = shared_page(Some(&memory));
    // SAFETY: the page is this test's own.
    unsafe { page.write(7) };
    // SAFETY: the page is this test's own.
    let (end, reported) = end_of(|| unsafe {
        page.write(page.read() + 1);
        report(&page.read().to_le_bytes());
    });
    assert_eq!(end, End::Exit(0));
    assert_eq!(reported[..8], 8_u64.to_le_bytes());
    // SAFETY: as above.
    assert_eq!(unsafe { page.read() }, 7);
    drop(memory);
    // SAFETY: the page is this test's own.
    let (end, _) = end_of(|| unsafe { page.write(8) });
    assert_eq!(end, End::Signal(libc::SIGSEGV), "no file of it is open");
}

#[test]
fn memory_and_time_have_an_end() {
    let _alone = alone();
    let take = |bytes: usize| {
        // SAFETY: asks for new memory, and touches none.
        move || unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let memory = libc::mmap(ptr::null_mut(), bytes, rights, kind, -1, 0);
            report(if memory == libc::MAP_FAILED {
                b"none"
            } else {
                b"some"
            });
        }
    };
    assert_eq!(end_of(take(10 << 30)).1, b"none.");
    assert_eq!(end_of(take(1 << 20)).1, b"some.");

    let spins = Child::new(BYTES, 1, || {
        loop {
            std::hint::spin_loop();
        }
    });
    assert_eq!(spins.ended(), (End::Signal(libc::SIGXCPU), Vec::new()));
}

/// Kills a child that would wait for ever.
fn waits(act: impl FnOnce()) {
    let child = Child::new(BYTES, SECONDS, act);
    thread::sleep(Duration::from_millis(20));
    assert_eq!(cgsan_sealed_end(child.pid, 0), 0, "it runs");
    assert_eq!(cgsan_sealed_end(child.pid, 1), 1);
    assert_eq!(cgsan_sealed_end(child.pid, 0), 1, "it is gone");
    assert!(has_no_child_at_all());
}

#[test]
fn one_that_waits_for_ever_is_ended_and_at_a_lock_ends_at_once() {
    static LOCK: Mutex<()> = Mutex::new(());
    let _alone = alone();
    waits(|| thread::sleep(Duration::from_secs(1 << 30)));

    let (held, wait_held) = std::sync::mpsc::channel();
    let (release, wait_release) = std::sync::mpsc::channel::<()>();
    let holder = thread::spawn(move || {
        let _lock = LOCK.lock();
        held.send(()).unwrap();
        let _ = wait_release.recv();
    });
    wait_held.recv().unwrap();
    let child = Child::new(BYTES, SECONDS, || drop(LOCK.lock()));
    assert_eq!(child.ended().0, End::Exit(89), "nobody will release it");
    drop(release);
    holder.join().unwrap();
}

#[test]
fn the_program_sees_no_child_and_its_own_are_not_touched() {
    let _alone = alone();
    count_child_signals();
    let before = CHILD_SIGNALS.load(Ordering::Relaxed);
    let child = Child::new(BYTES, SECONDS, || ());
    assert!(has_no_child(), "while it runs or has ended");
    child.ended();
    assert_eq!(CHILD_SIGNALS.load(Ordering::Relaxed), before);

    // SAFETY: the child ends at once.
    let own = unsafe { libc::fork() };
    if own == 0 {
        // SAFETY: as above.
        unsafe { libc::_exit(0) };
    }
    thread::sleep(Duration::from_millis(20));
    for kill in [0, 1] {
        assert_eq!(cgsan_sealed_end(own.into(), kill), 1, "no sealed child");
        assert_eq!(cgsan_sealed_end(-1, kill), 1);
        assert_eq!(cgsan_sealed_end(0, kill), 1);
    }
    // SAFETY: the status is not asked for.
    assert_eq!(unsafe { libc::waitpid(own, ptr::null_mut(), 0) }, own);
}

#[test]
fn no_handler_of_a_fork_runs() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    extern "C" fn run() {
        RUNS.fetch_add(1, Ordering::Relaxed);
    }
    let _alone = alone();
    // SAFETY: the handler adds to a number.
    unsafe { libc::pthread_atfork(Some(run), Some(run), Some(run)) };
    let before = RUNS.load(Ordering::Relaxed);
    let (_, reported) = end_of(|| report(&RUNS.load(Ordering::Relaxed).to_le_bytes()));
    assert_eq!(reported[..4], before.to_le_bytes());
    assert_eq!(RUNS.load(Ordering::Relaxed), before);
}

#[test]
fn nothing_is_recorded_in_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let config = serde_json::json!({ "run_directory": folder.path(), "clock": true });
    let config = std::ffi::CString::new(config.to_string()).unwrap();
    // SAFETY: it is a string of C.
    assert_eq!(unsafe { cgsan_start(config.as_ptr()) }, 0);
    let contents = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let files = fs::read_dir(folder.path()).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let mut all: Vec<_> = paths
            .map(|it| (it.clone(), fs::read(it).unwrap()))
            .collect();
        all.sort();
        all
    };
    let before = contents();
    let waiting = Cell::new(Some(cgsan_observe::waiting("before")));
    let during = contents();
    let (end, _) = end_of(|| {
        cgsan_observe::note("not seen");
        cgsan_observe::agent_event("{}");
        cgsan_observe::thread_name("not seen");
        cgsan_clock_step();
        drop(cgsan_observe::waiting("not seen"));
        cgsan_observe::replay_begins(0x7f00).is_recorded();
        drop(waiting.take());
        report(if cgsan_observe::is_recording() {
            b"on"
        } else {
            b"off"
        });
    });
    assert_eq!(end, End::Exit(0));
    assert!(contents() == during && before != during);
    cgsan_observe::note("seen");
    assert!(contents() != during);
}

#[test]
fn only_a_pipe_takes_the_report() {
    let _alone = alone();
    let file = tempfile::tempfile().unwrap();
    for report in [file.as_raw_fd(), -1] {
        let answer = cgsan_sealed_clone(report, BYTES, SECONDS);
        assert_eq!(answer, -i64::from(libc::EINVAL));
    }
}

#[test]
fn it_ends_with_its_parent() {
    let _alone = alone();
    let (mut read, write) = pipe().unwrap();
    // SAFETY: the forked process makes a sealed child, which needs no lock, and ends.
    let parent = unsafe { libc::fork() };
    if parent == 0 {
        let child = cgsan_sealed_clone(write.as_raw_fd(), BYTES, SECONDS);
        if child == 0 {
            report(b".");
            thread::sleep(Duration::from_secs(1000));
        }
        thread::sleep(Duration::from_millis(100));
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(0) };
    }
    drop(write);
    let mut reported = Vec::new();
    // Comes to its end when the last who could write is gone.
    read.read_to_end(&mut reported).unwrap();
    assert_eq!(reported, b".");
    // SAFETY: the status is not asked for.
    unsafe { libc::waitpid(parent, ptr::null_mut(), 0) };
}

/// Makes a child in a thread that ends at once.
fn of_a_thread(act: impl FnOnce() + Send) -> Child {
    thread::scope(|scope| scope.spawn(|| Child::new(BYTES, SECONDS, act)).join()).unwrap()
}

#[test]
fn it_goes_on_when_the_thread_is_gone_that_made_it() {
    let _alone = alone();
    let child = of_a_thread(|| thread::sleep(Duration::from_millis(200)));
    assert_eq!(child.ended(), (End::Exit(0), b".".to_vec()));
}

#[test]
fn it_ends_with_the_process_of_another_thread() {
    let _alone = alone();
    let (mut read, write) = pipe().unwrap();
    // SAFETY: the forked process has a thread make a sealed child, and ends.
    let parent = unsafe { libc::fork() };
    if parent == 0 {
        let file = write.as_raw_fd();
        let made = thread::spawn(move || {
            if cgsan_sealed_clone(file, BYTES, SECONDS) == 0 {
                report(b".");
                thread::sleep(Duration::from_secs(1000));
            }
        });
        let _ = made.join();
        thread::sleep(Duration::from_millis(100));
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(0) };
    }
    drop(write);
    let mut reported = Vec::new();
    // Comes to its end when the last who could write is gone.
    read.read_to_end(&mut reported).unwrap();
    assert_eq!(reported, b".");
    // SAFETY: the status is not asked for.
    unsafe { libc::waitpid(parent, ptr::null_mut(), 0) };
}

#[test]
fn five_hundred_leave_nothing_behind() {
    let _alone = alone();
    count_child_signals();
    let before = CHILD_SIGNALS.load(Ordering::Relaxed);
    let files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let open = files();
    let shared = shared_page(None);
    let forbidden: [fn(*mut u64); 5] = [
        |_| (),
        // SAFETY: what is passed holds; the child may end at the call.
        |_| unsafe {
            libc::close(0);
        },
        // SAFETY: the page is this test's own.
        |page| unsafe { page.write(1) },
        // SAFETY: what is passed holds; the child may end at the call.
        |_| unsafe {
            libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0);
        },
        |_| thread::sleep(Duration::from_secs(1000)),
    ];
    let start = Instant::now();
    for number in 0..500 {
        let act = forbidden[number % forbidden.len()];
        let child = Child::new(BYTES, SECONDS, || act(shared));
        if number % forbidden.len() == forbidden.len() - 1 {
            assert_eq!(cgsan_sealed_end(child.pid, 1), 1);
        } else {
            let (_, reported) = child.ended();
            assert_eq!(reported.is_empty(), number % forbidden.len() != 0);
        }
    }
    let took = start.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
    println!("500 children took {took:?}");
    assert!(has_no_child() && has_no_child_at_all());
    assert_eq!(CHILD_SIGNALS.load(Ordering::Relaxed), before);
    assert_eq!(files(), open);
    // SAFETY: the page is this test's own.
    assert_eq!(unsafe { shared.read() }, 0);
}

#[test]
fn a_watched_child_is_ended_when_its_time_is_up() {
    let _alone = alone();
    let child = Child::new(BYTES, SECONDS, || {
        loop {
            std::hint::black_box(());
        }
    });
    assert_eq!(cgsan_sealed_watch(child.pid, 50), 1);
    let mut asked = 0;
    let start = Instant::now();
    while asked == 0 && start.elapsed() < Duration::from_secs(20) {
        asked = cgsan_sealed_end(child.pid, 0);
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(asked, 3, "its time was up");
    assert_eq!(cgsan_sealed_end(child.pid, 0), 1, "it is gone");
}
