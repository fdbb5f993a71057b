//! The result codes of CUDA.

use crate::entry::{Entry, Text};

/// A result code of CUDA that a program with graphs meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// The number, e.g. 900.
    pub code: i32,
    /// The name in the runtime API, e.g. `cudaErrorStreamCaptureUnsupported`.
    pub runtime: &'static str,
    /// The name in the driver API, e.g. `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
    pub driver: &'static str,
    /// The text that `cudaGetErrorString` returns.
    pub text: &'static str,
    /// What it means.
    pub meaning: Text,
    /// How many recorded programs had it as the result of their first refused call.
    pub programs: u32,
    /// How many recorded calls returned it.
    pub calls: u32,
}

/// What the occurrences of codes were counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The recorded programs.
    pub programs: u32,
    /// The recorded calls.
    pub calls: u32,
}

impl ErrorCode {
    /// The failure modes that show up with it, by ascending id.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        crate::entries()
            .iter()
            .filter(|entry| entry.codes.contains(&self.code))
    }
}
