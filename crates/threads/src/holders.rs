//! Who holds what a thread waits for.

use cgsan_frames::{Awaited, Memory as _};

use crate::process::{SystemCall, ThreadStatus};
use crate::python::Interpreter;
use crate::remote::Remote;
use crate::traced::Stopped;

/// What a thread waits for that another one holds, or it itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What it is.
    pub what: What,
    /// The thread that holds it, by what `gettid` returns in it.
    pub by: u32,
}

/// What says who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A mutex of C or C++.
    Mutex,
    /// An `RLock` of Python.
    RLock,
    /// The end of a thread of Python.
    End,
}

/// What `futex` waits with for a mutex of glibc, and what the mutex holds meanwhile: somebody has it, and others wait.
const CONTENDED: u32 = 2;

/// In `pthread_mutex_t`, by numbers of four bytes: the lock, its owner, how many use it, and of which kind it is.
const WORDS: usize = 5;

/// The kinds of mutexes that keep their owner and wait in this way: normal, recursive, with checks, and adaptive; with elision or
/// without it (`PTHREAD_MUTEX_ELISION_NP`, `PTHREAD_MUTEX_NO_ELISION_NP`).
const KINDS: u32 = 3;
const ELISION: u32 = 256 | 512;

/// Tells who holds what, in one process.
pub struct Holders<'l> {
    memory: &'l Remote,
    interpreter: Option<&'l Interpreter<'l>>,
    threads: &'l [Stopped],
}

impl<'l> Holders<'l> {
    /// Of a process with these threads.
    pub fn new(
        memory: &'l Remote,
        interpreter: Option<&'l Interpreter<'l>>,
        threads: &'l [Stopped],
    ) -> Holders<'l> {
        Holders {
            memory,
            interpreter,
            threads,
        }
    }

    /// What a thread waits for, and who holds it.
    pub fn of(&self, status: &ThreadStatus, thread: &Stopped) -> Option<Held> {
        let call = status.system_call.filter(SystemCall::waits_for_a_thread)?;
        let [address, _, value, ..] = call.arguments;
        let address = usize::try_from(address).ok()?;
        self.mutex(address, value).or_else(|| {
            let (what, pthread) = self.interpreter?.awaited(thread.pthread, address)?;
            let holder = self.threads.iter().find(|it| it.pthread == pthread)?;
            let what = match what {
                Awaited::RLock => What::RLock,
                Awaited::End => What::End,
            };
            Some(Held {
                what,
                by: holder.id,
            })
        })
    }

    /// The mutex at this address. Other locks wait with the same value, and have something else where a mutex has its owner, who
    /// is a thread of this process, and its kind.
    fn mutex(&self, address: usize, value: u64) -> Option<Held> {
        let [lock, _, owner, users, kind]: [u32; WORDS] = self.memory.number(address)?;
        let is_mutex = value == u64::from(CONTENDED)
            && lock == CONTENDED
            && users > 0
            && kind & !ELISION <= KINDS;
        let is_thread = self.threads.iter().any(|it| it.id == owner);
        (is_mutex && is_thread).then_some(Held {
            what: What::Mutex,
            by: owner,
        })
    }
}
