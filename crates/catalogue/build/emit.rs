//! Checked entries as Rust source.

use std::collections::BTreeSet;

use crate::evidence::{self, Evidence as RunEvidence};
use crate::fold::fold;
use crate::literals;
use crate::programs::{self, Programs};
use crate::schema::{
    Claim, Condition, DeadEnd, Entry, Evidence, Fix, Pattern, Probe, Source, Version,
};
use crate::truth::Truth;
use crate::versions::{self, Versions};

/// What the entries refer to.
#[derive(Clone, Copy)]
pub struct References<'a> {
    pub truth: &'a Truth,
    pub programs: &'a Programs,
    pub evidence: &'a [RunEvidence],
    pub versions: &'a Versions,
}

/// The source of `static ENTRIES: &[Entry]`.
pub fn emit_all(entries: &[Entry], references: &References<'_>) -> String {
    let emitted = list(entries, |entry| emit(entry, entries, references));
    format!(
        "pub static ENTRIES: &[Entry] = {emitted};\n{}",
        expressions(entries)
    )
}

/// The source of `static EXPRESSIONS`: each expression of the patterns once.
fn expressions(entries: &[Entry]) -> String {
    let texts: BTreeSet<&str> = entries
        .iter()
        .flat_map(|entry| &entry.patterns)
        .flat_map(Pattern::expressions)
        .collect();
    let expressions: Vec<String> = texts
        .into_iter()
        .map(|text| {
            let literals = literals::required(text).expect("every expression was checked");
            format!("Expression {{ text: {text:?}, literals: &{literals:?} }}")
        })
        .collect();
    format!(
        "pub static EXPRESSIONS: &[Expression] = &[{}];\n",
        expressions.join(",\n")
    )
}

fn emit(entry: &Entry, entries: &[Entry], references: &References<'_>) -> String {
    let led_by: Vec<&str> = entries
        .iter()
        .filter(|other| other.leads_to.contains(&entry.id))
        .map(|other| other.id.as_str())
        .collect();
    format!(
        "Entry {{ id: {:?}, name: {:?}, aliases: &{:?}, codes: &{:?}, title: {}, summary: {}, cause: {}, \
         signal: {}, question: {}, words: {:?}, patterns: {}, fixes: {}, dead_ends: {}, related: &{:?}, leads_to: &{:?}, comes_from: &{:?}, \
         versions: {}, sources: {}, evidence: {}, probes: {}, cases: {}, no_program: {}, gone_since: {:?} }}",
        entry.id,
        entry.name,
        entry.aliases,
        entry.codes,
        text(&entry.en.title, &entry.zh.title),
        text(&entry.en.summary, &entry.zh.summary),
        text(&entry.en.cause, &entry.zh.cause),
        text(&entry.en.signal, &entry.zh.signal),
        text(&entry.en.question, &entry.zh.question),
        entry.words.trim(),
        list(&entry.patterns, pattern),
        list(&entry.fixes, |item| fix(item, entry, references)),
        list(&entry.dead_ends, |item| dead_end(item, entry, references)),
        entry.related,
        entry.leads_to,
        led_by,
        list(&entry.versions, version),
        list(&entry.sources, source),
        list(&entry.evidence, |item| evidence(item, references.truth)),
        list(&entry.probes, probe),
        versions::emit(references.versions, entry, references.programs),
        option(no_program(entry)),
        entry.gone_since,
    )
}

fn no_program(entry: &Entry) -> Option<String> {
    let (english, chinese) = (entry.en.no_program.as_ref()?, entry.zh.no_program.as_ref()?);
    Some(text(english, chinese))
}

fn pattern(pattern: &Pattern) -> String {
    format!(
        "Pattern {{ place: Place::{:?}, matches: {:?}, with: {}, without: {}, weight: {}, common: {}, reason: {} }}",
        pattern.place,
        pattern.matches,
        list(&pattern.with, condition),
        list(&pattern.without, condition),
        pattern.weight,
        pattern.common,
        text(&pattern.en.reason, &pattern.zh.reason),
    )
}

fn condition(condition: &Condition) -> String {
    format!(
        "Condition {{ place: Place::{:?}, matches: {:?} }}",
        condition.place, condition.matches
    )
}

fn fix(fix: &Fix, entry: &Entry, references: &References<'_>) -> String {
    format!(
        "Fix {{ title: {}, explanation: {}, proof: {}, cost: {} }}",
        text(&fix.en.title, &fix.zh.title),
        text(&fix.en.explanation, &fix.zh.explanation),
        proof(&fix.claim(), entry, references),
        text(&fix.en.cost, &fix.zh.cost),
    )
}

fn dead_end(dead_end: &DeadEnd, entry: &Entry, references: &References<'_>) -> String {
    format!(
        "DeadEnd {{ attempt: {}, reason: {}, proof: {} }}",
        text(&dead_end.en.attempt, &dead_end.zh.attempt),
        text(&dead_end.en.reason, &dead_end.zh.reason),
        proof(&dead_end.claim(), entry, references),
    )
}

fn proof(claim: &Claim<'_>, entry: &Entry, references: &References<'_>) -> String {
    let program = claim
        .program
        .and_then(|name| programs::find(references.programs, entry, name));
    let Some(program) = program else {
        let [english, chinese] = claim.untested.map(Option::unwrap_or_default);
        return format!("Proof::Untested({})", text(english, chinese));
    };
    let runs = evidence::runs(references.evidence, program);
    let runs = list(&runs, |run| {
        format!(
            "Run {{ machine: {:?}, gpus: {}, outcome: {:?} }}",
            run.machine, run.gpus, run.outcome
        )
    });
    format!(
        "Proof::Program(Program {{ path: {:?}, source: {:?}, needs_gpu: {}, ranks: {}, runs: {runs} }})",
        program.path, program.source, claim.needs_gpu, claim.ranks
    )
}

fn version(version: &Version) -> String {
    format!(
        "Version {{ product: Product::{:?}, from: {:?}, until: {:?}, basis: Basis::{:?}, fact: {} }}",
        version.product,
        version.from,
        version.until,
        version.basis,
        text(&version.en.fact, &version.zh.fact),
    )
}

fn source(source: &Source) -> String {
    format!(
        "Source {{ title: {:?}, url: {:?} }}",
        source.title, source.url
    )
}

fn evidence(evidence: &Evidence, truth: &Truth) -> String {
    let result = &truth[&evidence.case];
    let exception = result.exception.as_ref().map(|exception| {
        format!(
            "Exception {{ type_name: {:?}, message: {:?} }}",
            exception.type_name, exception.message
        )
    });
    let refused = result.first_refused_call.as_ref().map(|call| {
        format!(
            "RefusedCall {{ function: {:?}, code: {} }}",
            call.api, call.code
        )
    });
    format!(
        "Evidence {{ case: {:?}, machine: Machine::{:?}, shows: {}, exception: {}, refused: {} }}",
        evidence.case,
        result.machine,
        text(&evidence.en.shows, &evidence.zh.shows),
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

fn text(english: &str, chinese: &str) -> String {
    format!(
        "Text {{ english: {:?}, chinese: {:?} }}",
        fold(english),
        fold(chinese)
    )
}

fn list<T>(items: &[T], item: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(item).collect();
    format!("&[{}]", items.join(",\n"))
}

fn option(value: Option<String>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"))
}
