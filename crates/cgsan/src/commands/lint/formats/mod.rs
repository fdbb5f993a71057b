//! The ways in which findings are written.

mod places;
mod statistics;

use std::path::Path;

use cgsan_finding::Report;
use cgsan_lint::{Outcome, Project, Settings};
use cgsan_render::{Options, Run, Shown};

use super::report;
use crate::cli::{Format, LintOptions};
use crate::output::destination::Destination;
use places::ProjectPlaces;

/// What was looked at, and what was found there.
pub struct Seen<'a> {
    /// The files.
    pub project: &'a Project,
    /// What they were looked at for.
    pub settings: &'a Settings,
    /// What was found, less what was repaired.
    pub outcome: &'a Outcome,
    /// How many files were repaired.
    pub repaired: usize,
}

/// All that was found, in the format that was asked for.
pub fn write(options: &LintOptions, seen: &Seen<'_>, destination: &Destination) -> String {
    let outcome = seen.outcome;
    let report = report::of(outcome);
    let render = seen.rendered(options, destination);
    let shown = Shown {
        report: &report,
        command: "cgsan lint",
        places: &ProjectPlaces(seen.project),
        options: &render,
    };
    let source = &mut |file: &Path| seen.project.code(file).map(str::to_owned);
    let text = match options.chosen_format() {
        Format::Json if options.statistics => return statistics::json(outcome),
        Format::Json => return json(&report),
        Format::Shared(form) if !form.is_lines => return form.write(&shown, source),
        Format::Text | Format::Shared(_) if options.statistics => statistics::text(outcome),
        Format::Shared(form) => form.write(&shown, source),
        Format::Text => cgsan_render::findings(&report, &render, source),
    };
    if options.quiet {
        text
    } else {
        text + &cgsan_render::summary(&report, &render)
    }
}

fn json(report: &Report) -> String {
    let arguments = std::env::args_os();
    let run = Run {
        program: arguments
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        ..Run::default()
    };
    cgsan_render::json(report, &run)
}

impl Seen<'_> {
    /// What the destination can do, and what was looked at.
    fn rendered(&self, options: &LintOptions, destination: &Destination) -> Options {
        Options {
            watched: Some(self.in_words()),
            directory: None,
            ..destination.look(&options.appearance)
        }
    }

    /// `2 files, for PyTorch 2.11`, how many of them were evaluated in part only, and what `--fix` did or would do.
    fn in_words(&self) -> String {
        let files = match self.outcome.files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        let unfinished = match self.outcome.unfinished.len() {
            0 => String::new(),
            unfinished => format!(", {unfinished} in part only"),
        };
        let repaired = match self.repaired {
            0 => String::new(),
            repaired => format!(", {repaired} repaired"),
        };
        let findings = self.outcome.findings.iter();
        let repairable = match findings.filter(|it| it.is_repairable()).count() {
            0 => String::new(),
            repairable => format!("; `--fix` repairs {repairable}"),
        };
        let torch = self.settings.torch;
        format!("{files}{unfinished}{repaired}, for PyTorch {torch}{repairable}")
    }
}
