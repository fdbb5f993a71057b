//! Virtual memory: address ranges, physical allocations, and mapping one into the other (`cuMemMap` and its kin).
//!
//! All physical allocations lie in one sparse file in memory, so that one can be mapped anywhere, and more than once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::Code;

use super::backing::{self, GRANULARITY, length, pointer};
use super::table::{self, Block, Kind};
use crate::gpu::handle;

/// A physical allocation.
#[derive(Clone, Copy, Debug)]
struct Physical {
    /// Where it lies in the file.
    offset: u64,
    bytes: u64,
    /// How often it is held: by its handle, and by each mapping.
    holders: u32,
}

#[derive(Debug, Default)]
struct State {
    /// The file's descriptor, once there is one.
    file: Option<i32>,
    /// Where the next allocation goes. Offsets are not used again: the file is sparse.
    end: u64,
    physical: BTreeMap<u64, Physical>,
    /// Reserved ranges: their sizes by where they start.
    reserved: BTreeMap<u64, u64>,
    /// Mapped ranges: the handle by where they start.
    mapped: BTreeMap<u64, u64>,
}

static STATE: Mutex<State> = Mutex::new(State {
    file: None,
    end: 0,
    physical: BTreeMap::new(),
    reserved: BTreeMap::new(),
    mapped: BTreeMap::new(),
});

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reserves a range of addresses.
pub fn reserve(bytes: u64) -> Result<u64, Code> {
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    let start = backing::reserve(bytes).ok_or(Code::OUT_OF_MEMORY)?;
    lock().reserved.insert(start, bytes);
    Ok(start)
}

/// Gives a reserved range back.
pub fn unreserve(start: u64, bytes: u64) -> Result<(), Code> {
    let mut state = lock();
    if state.reserved.get(&start) != Some(&bytes) {
        return Err(Code::INVALID_VALUE);
    }
    state.reserved.remove(&start);
    backing::unmap(start, bytes);
    Ok(())
}

/// Takes memory from the device and gives it a handle.
pub fn create(bytes: u64) -> Result<u64, Code> {
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    let mut state = lock();
    let file = state.file()?;
    if !table::lock().take(bytes) {
        return Err(Code::OUT_OF_MEMORY);
    }
    let offset = state.end;
    let size = i64::try_from(offset + bytes).map_err(|_| Code::OUT_OF_MEMORY)?;
    // SAFETY: the descriptor is this module's own.
    if unsafe { libc::ftruncate(file, size) } != 0 {
        table::lock().give_back(bytes);
        return Err(Code::OUT_OF_MEMORY);
    }
    state.end += bytes;
    let handle = handle::fresh();
    let physical = Physical {
        offset,
        bytes,
        holders: 1,
    };
    state.physical.insert(handle, physical);
    Ok(handle)
}

/// Lets a handle go; the memory goes with its last mapping.
pub fn release(handle: u64) -> Result<(), Code> {
    lock().let_go(handle)
}

/// Holds a handle once more, by an address that its memory is mapped at.
pub fn retain(address: u64) -> Result<u64, Code> {
    let start = table::lock()
        .find(address)
        .filter(|block| block.kind == Kind::Mapped)
        .ok_or(Code::INVALID_VALUE)?
        .start;
    let mut state = lock();
    let handle = *state.mapped.get(&start).ok_or(Code::INVALID_VALUE)?;
    if let Some(physical) = state.physical.get_mut(&handle) {
        physical.holders += 1;
    }
    Ok(handle)
}

/// Maps an allocation into a reserved range.
pub fn map(start: u64, bytes: u64, handle: u64) -> Result<(), Code> {
    let mut state = lock();
    if !state.is_reserved(start, bytes) || table::lock().find(start).is_some() {
        return Err(Code::INVALID_VALUE);
    }
    let file = state.file()?;
    let physical = state
        .physical
        .get_mut(&handle)
        .filter(|physical| physical.bytes == bytes)
        .ok_or(Code::INVALID_VALUE)?;
    let offset = i64::try_from(physical.offset).map_err(|_| Code::INVALID_VALUE)?;
    // SAFETY: replaces a part of a range that `reserve` returned, in which nothing is mapped.
    let mapped = unsafe {
        libc::mmap(
            pointer(start),
            length(bytes),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE,
            file,
            offset,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(Code::OUT_OF_MEMORY);
    }
    physical.holders += 1;
    state.mapped.insert(start, handle);
    table::lock().insert(Block {
        start,
        bytes,
        kind: Kind::Mapped,
    });
    Ok(())
}

/// Unmaps everything in a range, which must be made of whole mappings.
pub fn unmap(start: u64, bytes: u64) -> Result<(), Code> {
    let mut state = lock();
    let end = start.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
    let mapped: Vec<(u64, u64)> = state
        .mapped
        .range(start..end)
        .map(|(start, handle)| (*start, *handle))
        .collect();
    if mapped.is_empty() {
        return Err(Code::INVALID_VALUE);
    }
    for (start, handle) in mapped {
        state.mapped.remove(&start);
        if let Some(block) = table::lock().remove(start) {
            // SAFETY: replaces a mapping of this module's by a reservation, so that nothing else moves in.
            unsafe {
                libc::mmap(
                    pointer(start),
                    length(block.bytes),
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE,
                    -1,
                    0,
                );
            }
        }
        state.let_go(handle)?;
    }
    Ok(())
}

/// Whether a range is mapped, so that its access can be set.
pub fn is_mapped(start: u64, bytes: u64) -> bool {
    let table = table::lock();
    table
        .find(start)
        .is_some_and(|block| block.kind == Kind::Mapped)
        && table.holds(start, start.saturating_add(bytes))
}

impl State {
    fn file(&mut self) -> Result<i32, Code> {
        if let Some(file) = self.file {
            return Ok(file);
        }
        // SAFETY: the name is a constant that ends in a null byte.
        let file = unsafe { libc::memfd_create(c"cgsan-vgpu".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(Code::OUT_OF_MEMORY);
        }
        self.file = Some(file);
        Ok(file)
    }

    fn is_reserved(&self, start: u64, bytes: u64) -> bool {
        let range = self.reserved.range(..=start).next_back();
        range.is_some_and(|(first, size)| {
            start
                .checked_add(bytes)
                .is_some_and(|end| end <= first + size)
        })
    }

    fn let_go(&mut self, handle: u64) -> Result<(), Code> {
        let physical = self.physical.get_mut(&handle).ok_or(Code::INVALID_VALUE)?;
        physical.holders -= 1;
        if physical.holders > 0 {
            return Ok(());
        }
        let Physical { offset, bytes, .. } = *physical;
        self.physical.remove(&handle);
        table::lock().give_back(bytes);
        if let (Some(file), Ok(offset), Ok(bytes)) =
            (self.file, i64::try_from(offset), i64::try_from(bytes))
        {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: the descriptor is this module's own, and nothing maps that part of the file any more.
            unsafe { libc::fallocate(file, mode, offset, bytes) };
        }
        Ok(())
    }
}
