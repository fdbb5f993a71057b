//! The virtual GPU as a C program sees it: these tests call the exported functions.
//!
//! There is one GPU in a process, and a capture in global mode concerns every thread, so the tests take turns.
#![allow(unsafe_code, reason = "the tests are a C program")]

mod by_hand;
mod capture;
mod error;
mod exports;
mod graph;
mod memory;
mod process;
mod runtime;
mod virtual_memory;
