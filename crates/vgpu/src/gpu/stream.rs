//! What streams were created with, and how the driver numbers them.

use cgsan_model::Device;

/// `cudaStreamNonBlocking`.
pub const NON_BLOCKING: u32 = 1;

/// The identities of the default streams.
pub const LEGACY_STREAM: u64 = 7;
/// The same of those of threads.
pub const PER_THREAD_STREAM: u64 = 8;

/// What a stream was created with.
#[derive(Clone, Copy, Debug)]
pub struct StreamProperties {
    /// The device it was created on.
    pub device: Device,
    /// Its flags.
    pub flags: u32,
    /// Its priority.
    pub priority: i32,
    /// Its identity.
    pub id: u64,
}

impl StreamProperties {
    /// Whether it and the legacy stream wait for each other.
    pub fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }
}
