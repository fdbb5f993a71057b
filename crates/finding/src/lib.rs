//! What cgsan reports, whether a program ran or its source was read.
//!
//! `cgsan-diagnose` fills a [`Report`] from the traces of a run, `cgsan-lint` makes [`Finding`]s from source. Every output
//! format reads these types and no others.
#![forbid(unsafe_code)]

mod coverage;
mod environment;
mod finding;
mod fix;
mod graphs;
mod left_out;
mod location;
mod memory;
mod observed;
mod phrase;
mod process;
mod ranks;
mod report;
mod timeline;

pub use coverage::{Coverage, Gap};
pub use environment::Environment;
pub use finding::{Basis, Confidence, Finding, Label, LabelRole};
pub use fix::{Edit, Fix};
pub use graphs::{
    CaptureEvent, CapturedGraph, Direction, EventKind, GraphNode, GraphShape, Outcome, Parameters,
    edges, kinds,
};
pub use left_out::{LeftOut, Reason};
pub use location::{Cell, Location, Span};
pub use memory::{GraphMemory, Holder, MemoryAt, MemoryUse, PoolAt};
pub use observed::{CallInfo, CaptureInfo, Consequence, Observed, StandingThread, ThreadInfo};
pub use phrase::numbers;
pub use process::Process;
pub use ranks::RankGroup;
pub use report::{Note, NoteLevel, Report};
pub use timeline::{CaptureSpan, MemoryTimeline, MostHeld, PoolChange};
