//! Memory: which addresses there are, what they are, and moving bytes between them.

pub(crate) mod asked_about;
pub(crate) mod backing;
pub(crate) mod block;
mod bytes;
pub(crate) mod copy_2d;
pub(crate) mod copy_3d;
mod fill;
mod graph;
mod move_bytes;
pub(crate) mod pool;
mod retired;
mod shareable;
pub(crate) mod shared;
mod staged;
pub(crate) mod table;
mod transfer;
pub(crate) mod virtual_memory;
mod written;

pub(crate) use backing::Mapping;
pub(crate) use block::allocate_for_module;
pub(crate) use bytes::{read, write};
pub(crate) use fill::{Fill, clear};
pub(crate) use graph::GraphMemory;
pub(crate) use staged::Staged;
pub(crate) use transfer::{Side, Transfer};
