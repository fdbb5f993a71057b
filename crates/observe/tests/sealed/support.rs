//! Making sealed children, and what became of them.

use std::fs::File;
use std::io::{Read as _, pipe};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a child may take if nothing else is said.
pub const BYTES: u64 = 64 << 20;
pub const SECONDS: u32 = 5;

/// So long a child may take to end by itself.
const LONGEST: Duration = Duration::from_secs(20);

/// How a child ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
}

/// It made a call that is not allowed.
pub const FORBIDDEN: End = End::Signal(libc::SIGSYS);

/// One test makes children at a time: what it asks of the process is then about its own, and no other thread holds the
/// allocator's locks.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sealed child, and the end of its pipe.
pub struct Child {
    pub pid: i64,
    report: File,
}

impl Child {
    /// Makes a child that does something and then says so. What it does must not panic.
    pub fn new(bytes: u64, seconds: u32, act: impl FnOnce()) -> Child {
        let (read, write) = pipe().unwrap();
        let pid = crate::cgsan_sealed_clone(write.as_raw_fd(), bytes, seconds);
        if pid == 0 {
            act();
            report(b".");
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(0) };
        }
        assert!(
            pid > 0,
            "{}",
            std::io::Error::from_raw_os_error(-i32::try_from(pid).unwrap())
        );
        drop(write);
        Child {
            pid,
            report: File::from(OwnedFd::from(read)),
        }
    }

    /// Waits until it has ended by itself, and reaps it. How it ended, and what it reported.
    pub fn ended(mut self) -> (End, Vec<u8>) {
        let mut reported = Vec::new();
        self.report.read_to_end(&mut reported).unwrap();
        let end = self.end();
        assert_ne!(crate::cgsan_sealed_end(self.pid, 0), 0);
        assert_eq!(
            crate::cgsan_sealed_end(self.pid, 1),
            1,
            "it is gone already"
        );
        (end, reported)
    }

    /// How it ended, without reaping it.
    fn end(&self) -> End {
        let (pid, flags) = (
            u32::try_from(self.pid).unwrap(),
            libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WCLONE,
        );
        let start = Instant::now();
        while start.elapsed() < LONGEST {
            // SAFETY: zeros are a value of this structure of numbers.
            let mut told: libc::siginfo_t = unsafe { std::mem::zeroed() };
            // SAFETY: there is room for what is told.
            let answer = unsafe { libc::waitid(libc::P_PID, pid, &raw mut told, flags) };
            assert_eq!(answer, 0);
            // SAFETY: waitid has filled these in.
            let (ended, status) = unsafe { (told.si_pid(), told.si_status()) };
            if ended != 0 && told.si_code == libc::CLD_EXITED {
                return End::Exit(status);
            } else if ended != 0 {
                assert_eq!(told.si_code, libc::CLD_KILLED, "no core");
                return End::Signal(status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the child did not end");
    }
}

/// What becomes of a child that does something; whether it came to the end of that is in its report.
pub fn end_of(act: impl FnOnce()) -> (End, Vec<u8>) {
    Child::new(BYTES, SECONDS, act).ended()
}

/// Writes to the pipe, without what allocates.
pub fn report(bytes: &[u8]) {
    // SAFETY: the pointer and the length are those of the bytes.
    unsafe { libc::write(3, bytes.as_ptr().cast(), bytes.len()) };
}

/// Memory of a page that this process shares with its children.
pub fn shared_page(file: Option<&File>) -> *mut u64 {
    let kind = if file.is_some() {
        0
    } else {
        libc::MAP_ANONYMOUS
    };
    let file = file.map_or(-1, AsRawFd::as_raw_fd);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses where; nothing is replaced.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            4096,
            rights,
            libc::MAP_SHARED | kind,
            file,
            0,
        )
    };
    assert_ne!(page, libc::MAP_FAILED);
    page.cast()
}

/// This process has no child that the program would see.
pub fn has_no_child() -> bool {
    // SAFETY: the status is not asked for.
    let answer = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    answer == -1 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ECHILD)
}

/// Nor one of any kind.
pub fn has_no_child_at_all() -> bool {
    // SAFETY: as above.
    let answer = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG | libc::__WALL) };
    answer == -1 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ECHILD)
}
