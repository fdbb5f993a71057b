//! What people and programs get to see.

mod explain;
mod json;
mod sample;
mod terminal;
