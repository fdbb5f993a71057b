//! `cgsan lsp`: the linter in an editor, by the Language Server Protocol 3.17.
//!
//! The server looks at the Python files that are open, and at what these import. One thread answers the client and does
//! the checks, in between: what was edited is checked as soon as no message waits, so fast typing costs one check.
#![forbid(unsafe_code)]

mod actions;
mod checker;
mod client;
mod diagnostics;
mod documents;
mod hover;
mod server;
mod session;
mod text;
mod uri;

pub use checker::Configure;
pub use server::serve;
