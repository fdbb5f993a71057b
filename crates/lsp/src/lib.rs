//! `cgsan lsp`: the linter in an editor, by the Language Server Protocol 3.17.
//!
//! The server looks at the Python files and notebooks that are open, and at what these import. One thread responds to the client
//! and does the checks, in between: what was edited is checked as soon as no message waits, so fast typing costs one check.
//! Another looks for captures in files that are not open, and for nothing else.
#![forbid(unsafe_code)]

mod actions;
mod checker;
mod client;
mod diagnostics;
mod documents;
mod hover;
mod inbox;
mod introduction;
mod notebooks;
mod requests;
mod scout;
mod server;
mod session;
mod text;
mod transport;
mod uri;

pub use checker::{Configuration, Surroundings};
pub use server::serve;
