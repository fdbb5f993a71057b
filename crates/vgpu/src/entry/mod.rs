//! The entry points of the CUDA runtime and driver, by area.
//!
//! An entry point reads its arguments, asks the GPU, and writes what it was asked for; it decides nothing about captures.
#![allow(
    non_snake_case,
    reason = "the exported names are those of the CUDA API"
)]

mod attributes;
mod capture;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod export_table;
mod fill;
mod function;
mod graph;
mod graph_build;
mod graph_change;
mod graph_edges;
mod graph_node;
mod graph_parameters;
mod graph_query;
mod host_memory;
mod ipc;
mod launch;
mod lookup;
mod memory;
mod module;
mod peer;
mod pointer;
mod pool;
mod python_files;
mod registration;
pub(crate) mod start;
mod stream;
mod tensor_map;
mod user_object;
mod values;
mod virtual_memory;
