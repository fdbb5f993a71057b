//! Graphs: what their nodes do, and the handles by which programs name them.

mod program;
mod store;

pub use program::Program;
pub use store::{Graph, Graphs, Node};
