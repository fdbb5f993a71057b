//! Making the child, and ending it.

use std::ffi::c_int;
use std::ptr;

use super::filter::{self, Filters};
use super::limits::{self, Limits};
use super::{Failure, checked, files, is_sealed, maps, signals, silence};
use crate::loader;

/// Makes a sealed child. Returns its process id, 0 in the child, and a negative error number if there is none.
///
/// `report` is the write end of a pipe, which is file 3 of the child. It may take `bytes` more address space than there is now, and
/// run for `seconds` on the processor.
pub fn clone(report: c_int, bytes: u64, seconds: u32) -> i64 {
    if is_sealed() {
        return -i64::from(libc::EPERM);
    }
    if !files::is_pipe(report) {
        return -i64::from(libc::EINVAL);
    }
    let Some(filters) = filter::compiled() else {
        return -i64::from(libc::ENOSYS);
    };
    let limits = Limits { bytes, seconds };
    let parent = process_id();
    // SAFETY: gettid has no precondition.
    let is_of_first = i64::from(unsafe { libc::gettid() }) == parent;
    // A thread that is inside the loader's list when the copy is made holds its lock there for ever.
    loader::before_fork();
    // A signal that the child takes before it has reset the handlers would run the program's handler there.
    let mask = signals::block(signals::ALL);
    let answer = copy_process();
    if answer == 0 {
        let unsealed = Unsealed;
        if let Err(failure) = seal(parent, is_of_first, report, limits, filters) {
            exit(failure);
        }
        std::mem::forget(unsealed);
        return 0;
    }
    signals::set_mask(mask);
    loader::after_fork();
    answer
}

/// All that makes the child harmless, in an order in which each step has what it needs.
fn seal(
    parent: i64,
    is_of_first: bool,
    report: c_int,
    limits: Limits,
    filters: &'static Filters,
) -> Result<(), Failure> {
    silence();
    loader::after_fork();
    end_with(parent, is_of_first)?;
    signals::reset(parent)?;
    limits::be_modest();
    // Finds memory by its files, which are still open.
    maps::protect()?;
    limits.set()?;
    files::close_all_but(report)?;
    limits::forbid_files()?;
    give_up_privileges()?;
    filters.install()
}

/// The child if it panics: without its filter it must not go back to Python.
struct Unsealed;

impl Drop for Unsealed {
    fn drop(&mut self) {
        exit(Failure::Internal);
    }
}

/// Copies the process with the calling thread alone. Returns as [`clone`] does.
fn copy_process() -> i64 {
    let (flags, none) = (0_u64, ptr::null_mut::<libc::c_void>());
    // SAFETY: no flag is set, so the child has a copy of all memory and goes on where this returns. Its lowest byte, the signal
    // that tells the parent of the end, is none.
    let answer = unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) };
    if answer < 0 {
        let error = std::io::Error::last_os_error().raw_os_error();
        return -i64::from(error.unwrap_or(libc::EAGAIN));
    }
    answer
}

/// Has the child end with its parent, which the kernel takes to be the thread that made it: the end of the first one is that of the
/// process; that of another is a signal upon which it is asked whether the process is still there.
fn end_with(parent: i64, is_of_first: bool) -> Result<(), Failure> {
    let signal = if is_of_first {
        libc::SIGKILL
    } else {
        signals::THREAD_ENDED
    };
    // SAFETY: takes numbers only.
    let asked = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal) };
    checked(asked, Failure::Parent)?;
    // It may have ended before.
    // SAFETY: getppid has no precondition.
    let now = i64::from(unsafe { libc::getppid() });
    if now == parent {
        Ok(())
    } else {
        Err(Failure::Parent)
    }
}

/// No privileges by programs, and no core, not even through a pipe, which has no limit.
fn give_up_privileges() -> Result<(), Failure> {
    // SAFETY: both take numbers only.
    let (new, dump) = unsafe {
        (
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0),
        )
    };
    checked(new, Failure::Privileges)?;
    checked(dump, Failure::Privileges)?;
    Ok(())
}

fn process_id() -> i64 {
    // SAFETY: getpid has no precondition.
    i64::from(unsafe { libc::getpid() })
}

fn exit(failure: Failure) -> ! {
    // SAFETY: ends this process at once, without any handler.
    unsafe { libc::_exit(failure as c_int) }
}

/// How a child has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, by a fault of its own, or by us.
    Somehow,
    /// It would have waited for another thread, which it does not have.
    Waiting,
    /// Its time was up.
    TooLong,
    /// It made a call that the filter does not let through.
    Forbidden,
}

/// Reaps the sealed child `pid` if it has ended, or ends it first if `kill`. How it has ended if it is gone. No other child is
/// touched.
pub fn end(pid: i64, kill: bool) -> Option<Ended> {
    // 0 and negative numbers mean groups.
    let Some(pid) = i32::try_from(pid).ok().filter(|pid| *pid > 0) else {
        return Some(Ended::Somehow);
    };
    let ended = match how_it_is(pid) {
        Is::Unknown => return Some(Ended::Somehow),
        Is::Running if !kill => return None,
        Is::Running => Ended::Somehow,
        Is::Ended(ended) => ended,
    };
    if kill {
        // SAFETY: it is a child that was not reaped, so no other process has its number.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    reap(pid);
    Some(ended)
}

/// How a sealed child is.
enum Is {
    /// There is no such child.
    Unknown,
    Running,
    Ended(Ended),
}

/// How a sealed child is. It is not reaped.
fn how_it_is(pid: i32) -> Is {
    let (id, flags) = (
        pid.cast_unsigned(),
        // `__WALL` would find the program's own children, too; a child that ends without `SIGCHLD` is found by this alone.
        libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WCLONE,
    );
    loop {
        // SAFETY: a structure of numbers, for which zeros are values.
        let mut told: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: there is room for what is told.
        if unsafe { libc::waitid(libc::P_PID, id, &raw mut told, flags) } == 0 {
            // SAFETY: waitid fills in the process and its status, or leaves zeros where none has ended.
            let (process, status) = unsafe { (told.si_pid(), told.si_status()) };
            return match (process, told.si_code, status) {
                (0, _, _) => Is::Running,
                (_, libc::CLD_EXITED, signals::WAITED) => Is::Ended(Ended::Waiting),
                (_, libc::CLD_KILLED, libc::SIGSYS) => Is::Ended(Ended::Forbidden),
                (_, libc::CLD_KILLED, libc::SIGXCPU | libc::SIGKILL) => Is::Ended(Ended::TooLong),
                _ => Is::Ended(Ended::Somehow),
            };
        }
        if !is_interrupted() {
            return Is::Unknown;
        }
    }
}

/// Waits for a sealed child that has ended or was killed.
fn reap(pid: i32) {
    // SAFETY: the status is not asked for.
    while unsafe { libc::waitpid(pid, ptr::null_mut(), libc::__WCLONE) } < 0 && is_interrupted() {}
}

fn is_interrupted() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
}
