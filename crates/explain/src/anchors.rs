//! The words that make a line worth a look.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

/// Few, so that the search for them is fast; of them, every pattern of the catalogue that is about an error has one near
/// it.
const WORDS: [&str; 32] = [
    "Traceback (most recent call",
    "(most recent call first)",
    "Error: ",
    "Exception: ",
    "Warning: ",
    "CUDA error",
    "CUDA Error",
    "CUDA_ERROR_",
    "cudaError",
    "[CUDA][",
    "what(): ",
    "terminate called",
    "Cuda failure",
    "Timeout (",
    "Fatal Python error",
    "Exception in thread",
    "atchdog caught",
    "atchdog got stuck",
    "destroy_process_group",
    "commDestroySync",
    "raph break",
    "raph Break",
    "is capturing",
    "during capture",
    "cudagraph",
    "CUDA graph",
    "CUDA Graph",
    "CUDAGraph",
    "cuda graph",
    "out of memory",
    "illegal memory access",
    "NCCL WARN",
];

/// A search for the words.
pub struct Anchors(AhoCorasick);

impl Anchors {
    pub fn new() -> Self {
        // Only a leftmost search is done with vector instructions.
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(WORDS);
        Anchors(search.expect("a few short words are no burden"))
    }

    /// Where the first one stands.
    pub fn first_in(&self, text: &[u8]) -> Option<Range<usize>> {
        self.0.find(text).map(|found| found.range())
    }

    /// Whether a line has one.
    pub fn are_in(&self, line: &str) -> bool {
        self.0.is_match(line)
    }
}
