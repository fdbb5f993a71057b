//! What native frames tell of a thread that waits.

use cgsan_threads::look;

/// Files whose functions others call in order to wait, or to be called.
const SYSTEM: &[&str] = &["/libc.so", "/libc-", "/libpthread", "/libstdc++", "[vdso]"];

/// Functions of Python in which a thread sleeps, whatever for (`Python/parking_lot.c` of 3.13 and later).
const SLEEPS: &[&str] = &[
    "_PyParkingLot_Park",
    "_PySemaphore_PlatformWait",
    "_PySemaphore_Wait",
];

/// Functions of Python that take a lock (`Python/thread_pthread.h`; `Python/lock.c` of 3.13 and later).
const LOCKS: &[&str] = &[
    "PyMutex_Lock",
    "PyThread_acquire_lock",
    "PyThread_acquire_lock_timed",
    "PyThread_acquire_lock_timed_with_retries",
    "_PyMutex_LockSlow",
    "_PyMutex_LockTimed",
    "_PyRecursiveMutex_LockTimed",
];

/// The file of `SimpleQueue`, where it is not built into the interpreter, and its method that waits (`Modules/_queuemodule.c`).
const QUEUE: &str = "_queue.";
const GET: &str = "_queue_SimpleQueue_get";

/// So many frames are named: names take time.
const FRAMES: usize = 8;

/// Whether a frame, written `file+0xoffset`, is in a library of the system.
pub fn is_of_system(frame: &str) -> bool {
    SYSTEM.iter().any(|file| frame.contains(file))
}

/// Whether a thread waits for a lock of Python's, by its native frames: in `Lock.acquire` or `SimpleQueue.get`, which are functions
/// of C that its Python frames do not show. `false` if these frames may not be seen.
pub fn waits_for_a_python_lock(pid: u32, thread: u32) -> bool {
    let look = look(pid, true);
    let thread = look.threads.iter().find(|it| it.status.id == thread);
    let native = thread.map_or(&[][..], |it| it.native.as_slice());
    let called = native.iter().skip_while(|frame| is_of_system(frame));
    let mut called: Vec<String> = called.take(FRAMES).cloned().collect();
    cgsan_symbols::name_native_stacks([&mut called]);
    takes_a_python_lock(&called)
}

/// Whether the innermost of these frames, `function (file+0xoffset)` or without a function, take a lock of Python's for Python. An
/// extension has its own locks of this kind, and its own reasons to wait.
fn takes_a_python_lock(frames: &[String]) -> bool {
    let named = frames.iter().map(|frame| {
        let (function, place) = frame.rsplit_once(" (").unwrap_or(("", frame));
        let file = place.rsplit_once("+0x").map_or(place, |(file, _)| file);
        (function, file)
    });
    let mut awake = named.skip_while(|(function, _)| SLEEPS.contains(function));
    let Some((function, file)) = awake.next() else {
        return false;
    };
    let is_queue =
        |function: &str, file: &str| function.starts_with(GET) || file.starts_with(QUEUE);
    if is_queue(function, file) {
        return true;
    }
    let mut callers = awake.skip_while(|(function, _)| LOCKS.contains(function));
    let is_by_python = |(caller, of): (&str, &str)| of == file || is_queue(caller, of);
    LOCKS.contains(&function) && callers.next().is_some_and(is_by_python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(frames: &[&str]) -> bool {
        let frames: Vec<String> = frames.iter().map(|it| (*it).to_owned()).collect();
        takes_a_python_lock(&frames)
    }

    #[test]
    fn a_lock_that_python_takes() {
        assert!(takes(&[
            "PyThread_acquire_lock_timed (libpython3.11.so.1.0+0x2a93c4)",
            "acquire_timed (libpython3.11.so.1.0+0x3130a0)",
        ]));
        assert!(takes(&[
            "_PySemaphore_PlatformWait (python3.14+0x1)",
            "_PyParkingLot_Park (python3.14+0x2)",
            "_PyMutex_LockTimed (python3.14+0x3)",
            "python3.14+0x4",
        ]));
    }

    #[test]
    fn a_queue_that_is_empty() {
        assert!(takes(&[
            "PyThread_acquire_lock_timed (libpython3.11.so.1.0+0x2a93c4)",
            "_queue_SimpleQueue_get_impl (_queue.cpython-311-x86_64-linux-gnu.so+0x2700)",
        ]));
        assert!(takes(&[
            "_PyParkingLot_Park (libpython3.13.so.1.0+0x2)",
            "_queue.cpython-313-x86_64-linux-gnu.so+0x2700",
        ]));
    }

    #[test]
    fn others_wait_for_what_they_like() {
        assert!(!takes(&[]));
        assert!(!takes(&[
            "std::condition_variable::wait (libtorch_cpu.so+0x1)"
        ]));
        // A thread that is joined.
        assert!(!takes(&[
            "_PyParkingLot_Park (python3.13+0x2)",
            "PyEvent_WaitTimed (python3.13+0x3)",
        ]));
        assert!(!takes(&[
            "PyThread_acquire_lock_timed (python3.11+0x1)",
            "PyThread_acquire_lock (python3.11+0x2)",
            "__pyx_f_lock_lock (_objects.so+0x3)",
        ]));
        assert!(!takes(&["PyThread_acquire_lock_timed (python3.11+0x1)"]));
    }
}
