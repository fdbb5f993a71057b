//! The devices: which captures run on each.

use rustc_hash::FxHashMap;

use super::{
    capture::{Capture, Captures},
    conflicts::Conflicts,
};
use crate::{CaptureId, Device};

#[derive(Debug, Default)]
pub(crate) struct Devices(FxHashMap<Device, DeviceState>);

#[derive(Debug, Default)]
struct DeviceState {
    /// The captures that a stream of the device is in.
    capturing: Conflicts,
    /// The captures that a blocking stream of the device is in.
    blocking: Conflicts,
}

impl Devices {
    /// A stream of the device joined a capture.
    pub(crate) fn admit(&mut self, device: Device, capture: CaptureId, blocking: bool) {
        let state = self.0.entry(device).or_default();
        state.capturing.insert(capture);
        if blocking {
            state.blocking.insert(capture);
        }
    }

    /// A capture ended.
    pub(crate) fn dismiss(&mut self, id: CaptureId, capture: &Capture) {
        for member in capture.all_members() {
            if let Some(state) = self.0.get_mut(&member.device) {
                state.capturing.remove(id);
                state.blocking.remove(id);
            }
        }
    }

    /// A call that conflicts with all captures on the device breaks them. Returns the one to name.
    pub(crate) fn break_capturing(
        &mut self,
        device: Device,
        captures: &mut Captures,
    ) -> Option<CaptureId> {
        self.0.get_mut(&device)?.capturing.break_all(captures)
    }

    /// As [`break_capturing`](Devices::break_capturing), for the captures that a blocking stream of the device is in.
    pub(crate) fn break_blocking(
        &mut self,
        device: Device,
        captures: &mut Captures,
    ) -> Option<CaptureId> {
        self.0.get_mut(&device)?.blocking.break_all(captures)
    }

    /// A capture that a blocking stream of the device is in.
    pub(crate) fn blocking_capture(&self, device: Device) -> Option<CaptureId> {
        self.0.get(&device)?.blocking.oldest()
    }
}
