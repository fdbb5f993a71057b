//! How `cgsan run` and `cgsan report` show what was found.

use std::path::PathBuf;

use clap::Args;

use super::appearance::Appearance;
use super::format::Format;
use super::heading;

/// How findings are shown.
#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct DisplayOptions {
    /// How to write what was found
    ///
    /// Best with --output: the program may write to standard error too. To write one run in several formats, keep it with --save
    /// and give it to `cgsan report`.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = heading::WRITE)]
    pub format: Format,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = heading::WRITE)]
    pub json: bool,

    /// Write to FILE [default: standard error for `run`, standard output for `report`]
    #[arg(long, short, value_name = "FILE", help_heading = heading::WRITE)]
    pub output: Option<PathBuf>,

    /// Write the report to FILE as JSON, too: for `cgsan explain --serve`
    #[arg(long, value_name = "FILE", hide = true)]
    pub also_json: Option<PathBuf>,

    /// Show whole stacks, Python and native
    #[arg(long, help_heading = heading::WRITE)]
    pub stack: bool,

    /// Show who holds memory: by pool, by graph and by line, in MiB
    ///
    /// The numbers are those of PyTorch's allocator, before and at the end of each capture, before replays if the reserved
    /// memory has changed, and at the end of the program. On a real GPU, what executable graphs take from the driver is measured
    /// too. With --json, they are in the field `memory`; of the other formats, text and markdown have a place for them.
    #[arg(long, help_heading = heading::WRITE)]
    pub memory: bool,

    /// Show what the captures recorded: streams, nodes by kind, edges
    ///
    /// With --json, the field `graphs` has each node, with its stream, its edges and its line, and what happened while the capture
    /// ran. Of the other formats, text has a place for them.
    #[arg(long, help_heading = heading::WRITE)]
    pub graphs: bool,

    /// Draw who held memory when, as a picture (SVG): each pool over time, with the captures and the peaks
    #[arg(long, value_name = "FILE", help_heading = heading::WRITE)]
    pub memory_timeline: Option<PathBuf>,

    /// Write a page about the run: findings with their source, what was captured as pictures, memory over time, ranks
    ///
    /// One file of HTML, to be sent to others: it needs no network and no other file. It shows lines of the program's source.
    #[arg(long, value_name = "FILE", help_heading = heading::WRITE)]
    pub html: Option<PathBuf>,

    /// How text for people looks.
    #[command(flatten)]
    pub appearance: Appearance,
}

impl DisplayOptions {
    /// How what was found is to be written.
    pub fn chosen_format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Whether it is text on standard output, and nothing beside it.
    pub fn is_plain(&self) -> bool {
        let files = [
            &self.output,
            &self.also_json,
            &self.memory_timeline,
            &self.html,
        ];
        self.chosen_format() == Format::Text && files.iter().all(|file| file.is_none())
    }
}
