//! A virtual GPU: the public CUDA runtime and driver API, and the entry points of the libraries that PyTorch links to.
//!
//! Loaded under a program, it answers as a GPU would: streams, captures, graphs and memory are real, kernels do not
//! compute. What is permitted is asked of [`cgsan_model`]; what happened goes to [`cgsan_observe`]. The functions are
//! declared in `api/*.list`, from which the stubs of the missing ones are generated.
#![deny(unsafe_code)]

pub mod api;
mod device;
mod embedded;
mod entry;
mod event;
mod exports;
mod ffi;
mod gpu;
mod graph;
mod libraries;
mod locks;
mod memory;
mod missing;
mod module;
mod profile;
mod random;
mod values;

cgsan_observe::export_cxa_throw!();
cgsan_observe::export_memory_reports!(memory::clear);
cgsan_observe::export_agent_functions!(entry::start::start, gpu::still::still);
