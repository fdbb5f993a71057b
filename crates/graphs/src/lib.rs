//! Captured graphs looked at as graphs.
//!
//! | file | what it is |
//! |---|---|
//! | `graph` | a graph, wherever it comes from |
//! | `dot` | reads what `cudaGraphDebugDotPrint` writes |
//! | `order`, `chains` | the nodes in the order of their edges, and as few chains as are easily found |
//! | `reduce` | edges that say what follows from others |
//! | `shape` | critical path, and width |
//! | `matching`, `difference` | which node of a graph is which of another, and in what the two differ |
//! | `update` | whether an executable of one graph can be updated to another |
//! | `layout` | a graph as boxes and lines, with what repeats folded |
//!
//! Nothing here does I/O. How a graph came to be is not known here: nodes are what a trace or a file says that they are, and edges may
//! lead anywhere, or run in a cycle.
#![forbid(unsafe_code)]

mod chains;
mod difference;
pub mod dot;
mod graph;
pub mod layout;
mod matching;
mod order;
mod reduce;
mod shape;
#[cfg(test)]
mod testing;
mod update;

pub use difference::{Change, ChangedNode, Difference, difference};
pub use graph::Graph;
pub use shape::{CriticalPath, critical_path, shape};
pub use update::{Refused, Verdict};
