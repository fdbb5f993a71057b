//! Streams, with what decides their order.

use cgsan_model::{Device, ThreadId};

/// A stream, whoever names it, with what decides its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The legacy stream of a device.
    Legacy(Device),
    /// A thread's own default stream of a device.
    PerThread(Device, ThreadId),
    /// A stream that was created, by its handle.
    Created {
        handle: u64,
        device: Device,
        /// Whether it and the legacy stream wait for each other.
        blocking: bool,
    },
}

impl Lane {
    /// The device that the stream belongs to.
    pub fn device(self) -> Device {
        let (Lane::Legacy(device) | Lane::PerThread(device, _) | Lane::Created { device, .. }) =
            self;
        device
    }

    /// Whether work on this stream waits for what was enqueued on the other before.
    pub fn follows(self, other: Lane) -> bool {
        let is_legacy = |lane| matches!(lane, Lane::Legacy(_));
        let is_blocking = |lane| {
            !matches!(
                lane,
                Lane::Created {
                    blocking: false,
                    ..
                }
            )
        };
        self == other
            || self.device() == other.device()
                && (is_legacy(self) && is_blocking(other) || is_legacy(other) && is_blocking(self))
    }
}
