//! What people and programs get to see.

mod explain;
mod json;
mod memory;
mod sample;
#[path = "../schema/mod.rs"]
mod schema;
mod terminal;
mod timeline;
