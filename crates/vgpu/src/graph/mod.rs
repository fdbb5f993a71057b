//! Graphs: what their nodes do, and the handles by which programs name them.

mod dot;
mod program;
mod store;

pub(crate) use dot::{Flags, print};
pub(crate) use program::Program;
pub(crate) use store::{Executable, Graph, Graphs, Node};
