//! What the host asked for and what devices did, over time: launches, copies, replays, waits.
//!
//! A [`Timeline`] is read as a stream from a profiler's file, so that files of several gigabytes need little memory. It holds what
//! `cgsan-perf` asks for, and judges nothing. All times are nanoseconds on the clock of the file.
#![forbid(unsafe_code)]

mod builder;
mod calls;
pub mod chrome;
pub mod clock;
mod error;
mod frames;
mod names;
pub mod nsys;
mod recorded;
mod span;
mod timeline;

pub use builder::Builder;
pub use calls::CallKind;
pub use error::Error;
pub use frames::{Frame, Place};
pub use names::{NameId, Names};
pub use recorded::timeline as of_trace;
pub use span::Span;
pub use timeline::{Call, Lack, Operator, Range, Source, ThreadId, Timeline, Work, WorkKind};
