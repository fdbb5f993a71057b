//! The child's signals. The kernel is asked directly: the C library takes a lock to change some of them.

use super::{Failure, checked};

/// A set of signals as the kernel has it: the lowest bit is signal 1.
pub type Mask = u64;

/// Every signal.
pub const ALL: Mask = Mask::MAX;

/// The last signal's number.
const LAST: i32 = 64;

/// What is not blocked in the child: what ends or stops it by its own fault, by its limits, or together with the program.
const TAKEN: [i32; 14] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGABRT,
    libc::SIGXCPU,
    libc::SIGPIPE,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGTSTP,
];

/// Blocks signals in the calling thread. Returns which were blocked before.
pub fn block(mask: Mask) -> Mask {
    change(libc::SIG_BLOCK, mask).unwrap_or(0)
}

/// Blocks these signals in the calling thread, and no others.
pub fn set_mask(mask: Mask) {
    let _ = change(libc::SIG_SETMASK, mask);
}

fn change(how: i32, mask: Mask) -> Result<Mask, Failure> {
    let mut before: Mask = 0;
    // SAFETY: both sets have the size that is given.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            how,
            &raw const mask,
            &raw mut before,
            size_of::<Mask>(),
        )
    };
    checked(answer, Failure::Signals)?;
    Ok(before)
}

/// No handler of the program runs in the child.
pub fn reset() -> Result<(), Failure> {
    for signal in 1..=LAST {
        if signal != libc::SIGKILL && signal != libc::SIGSTOP {
            reset_one(signal)?;
        }
    }
    let taken = TAKEN
        .iter()
        .fold(0, |mask: Mask, signal| mask | 1 << (signal - 1));
    change(libc::SIG_SETMASK, !taken)?;
    Ok(())
}

fn reset_one(signal: i32) -> Result<(), Failure> {
    // The kernel's `struct sigaction`: handler, flags, restorer, mask. Zeros are the default.
    let default = [0_u64; 4];
    // SAFETY: the structure has the kernel's size, and that of the mask is given.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            std::ptr::null_mut::<u64>(),
            size_of::<Mask>(),
        )
    };
    checked(answer, Failure::Signals)?;
    Ok(())
}
