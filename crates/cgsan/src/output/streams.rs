//! Which of the standard streams were closed when cgsan was started.
//!
//! Rust opens `/dev/null` in their place before `main`. A program that is started with a closed stream is to have it closed
//! under cgsan, too, and what nobody gets is to be told as not written.
#![allow(
    unsafe_code,
    reason = "only a constructor runs early enough to see it, and only a child can close what it was given"
)]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the three that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

#[used]
// SAFETY: the loader calls what this section holds, once, before `main`; the function needs nothing that is set up later.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = note;

extern "C" fn note() {
    for stream in 0..3 {
        // SAFETY: the call changes nothing, whatever the number stands for.
        if unsafe { libc::fcntl(stream, libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << stream, Ordering::Relaxed);
        }
    }
}

/// Whether standard input (0), output (1) or error (2) was closed.
pub fn was_closed(stream: i32) -> bool {
    CLOSED.load(Ordering::Relaxed) & (1 << stream) != 0
}

/// Lets a program start with those streams closed that cgsan was started with closed.
pub fn stay_closed(command: &mut Command) {
    if CLOSED.load(Ordering::Relaxed) == 0 {
        return;
    }
    let close = || {
        for stream in (0..3).filter(|it| was_closed(*it)) {
            // SAFETY: the child has no use of its own for a standard stream between `fork` and `exec`.
            unsafe { libc::close(stream) };
        }
        io::Result::Ok(())
    };
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(close) };
}
