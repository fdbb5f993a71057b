//! Graphs: what their nodes do, and the handles by which programs name them.

mod dot;
mod nodes;
mod program;
mod store;

pub(crate) use dot::{Flags, print};
pub(crate) use nodes::{Graph, Node};
pub(crate) use program::{Program, Step};
pub(crate) use store::{Executable, Graphs};
