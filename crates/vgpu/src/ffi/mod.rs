//! The boundary to C: guards against panics, typed pointers, the declaration of entry points.

mod entry;
mod guard;
mod pointer;

pub use guard::{guard, guard_function};
pub use pointer::{In, InOut, Out, Text};

pub(crate) use entry::entry;
