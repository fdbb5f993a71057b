//! Where the threads of another process are: what each waits for in the kernel, its Python frames and its native ones.
//!
//! Nothing here runs in the process that is looked at, so it may sleep in a system call, hold the interpreter's lock, or be
//! stopped. Python frames are read from its memory while it runs. For the native ones each thread is stopped by ptrace for
//! a moment; where that is not permitted, what `/proc` says has to do.
//!
//! | file | what it is |
//! |---|---|
//! | `process` | what `/proc` says of processes and threads |
//! | `maps` | which file lies where in a process |
//! | `remote` | its memory |
//! | `python` | the frames of its interpreter |
//! | `objects` | PyTorch's objects that its collector tracks |
//! | `holders` | who holds what a thread waits for |
//! | `traced`, `unwind` | stopping its threads, and their native frames |
//! | `asked` | asking its threads to run a script, the only thing here that changes it |
//! | `returns` | whether a thread comes back to an address |
//!
//! The process is not trusted: reads are bounded, and what makes no sense is left out.
#![deny(unsafe_code)]

mod asked;
mod holders;
mod maps;
mod objects;
mod process;
mod python;
mod remote;
mod returns;
mod traced;
mod unwind;

pub use asked::Asked;
pub use holders::{Held, What};
pub use maps::sees_other_files;
pub use objects::{CaptureBlock, Graph, Objects, Scope, Variable};
pub use process::{
    Process, SystemCall, ThreadStatus, is_reading_a_terminal, processes, processes_below,
    slept_for, switches_of, threads_of,
};
pub use python::PythonFrame;
pub use returns::Returns;

use holders::Holders;
use maps::Maps;
use python::Interpreter;
use remote::Remote;

/// What is known of a process at one moment.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Its threads, the first one first.
    pub threads: Vec<Thread>,
    /// Whether an interpreter of Python knows threads of it, be it that none of them runs Python now.
    pub is_python: bool,
    /// What could not be seen, and why.
    pub unseen: Vec<String>,
    /// Files of code that it has loaded.
    pub files: Vec<String>,
}

/// A thread at one moment.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What the kernel says.
    pub status: ThreadStatus,
    /// What `gettid` returns in it, if it is in another namespace than this process.
    pub inner_id: u32,
    /// What `pthread_self` returns in it; 0 if that was not seen.
    pub pthread: u64,
    /// Whether it holds the lock of its interpreter.
    pub has_gil: bool,
    /// Its Python frames, innermost first.
    pub python: Vec<PythonFrame>,
    /// Its native frames, innermost first, as `file+0xoffset`.
    pub native: Vec<String>,
    /// Where each of these goes on.
    pub native_addresses: Vec<u64>,
    /// What it waits for, if that says who has it.
    pub waits_for: Option<Held>,
}

/// Looks at a process. With `native`, its threads are stopped for a moment.
pub fn look(pid: u32, native: bool) -> Look {
    let maps = Maps::of(pid);
    let mut look = Look {
        files: maps.files().into_iter().map(str::to_owned).collect(),
        ..Look::default()
    };
    let memory = Remote::of(pid);
    let mut registers = Vec::new();
    let statuses = threads_of(pid);
    if native {
        let ids: Vec<u32> = statuses.iter().map(|thread| thread.id).collect();
        match traced::registers_and_stacks(pid, &ids, &maps) {
            Ok(found) => registers = found,
            Err(reason) => look.unseen.push(format!("native stacks: {reason}")),
        }
    }
    let interpreter = Interpreter::find(&memory, &maps);
    if let Err(reason) = &interpreter {
        look.unseen.push(format!("Python stacks: {reason}"));
    }
    let interpreter = interpreter.ok();
    let running = statuses.iter().filter(|it| it.state == 'R');
    let running: Vec<u32> = running.map(|it| process::inner_id(pid, it.id)).collect();
    let stacks = interpreter
        .as_ref()
        .map(|it| it.stacks(&running))
        .unwrap_or_default();
    look.is_python = !stacks.is_empty();
    let holders = Holders::new(&memory, interpreter.as_ref(), &registers);
    look.threads = statuses
        .into_iter()
        .map(|status| {
            let seen = registers.iter().find(|it| it.id == status.id);
            let inner_id = process::inner_id(pid, status.id);
            let python = stacks.iter().find(|stack| match stack.id {
                Some(id) => id == inner_id,
                None => seen.is_some_and(|it| it.pthread == stack.pthread),
            });
            Thread {
                inner_id,
                has_gil: python.is_some_and(|it| it.has_gil),
                python: python.map(|it| it.frames.clone()).unwrap_or_default(),
                waits_for: seen.and_then(|it| holders.of(&status, it)),
                native: seen.map(|it| it.native.clone()).unwrap_or_default(),
                native_addresses: seen.map(|it| it.addresses.clone()).unwrap_or_default(),
                pthread: python.map_or_else(|| seen.map_or(0, |it| it.pthread), |it| it.pthread),
                status,
            }
        })
        .collect();
    look
}

/// The objects of PyTorch that a Python process has, as far as its collector tracks them. The process is not stopped.
///
/// # Errors
///
/// Why they cannot be seen.
pub fn objects(pid: u32) -> Result<Objects, String> {
    let maps = Maps::of(pid);
    let memory = Remote::of(pid);
    let interpreter = Interpreter::find(&memory, &maps)?;
    let unread = "the lists of Python's collector cannot be read in this build of Python";
    interpreter.objects().ok_or_else(|| unread.to_owned())
}
