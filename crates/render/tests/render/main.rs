//! What people and programs get to see.

mod difference;
mod explain;
mod fleet;
mod graphs;
mod html;
mod json;
mod memory;
#[cfg(feature = "perf")]
mod perf;
mod picture;
mod sample;
mod schema;
mod terminal;
mod timeline;
