//! What happened in a watched process, and the file that keeps it.
//!
//! A trace is a sequence of [`Record`]s. Definitions (strings, code objects, stacks, kernels) come before the records
//! that refer to them, so a trace can be read from its beginning however early it ends. [`format`](mod@format) says how records lie
//! in a file; [`Trace`] reads one.
#![forbid(unsafe_code)]

mod addresses;
mod agent;
pub mod clock;
pub mod command_line;
pub mod format;
mod kept;
mod looks;
mod operator;
pub mod place;
mod read;
mod record;
#[cfg(test)]
mod samples;
mod shorten;
mod texts;
mod trace;
mod twin;
pub mod waits;
mod wire;
pub mod written;

pub use addresses::{AddressChange, AddressRecord};
pub use agent::{
    AgentEvent, AutogradNode, CodeLine, DeviceMemory, GradientBuffer, HeldGraph, HostChange,
    KeptOutput, MemoryMoment, OfParameter, OptimizerChange, PoolMemory, Rank, Rebound, Segment,
    SkippedHook, SplitAround, StaticGradient, StorageKind, StorageName, Uses, Verified,
    VerifiedGraph,
};
pub use kept::Kept;
pub use looks::FIRST_REPLAYS;
pub use operator::{
    Argument, BlockRecord, Counted, FieldRecord, KERNEL, OperatorRecord, TRITON, TensorRecord,
    element_bytes,
};
pub use place::TracePlace;
pub use read::{ParseError, ReadError, read_process, read_records, uses_cuda};
pub use record::{
    CallRecord, CodeId, Entry, FrameId, NativeFrame, NativeStackId, ProcessInfo, Record,
    StackFrame, StringId,
};
pub use shorten::{Fate, shorten};
pub use trace::{Ending, Summarized, Trace};
pub use twin::{TwinArguments, TwinCause, TwinDifference, TwinKind, TwinOperator, TwinUse};
