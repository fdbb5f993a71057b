//! Streams: what is known of each, and the capture it is in.

use super::{capture::Seat, registry::Registry};
use crate::{CaptureId, Device, handle::StreamKey};

pub(crate) type Streams = Registry<StreamKey, StreamState>;

/// What the driver knows of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamState {
    pub(crate) device: Device,
    pub(crate) blocking: bool,
    pub(crate) seat: Option<Seat>,
    /// Whether no call announced it, so that all this is a guess.
    pub(crate) is_assumed: bool,
}

impl StreamState {
    /// The capture it joined last, which may have ended since.
    pub(crate) fn capture(&self) -> Option<CaptureId> {
        self.seat.map(|seat| seat.capture)
    }

    /// What a stream is when no call announced it. Per-thread streams are blocking (`fuzz.jsonl.gz`: a capture on one
    /// makes work on the legacy stream 906). A created stream is taken for a non-blocking one, as PyTorch's are.
    pub(crate) fn assumed(key: StreamKey) -> StreamState {
        let (device, blocking) = match key {
            StreamKey::Created(_) => (Device(0), false),
            StreamKey::Legacy(device) => (device, false),
            StreamKey::PerThread(device, _) => (device, true),
        };
        StreamState {
            device,
            blocking,
            seat: None,
            is_assumed: matches!(key, StreamKey::Created(_)),
        }
    }
}

/// The stream that a call is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) key: StreamKey,
    /// The stream's seat in a running capture.
    pub(crate) seat: Option<Seat>,
    pub(crate) state: StreamState,
}

impl Target {
    /// The stream's device, if it is no guess.
    pub(crate) fn known_device(&self) -> Option<Device> {
        (!self.state.is_assumed).then_some(self.state.device)
    }

    pub(crate) fn capture(&self) -> Option<CaptureId> {
        self.seat.map(|seat| seat.capture)
    }
}
