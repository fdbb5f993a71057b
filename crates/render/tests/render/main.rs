//! What people and programs get to see.

mod explain;
mod graphs;
mod html;
mod json;
mod memory;
mod perf;
mod sample;
mod schema;
mod terminal;
mod timeline;
