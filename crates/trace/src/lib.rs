//! What happened in a watched process, and the file that keeps it.
//!
//! A trace is a sequence of [`Record`]s. Definitions (strings, code objects, stacks, kernels) come before the records
//! that refer to them, so a trace can be read from its beginning however early it ends.

mod record;

pub use record::{
    AgentEvent, AutogradNode, CallRecord, CodeId, Entry, FrameId, NativeFrame, NativeStackId,
    ProcessInfo, Record, StackFrame, StringId,
};
