//! Virtual memory: address ranges, physical allocations, and mapping one into the other (`cuMemMap` and its kin).
//!
//! All physical allocations lie in one sparse file in memory, so that one can be mapped anywhere, and more than once. One that
//! other processes are to have moves into a file of its own: there may be thousands, and a process has few descriptors.
#![expect(unsafe_code, reason = "maps memory")]

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::{Code, Device};

use super::backing::{GRANULARITY, Mapping, length, map_file, new_memory_file, pointer};
use super::shareable;
use super::table::{self, Block, Kind};
use crate::gpu::handle;

/// A physical allocation.
#[derive(Debug)]
struct Physical {
    place: Place,
    bytes: u64,
    device: Device,
    /// Whether the program said that it would share it.
    is_shareable: bool,
    /// How often it is held: by its handle, and by each mapping.
    holders: u32,
}

/// Where a physical allocation lies.
#[derive(Debug)]
enum Place {
    /// In the file of all, at this offset.
    Common(u64),
    /// In a file that other processes may have.
    Own(File),
    /// In another process's file, which counts as that one's memory.
    Imported(File),
}

#[derive(Debug, Default)]
struct State {
    /// The file, once there is one.
    file: Option<File>,
    /// Where the next allocation goes. Offsets are not used again: the file is sparse.
    end: u64,
    physical: BTreeMap<u64, Physical>,
    /// Reserved ranges by where they start.
    reserved: BTreeMap<u64, Mapping>,
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
    let range = Mapping::reserve(bytes).ok_or(Code::OUT_OF_MEMORY)?;
    let start = range.start();
    lock().reserved.insert(start, range);
    Ok(start)
}

/// Gives a reserved range back, in which nothing is mapped any more.
pub fn unreserve(start: u64, bytes: u64) -> Result<(), Code> {
    let mut state = lock();
    let range = state.reserved.get(&start).map(Mapping::bytes);
    if range != Some(bytes) || state.mapped.range(start..start + bytes).next().is_some() {
        return Err(Code::INVALID_VALUE);
    }
    state.reserved.remove(&start);
    Ok(())
}

/// Takes memory from a device and gives it a handle. Only what `is_shareable` can be exported.
pub fn create(device: Device, bytes: u64, is_shareable: bool) -> Result<u64, Code> {
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    let mut state = lock();
    if !table::lock().take(device, bytes) {
        return Err(Code::OUT_OF_MEMORY);
    }
    let offset = state.end;
    let grown = state.file().and_then(|file| {
        file.set_len(offset + bytes)
            .map_err(|_| Code::OUT_OF_MEMORY)
    });
    if let Err(code) = grown {
        table::lock().give_back(device, bytes);
        return Err(code);
    }
    state.end += bytes;
    Ok(state.insert(Physical {
        place: Place::Common(offset),
        bytes,
        device,
        is_shareable,
        holders: 1,
    }))
}

/// A file descriptor by which other processes can have the memory, for as long as it is open. The caller sees to it that
/// nobody writes to the memory meanwhile.
pub fn export(handle: u64) -> Result<RawFd, Code> {
    let mut state = lock();
    state.move_out(handle)?;
    match &state.physical(handle)?.place {
        Place::Own(file) | Place::Imported(file) => {
            let descriptor = file.try_clone().map_err(|_| Code::OUT_OF_MEMORY)?;
            Ok(descriptor.into_raw_fd())
        }
        Place::Common(_) => Err(Code::INVALID_VALUE),
    }
}

/// Gives the memory behind a descriptor a handle. Which device it is of is not known here: it is said to be of the one given.
pub fn import(descriptor: RawFd, device: Device) -> Result<u64, Code> {
    let (file, bytes) = shareable::behind(descriptor).ok_or(Code::INVALID_VALUE)?;
    Ok(lock().insert(Physical {
        place: Place::Imported(file),
        bytes,
        device,
        is_shareable: true,
        holders: 1,
    }))
}

