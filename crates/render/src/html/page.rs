//! The document: head, sections.

use cgsan_finding::{MemoryUse, Note, NoteLevel, Report};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{findings, graphs, header, policy, prose, ranks};
use crate::source::Files;
use crate::{Options, Run, facts, memory, terminal, text, timeline};

const STYLE: &str = concat!(
    include_str!("assets/page.css"),
    "\n.timeline {\n",
    include_str!("../timeline/style.css"),
    "}\n"
);
const SCRIPT: &str = concat!(
    include_str!("assets/rows.js"),
    include_str!("assets/view.js"),
    include_str!("assets/page.js")
);

/// How many remarks are shown.
const NOTES: usize = 500;

/// The whole page.
pub fn document(
    report: &Report,
    run: &Run,
    options: &Options,
    files: &mut Files<'_, '_>,
) -> String {
    let conclusion = terminal::conclusion(report, options);
    let captured = report.graphs.as_deref().unwrap_or_default();
    let memory = report.memory.as_deref().unwrap_or_default();
    let memory = memory_section(memory, options);
    let ranks = ranks::section(captured, &report.findings);
    let sections = [
        ("findings", "Findings", true),
        ("graphs", "What was captured", true),
        ("ranks", "Ranks", !ranks.0.is_empty()),
        ("memory", "Memory", !memory.0.is_empty()),
        ("remarks", "Remarks", !report.notes.is_empty()),
    ];
    let sections = sections.into_iter().filter(|(_, _, is_there)| *is_there);
    let sections: Vec<(&str, &str)> = sections.map(|(id, name, _)| (id, name)).collect();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (policy::head(&text::printable(&conclusion), STYLE, SCRIPT))
            body {
                a.skip href="#findings" { "Skip to the findings" }
                (header::header(report, run, &conclusion, &sections, options))
                main {
                    (findings::section(&report.findings, captured, options, files))
                    (graphs::section(captured, options))
                    (ranks)
                    (memory)
                    (remarks(&report.notes, options))
                }
                footer { "This file needs no network and sends nothing." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string() + "\n"
}

/// What pools held over time, and in numbers.
fn memory_section(uses: &[MemoryUse], options: &Options) -> Markup {
    if uses.iter().all(|it| it.moments.is_empty()) {
        return Markup::default();
    }
    html! {
        section #memory aria-labelledby="memory-title" {
            h2 #memory-title { "Memory" }
            div.wide.timeline { (timeline::drawing(uses, options)) }
            details {
                summary { "In numbers" }
                pre tabindex="0" role="group" aria-label="Memory in numbers" { (memory::memory(uses, options)) }
            }
        }
    }
}

fn remarks(notes: &[Note], options: &Options) -> Markup {
    let left_out = notes.len().saturating_sub(NOTES);
    html! {
        @if !notes.is_empty() {
            section #remarks aria-labelledby="remarks-title" {
                h2 #remarks-title { "Remarks" }
                ul {
                    @for note in notes.iter().take(NOTES) {
                        li { (remark(note, options)) }
                    }
                }
                @if left_out > 0 { p { "Left out here: " (text::count(left_out, "remark")) "." } }
            }
        }
    }
}

fn remark(note: &Note, options: &Options) -> Markup {
    let (words, lines) = note.text.split_once('\n').unwrap_or((&note.text, ""));
    html! {
        @if note.level == NoteLevel::Error { strong { "error: " } }
        (prose::inline(words))
        @if let Some(place) = &note.location {
            " " span.place { (text::printable(&facts::place_of(place, options))) }
        }
        @if !lines.is_empty() {
            pre tabindex="0" role="group" aria-label="More of this remark" { (text::shown(lines)) }
        }
    }
}
