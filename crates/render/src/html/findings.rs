//! Findings, each with its source, what led to it, and what the catalogue says of its id.

use cgsan_catalogue::{Entry, Language, Proof, Severity};
use cgsan_finding::{CapturedGraph, Finding, Location, Observed, Process};
use maud::{Markup, html};

use super::{prose, source};
use crate::ci::chain;
use crate::source::Files;
use crate::{Options, facts, text};

/// How many findings are shown; a run with more has one cause that is not understood, and a browser its limits.
const SHOWN: usize = 500;
/// How many later errors of a finding are shown.
const CONSEQUENCES: usize = 50;

/// All findings. `graphs` are those that the page shows.
pub fn section(
    findings: &[Finding],
    graphs: &[CapturedGraph],
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Markup {
    let left_out = findings.len().saturating_sub(SHOWN);
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            @if findings.is_empty() {
                p { "Nothing was found." }
            }
            @if findings.len() > 1 {
                p.filter hidden {
                    label { "Show those with " input #finding-filter type="search" autocomplete="off"; }
                    " " output #finding-count for="finding-filter" {}
                }
            }
            @for (index, finding) in findings.iter().take(SHOWN).enumerate() {
                (one_finding(index, finding, graphs, options, files))
            }
            @if left_out > 0 {
                p { "Left out here: " (text::count(left_out, "finding")) "." }
            }
        }
    }
}

/// The findings at a glance, each with its line and a way to all that is known of it.
pub fn list(findings: &[Finding], options: &Options) -> Markup {
    let left_out = findings.len().saturating_sub(SHOWN);
    html! {
        @if !findings.is_empty() {
            nav.list aria-label="List of findings" {
                ol {
                    @for (index, finding) in findings.iter().take(SHOWN).enumerate() {
                        li.(level(finding)) {
                            a href={ "#" (id(index)) } { (heading(finding)) }
                            " " (first_place(finding, options))
                        }
                    }
                }
                @if left_out > 0 { p { "and " (left_out) " more" } }
            }
        }
    }
}

/// The id of the element that shows a finding.
fn id(index: usize) -> String {
    format!("finding-{}", index + 1)
}

