//! Stopping the threads of a process for a moment, by ptrace.
//!
//! A thread of our own does it, since the kernel lets go of what a thread traces when that ends: also of a thread that sleeps
//! so deeply that it does not stop. Nobody else in this process may wait for the process meanwhile with `wait`, which would
//! take the stops for its own.
#![expect(unsafe_code, reason = "calls ptrace")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use crate::maps::Maps;
use crate::remote::Remote;
use crate::unwind::{Registers, Unwinder};

/// How long all threads of a process have to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// Between two looks whether one has.
const PAUSE: Duration = Duration::from_micros(100);

/// What was seen of a thread while it stood still.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// What `gettid` returns in it.
    pub id: u32,
    /// What `pthread_self` returns in it.
    pub pthread: u64,
    /// Its frames, innermost first, as `file+0xoffset`.
    pub native: Vec<String>,
    /// Where each of these frames goes on.
    pub addresses: Vec<u64>,
}

/// A thread's registers and stack, as they were while it stood still.
struct Copied {
    id: u32,
    pthread: u64,
    registers: Registers,
    stack: Vec<u8>,
}

/// The most bytes of a stack that are copied.
const LARGEST: u64 = 1 << 20;

/// Below the end of a stack, bytes that its innermost function may use (`System V ABI`, the red zone).
const RED_ZONE: u64 = 128;

/// Stops the threads of a process one after the other, each for as long as it takes to copy its stack, and finds out where they are.
///
/// # Errors
///
/// Why not one of them may be stopped.
pub fn registers_and_stacks(
    pid: u32,
    threads: &[u32],
    maps: &Maps,
) -> Result<Vec<Stopped>, String> {
    thread::scope(|scope| {
        let work = thread::Builder::new().spawn_scoped(scope, || read_all(pid, threads, maps));
        let work = work.map_err(|error| cgsan_files::in_words(&error))?;
        work.join()
            .unwrap_or_else(|_| Err("an internal error of cgsan".to_owned()))
    })
}

/// Does something while the threads of a process stand still, as far as they stop.
///
/// # Errors
///
/// Why not one of them may be stopped.
pub fn while_stopped<T: Send>(
    threads: &[u32],
    work: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    thread::scope(|scope| {
        let stop_all = || {
            let deadline = Instant::now() + PATIENCE;
            let mut stopped = Vec::new();
            for id in threads {
                match Traced::seize(*id) {
                    Ok(mut traced) => {
                        let _ = traced.stop(deadline);
                        stopped.push(traced);
                    }
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(error) => return Err(not_permitted(&error)),
                }
            }
            Ok(work())
        };
        let done = thread::Builder::new().spawn_scoped(scope, stop_all);
        let done = done.map_err(|error| cgsan_files::in_words(&error))?;
        done.join()
            .unwrap_or_else(|_| Err("an internal error of cgsan".to_owned()))
    })
}

fn not_permitted(error: &io::Error) -> String {
    format!(
        "ptrace is not permitted here ({})",
        cgsan_files::in_words(error)
    )
}

fn read_all(pid: u32, threads: &[u32], maps: &Maps) -> Result<Vec<Stopped>, String> {
    let deadline = Instant::now() + PATIENCE;
    let memory = Remote::of(pid);
    let mut copied = Vec::new();
    let mut refused = None;
    for id in threads {
        match Traced::seize(*id) {
            Ok(traced) => copied.extend(copy(traced, *id, deadline, memory, maps)),
            // It may have ended.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            Err(error) => refused = Some(error),
        }
    }
    if let Some(error) = refused.filter(|_| copied.is_empty()) {
        return Err(not_permitted(&error));
    }
    let mut unwinder = Unwinder::new(memory, maps);
    let unwound = copied.into_iter().map(|thread| {
        let (native, addresses) = unwinder.stack(thread.registers, &thread.stack);
        Stopped {
            id: thread.id,
            pthread: thread.pthread,
            native,
            addresses,
        }
    });
    Ok(unwound.collect())
}

/// Stops a thread, copies its registers and stack, and lets it go on.
fn copy(
    mut traced: Traced,
    id: u32,
    deadline: Instant,
    memory: Remote,
    maps: &Maps,
) -> Option<Copied> {
    traced.stop(deadline)?;
    let registers = traced.registers()?;
    let start = registers.rsp.saturating_sub(RED_ZONE);
    let end = maps.at(registers.rsp).map_or(start, |it| it.range.end);
    let length = end.saturating_sub(start).min(LARGEST);
    let stack = memory.prefix(usize::try_from(start).ok()?, usize::try_from(length).ok()?);
    Some(Copied {
        id,
        pthread: registers.fs_base,
        registers: Registers {
            instruction: registers.rip,
            stack: registers.rsp,
            frame: registers.rbp,
            copied_from: start,
        },
        stack,
    })
}

/// A thread that this one traces, until it is dropped.
struct Traced {
    id: libc::pid_t,
    /// Whether it stands still, and the signal that it is to get when it goes on.
    stopped: Option<i32>,
}

impl Traced {
    fn seize(id: u32) -> io::Result<Traced> {
        let id = id.cast_signed();
        request(libc::PTRACE_SEIZE, id, 0)?;
        Ok(Traced { id, stopped: None })
    }

    /// Has it stop; `None` if it does not in time.
    fn stop(&mut self, deadline: Instant) -> Option<()> {
        request(libc::PTRACE_INTERRUPT, self.id, 0).ok()?;
        loop {
            let mut status = 0;
            // SAFETY: the status is a number on this stack.
            let waited =
                unsafe { libc::waitpid(self.id, &raw mut status, libc::__WALL | libc::WNOHANG) };
            if waited == self.id {
                if !libc::WIFSTOPPED(status) {
                    return None;
                }
                let is_event = status >> 16 != 0;
                self.stopped = Some(if is_event { 0 } else { libc::WSTOPSIG(status) });
                return Some(());
            }
            if waited < 0 || Instant::now() > deadline {
                return None;
            }
            thread::sleep(PAUSE);
        }
    }

    fn registers(&self) -> Option<libc::user_regs_struct> {
        let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
        request(
            libc::PTRACE_GETREGS,
            self.id,
            registers.as_mut_ptr() as usize,
        )
        .ok()?;
        // SAFETY: the kernel has written all of it; and it was zeroed before.
        Some(unsafe { registers.assume_init() })
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if let Some(signal) = self.stopped {
            let _ = request(
                libc::PTRACE_DETACH,
                self.id,
                usize::try_from(signal).unwrap_or(0),
            );
        }
    }
}

fn request(request: libc::c_uint, id: libc::pid_t, data: usize) -> io::Result<()> {
    let nothing = ptr::null_mut::<libc::c_void>();
    let data = ptr::with_exposed_provenance_mut::<libc::c_void>(data);
    // SAFETY: of the requests made here, only the one for registers takes an address, and it is given room for them.
    match unsafe { libc::ptrace(request, id, nothing, data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
