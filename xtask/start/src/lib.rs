//! What `cargo xtask` starts with: the demonstration, and what it shares with the other tasks.
//!
//! It depends on nothing, so that it is compiled in seconds, and PyTorch is on its way while the rest is compiled.
#![allow(
    clippy::missing_errors_doc,
    reason = "a failure says itself what was tried"
)]

pub mod cargo;
pub mod demo;
pub mod environment;
pub mod failure;
pub mod interpreter;
pub mod process;
pub mod python;
pub mod workspace;
