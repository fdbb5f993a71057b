//! The threads that an interpreter knows, found from `_PyRuntime`, the one symbol that leads to all else.

use crate::layout::{Gil, Layout};
use crate::memory::Memory;

/// The most interpreters of a process, and threads of one, that are looked at.
const MOST: usize = 4096;

/// A thread as the interpreter knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PythonThread {
    /// The address of its state.
    pub state: usize,
    /// What `pthread_self` returns in it.
    pub pthread: usize,
    /// What `gettid` returns in it; CPython 3.10 does not keep it.
    pub id: Option<u32>,
}

/// The interpreter's lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Nobody has it.
    Free,
    /// The thread with this state has it.
    Held(usize),
}

/// The threads of all interpreters of a process, whose `_PyRuntime` is at this address.
pub fn threads(memory: &impl Memory, layout: &Layout, runtime: usize) -> Vec<PythonThread> {
    let mut found = Vec::new();
    let mut interpreter = memory.pointer(runtime, layout.runtime.interpreters);
    for _ in 0..MOST {
        let Some(address) = interpreter else { break };
        let mut state = memory.pointer(address, layout.runtime.threads);
        while let Some(thread) = state.filter(|_| found.len() < MOST) {
            let Some(pthread) = memory.pointer(thread, layout.runtime.pthread) else {
                break;
            };
            let id = layout.runtime.id.and_then(|id| {
                let number: u64 = memory.number(thread.checked_add(id)?)?;
                u32::try_from(number).ok()
            });
            found.push(PythonThread {
                state: thread,
                pthread,
                id,
            });
            state = memory.pointer(thread, layout.runtime.next_thread);
        }
        interpreter = memory.pointer(address, layout.runtime.next_interpreter);
    }
    found
}

/// Who has the lock of the first interpreter; `None` if that cannot be read.
pub fn lock(memory: &impl Memory, layout: &Layout, runtime: usize) -> Option<Lock> {
    let (holder, locked) = match layout.runtime.gil {
        Gil::InRuntime { holder, locked } => {
            (runtime.checked_add(holder)?, runtime.checked_add(locked)?)
        }
        Gil::Pointed {
            pointer,
            holder,
            locked,
        } => {
            let interpreter = memory.pointer(runtime, layout.runtime.interpreters)?;
            let gil = memory.pointer(interpreter, pointer)?;
            (gil.checked_add(holder)?, gil.checked_add(locked)?)
        }
    };
    let locked: i32 = memory.number(locked)?;
    if locked != 1 {
        return Some(Lock::Free);
    }
    memory.number(holder).map(Lock::Held)
}
