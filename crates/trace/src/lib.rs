//! What happened in a watched process, and the file that keeps it.
//!
//! A trace is a sequence of [`Record`]s. Definitions (strings, code objects, stacks, kernels) come before the records
//! that refer to them, so a trace can be read from its beginning however early it ends. [`format`](mod@format) says how records lie
//! in a file; [`Trace`] reads one.
#![forbid(unsafe_code)]

pub mod format;
mod kept;
mod operator;
mod previous;
mod read;
mod record;
#[cfg(test)]
mod samples;
mod texts;
mod trace;
mod wire;

pub use kept::Kept;
pub use operator::{Argument, BlockRecord, Counted, OperatorRecord, TensorRecord};
pub use read::{ParseError, ReadError, read_records};
pub use record::{
    AgentEvent, AutogradNode, CallRecord, CodeId, Entry, FrameId, HostChange, KeptOutput,
    NativeFrame, NativeStackId, ProcessInfo, Rank, Rebound, Record, SkippedHook, StackFrame,
    StaticGradient, StorageKind, StorageName, StringId,
};
pub use trace::{Ending, Trace};
