//! Device memory that processes share (`cudaIpcGetMemHandle` and its kin).
//!
//! A block that is shared has a file in memory in the place of its pages. A handle names this process and the file, which the
//! other process opens by way of this one's descriptors in `/proc`, as it may if both are the same user's.
#![expect(unsafe_code, reason = "puts files in the place of memory")]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::Code;

use super::backing::{Mapping, PAGE, new_memory_file};
use super::table::{self, Kind};
use crate::gpu::context;

/// The size of `cudaIpcMemHandle_t` in bytes.
pub const HANDLE: usize = 64;

/// What a handle begins with.
const MARK: &[u8] = b"cgsanIPC";

/// The files of this process's blocks, by where they start.
static FILES: Mutex<BTreeMap<u64, File>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<u64, File>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a handle says.
struct Handle {
    process: u64,
    descriptor: u64,
    inode: u64,
    bytes: u64,
}

impl Handle {
    fn to_bytes(&self) -> [u8; HANDLE] {
        let mut bytes = [0; HANDLE];
        bytes[..MARK.len()].copy_from_slice(MARK);
        let fields = [self.process, self.descriptor, self.inode, self.bytes];
        for (place, field) in bytes[MARK.len()..].chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    fn of_bytes(bytes: &[u8; HANDLE]) -> Option<Handle> {
        let fields = bytes.strip_prefix(MARK)?;
        let mut fields = fields.chunks_exact(8).map(|field| {
            let field: [u8; 8] = field.try_into().unwrap_or_default();
            u64::from_le_bytes(field)
        });
        Some(Handle {
            process: fields.next()?,
            descriptor: fields.next()?,
            inode: fields.next()?,
            bytes: fields.next()?,
        })
    }
}

/// A handle of the block that starts at an address.
///
/// # Safety
///
/// Nobody writes to the block meanwhile.
pub unsafe fn export(address: u64) -> Result<[u8; HANDLE], Code> {
    let mut files = lock();
    let mut table = table::lock();
    let block = table
        .starting_at(address)
        .filter(|block| matches!(block.kind, Kind::Device | Kind::Shared))
        .ok_or(Code::INVALID_VALUE)?;
    let mapping = table.mapping(address).ok_or(Code::INVALID_VALUE)?;
    let file = match files.entry(address) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => {
            let file = new_memory_file().map_err(|_| Code::OUT_OF_MEMORY)?;
            // SAFETY: by the contract of this function.
            let moved = unsafe { mapping.move_into(&file, true) };
            moved.map_err(|_| Code::OUT_OF_MEMORY)?;
            table.become_kind(address, Kind::Shared);
            entry.insert(file)
        }
    };
    let inode = file.metadata().map_err(|_| Code::OUT_OF_MEMORY)?.ino();
    let handle = Handle {
        process: u64::from(process::id()),
        descriptor: u64::try_from(file.as_raw_fd()).map_err(|_| Code::OUT_OF_MEMORY)?,
        inode,
        bytes: block.bytes,
    };
    Ok(handle.to_bytes())
}

/// Maps the block of another process that a handle names. A process cannot open its own.
pub fn import(handle: &[u8; HANDLE]) -> Result<u64, Code> {
    let handle = Handle::of_bytes(handle).ok_or(Code::INVALID_VALUE)?;
    if handle.process == u64::from(process::id()) {
        return Err(Code::INVALID_CONTEXT);
    }
    let path = format!("/proc/{}/fd/{}", handle.process, handle.descriptor);
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|_| Code::INVALID_VALUE)?;
    let found = file.metadata().map_err(|_| Code::INVALID_VALUE)?;
    // The descriptor may be another file's by now.
    if found.ino() != handle.inode || found.len() != handle.bytes.next_multiple_of(PAGE) {
        return Err(Code::INVALID_VALUE);
    }
    let mapping = Mapping::new(handle.bytes).ok_or(Code::OUT_OF_MEMORY)?;
    // SAFETY: nobody else knows the mapping yet.
    let moved = unsafe { mapping.move_into(&file, false) };
    moved.map_err(|_| Code::OUT_OF_MEMORY)?;
    Ok(table::lock().insert_mapped(mapping, Kind::Imported, context::device()))
}

/// Unmaps a block of another process.
pub fn close(address: u64) -> Result<(), Code> {
    let mut table = table::lock();
    let block = table.starting_at(address);
    if block.is_none_or(|block| block.kind != Kind::Imported) {
        return Err(Code::INVALID_VALUE);
    }
    table.remove(address);
    Ok(())
}

/// A block was freed: no other process can open it from now on; those that have keep it.
pub fn forget(address: u64) {
    lock().remove(&address);
}
