//! The GPU behind the entry points: one state, and the few ways to change it.
//!
//! Every entry point asks [`perform()`] (or [`enqueue()`], which is the same for work on a stream): the model
//! answers, the effect happens if it is permitted, and the call is recorded, in that order and under one lock, so that
//! the trace lists the calls in the order in which the model judged them.

pub(crate) mod allocate;
pub(crate) mod attributes;
pub(crate) mod beneath;
pub(crate) mod computation;
pub(crate) mod context;
mod enqueue;
pub(crate) mod fault;
mod for_libraries;
pub(crate) mod handle;
pub(crate) mod interpreter;
pub(crate) mod kernel;
pub(crate) mod last_error;
mod perform;
pub(crate) mod process;
mod record;
pub(crate) mod schedule;
mod state;
pub(crate) mod still;
pub(crate) mod stream;
pub(crate) mod tally;
pub(crate) mod version;
pub(crate) mod work;

pub(crate) use enqueue::{enqueue, synchronous};
pub(crate) use for_libraries::{
    copy, device_synchronize, exchange, free, host_free, host_malloc, launch, malloc, memset,
    stream_synchronize,
};
pub(crate) use handle::StreamHandle;
pub(crate) use perform::{call, perform, perform_with_answer};
pub(crate) use state::lock;
