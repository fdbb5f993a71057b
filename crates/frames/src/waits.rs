//! Whom a thread of Python waits for, where the object says so that it waits for.
//!
//! An `RLock` keeps its owner, and who ends a thread lets go those that join it. A `Lock` keeps nobody. What is found is
//! compared with the address that the thread waits at, so that a frame which holds an old object names nobody.

use crate::layout::{End, Layout};
use crate::memory::Memory;
use crate::runtime::PythonThread;
use crate::walk;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A `threading.RLock`.
    RLock,
    /// The end of a thread, in `Thread.join`.
    End,
}

/// The innermost frames whose variables and values are looked at, and how many of each.
const FRAMES: usize = 2;
const VALUES: usize = 64;

/// The bits of a reference that are no part of its address, from CPython 3.14 on.
const TAG: usize = 0b11;

const POINTER: usize = size_of::<usize>();

/// Where a thread keeps what it waits for, in front of the semaphore that it sleeps on (`struct wait_entry` of
/// `Python/parking_lot.c`, from 3.13 on).
const PARKED_FOR: usize = 8;

/// In `ThreadHandle` (`Modules/_threadmodule.c`, from 3.13 on), from the eight bytes that hold the event: the list that it is
/// in, what `pthread_self` returns in the thread, the same for the system, and two numbers: whether it is set, and the state.
const HANDLE_LIST: usize = 56;
const HANDLE_THREAD: usize = 24;
const HANDLE_OF_SYSTEM: usize = 16;
const HANDLE_STATE: usize = 8;

/// `THREAD_HANDLE_RUNNING`, and that the system's own handle is set.
const RUNS: [u32; 2] = [1, 3];

/// What the thread with this state waits for at the address that it gave to `futex`, and what `pthread_self` returns in the thread
/// that can end it.
pub fn awaited(
    memory: &impl Memory,
    layout: &Layout,
    threads: &[PythonThread],
    state: usize,
    futex: usize,
) -> Option<(Awaited, usize)> {
    let found = owner(memory, layout, state, futex).map(|owner| (Awaited::RLock, owner));
    let found = found.or_else(|| {
        let ends = match layout.runtime.end {
            End::Lock(data) => joined(memory, layout, threads, data, futex),
            End::Event => parked_for_an_end(memory, futex),
        };
        ends.map(|thread| (Awaited::End, thread))
    })?;
    threads
        .iter()
        .any(|it| it.pthread == found.1)
        .then_some(found)
}

/// The owner of the `RLock` that a thread waits for at this address.
fn owner(memory: &impl Memory, layout: &Layout, state: usize, futex: usize) -> Option<usize> {
    let is_lock = |object: &usize| is_a(memory, layout, *object, "_thread.RLock");
    let head = layout.head();
    let has_semaphore = |object: &usize| memory.pointer(*object, head) == Some(futex);
    let used = values(memory, layout, state).find(|it| has_semaphore(it) && is_lock(it));
    // From 3.14 on the lock has no semaphore, and the thread keeps its address.
    let parked = || parked_for(memory, futex)?.checked_sub(head).filter(is_lock);
    let object = used.or_else(parked)?;
    let [owner, count]: [usize; 2] = memory.number(object.checked_add(head + POINTER)?)?;
    (count > 0).then_some(owner)
}

/// The objects that the innermost frames work with, and those whose methods these are. Some are no objects.
fn values(memory: &impl Memory, layout: &Layout, state: usize) -> impl Iterator<Item = usize> {
    let frames = walk::addresses(memory, layout, state).take(FRAMES);
    let values = frames.flat_map(move |frame| {
        let at = move |index: usize| memory.pointer(frame, layout.values + index * POINTER);
        (0..VALUES).filter_map(at)
    });
    // In a function of C that is bound to an object: after its definition, the object.
    let object_of = move |value: usize| memory.pointer(value, layout.head() + POINTER);
    values.flat_map(move |value| {
        [Some(value & !TAG), object_of(value & !TAG)]
            .into_iter()
            .flatten()
    })
}

/// What a thread sleeps for on this semaphore of its own.
fn parked_for(memory: &impl Memory, futex: usize) -> Option<usize> {
    memory.pointer(futex.checked_sub(PARKED_FOR)?, 0)
}

