//! Memory: which addresses there are, what they are, and moving bytes between them.

mod allocate;
pub(crate) mod asked_about;
pub(crate) mod backing;
mod bytes;
pub(crate) mod copy_2d;
pub(crate) mod copy_3d;
mod fill;
mod graph;
pub(crate) mod launched;
mod move_bytes;
pub(crate) mod pool;
mod shareable;
pub(crate) mod shared;
mod staged;
pub(crate) mod table;
mod transfer;
pub(crate) mod virtual_memory;
mod written;

pub(crate) use allocate::{
    allocate_for_module, free, host_free, host_malloc, host_malloc_with, host_register,
    host_unregister, malloc, malloc_managed,
};
pub(crate) use backing::Mapping;
pub(crate) use bytes::{read, write};
pub(crate) use fill::{Fill, clear};
pub(crate) use graph::GraphMemory;
pub(crate) use staged::Staged;
pub(crate) use transfer::{Side, Transfer};
