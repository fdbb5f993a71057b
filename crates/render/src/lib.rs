//! Findings for people and for programs.
//!
//! Everything here turns values into a string: no file is read, no terminal is asked. The caller hands in the source
//! files and says what the output device can do.
#![forbid(unsafe_code)]

mod ci;
mod cjk;
mod date;
mod difference;
mod explain;
mod facts;
mod fleet;
mod graphs;
mod html;
mod json;
mod kernel;
mod memory;
mod path;
#[cfg(feature = "perf")]
pub mod perf;
mod picture;
mod run;
mod snippet;
mod source;
mod style;
mod svg;
mod table;
mod terminal;
mod text;
mod timeline;

use std::path::Path;

pub use ci::{FORMS, Form, Places, RecordedPlaces, Shown};
pub use difference::{NamedGraph, difference, difference_json};
pub use explain::{
    FoundBy, candidates, candidates_json, code, elsewhere, entry, entry_in_short, list,
};
pub use fleet::{Fleet, FleetRank, FleetStep, SPENT_ON, fleet};
pub use graphs::{graph, graphs};
pub use html::html;
pub use json::{json, json_with_texts};
pub use memory::memory;
pub use picture::graph_picture;
pub use run::{Ending, Run};
pub use terminal::{findings, summary, terminal};
pub use text::{escaped, printable, shown};
pub use timeline::memory_timeline;

/// What the output device can do, and how much the reader wants to see.
#[derive(Clone, Debug)]
pub struct Options {
    /// The width in columns. Source lines are cut to it, prose is wrapped at it or at [`Options::PROSE`].
    pub width: usize,
    /// Whether ANSI styles are written.
    pub color: bool,
    /// Whether whole stacks and all consequences are written, rather than the first few.
    pub full: bool,
    /// The directory that paths are shown relative to.
    pub directory: Option<String>,
    /// Whether the run had several processes, so that each finding needs to say whose it is.
    pub several_processes: bool,
    /// What was looked at where nothing ran, e.g. `2 files`; part of the last line. Of a run, the report itself says it.
    pub watched: Option<String>,
}

impl Options {
    /// The width at which prose is wrapped on wider devices: longer lines are hard to read.
    pub const PROSE: usize = 120;

    fn prose_width(&self) -> usize {
        self.width.clamp(20, Self::PROSE)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 100,
            color: false,
            full: false,
            directory: None,
            several_processes: false,
            watched: None,
        }
    }
}

/// Where source files come from: the text of the file of that name, or `None` if it cannot be had.
pub type Sources<'a> = dyn FnMut(&Path) -> Option<String> + 'a;
