//! In what two graphs differ.
//!
//! | file | what |
//! |---|---|
//! | `text` | for people: node by node, in the order of capture |
//! | `json` | for programs |
//! | `words` | nodes and changes in words |

mod json;
mod text;
mod words;

pub use json::difference_json;
pub use text::difference;
pub(crate) use words::dimensions;

use cgsan_graphs::Graph;

/// A graph to show, and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct NamedGraph<'a> {
    /// As its reader named it: `graph 2 of run.cgsan`.
    pub name: &'a str,
    /// What it is.
    pub graph: &'a Graph,
}
