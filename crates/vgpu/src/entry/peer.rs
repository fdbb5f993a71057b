//! Other devices and other processes: there are none.

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;

use crate::device;
use crate::ffi::{Out, entry};

entry! {
    /// Says whether one device can reach another's memory.
    fn cudaDeviceCanAccessPeer, cuDeviceCanAccessPeer(_this, can: Out<c_int>, ordinal: c_int, peer: c_int) {
        device::check(ordinal)?;
        device::check(peer)?;
        can.put(0)
    }

    /// Refuses: a device is no peer of itself.
    fn cudaDeviceEnablePeerAccess(_this, peer: c_int, _flags: c_uint) {
        device::check(peer)?;
        Err(PEER_ACCESS_UNSUPPORTED)
    }

    /// Refuses: a context is no peer of itself.
    fn cuCtxEnablePeerAccess(_this, _context: u64, _flags: c_uint) {
        Err(PEER_ACCESS_UNSUPPORTED)
    }

    /// Refuses: no peer was enabled.
    fn cudaDeviceDisablePeerAccess(_this, peer: c_int) {
        device::check(peer)?;
        Err(PEER_ACCESS_NOT_ENABLED)
    }
}

/// `cudaErrorPeerAccessUnsupported`.
const PEER_ACCESS_UNSUPPORTED: Code = Code(217);
/// `cudaErrorPeerAccessNotEnabled`.
const PEER_ACCESS_NOT_ENABLED: Code = Code(705);

/// The size of `cudaIpcEventHandle_t` and `cudaIpcMemHandle_t` in bytes.
pub type IpcHandle = [u8; 64];

entry! {
    /// Refuses to share an event with another process: the virtual GPU is this process's own.
    fn cudaIpcGetEventHandle, cuIpcGetEventHandle(_this, _handle: Out<IpcHandle>, _event: u64) {
        Err(Code::NOT_SUPPORTED)
    }

    /// Refuses to share memory with another process.
    fn cudaIpcGetMemHandle, cuIpcGetMemHandle(_this, _handle: Out<IpcHandle>, _address: u64) {
        Err(Code::NOT_SUPPORTED)
    }

    /// Refuses: there was no memory that could have been opened.
    fn cudaIpcCloseMemHandle, cuIpcCloseMemHandle(_this, _address: u64) {
        Err(Code::INVALID_VALUE)
    }

    /// Refuses to open another process's event.
    fn cudaIpcOpenEventHandle, cuIpcOpenEventHandle(_this, _event: Out<u64>, _handle: IpcHandleByValue) {
        Err(Code::NOT_SUPPORTED)
    }

    /// Refuses to open another process's memory.
    fn cudaIpcOpenMemHandle, cuIpcOpenMemHandle_v2(
        _this, _address: Out<u64>, _handle: IpcHandleByValue, _flags: c_uint,
    ) {
        Err(Code::NOT_SUPPORTED)
    }
}

/// A handle as C passes it by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IpcHandleByValue {
    bytes: IpcHandle,
}
