//! The frames of CPython, read from memory without the interpreter's help: of this process, as the recorder does, or of
//! another one, as the command does.
//!
//! What is read may be in the middle of a change, or no object at all. So every read can fail, and every walk is bounded.
#![deny(unsafe_code)]

mod code;
mod layout;
mod lines;
mod memory;
mod plain;
mod published;
#[cfg(test)]
mod recorded;
mod runtime;
mod text;
mod waits;
mod walk;

pub use code::{CodeText, code_text};
pub use layout::{Layout, version};
pub use lines::line;
pub use memory::Memory;
pub use plain::{Plain, read_plain};
pub use runtime::{Lock, PythonThread, lock, threads};
pub use waits::{Awaited, awaited};
pub use walk::{DEEPEST, Frame, hash_of_bytes, walk};
