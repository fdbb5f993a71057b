//! The virtual GPU as a C program sees it: these tests call the exported functions.
//!
//! The GPUs are those of the process, and a capture in global mode concerns every thread, so the tests take turns.
#![allow(unsafe_code, reason = "the tests are a C program")]

mod attributes;
mod by_hand;
mod capture;
mod changes;
mod collectives;
mod devices;
mod error;
mod exports;
mod graph;
mod ipc;
mod memory;
mod process;
mod profile;
mod runtime;
mod sealed;
mod virtual_memory;
