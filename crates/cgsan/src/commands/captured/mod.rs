//! `cgsan diff` and `cgsan graph`: captured graphs, from traces and from DOT files.
//!
//! | file | what |
//! |---|---|
//! | `operand` | which graph a person means, and reading it |
//! | `diff` | two graphs compared |
//! | `graph` | one graph, as text or as a picture |

mod diff;
mod graph;
mod operand;

pub use diff::run as diff;
pub use graph::run as graph;
