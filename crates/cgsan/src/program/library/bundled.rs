//! The libraries inside the command, with the feature `bundled`. `build/bundle.rs` put them there.

use crate::program::gpu::Gpu;

/// A library inside the command.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// The name of its file.
    pub file: &'static str,
    /// The beginning of the hash of its content, in hexadecimal.
    pub hash: &'static str,
    /// The file.
    pub content: &'static [u8],
}

/// The library for a GPU, if it is inside.
#[cfg(feature = "bundled")]
#[allow(
    clippy::unnecessary_wraps,
    reason = "without the feature there is none"
)]
pub fn of(gpu: Gpu) -> Option<Bundled> {
    let (hash, content): (_, &[u8]) = match gpu {
        Gpu::Virtual => (
            env!("BUNDLED_VGPU"),
            include_bytes!(concat!(env!("OUT_DIR"), "/libcgsan_vgpu.so")),
        ),
        Gpu::Real => (
            env!("BUNDLED_INJECT"),
            include_bytes!(concat!(env!("OUT_DIR"), "/libcgsan_inject.so")),
        ),
    };
    Some(Bundled {
        file: gpu.library(),
        hash,
        content,
    })
}

/// The library for a GPU, if it is inside.
#[cfg(not(feature = "bundled"))]
pub fn of(_: Gpu) -> Option<Bundled> {
    None
}
