//! A sealed child: a short-lived copy of this process, in which a piece of the user's code is run again and which can do
//! nothing to the world.
//!
//! ```text
//! parent ─clone─▶ child: recorder off ▶ signals, limits ▶ shared memory ▶ files ▶ system calls ─▶ Python goes on
//!   │                └ a step fails: it ends with a code of its own (`Failure`)
//!   └─end─▶ the child is gone
//! ```
//!
//! # What holds in the child
//!
//! - It can compute, take memory and time up to its limits, and write to one pipe. Any other system call ends it.
//! - What it writes to memory, nobody else sees: shared memory can only be read, or is its own copy.
//! - Until the filter is there, nothing is called that takes a lock or allocates: another thread of the parent may have held
//!   any lock when the copy was made, and is not there to release it.
//! - No handler of `fork()` has run, and the program's `wait()` and `SIGCHLD` do not see the child.
#![expect(unsafe_code, reason = "makes system calls")]

mod clone;
mod files;
mod filter;
mod limits;
mod maps;
mod signals;
mod watch;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{clock, operators, replays, state, waits};

pub use self::clone::clone;
pub use self::maps::PRIVATE_MEMORY;
pub use self::watch::{Asked, end, watch};

/// Whether this process is a sealed child.
static SEALED: AtomicBool = AtomicBool::new(false);

/// Whether this process is a sealed child, in which nothing is recorded, no other thread runs and no file can be opened; costs
/// one atomic load.
#[inline]
pub fn is_sealed() -> bool {
    SEALED.load(Ordering::Relaxed)
}

/// Turns the recorder off for good: each way into it looks at one of these numbers before it takes a lock.
fn silence() {
    SEALED.store(true, Ordering::SeqCst);
    state::seal();
    clock::seal();
    operators::seal();
    replays::call(None);
    waits::reset_after_fork();
}

/// Why a child ended before it was sealed. The number is its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Failure {
    /// Its parent has ended, or it would outlive it.
    Parent = 81,
    /// The signals could not be reset.
    Signals = 82,
    /// A limit could not be set.
    Limits = 83,
    /// Memory that it shares could not be protected.
    Maps = 84,
    /// The files could not be closed.
    Files = 85,
    /// It could be granted privileges later, or be dumped.
    Privileges = 86,
    /// The filter of system calls was refused.
    Filter = 87,
    /// An internal error of cgsan.
    Internal = 88,
}

/// What a system call's answer of -1 means here.
fn checked(answer: impl Into<i64>, failure: Failure) -> Result<i64, Failure> {
    let answer = answer.into();
    if answer < 0 { Err(failure) } else { Ok(answer) }
}
