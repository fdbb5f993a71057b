//! Other devices, whose memory all devices can reach.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::{Call, Code, Device, Restricted};

use super::context::device_of;
use crate::api::Function;
use crate::device;
use crate::ffi::{Out, entry};
use crate::gpu::{self, context};

entry! {
    /// Says whether one device can reach another's memory.
    fn cudaDeviceCanAccessPeer, cuDeviceCanAccessPeer(_this, can: Out<c_int>, ordinal: c_int, peer: c_int) {
        let (device, peer) = (device::check(ordinal)?, device::check(peer)?);
        can.put(c_int::from(device != peer))
    }

    /// Lets the current device reach a peer's memory.
    fn cudaDeviceEnablePeerAccess(this, peer: c_int, _flags: c_uint) {
        enable(this, device::check(peer)?)
    }

    /// Lets the current device reach the memory of a context's device.
    fn cuCtxEnablePeerAccess(this, peer: u64, _flags: c_uint) {
        enable(this, device_of(peer)?)
    }

    /// Takes that back.
    fn cudaDeviceDisablePeerAccess(_this, peer: c_int) {
        disable(device::check(peer)?)
    }

    /// Takes that back.
    fn cuCtxDisablePeerAccess(_this, peer: u64) {
        disable(device_of(peer)?)
    }

    /// Writes an attribute of the link between two devices.
    fn cudaDeviceGetP2PAttribute, cuDeviceGetP2PAttribute(
        _this, value: Out<c_int>, attribute: c_int, from: c_int, to: c_int,
    ) {
        if device::check(from)? == device::check(to)? {
            return Err(Code::INVALID_DEVICE);
        }
        value.put(match attribute {
            PERFORMANCE_RANK => 0,
            ACCESS_SUPPORTED | ATOMICS_SUPPORTED | ARRAY_ACCESS_SUPPORTED => 1,
            _ => return Err(Code::INVALID_VALUE),
        })
    }
}

/// `cudaDevP2PAttrPerformanceRank` and its kin.
const PERFORMANCE_RANK: c_int = 1;
const ACCESS_SUPPORTED: c_int = 2;
const ATOMICS_SUPPORTED: c_int = 3;
const ARRAY_ACCESS_SUPPORTED: c_int = 4;

/// Which device may reach which peer. Nothing depends on it but the answers to these calls: a copy is made either way.
static ENABLED: Mutex<BTreeSet<(Device, Device)>> = Mutex::new(BTreeSet::new());

fn enabled() -> MutexGuard<'static, BTreeSet<(Device, Device)>> {
    ENABLED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn enable(function: &Function, peer: Device) -> Result<(), Code> {
    let device = context::device();
    if device == peer {
        return Err(Code::INVALID_DEVICE);
    }
    gpu::perform(function, &Call::Restricted(Restricted::Other), |_, _| {
        if enabled().insert((device, peer)) {
            Ok(())
        } else {
            Err(PEER_ACCESS_ALREADY_ENABLED)
        }
    })
}

fn disable(peer: Device) -> Result<(), Code> {
    if enabled().remove(&(context::device(), peer)) {
        Ok(())
    } else {
        Err(PEER_ACCESS_NOT_ENABLED)
    }
}

/// `cudaErrorPeerAccessAlreadyEnabled`.
const PEER_ACCESS_ALREADY_ENABLED: Code = Code(704);
/// `cudaErrorPeerAccessNotEnabled`.
const PEER_ACCESS_NOT_ENABLED: Code = Code(705);
