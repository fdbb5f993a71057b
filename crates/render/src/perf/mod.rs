//! What graphs would gain, for people and for programs.

mod json;
mod text;

use cgsan_finding::Note;
use cgsan_perf::Performance;

pub use json::json;
pub use text::text;

/// What is said of one process.
#[derive(Clone, Debug)]
pub struct OfProcess {
    /// The files that it was read from, as they were named.
    pub files: Vec<String>,
    /// Its process id, where it is known.
    pub process: Option<u64>,
    /// What is said of it.
    pub performance: Performance,
    /// Remarks, such as what `torch.compile` said of captures that it did not make.
    pub notes: Vec<Note>,
}
