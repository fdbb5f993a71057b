//! The calls that have not returned, for the command to see while the program runs: see [`cgsan_trace::waits`].
#![expect(unsafe_code, reason = "writes through a memory map")]

use std::fs::File;
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use cgsan_trace::waits::{LENGTH, NAME_OFFSET, SLOT_LENGTH, SLOTS, UNCOMPUTED, file_name, word};
use memmap2::{Advice, MmapOptions};

use crate::sealed::is_sealed;
use crate::thread;

/// A place for a call, in memory that the command reads.
#[repr(C)]
struct Slot {
    word: AtomicU64,
    name: [AtomicU64; (SLOT_LENGTH - NAME_OFFSET) / 8],
}

/// The slots; null where there are none, as in a forked child until it records.
static TABLE: AtomicPtr<[Slot; SLOTS]> = AtomicPtr::new(ptr::null_mut());
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Makes the table of this process. Without one, no call is shown.
pub(crate) fn open(directory: &Path) {
    if let Ok(table) = map(directory) {
        TABLE.store(table, Ordering::Release);
    }
}

/// The table is the parent's, and not mapped here.
pub(crate) fn reset_after_fork() {
    TABLE.store(ptr::null_mut(), Ordering::Release);
}

fn map(directory: &Path) -> io::Result<*mut [Slot; SLOTS]> {
    let path = directory.join(file_name(std::process::id()));
    // A program that this process was before may have left it.
    let file = cgsan_files::private_file(
        &path,
        File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
    )?;
    // Zeros are written, and not a length set, so that a full disk is an error here and no signal later.
    io::Write::write_all(&mut &file, &[0; LENGTH])?;
    // SAFETY: the file is this process's own, and its blocks are there.
    let mut map = unsafe { MmapOptions::new().len(LENGTH).map_mut(&file) }?;
    map.advise(Advice::DontFork)?;
    let table = map.as_mut_ptr().cast();
    std::mem::forget(map);
    Ok(table)
}

/// Says that the calling thread is in a call that may block, until what this returns is dropped.
#[inline]
pub fn waiting(name: &'static str) -> Waiting {
    let table = TABLE.load(Ordering::Acquire);
    // SAFETY: a table stays mapped for as long as the process lives, is aligned to a page, and consists of atomic numbers.
    let slot = unsafe { table.as_ref() }.and_then(|table| enter(table, name));
    Waiting { slot }
}

/// Says that the calling thread has read once more, at one place, a truth value that no kernel computed.
pub(crate) fn reads_uncomputed() {
    let table = TABLE.load(Ordering::Acquire);
    // SAFETY: as in `waiting`.
    if let Some([.., slot]) = unsafe { table.as_ref() } {
        slot.set_name(UNCOMPUTED);
        slot.word.store(next_word(), Ordering::Release);
    }
}

/// The end of a call that may block, when dropped.
#[derive(Debug)]
#[must_use = "the call ends when this is dropped"]
pub struct Waiting {
    slot: Option<&'static Slot>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // In a sealed child the slots are not there: it began inside the call, or in a forked child.
        if let Some(slot) = self.slot
            && !is_sealed()
        {
            slot.word.store(0, Ordering::Release);
        }
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Slot")
    }
}

impl Slot {
    fn set_name(&self, name: &str) {
        let mut bytes = name.as_bytes().chunks(8);
        for place in &self.name {
            let mut part = [0; 8];
            let text = bytes.next().unwrap_or_default();
            part[..text.len()].copy_from_slice(text);
            place.store(u64::from_le_bytes(part), Ordering::Relaxed);
        }
    }
}

/// The word of a call that begins in the calling thread.
fn next_word() -> u64 {
    let thread = thread::current_thread().0;
    word(thread, CALLS.fetch_add(1, Ordering::Relaxed))
}

fn enter(table: &'static [Slot; SLOTS], name: &str) -> Option<&'static Slot> {
    let word = next_word();
    let calls = &table[..SLOTS - 1];
    let first = thread::current_thread().0 as usize % calls.len();
    let mut slots = calls[first..].iter().chain(&calls[..first]);
    let slot = slots.find(|slot| {
        let taken = slot
            .word
            .compare_exchange(0, word, Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    })?;
    slot.set_name(name);
    Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_while_it_lasts() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path());
        let file = folder.path().join(file_name(std::process::id()));
        let seen = || cgsan_trace::waits::parse(&std::fs::read(&file).unwrap());
        let outer = waiting("cudaDeviceSynchronize");
        let inner =
            waiting("a name that is longer than a slot has room for, so that its end is lost");
        let names: Vec<String> = seen().into_iter().map(|wait| wait.name).collect();
        assert_eq!(names[0], "cudaDeviceSynchronize");
        assert!(names[1].starts_with("a name that is longer"));
        assert!(
            seen()
                .iter()
                .all(|wait| wait.thread == thread::current_thread().0)
        );
        drop(inner);
        drop(outer);
        assert!(seen().is_empty());
        reads_uncomputed();
        let first = seen();
        reads_uncomputed();
        assert_eq!(first[0].name, UNCOMPUTED);
        assert_ne!(first, seen(), "each read is another call");
        reset_after_fork();
        let before = seen();
        drop(waiting("nobody sees it"));
        reads_uncomputed();
        assert_eq!(seen(), before);
    }
}
