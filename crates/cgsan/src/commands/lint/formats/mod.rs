//! The ways in which findings are written.

mod concise;
mod places;
mod statistics;

use std::path::Path;

use cgsan_finding::Finding;
use cgsan_lint::{Outcome, Project, Settings};
use cgsan_render::{Options, Run, Sources};

use super::report;
use crate::cli::lint::{Format, LintOptions};
use crate::output::Destination;
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
    let report = || report::of(outcome);
    let places = ProjectPlaces(seen.project);
    let render = seen.rendered(options, destination);
    let source = &mut |file: &Path| seen.project.code(file).map(str::to_owned);
    match (options.chosen_format(), options.statistics) {
        (Format::Json, true) => statistics::json(outcome),
        (Format::Json, false) => json(outcome),
        (Format::Sarif, _) => cgsan_render::sarif(&report(), &places, &render),
        (Format::Github, _) => cgsan_render::github(&report(), &places, &render),
        (Format::Junit, _) => cgsan_render::junit(&report(), "cgsan lint", &render, source),
        (Format::Markdown, _) => cgsan_render::markdown(&report(), &render, source),
        (Format::Text | Format::Concise, _) => for_people(options, seen, &render, source),
    }
}

fn json(outcome: &Outcome) -> String {
    let arguments = std::env::args_os();
    let run = Run {
        program: arguments
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        ..Run::default()
    };
    cgsan_render::json(&report::of(outcome), &run)
}

/// Findings or their numbers, and a line that sums up.
fn for_people(
    options: &LintOptions,
    seen: &Seen<'_>,
    render: &Options,
    source: &mut Sources<'_>,
) -> String {
    let report = report::of(seen.outcome);
    let text = if options.statistics {
        statistics::text(seen.outcome)
    } else if options.chosen_format() == Format::Concise {
        concise::write(seen.outcome)
    } else {
        cgsan_render::findings(&report, render, source)
    };
    if options.quiet {
        text
    } else {
        text + &cgsan_render::summary(&report, render)
    }
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
        let repairable = match findings.filter(|it| is_repairable(it)).count() {
            0 => String::new(),
            repairable => format!("; `--fix` repairs {repairable}"),
        };
        let torch = self.settings.torch;
        format!("{files}{unfinished}{repaired}, for PyTorch {torch}{repairable}")
    }
}

/// Whether `--fix` alone repairs it.
fn is_repairable(found: &Finding) -> bool {
    found.fix().is_some_and(|fix| fix.safe)
}
