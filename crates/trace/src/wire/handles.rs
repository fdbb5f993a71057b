//! The names of things: CUDA's handles, and the ids that a trace gives out.

use cgsan_model::{
    Code, Device, EventId, ExecId, FunctionId, GraphId, NodeIndex, Stream, ThreadId,
};

use super::{newtypes, tagged};
use crate::{CodeId, FrameId, NativeStackId, StringId};

newtypes!(
    Code,
    CodeId,
    Device,
    EventId,
    ExecId,
    FrameId,
    FunctionId,
    GraphId,
    NativeStackId,
    NodeIndex,
    StringId,
    ThreadId,
);

tagged! { enum Stream {
    0 = Legacy(device);
    1 = PerThread(device);
    2 = Created(handle);
} }
