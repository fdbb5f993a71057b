//! The ways in which findings are written.

mod concise;
mod github;
mod sarif;
mod statistics;

use cgsan_catalogue::Severity;
use cgsan_finding::{Confidence, Finding};
use cgsan_lint::{Outcome, Project, Settings};
use cgsan_render::{Options, Run};

use super::LintOptions;
use super::options::Format;
use super::report;
use crate::output::Destination;

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
    match (options.chosen_format(), options.statistics) {
        (Format::Json, true) => statistics::json(outcome),
        (Format::Json, false) => json(outcome),
        (Format::Sarif, _) => sarif::write(outcome, seen.project),
        (Format::Github, _) => github::write(outcome, seen.project),
        (Format::Text | Format::Concise, _) => for_people(options, seen, destination),
    }
}

fn json(outcome: &Outcome) -> String {
    let arguments = std::env::args_os();
    let run = Run {
        program: arguments
            .map(|it| it.to_string_lossy().into_owned())
            .collect(),
        exit: None,
    };
    cgsan_render::json(&report::of(outcome), &run)
}

/// Findings or their numbers, and a line that sums up.
fn for_people(options: &LintOptions, seen: &Seen<'_>, destination: &Destination) -> String {
    let render = Options {
        width: options
            .width
            .map_or_else(|| destination.width(), usize::from),
        color: destination.takes_color(options.color),
        watched: Some(seen.in_words()),
        ..Options::default()
    };
    let report = report::of(seen.outcome);
    let text = if options.statistics {
        statistics::text(seen.outcome)
    } else if options.chosen_format() == Format::Concise {
        concise::write(seen.outcome)
    } else {
        cgsan_render::findings(&report, &render, &mut |file| {
            seen.project.code(file).map(str::to_owned)
        })
    };
    if options.quiet {
        text
    } else {
        text + &cgsan_render::summary(&report, &render)
    }
}

impl Seen<'_> {
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

/// How much a finding weighs for tools that know errors, warnings and remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Remark,
}

impl Level {
    /// What depends on something unknown is a remark.
    fn of(found: &Finding) -> Self {
        match (found.confidence, Severity::of(found.id)) {
            (Confidence::Possible, _) => Self::Remark,
            (_, Severity::Error) => Self::Error,
            (_, Severity::Warning) => Self::Warning,
        }
    }
}
