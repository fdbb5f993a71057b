//! Devices: the captures running on each, and the calls that concern a device as a whole.

use rustc_hash::FxHashMap;

use crate::{
    Answer, CaptureId, Device, Model, Reason,
    answer::{Outcome, Refusal},
    capture::Capture,
    conflicts::Conflicts,
};

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

    /// A capture that a blocking stream of the device is in.
    pub(crate) fn blocking_capture(&self, device: Device) -> Option<CaptureId> {
        self.0.get(&device)?.blocking.oldest()
    }
}

impl Model {
    /// `cudaDeviceSynchronize` and `cuCtxSynchronize` are refused while anything on the device captures, in every mode,
    /// and break all of it (`rules.jsonl.gz`). The recordings are of one device; captures on others are taken not to matter.
    pub(crate) fn device_synchronize(&mut self, device: Device) -> Outcome {
        let Some(state) = self.devices.0.get_mut(&device) else {
            return Ok(Answer::DONE);
        };
        let Some(culprit) = state.capturing.culprit() else {
            return Ok(Answer::DONE);
        };
        for capture in state.capturing.take_unbroken() {
            self.captures.invalidate(capture);
        }
        Err(Reason::DeviceIsCapturing.by(culprit))
    }

    /// Work on the legacy stream waits for the blocking streams of its device. While one of them captures it is
    /// refused, and breaks the capture (906 in `rules.jsonl.gz`).
    pub(crate) fn permit_legacy(&mut self, device: Device) -> Result<(), Refusal> {
        let Some(state) = self.devices.0.get_mut(&device) else {
            return Ok(());
        };
        let Some(culprit) = state.blocking.culprit() else {
            return Ok(());
        };
        for capture in state.blocking.take_unbroken() {
            self.captures.invalidate(capture);
        }
        Err(Reason::LegacyDependsOnCapture.by(culprit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, CaptureMode, CaptureState, Code, testing::*};

    #[test]
    fn waiting_for_another_device_breaks_nothing() {
        let mut model = driver();
        model.ok(&begin(A, CaptureMode::Global));
        model.ok(&Call::DeviceSynchronize { device: Device(1) });
        let wait = Call::DeviceSynchronize { device: DEVICE };
        assert_eq!(model.code(&wait), Code::STREAM_CAPTURE_UNSUPPORTED);
    }

    #[test]
    fn only_blocking_streams_hold_up_the_legacy_stream() {
        let mut model = driver();
        let capture = model.ok(&begin(A, CaptureMode::Relaxed));
        model.ok(&enqueue(LEGACY, KERNEL));
        model.ok(&record(FORK, A));
        model.ok(&wait(BLOCKING, FORK));
        let refused = model.call(HERE, &enqueue(LEGACY, KERNEL));
        assert_eq!(refused.code, Code::STREAM_CAPTURE_IMPLICIT);
        assert_eq!(refused.capture, capture);
        let state = model.capture(capture.unwrap()).map(Capture::state);
        assert_eq!(state, Some(CaptureState::Invalidated));
    }
}
