//! The forms in which reports are written, whatever they are on.

use cgsan_finding::Report;
use cgsan_render::{Options, Places, Sources};

use crate::cli::Format;

/// A report, and what goes with it.
pub struct Shown<'a> {
    /// What was found.
    pub report: &'a Report,
    /// The command that found it, for formats that name it.
    pub command: &'static str,
    /// Where findings are, as other tools see it.
    pub places: &'a dyn Places,
    /// What the output can do.
    pub options: &'a Options,
}

/// The report in one of the forms that are the same for all commands; `None` for those in which each says more: text and JSON.
pub fn shared(format: Format, shown: &Shown<'_>, source: &mut Sources<'_>) -> Option<String> {
    let Shown {
        report,
        command,
        places,
        options,
    } = shown;
    match format {
        Format::Text | Format::Json => None,
        Format::Concise => Some(cgsan_render::concise(report)),
        Format::Sarif => Some(cgsan_render::sarif(report, *places, options)),
        Format::Github => Some(cgsan_render::github(report, *places, options)),
        Format::Junit => Some(cgsan_render::junit(report, command, options, source)),
        Format::Markdown => Some(cgsan_render::markdown(report, options, source)),
    }
}
