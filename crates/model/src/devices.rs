//! Devices: the captures running on each, and the calls that concern a device as a whole.

use crate::{
    Answer, Device, Model, Reason,
    answer::{Outcome, Refusal},
};

impl Model {
    /// `cudaDeviceSynchronize` and `cuCtxSynchronize` are refused while anything on the device captures, in every mode,
    /// and break all of it (`rules.jsonl.gz`). The recordings are of one device; captures on others are taken not to matter.
    pub(crate) fn device_synchronize(&mut self, device: Device) -> Outcome {
        match self.devices.break_capturing(device, &mut self.captures) {
            Some(culprit) => Err(Reason::DeviceIsCapturing.by(culprit)),
            None => Ok(Answer::DONE),
        }
    }

    /// Work on the legacy stream waits for the blocking streams of its device. While one of them captures it is
    /// refused, and breaks the capture (906 in `rules.jsonl.gz`).
    pub(crate) fn permit_legacy(&mut self, device: Device) -> Result<(), Refusal> {
        match self.devices.break_blocking(device, &mut self.captures) {
            Some(culprit) => Err(Reason::LegacyDependsOnCapture.by(culprit)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Capture, CaptureMode, CaptureState, Code, testing::*};

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
