//! Where a thread of CPython 3.14 finds that it is asked to run a script (PEP 768).

use crate::memory::Memory;
use crate::published;
use crate::runtime::PythonThread;

/// Where the parts of a request lie in one thread's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestPlace {
    /// An `int`: whether there is a request.
    pub pending: usize,
    /// The path of the script, ended by a zero.
    pub path: usize,
    /// How long the path may be, with its zero.
    pub longest: usize,
    /// A word of bits that have the thread look for what it is asked.
    pub breaker: usize,
}

/// The bit that has a thread look for requests (`_PY_EVAL_PLEASE_STOP_BIT`).
pub const LOOKS: usize = 1 << 5;

/// The longest path that is believed to fit.
const LONGEST: usize = 1 << 16;

/// Where each of these threads of an interpreter is asked.
///
/// # Errors
///
/// Why none can be.
pub fn request_places(
    memory: &impl Memory,
    runtime: usize,
    interpreter: usize,
    threads: &[PythonThread],
) -> Result<Vec<RequestPlace>, &'static str> {
    let unsupported = "this version of Python has no way to be asked, or another one than is known: CPython 3.14 has it";
    let offsets = published::debugger(memory, runtime).ok_or(unsupported)?;
    let is_enabled: Option<i32> = interpreter
        .checked_add(offsets.enabled)
        .and_then(|it| memory.number(it));
    if is_enabled != Some(1) {
        return Err(
            "its remote debugging is turned off (`PYTHON_DISABLE_REMOTE_DEBUG`, `-X disable-remote-debug`)",
        );
    }
    let place = |thread: &PythonThread| {
        let support = thread.state.checked_add(offsets.support)?;
        Some(RequestPlace {
            pending: support.checked_add(offsets.pending)?,
            path: support.checked_add(offsets.path)?,
            longest: offsets.longest.min(LONGEST),
            breaker: thread.state.checked_add(offsets.breaker)?,
        })
    };
    Ok(threads.iter().filter_map(place).collect())
}
