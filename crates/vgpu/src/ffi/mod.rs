//! The boundary to C: guards against panics, typed pointers, the declaration of entry points.

pub(crate) mod called;
mod entry;
pub(crate) mod gil;
mod guard;
mod pointer;
pub(crate) mod python;
mod symbol;

pub(crate) use guard::{guard, guard_function};
pub(crate) use pointer::{In, InOut, Out, Text, Untyped, plain};

pub(crate) use symbol::symbol;

pub(crate) use entry::entry;
