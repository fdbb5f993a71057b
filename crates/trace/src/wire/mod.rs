//! How a record lies in its payload.
//!
//! The tables in this folder are the format. A variant of an enum is a number, its tag, and then its fields in the order
//! of its line; so neither the order of the model's enums nor that of their fields is in a file. What may change without
//! a new version of the format, and what may not:
//!
//! - A tag that was written once keeps its meaning. New lines get new tags.
//! - A line, or a struct, never loses a field, and no field changes its type or its place.
//! - A record, a call and an event of the agent may grow at their ends: an older reader ignores the bytes that it does
//!   not know, and a current reader finds `None` where a new last field, an `Option`, is not there yet.
//! - Everything else (a [`Stream`](cgsan_model::Stream), a frame) lies amid other things and cannot grow; it may only get
//!   new tags.
//!
//! A reader that meets a tag it does not know skips the record and counts it.

mod agent;
mod calls;
mod handles;
mod input;
mod operators;
mod records;
mod tables;
#[cfg(test)]
mod tests;
mod values;
mod work;

pub(crate) use input::{Input, Unread};
pub(crate) use tables::{fields, newtypes, tagged};

/// What can be written into a payload and read back.
pub(crate) trait Wire: Sized {
    /// Appends it to `out`.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it from where `input` stands.
    fn read(input: &mut Input<'_>) -> Result<Self, Unread>;
}

/// An enum whose variants have tags.
pub(crate) trait Tagged: Sized {
    /// The tags, in the order of the table.
    #[cfg(test)]
    const TAGS: &'static [u32];

    /// Appends the tag and the fields to `out`.
    fn write_tagged(&self, out: &mut Vec<u8>);

    /// Reads a tag and the fields behind it.
    fn read_tagged(input: &mut Input<'_>) -> Result<Self, Unread>;
}
