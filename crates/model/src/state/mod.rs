//! What the driver knows.

pub(crate) mod capture;
pub(crate) mod conflicts;
pub(crate) mod devices;
pub(crate) mod events;
pub(crate) mod exec;
pub(crate) mod graph;
mod handle_map;
pub(crate) mod memory;
pub(crate) mod nested;
pub(crate) mod permission;
pub(crate) mod registry;
mod running;
pub(crate) mod streams;
