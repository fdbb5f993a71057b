//! An input of a graph.

use crate::activity::BlockId;

/// A block that a graph reads, with the graph's capture: what goes wrong with it is found in several ways.
pub(crate) type Input = (usize, BlockId);
