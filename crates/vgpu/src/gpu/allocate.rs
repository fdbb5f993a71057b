//! Allocating and freeing: device, managed and pinned host memory, at once and in stream order.

use std::sync::Arc;

use cgsan_model::{Call, Code, NodeKind, Restricted, Stream};

use super::enqueue::enqueue_with;
use super::perform::perform;
use super::work::Work;
use super::{context, schedule};
use crate::api::Function;
use crate::memory::block::{allocate, release};
use crate::memory::table::{self, Block, Kind};
use crate::memory::{GraphMemory, Mapping, pool};

/// Allocates device memory (`cudaMalloc`). A size of zero allocates nothing and gives a null pointer.
pub fn malloc(function: &Function, bytes: usize) -> Result<u64, Code> {
    perform(function, &Call::Restricted(Restricted::Malloc), |_, _| {
        allocate(bytes as u64, Kind::Device)
    })
}

/// Allocates managed memory (`cudaMallocManaged`).
pub fn malloc_managed(function: &Function, bytes: usize) -> Result<u64, Code> {
    perform(
        function,
        &Call::Restricted(Restricted::MallocManaged),
        |_, _| allocate(bytes as u64, Kind::Managed),
    )
}

/// Frees device memory (`cudaFree`); null is allowed.
pub fn free(function: &Function, address: u64) -> Result<(), Code> {
    let block = table::lock().starting_at(address);
    if block.is_some_and(|block| matches!(block.kind, Kind::Pooled { .. } | Kind::Graph)) {
        return perform(function, &Call::FreeAllocated { address }, |_, _| {
            pool::run_free(address);
            Ok(())
        });
    }
    perform(function, &Call::Restricted(Restricted::Free), |_, _| {
        if address == 0 {
            return Ok(());
        }
        release(address, |kind| kind.is_device() && kind != Kind::Imported)
    })
}

/// Allocates in stream order; while the stream captures, this makes an allocation node.
pub fn malloc_async(
    function: &Function,
    stream: Stream,
    pool: u64,
    bytes: u64,
) -> Result<u64, Code> {
    let device = pool::with(pool, |pool| pool.device)?;
    if bytes == 0 {
        return Ok(0);
    }
    // The address is part of what the model is asked, so it is there before the answer.
    let memory = Arc::new(GraphMemory::reserve(device, bytes)?);
    let address = memory.address();
    let node = NodeKind::MemAlloc { address, bytes };
    let captured = enqueue_with(
        function,
        stream,
        node,
        || match pool::with(pool, |pool| pool.take(bytes)) {
            Ok(true) => Ok(()),
            _ => Err(Code::OUT_OF_MEMORY),
        },
        Work::Allocate(memory.clone()),
    )?;
    if captured.is_none() {
        memory.become_block(Kind::Pooled { pool });
    }
    Ok(address)
}

/// Frees in stream order; while the stream captures, this makes a free node.
pub fn free_async(function: &Function, stream: Stream, address: u64) -> Result<(), Code> {
    if address == 0 {
        return Ok(());
    }
    // A capture refuses the call whatever the address is, so that is asked first.
    let now = || {
        let block = table::lock().starting_at(address);
        if !block.is_some_and(|block| block.kind.is_device()) {
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    };
    let node = NodeKind::MemFree { address };
    let captured = enqueue_with(function, stream, node, now, Work::Free(address))?;
    if captured.is_none() {
        schedule::submit(stream, Work::Free(address));
    }
    Ok(())
}

/// Allocates pinned host memory (`cudaHostAlloc`).
pub fn host_malloc(function: &Function, bytes: usize) -> Result<u64, Code> {
    host_malloc_with(function, bytes, 0)
}

/// Allocates pinned host memory with `cudaHostAlloc`'s flags.
pub fn host_malloc_with(function: &Function, bytes: usize, flags: u32) -> Result<u64, Code> {
    perform(
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
    perform(function, &Call::Restricted(Restricted::HostFree), |_, _| {
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
    perform(function, &call, |_, _| {
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
    perform(function, &call, |_, _| {
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
