//! Allocating and freeing: device, managed and pinned host memory.

use cgsan_model::{Call, Code, Restricted};

use super::backing::Mapping;
use super::table::{self, Block, Kind};
use super::{pool, shared};
use crate::api::Function;
use crate::gpu::{self, context};

/// Allocates device memory (`cudaMalloc`). A size of zero allocates nothing and gives a null pointer.
pub fn malloc(function: &Function, bytes: usize) -> Result<u64, Code> {
    gpu::perform(function, &Call::Restricted(Restricted::Malloc), |_, _| {
        allocate(bytes as u64, Kind::Device)
    })
}

/// Allocates managed memory (`cudaMallocManaged`).
pub fn malloc_managed(function: &Function, bytes: usize) -> Result<u64, Code> {
    gpu::perform(
        function,
        &Call::Restricted(Restricted::MallocManaged),
        |_, _| allocate(bytes as u64, Kind::Managed),
    )
}

/// Frees device memory (`cudaFree`); null is allowed.
pub fn free(function: &Function, address: u64) -> Result<(), Code> {
    let block = table::lock().starting_at(address);
    if block.is_some_and(|block| matches!(block.kind, Kind::Pooled { .. } | Kind::Graph)) {
        return gpu::perform(function, &Call::FreeAllocated { address }, |_, _| {
            pool::run_free(address);
            Ok(())
        });
    }
    gpu::perform(function, &Call::Restricted(Restricted::Free), |_, _| {
        if address == 0 {
            return Ok(());
        }
        release(address, |kind| kind.is_device() && kind != Kind::Imported)
    })
}

/// Allocates pinned host memory (`cudaHostAlloc`).
pub fn host_malloc(function: &Function, bytes: usize) -> Result<u64, Code> {
    host_malloc_with(function, bytes, 0)
}

/// Allocates pinned host memory with `cudaHostAlloc`'s flags.
pub fn host_malloc_with(function: &Function, bytes: usize, flags: u32) -> Result<u64, Code> {
    gpu::perform(
        function,
        &Call::Restricted(Restricted::HostAlloc),
        |_, _| {
            if bytes == 0 {
                return Ok(0);
            }
            let mapping = Mapping::new(bytes as u64).ok_or(Code::OUT_OF_MEMORY)?;
            Ok(table::lock().insert_mapped(mapping, Kind::Host { flags }, context::device()))
        },
    )
}

/// Frees pinned host memory (`cudaFreeHost`); null is allowed.
pub fn host_free(function: &Function, address: u64) -> Result<(), Code> {
    gpu::perform(function, &Call::Restricted(Restricted::HostFree), |_, _| {
        if address == 0 {
            return Ok(());
        }
        release(address, |kind| matches!(kind, Kind::Host { .. }))
    })
}

/// Pins memory of the program's own (`cudaHostRegister`).
pub fn host_register(
    function: &Function,
    address: u64,
    bytes: usize,
    flags: u32,
) -> Result<(), Code> {
    let call = Call::Restricted(Restricted::HostRegister);
    gpu::perform(function, &call, |_, _| {
        if address == 0 || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mut table = table::lock();
        if table.find(address).is_some() {
            return Err(HOST_MEMORY_ALREADY_REGISTERED);
        }
        table.insert(Block {
            start: address,
            bytes: bytes as u64,
            kind: Kind::Registered { flags },
            device: context::device(),
        });
        Ok(())
    })
}

/// Unpins memory of the program's own (`cudaHostUnregister`).
pub fn host_unregister(function: &Function, address: u64) -> Result<(), Code> {
    let call = Call::Restricted(Restricted::HostUnregister);
    gpu::perform(function, &call, |_, _| {
        let mut table = table::lock();
        match table.starting_at(address).map(|block| block.kind) {
            Some(Kind::Registered { .. }) => {
                table.remove(address);
                Ok(())
            }
            _ => Err(HOST_MEMORY_NOT_REGISTERED),
        }
    })
}

/// `cudaErrorHostMemoryAlreadyRegistered`.
const HOST_MEMORY_ALREADY_REGISTERED: Code = Code(712);
/// `cudaErrorHostMemoryNotRegistered`.
const HOST_MEMORY_NOT_REGISTERED: Code = Code(713);

/// Takes memory from the current device and gives it an address.
pub(super) fn allocate(bytes: u64, kind: Kind) -> Result<u64, Code> {
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
pub(super) fn release(address: u64, is_right: impl FnOnce(Kind) -> bool) -> Result<(), Code> {
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
