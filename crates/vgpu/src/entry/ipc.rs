//! Memory and events of other processes (CUDA IPC).
//!
//! An event that another process may ask about has happened: who shares it waits for it, and for each record from then on.

use std::ffi::c_uint;

use cgsan_model::Code;

use super::event;
use crate::event::events;
use crate::ffi::{Out, entry};
use crate::gpu;
use crate::gpu::schedule::{self, Place};
use crate::memory::asked_about;
use crate::memory::shared::{self, HANDLE};

/// `cudaIpcEventHandle_t` and `cudaIpcMemHandle_t`.
pub type IpcHandle = [u8; HANDLE];

/// What an event's handle begins with.
const EVENT: &[u8] = b"cgsanEVT";

entry! {
    /// Writes a handle by which another process can open an event.
    fn cudaIpcGetEventHandle, cuIpcGetEventHandle(_this, handle: Out<IpcHandle>, event: u64) {
        if !events().share(event) {
            return Err(Code::INVALID_HANDLE);
        }
        schedule::wait(Place::Event(event));
        let mut bytes = [0; HANDLE];
        bytes[..EVENT.len()].copy_from_slice(EVENT);
        handle.put(bytes)
    }

    /// Opens another process's event.
    fn cudaIpcOpenEventHandle, cuIpcOpenEventHandle(this, event: Out<u64>, handle: IpcHandleByValue) {
        if !handle.bytes.starts_with(EVENT) {
            return Err(Code::INVALID_VALUE);
        }
        event.put(event::of_another_process(this)?)
    }

    /// Writes a handle by which another process can open a block of memory.
    fn cudaIpcGetMemHandle, cuIpcGetMemHandle(_this, handle: Out<IpcHandle>, address: u64) {
        schedule::wait(Place::Everything);
        let _nobody_writes = gpu::lock();
        // SAFETY: all work is done, and none begins while the GPU is locked.
        let bytes = unsafe { shared::export(address) }?;
        handle.put(bytes)?;
        cgsan_observe::shared(asked_about::meant(address), 0);
        Ok(())
    }

    /// Maps another process's block of memory.
    fn cudaIpcOpenMemHandle, cuIpcOpenMemHandle_v2(
        _this, address: Out<u64>, handle: IpcHandleByValue, _flags: c_uint,
    ) {
        address.put(shared::import(&handle.bytes)?)
    }

    /// Unmaps it.
    fn cudaIpcCloseMemHandle, cuIpcCloseMemHandle(_this, address: u64) {
        shared::close(address)
    }
}

/// A handle as C passes it by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IpcHandleByValue {
    bytes: IpcHandle,
}