/// The thread at whose end the lock is released that waits at this address. Its state has a weak reference to the lock.
fn joined(
    memory: &impl Memory,
    layout: &Layout,
    threads: &[PythonThread],
    data: usize,
    futex: usize,
) -> Option<usize> {
    let head = layout.head();
    let releases = |thread: &&PythonThread| {
        let lock = memory
            .pointer(thread.state, data)
            .and_then(|reference| memory.pointer(reference, head));
        lock.is_some_and(|lock| {
            memory.pointer(lock, head) == Some(futex) && is_a(memory, layout, lock, "_thread.lock")
        })
    };
    threads.iter().find(releases).map(|thread| thread.pthread)
}

/// The thread for whose end another one sleeps on this semaphore.
fn parked_for_an_end(memory: &impl Memory, futex: usize) -> Option<usize> {
    let event = parked_for(memory, futex)?;
    let word = event & !(POINTER - 1);
    let list = word.checked_sub(HANDLE_LIST)?;
    let next = memory.pointer(list, 0)?;
    let thread: usize = memory.number(word - HANDLE_THREAD)?;
    let is_handle = memory.pointer(next, POINTER) == Some(list)
        && memory.number(word - HANDLE_OF_SYSTEM) == Some(thread)
        && memory.number(word - HANDLE_STATE) == Some(RUNS);
    is_handle.then_some(thread)
}

/// Whether an object's type has this name.
fn is_a(memory: &impl Memory, layout: &Layout, object: usize, name: &str) -> bool {
    let head = layout.head();
    let of_type = head
        .checked_sub(POINTER)
        .and_then(|of_type| memory.pointer(object, of_type));
    // A type is an object with a length; then comes its name.
    let found = of_type.and_then(|of_type| memory.pointer(of_type, head + POINTER));
    let mut bytes = vec![0; name.len() + 1];
    found.is_some_and(|found| {
        memory.bytes(found, &mut bytes).is_some()
            && bytes.split_last() == Some((&0, name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LAYOUTS;
    use crate::words::Words;

    const FUTEX: usize = 0x1000;
    const LOCK: usize = 0x2000;
    const TYPE: usize = 0x3000;
    const NAME: usize = 0x4000;
    const HANDLE: usize = 0x5000;
    const OWNER: usize = 0x7f00_0000;

    fn seen(words: &[(usize, usize)]) -> Option<(Awaited, usize)> {
        let mut layout = LAYOUTS[2].1.clone();
        layout.runtime.end = End::Event;
        let thread = PythonThread {
            state: 0x8000,
            pthread: OWNER,
            id: None,
        };
        let memory = Words(words.iter().copied().collect());
        awaited(&memory, &layout, &[thread], 0x9000, FUTEX)
    }

    #[test]
    fn a_lock_without_a_semaphore_is_found_by_what_the_thread_sleeps_for() {
        let lock = |level, name: &[u8; 16]| {
            let words = name
                .chunks_exact(8)
                .map(|it| usize::from_ne_bytes(it.try_into().unwrap()));
            let mut all = vec![
                (FUTEX - 8, LOCK + 16),
                (LOCK + 8, TYPE),
                (LOCK + 24, OWNER),
                (LOCK + 32, level),
                (TYPE + 24, NAME),
            ];
            all.extend((NAME..).step_by(8).zip(words));
            seen(&all)
        };
        let found = Some((Awaited::RLock, OWNER));
        assert_eq!(lock(1, b"_thread.RLock\0\0\0"), found);
        assert_eq!(lock(0, b"_thread.RLock\0\0\0"), None);
        assert_eq!(lock(1, b"_thread.RLocks\0\0"), None);
    }

    #[test]
    fn a_thread_is_joined_only_if_all_that_is_read_is_a_thread() {
        let handle = |back, of_system| {
            seen(&[
                (FUTEX - 8, HANDLE + 57),
                (HANDLE, 0x6000),
                (0x6008, back),
                (HANDLE + 32, OWNER),
                (HANDLE + 40, of_system),
                (HANDLE + 48, 0x3_0000_0001),
            ])
        };
        assert_eq!(handle(HANDLE, OWNER), Some((Awaited::End, OWNER)));
        assert_eq!(handle(HANDLE + 8, OWNER), None);
        assert_eq!(handle(HANDLE, OWNER + 8), None);
    }
}
