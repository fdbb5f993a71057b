//! The child's signals: none has a handler but the filter's own. The kernel is asked directly: the C library takes a lock to change some of them.

use std::sync::atomic::{AtomicI32, Ordering};

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

/// What the kernel sends a child when the thread ends that made it: one of the two signals that the C library keeps for itself, and
/// never blocks.
pub const THREAD_ENDED: i32 = 32;

/// The process that the child is to end with.
static PARENT: AtomicI32 = AtomicI32::new(0);

/// The exit code of a child that would have waited for ever.
pub const WAITED: i32 = 89;

/// The kernel's `struct sigaction`, on x86-64 and on aarch64; zeros are the default.
#[repr(C)]
#[derive(Default)]
struct Action {
    handler: Option<extern "C" fn(i32)>,
    flags: u64,
    /// Where a handler returns to. Not used, but x86-64 asks for one.
    restorer: Option<extern "C" fn(i32)>,
    mask: Mask,
}

/// That the kernel is told where a handler returns to.
const SA_RESTORER: u64 = 0x0400_0000;
/// That a system call goes on afterwards.
const SA_RESTART: u64 = 0x1000_0000;

/// No handler of the program runs in the child; a wait that the filter does not let begin ends it, and so does the end of its parent.
pub fn reset(parent: i64) -> Result<(), Failure> {
    for signal in 1..=LAST {
        if signal != libc::SIGKILL && signal != libc::SIGSTOP {
            set(signal, &Action::default())?;
        }
    }
    let ends = Action {
        handler: Some(end),
        restorer: Some(end),
        flags: SA_RESTORER,
        mask: 0,
    };
    set(libc::SIGSYS, &ends)?;
    PARENT.store(i32::try_from(parent).unwrap_or(0), Ordering::Relaxed);
    let asks = Action {
        handler: Some(end_without_parent),
        restorer: RESTORER,
        flags: RESTORER.map_or(0, |_| SA_RESTORER) | SA_RESTART,
        mask: 0,
    };
    set(THREAD_ENDED, &asks)?;
    let taken = TAKEN
        .iter()
        .chain(&[THREAD_ENDED])
        .fold(0, |mask: Mask, signal| mask | 1 << (signal - 1));
    change(libc::SIG_SETMASK, !taken)?;
    Ok(())
}

/// The thread that made the child is gone; the process may be there still.
extern "C" fn end_without_parent(signal: i32) {
    // SAFETY: getppid has no precondition.
    if unsafe { libc::getppid() } != PARENT.load(Ordering::Relaxed) {
        end(signal);
    }
}

/// Where a handler returns to; elsewhere than on x86-64, the kernel has its own.
#[cfg(target_arch = "x86_64")]
const RESTORER: Option<extern "C" fn(i32)> = Some(go_on);
#[cfg(not(target_arch = "x86_64"))]
const RESTORER: Option<extern "C" fn(i32)> = None;

/// Has the kernel go on where a signal came: `rt_sigreturn`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn go_on(_signal: i32) {
    std::arch::naked_asm!("mov eax, 15", "syscall")
}

extern "C" fn end(_signal: i32) {
    // SAFETY: ends this process at once.
    unsafe { libc::_exit(WAITED) }
}

fn set(signal: i32, action: &Action) -> Result<(), Failure> {
    // SAFETY: the structure is the kernel's, and the size of its mask is given.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            std::ptr::from_ref(action),
            std::ptr::null_mut::<Action>(),
            size_of::<Mask>(),
        )
    };
    checked(answer, Failure::Signals)?;
    Ok(())
}