fn level(finding: &Finding) -> &'static str {
    match Severity::of(finding.id) {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn heading(finding: &Finding) -> Markup {
    html! { span.level { (level(finding)) } " " code { (finding.id) } " " (prose::inline(&finding.title)) }
}

/// The line to look at first.
fn first_place(finding: &Finding, options: &Options) -> Markup {
    html! { @if let Some(place) = &finding.location { (place_of(place, options)) } }
}

fn one_finding(
    index: usize,
    finding: &Finding,
    graphs: &[CapturedGraph],
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Markup {
    let id = id(index);
    let graph = finding.observed().and_then(|it| graph_of(it, graphs));
    html! {
        article.finding.(level(finding)) id=(id) aria-labelledby={ (id) "-title" } {
            h3 id={ (id) "-title" } {
                (heading(finding)) " " (first_place(finding, options))
            }
            .both {
                .happened {
                    (source::places(finding, options, files))
                    (facts_of(finding, options))
                    (steps(finding, options))
                    @if let Some(graph) = graph {
                        p { a.to-graph href={ "#graph-" (graph + 1) } { "See its capture, stream by stream" } }
                    }
                    (stacks(finding, options))
                }
                @if let Some(entry) = cgsan_catalogue::entry(finding.id) {
                    (of_catalogue(entry))
                }
            }
        }
    }
}

/// What is known beside the source: why, what to change, what was called.
fn facts_of(finding: &Finding, options: &Options) -> Markup {
    let observed = finding.observed();
    let call = observed.and_then(|it| it.call.as_ref()).map(facts::call);
    let capture = observed.and_then(|it| it.capture.as_ref());
    let capture = capture.map(|it| facts::capture(it, finding, options));
    let rows = [
        ("Call", call),
        ("Thread", observed.and_then(facts::thread)),
        ("Capture", capture),
        ("In", observed.and_then(|it| facts::processes(it, options))),
        ("Times", observed.and_then(facts::times)),
        (
            "Confidence",
            facts::confidence(finding.confidence).map(str::to_owned),
        ),
    ];
    let notes = finding.notes.iter().map(|it| ("Note", it.clone()));
    let help = finding.help_with_command();
    let help = help.into_iter().map(|it| ("Help", it));
    let known = rows.into_iter().filter_map(|(name, it)| Some((name, it?)));
    html! {
        dl.facts {
            @for (name, words) in notes.chain(help).chain(known) {
                div.help[name == "Help"] { dt { (name) } dd { (prose::inline(&words)) } }
            }
        }
    }
}

/// What happened, in order.
fn steps(finding: &Finding, options: &Options) -> Markup {
    let steps = chain::of(finding);
    let left_out = steps.len().saturating_sub(CONSEQUENCES);
    html! {
        @if !steps.is_empty() {
            h4 { "In order" }
            ol.steps {
                @for (place, words) in steps.iter().take(CONSEQUENCES) {
                    li { (prose::inline(words)) " " (place_of(place, options)) }
                }
            }
            @if left_out > 0 { p { "and " (left_out) " more" } }
        }
    }
}

fn place_of(place: &Location, options: &Options) -> Markup {
    html! { span.place { (text::printable(&facts::place_of(place, options))) } }
}

fn stacks(finding: &Finding, options: &Options) -> Markup {
    let Some(observed) = finding.observed() else {
        return Markup::default();
    };
    let python: Vec<String> = observed
        .stack
        .iter()
        .map(|it| facts::frame(it, options))
        .collect();
    let native: Vec<String> = observed
        .native_stack
        .iter()
        .map(|it| text::printable(it))
        .collect();
    let standing = observed.standing.iter().map(|thread| {
        let rank = thread.rank.map(|rank| format!(" of rank {rank}"));
        let name = format!(
            "{}{} {}",
            thread.name,
            rank.unwrap_or_default(),
            thread.waits_in
        );
        let frames = thread.stack.iter().map(|it| facts::frame(it, options));
        (text::printable(&name), frames.collect::<Vec<String>>())
    });
    let stacks = [
        ("Python stack".to_owned(), python),
        ("Native stack".to_owned(), native),
    ];
    html! {
        @for (name, frames) in stacks.into_iter().chain(standing).filter(|(_, it)| !it.is_empty()) {
            details.stack {
                summary { (name) }
                pre tabindex="0" role="group" aria-label=(name) { (frames.join("\n")) }
            }
        }
    }
}

/// The graph of the page that a finding is about.
fn graph_of(observed: &Observed, graphs: &[CapturedGraph]) -> Option<usize> {
    let capture = observed.capture.as_ref()?;
    let began = |graph: &CapturedGraph| {
        let place = graph.location.as_ref();
        let place = place.map(|it| (it.file_name(), it.line));
        place == capture.file.clone().zip(capture.line)
    };
    let is_of = |process: &Process, graph: &CapturedGraph| process.is(&graph.process);
    let candidates = graphs
        .iter()
        .enumerate()
        .filter(|(_, graph)| began(graph) && observed.processes.iter().any(|it| is_of(it, graph)));
    let failed = observed.call.is_some();
    let (best, _) = candidates.max_by_key(|(index, graph)| {
        let fits = failed == (graph.outcome != cgsan_finding::Outcome::Captured);
        (fits, std::cmp::Reverse(*index))
    })?;
    Some(best)
}

/// What the catalogue says.
fn of_catalogue(entry: &Entry) -> Markup {
    let english = |text: cgsan_catalogue::Text| text.in_language(Language::English);
    html! {
        aside.entry aria-label={ "What " (entry.id) " is" } {
            h4 { (entry.id) ": " (prose::inline(english(entry.title))) }
            (prose::paragraphs(english(entry.summary)))
            details {
                summary { "Why it happens" }
                (prose::paragraphs(english(entry.cause)))
            }
            @for fix in entry.fixes {
                details {
                    summary { "Fix: " (prose::inline(english(fix.title))) }
                    (prose::paragraphs(english(fix.explanation)))
                    @if let Proof::Program(program) = fix.proof {
                        pre tabindex="0" role="group" aria-label="A program with this fix" { (program.source) }
                    }
                    p.cost { "Cost: " (prose::inline(english(fix.cost))) }
                }
            }
            @for dead_end in entry.dead_ends {
                details {
                    summary { "Does not help: " (prose::inline(english(dead_end.attempt))) }
                    (prose::paragraphs(english(dead_end.reason)))
                }
            }
        }
    }
}
