//! The top of the page: what came of the run, what ran, on what, and a list of the findings.

use cgsan_finding::{Coverage, Environment, Report};
use maud::{Markup, html};

use super::{findings, prose};
use crate::date::date;
use crate::{Options, Run, text};

/// How many columns of the command line are shown.
const COLUMNS: usize = 300;
/// How many different values of a fact are named.
const VALUES: usize = 4;

/// All of it. `sections` are the ids and the names of those that the page has.
pub fn header(
    report: &Report,
    run: &Run,
    conclusion: &str,
    sections: &[(&str, &str)],
    options: &Options,
) -> Markup {
    html! {
        header {
            h1 { (prose::inline(conclusion)) }
            (facts(report, run))
            nav aria-label="Sections" {
                @for (id, name) in sections {
                    a href={ "#" (id) } { (name) } " "
                }
            }
            (findings::list(&report.findings, options))
        }
    }
}

/// What ran, how it ended, and on what.
fn facts(report: &Report, run: &Run) -> Markup {
    let all = &run.environments;
    let started = all.iter().map(|it| it.started).filter(|it| *it > 0).min();
    let named = |name: fn(&Environment) -> &str| distinct(all.iter().map(name));
    let gaps = report.coverage.as_ref().and_then(Coverage::gaps_in_words);
    let rows = [
        ("Ended", run.ending.in_words()),
        ("Started", started.map(date)),
        ("PyTorch", named(|it| &it.torch)),
        ("Python", named(|it| &it.python)),
        ("GPU", named(|it| &it.device)),
        (
            "Machine",
            named(|it| it.host.as_deref().unwrap_or_default()),
        ),
        ("cgsan", Some(env!("CARGO_PKG_VERSION").to_owned())),
        ("Not watched", gaps),
    ];
    let program = run.program.join(" ");
    html! {
        dl.run {
            @if !program.is_empty() {
                div.program { dt { "Program" } dd { code { (text::one_line(&program, COLUMNS)) } } }
            }
            @for (name, words) in rows {
                @if let Some(words) = words {
                    div { dt { (name) } dd { (prose::inline(&words)) } }
                }
            }
        }
    }
}

/// The values of a fact, each once; `None` if none is known.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for value in values.filter(|it| !it.is_empty()) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    let more = all.len().saturating_sub(VALUES);
    let mut named: Vec<String> = all
        .iter()
        .take(VALUES)
        .map(|it| text::one_line(it, COLUMNS))
        .collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    (!named.is_empty()).then(|| named.join(", "))
}
