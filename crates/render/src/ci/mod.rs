//! Reports in the forms that other tools read: editors, code scanners, reviews, and what shows the results of tests.
//!
//! To add one: its file, and its line in [`FORMS`], from which the command line, the commands and the tests have it; `docs/ci.md` says
//! who reads it. What the program or a trace gave goes through `text::printable` first, and through what the form asks for then.
//!
//! | file | what |
//! |---|---|
//! | `form` | what a form consists of |
//! | `concise` | one line per finding |
//! | `sarif` | SARIF 2.1.0, with `rules` (the catalogue's entries) and `chain` (what happened, step by step) |
//! | `github` | annotations: the commands that GitHub's workflows read from a step's output |
//! | `junit` | XML as JUnit writes it |
//! | `markdown` | a page for the summary of a job |
//! | `place` | places as these tools name them |
//! | `places` | what else is known of them |
//! | `level`, `plain` | what several forms share |
//!
//! Findings of runs and of source are written by the same code; what only the linter knows of its files comes through [`Places`].

pub(crate) mod chain;
mod concise;
mod form;
mod github;
mod junit;
mod level;
mod markdown;
mod place;
mod places;
mod plain;
mod rules;
mod sarif;

pub use form::{Form, Shown};
pub use places::{Places, RecordedPlaces};

use concise::concise;
use github::github;
use junit::junit;
use markdown::markdown;
use sarif::sarif;

/// All forms, in the order in which the command line lists them.
pub const FORMS: &[Form] = &[
    Form::new(
        "concise",
        "One line per finding: `file:line:column: id title`",
        |shown, _| concise(shown.report),
    )
    .lines(),
    Form::new("sarif", "SARIF 2.1.0, for code scanners", |shown, _| {
        sarif(shown.report, shown.places, shown.options)
    })
    .applies_edits(),
    Form::new("github", "Annotations of GitHub's workflows", |shown, _| {
        github(shown.report, shown.places, shown.options)
    }),
    Form::new(
        "junit",
        "XML as JUnit writes it: a case for each id",
        |shown, sources| junit(shown.report, shown.command, shown.options, sources),
    ),
    Form::new(
        "markdown",
        "A page for the summary of a job",
        |shown, sources| markdown(shown.report, shown.options, sources),
    ),
];