/// The device of an allocation, and whether it can be exported.
pub fn properties(handle: u64) -> Result<(Device, bool), Code> {
    let state = lock();
    let physical = state.physical(handle)?;
    Ok((physical.device, physical.is_shareable))
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
    if state.physical(handle)?.bytes != bytes {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: replaces a part of a range that `reserve` returned, in which nothing is mapped.
    unsafe { state.put_at(start, handle) }?;
    let physical = state.physical.get_mut(&handle).ok_or(Code::INVALID_VALUE)?;
    physical.holders += 1;
    let device = physical.device;
    state.mapped.insert(start, handle);
    table::lock().insert(Block {
        start,
        bytes,
        kind: Kind::Mapped,
        device,
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
    fn file(&mut self) -> Result<&File, Code> {
        if self.file.is_none() {
            self.file = Some(new_memory_file().map_err(|_| Code::OUT_OF_MEMORY)?);
        }
        self.file.as_ref().ok_or(Code::OUT_OF_MEMORY)
    }

    fn insert(&mut self, physical: Physical) -> u64 {
        let handle = handle::fresh();
        self.physical.insert(handle, physical);
        handle
    }

    fn physical(&self, handle: u64) -> Result<&Physical, Code> {
        self.physical.get(&handle).ok_or(Code::INVALID_VALUE)
    }

    /// Puts an allocation in the place of a range of its size.
    ///
    /// # Safety
    ///
    /// The range is part of a reserved one, in which nothing is mapped but the same allocation.
    unsafe fn put_at(&mut self, start: u64, handle: u64) -> Result<(), Code> {
        let physical = self.physical(handle)?;
        let bytes = physical.bytes;
        let (file, offset) = match &physical.place {
            Place::Own(file) | Place::Imported(file) => (file.as_raw_fd(), 0),
            Place::Common(offset) => {
                let offset = i64::try_from(*offset).map_err(|_| Code::INVALID_VALUE)?;
                (self.file()?.as_raw_fd(), offset)
            }
        };
        // SAFETY: by the contract of this function.
        let mapped = unsafe { map_file(start, bytes, file, offset) };
        mapped.map_err(|_| Code::OUT_OF_MEMORY)
    }

    /// Gives a shareable allocation a file of its own, wherever it is mapped.
    fn move_out(&mut self, handle: u64) -> Result<(), Code> {
        let physical = self.physical(handle)?;
        let bytes = physical.bytes;
        let offset = match physical.place {
            _ if !physical.is_shareable => return Err(Code::INVALID_VALUE),
            Place::Own(_) | Place::Imported(_) => return Ok(()),
            Place::Common(offset) => offset,
        };
        let own = shareable::moved_out_of(self.file()?, offset, bytes);
        let own = own.map_err(|_| Code::OUT_OF_MEMORY)?;
        if let Some(physical) = self.physical.get_mut(&handle) {
            physical.place = Place::Own(own);
        }
        let places: Vec<u64> = self
            .mapped
            .iter()
            .filter(|(_, mapped)| **mapped == handle)
            .map(|(start, _)| *start)
            .collect();
        for start in places {
            // SAFETY: the same allocation is mapped there.
            unsafe { self.put_at(start, handle) }?;
        }
        self.drop_pages(offset, bytes);
        Ok(())
    }

    /// Gives pages of the common file back to the host.
    fn drop_pages(&self, offset: u64, bytes: u64) {
        if let (Some(file), Ok(offset), Ok(bytes)) =
            (&self.file, i64::try_from(offset), i64::try_from(bytes))
        {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: the descriptor is this module's own, and nothing maps that part of the file any more.
            unsafe { libc::fallocate(file.as_raw_fd(), mode, offset, bytes) };
        }
    }

    fn is_reserved(&self, start: u64, bytes: u64) -> bool {
        let range = self.reserved.range(..=start).next_back();
        range.is_some_and(|(first, range)| {
            let end = start.checked_add(bytes);
            end.is_some_and(|end| end <= first + range.bytes())
        })
    }

    fn let_go(&mut self, handle: u64) -> Result<(), Code> {
        let physical = self.physical.get_mut(&handle).ok_or(Code::INVALID_VALUE)?;
        physical.holders -= 1;
        if physical.holders > 0 {
            return Ok(());
        }
        let Some(Physical {
            place,
            bytes,
            device,
            ..
        }) = self.physical.remove(&handle)
        else {
            return Ok(());
        };
        if !matches!(place, Place::Imported(_)) {
            table::lock().give_back(device, bytes);
        }
        if let Place::Common(offset) = place {
            self.drop_pages(offset, bytes);
        }
        Ok(())
    }
}
