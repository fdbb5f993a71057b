//! Taking memory from a device, and giving it back.

use cgsan_model::Code;

use super::backing::Mapping;
use super::shared;
use super::table::{self, Kind};
use crate::gpu::context;

/// Takes memory from the current device and gives it an address.
pub fn allocate(bytes: u64, kind: Kind) -> Result<u64, Code> {
    if bytes == 0 {
        return Ok(0);
    }
    let device = context::device();
    let mut table = table::lock();
    if !table.take(device, bytes) {
        return Err(Code::OUT_OF_MEMORY);
    }
    let Some(mapping) = Mapping::new(bytes) else {
        table.give_back(device, bytes);
        return Err(Code::OUT_OF_MEMORY);
    };
    // The host uses managed memory, too.
    let mapping = match kind {
        Kind::Managed => mapping,
        _ => mapping.left_out_of_copies(),
    };
    Ok(table.insert_mapped(mapping, kind, device))
}

/// Gives the block at an address back, if it is of the right kind.
pub fn release(address: u64, is_right: impl FnOnce(Kind) -> bool) -> Result<(), Code> {
    let mut table = table::lock();
    let block = table
        .starting_at(address)
        .filter(|block| is_right(block.kind))
        .ok_or(Code::INVALID_VALUE)?;
    table.remove(address);
    if block.kind.is_device() {
        table.give_back(block.device, block.bytes);
    }
    drop(table);
    if block.kind == Kind::Shared {
        shared::forget(address);
    }
    Ok(())
}

/// Memory of a variable, which comes with the module and is no call of the program's.
pub fn allocate_for_module(bytes: usize) -> Result<u64, Code> {
    allocate(bytes.max(1) as u64, Kind::Device)
}
