//! The frames of CPython, read from memory without the interpreter's help: of this process, as the recorder does, or of
//! another one, as the command does.
//!
//! What is read may be in the middle of a change, or no object at all. So every read can fail, and every walk is bounded.
#![deny(unsafe_code)]

mod code;
mod collector;
mod dicts;
mod layout;
mod lines;
mod memory;
mod objects;
mod plain;
mod published;
#[cfg(test)]
mod recorded;
mod request;
mod runtime;
mod text;
mod variables;
mod waits;
mod walk;
#[cfg(test)]
mod words;

pub use code::{CodeText, code_text};
pub use collector::{Tracked, tracked};
pub use dicts::entries;
pub use layout::{Layout, version};
pub use lines::line;
pub use memory::Memory;
pub use objects::{lineage, type_name, type_of};
pub use plain::{Plain, read_plain};
pub use request::{LOOKS, RequestPlace, request_places};
pub use runtime::{Lock, PythonThread, lock, threads};
pub use text::read as read_text;
pub use variables::{Held, held};
pub use waits::{Awaited, awaited};
pub use walk::{DEEPEST, Frame, addresses as frame_addresses, hash_of_bytes, walk};
