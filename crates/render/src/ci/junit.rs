//! XML as JUnit writes it, which most CI systems show beside the results of tests.
//!
//! `maud` escapes all texts and attributes; control characters, which XML cannot hold, are shown as signs before.

use cgsan_finding::{Finding, Note, NoteLevel, Report};
use maud::{Markup, html};

use super::plain::plain;
use crate::source::Files;
use crate::{Options, Sources, facts, terminal, text};

/// A report as one suite, e.g. `cgsan run`: a failed case for each id, one with errors, or one that passed. Where nothing could
/// be judged, the case was skipped. What belongs to no case is the suite's output.
pub fn junit(report: &Report, suite: &str, options: &Options, sources: &mut Sources<'_>) -> String {
    let options = &plain(options);
    let mut files = Files::new(sources);
    let errors = text_of(report, NoteLevel::Error, options, &mut files);
    let notes = text_of(report, NoteLevel::Note, options, &mut files);
    let output = notes + &terminal::summary(report, options);
    let by_id = by_id(&report.findings);
    let cases: Vec<Markup> = by_id
        .iter()
        .map(|findings| failed(findings, suite, options, &mut files))
        .collect();
    let is_sound = cases.is_empty() && errors.is_empty();
    let is_skipped = is_sound && report.is_of_nothing();
    let conclusion = terminal::conclusion(report, options);
    let number = by_id.len() + usize::from(!errors.is_empty()) + usize::from(is_sound);
    let (failures, errored) = (by_id.len(), usize::from(!errors.is_empty()));
    let skipped = usize::from(is_skipped);
    let document = html! {
        testsuites name="cgsan" tests=(number) failures=(failures) errors=(errored) {
            testsuite name=(suite) tests=(number) failures=(failures) errors=(errored) skipped=(skipped) {
                @for case in cases { (case) }
                @if !errors.is_empty() {
                    testcase classname=(suite) name="errors" {
                        error message=(xml(errors.lines().next().unwrap_or_default())) { (xml(&errors)) }
                    }
                }
                @if is_sound {
                    testcase classname=(suite) name="no findings" {
                        @if is_skipped { skipped message=(xml(&conclusion)) {} }
                    }
                }
                system-out { (xml(&output)) }
            }
        }
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
        document.into_string()
    )
}

/// The findings of each id, in the order of the first ones.
fn by_id(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|group| group[0].id == finding.id) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// The case of the findings of one id, of which there is at least one.
fn failed(
    findings: &[&Finding],
    suite: &str,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> Markup {
    let first = findings[0];
    let texts = findings
        .iter()
        .map(|it| terminal::one_finding(it, options, files));
    let texts: Vec<String> = texts.collect();
    let place = first.location.as_ref();
    let place = place.map(|it| format!("{}: ", facts::place_of(it, options)));
    let more = match findings.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("{}{}{more}", place.unwrap_or_default(), first.title);
    html! {
        testcase classname=(suite) name=(first.id) {
            failure message=(xml(&text::printable(&message))) type=(first.id) { (xml(&texts.join("\n\n"))) }
        }
    }
}

/// The remarks of a level, with an empty line between them.
fn text_of(
    report: &Report,
    level: NoteLevel,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> String {
    let is_asked = |note: &&Note| note.level == level;
    let notes = report.notes.iter().filter(is_asked);
    notes.fold(String::new(), |text, note| {
        text + &terminal::remark(note, options, files) + "\n\n"
    })
}

/// A text without what a device would obey, or XML 1.0 does not have, though Unicode has it.
fn xml(content: &str) -> String {
    text::shown_plain(content).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
