//! Traces and summaries of them as files: found, read, kept, carried away, told apart by run.

pub mod carrying;
pub mod kept;
pub mod leftovers;
pub mod parallel;
pub mod recording;
pub mod runs;
pub mod save;
pub mod sources;
pub mod summaries;
