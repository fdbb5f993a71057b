//! Checked entries as Rust source.

use std::fmt::{Debug, Write};

use crate::schema::{DeadEnd, Entry, Evidence, Fix, Probe, Version};
use crate::truth::Truth;

/// The source of `const ENTRIES: &[Entry]`.
pub fn emit_all(entries: &[Entry], truth: &Truth) -> String {
    let entries = list(entries, |entry| emit(entry, truth));
    format!("const ENTRIES: &[Entry] = {entries};\n")
}

fn emit(entry: &Entry, truth: &Truth) -> String {
    format!(
        "Entry {{ id: {:?}, name: {:?}, codes: &{:?}, title: {}, summary: {}, cause: {}, signal: {}, \
         fixes: {}, dead_ends: {}, related: &{:?}, versions: {}, evidence: {}, probes: {} }}",
        entry.id,
        entry.name,
        entry.codes,
        text(&entry.en.title),
        text(&entry.en.summary),
        text(&entry.en.cause),
        text(&entry.en.signal),
        list(&entry.fixes, fix),
        list(&entry.dead_ends, dead_end),
        entry.related,
        list(&entry.versions, version),
        list(&entry.evidence, |item| evidence(item, truth)),
        list(&entry.probes, probe),
    )
}

fn fix(fix: &Fix) -> String {
    format!(
        "Fix {{ title: {}, explanation: {}, code: {:?}, cost: {} }}",
        text(&fix.en.title),
        text(&fix.en.explanation),
        format!("{}\n", fix.code.trim()),
        text(&fix.en.cost),
    )
}

fn dead_end(dead_end: &DeadEnd) -> String {
    format!(
        "DeadEnd {{ attempt: {}, reason: {} }}",
        text(&dead_end.en.attempt),
        text(&dead_end.en.reason),
    )
}

fn version(version: &Version) -> String {
    format!(
        "Version {{ product: Product::{:?}, from: {:?}, until: {:?}, basis: Basis::{:?}, fact: {} }}",
        version.product,
        version.from,
        version.until,
        version.basis,
        text(&version.en.fact),
    )
}

fn evidence(evidence: &Evidence, truth: &Truth) -> String {
    let result = &truth[&evidence.case];
    let exception = result.error_type.as_ref().map(|type_name| {
        let message = result.error.as_deref().unwrap_or_default();
        format!("Exception {{ type_name: {type_name:?}, message: {message:?} }}")
    });
    let refused = result.first_refused_call.as_ref().map(|call| {
        format!(
            "RefusedCall {{ function: {:?}, code: {} }}",
            call.api, call.code
        )
    });
    format!(
        "Evidence {{ case: {:?}, shows: {}, exception: {}, refused: {} }}",
        evidence.case,
        text(&evidence.en.shows),
        option(exception),
        option(refused),
    )
}

fn probe(probe: &Probe) -> String {
    format!(
        "Probe {{ call: {:?}, mode: Mode::{:?}, thread: Thread::{:?}, code: {}, end: {} }}",
        probe.call, probe.mode, probe.thread, probe.code, probe.end,
    )
}

/// A text with its line breaks folded: one a paragraph.
fn text(source: &str) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in source.trim().lines().map(str::trim) {
        let last = paragraphs.len() - 1;
        if line.is_empty() {
            paragraphs.push(String::new());
        } else if paragraphs[last].is_empty() {
            paragraphs[last].push_str(line);
        } else {
            let _ = write!(paragraphs[last], " {line}");
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    format!("Text {{ english: {:?} }}", paragraphs.join("\n\n"))
}

fn list<T: Debug>(items: &[T], item: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(item).collect();
    format!("&[{}]", items.join(",\n"))
}

fn option(value: Option<String>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"))
}
