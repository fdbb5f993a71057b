//! How cgsan says something: its streams, the files that options name, errors, its exit status.

pub mod destination;
pub mod error;
pub mod exit;
pub mod language;
pub mod progress;
pub mod signals;
pub mod standard;
pub mod streams;
pub mod usage;
