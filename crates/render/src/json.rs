//! Findings as JSON. The shape is described by `schema/report.v1.json`.

use cgsan_finding::{
    CallInfo, CaptureInfo, CapturedGraph, Confidence, Consequence, Coverage, Finding, Label,
    Location, MemoryUse, Note, Observed, Process, RankGroup, Report, StandingThread, ThreadInfo,
};
use serde::Serialize;

use crate::run::Run;
use crate::source::Files;
use crate::text::{escaped, shown};
use crate::{Options, Sources, terminal};

/// The version of the shape. Fields may be added to a version; a change or removal makes a new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    run: &'a Run,
    findings: Vec<OneFinding<'a>>,
    left_out: Vec<OneLeftOut<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ranks: &'a [RankGroup],
    notes: &'a [Note],
    coverage: Option<&'a Coverage>,
    memory: Option<&'a [MemoryUse]>,
    graphs: Option<&'a [CapturedGraph]>,
}

/// A finding that is not reported, and why.
#[derive(Serialize)]
struct OneLeftOut<'a> {
    by: String,
    finding: OneFinding<'a>,
}

/// A finding with all fields, whether or not a program ran.
#[derive(Serialize)]
pub(crate) struct OneFinding<'a> {
    id: &'a str,
    title: &'a str,
    confidence: Confidence,
    location: Option<&'a Location>,
    call: Option<&'a CallInfo>,
    thread: Option<&'a ThreadInfo>,
    capture: Option<&'a CaptureInfo>,
    labels: &'a [Label],
    notes: &'a [String],
    help: Vec<String>,
    consequences: &'a [Consequence],
    stack: &'a [Location],
    native_stack: &'a [String],
    threads: &'a [StandingThread],
    count: usize,
    processes: &'a [Process],
    #[serde(skip_serializing_if = "Option::is_none")]
    rendered: Option<String>,
}

/// A report as one JSON object, indented, with a line break at its end.
pub fn json(report: &Report, run: &Run) -> String {
    document(report, run, |_| None)
}

/// The same, with each finding as text, too.
pub fn json_with_texts(
    report: &Report,
    run: &Run,
    options: &Options,
    sources: &mut Sources<'_>,
) -> String {
    let mut files = Files::new(sources);
    document(report, run, |finding| {
        Some(shown(&terminal::one_finding(finding, options, &mut files)))
    })
}

fn document(
    report: &Report,
    run: &Run,
    mut rendered: impl FnMut(&Finding) -> Option<String>,
) -> String {
    let source = of_source();
    let findings = report.findings.iter();
    let document = Document {
        version: VERSION,
        run,
        findings: findings
            .map(|it| OneFinding {
                rendered: rendered(it),
                ..one_finding(it, it.observed().unwrap_or(&source))
            })
            .collect(),
        left_out: report
            .left_out
            .iter()
            .map(|it| OneLeftOut {
                by: it.by.to_string(),
                finding: one_finding(&it.finding, it.finding.observed().unwrap_or(&source)),
            })
            .collect(),
        ranks: &report.ranks,
        notes: &report.notes,
        coverage: report.coverage.as_ref(),
        memory: report.memory.as_deref(),
        graphs: report.graphs.as_deref(),
    };
    written(&document)
}

/// What stands for what was recorded where nothing was.
pub(crate) fn of_source() -> Observed {
    Observed {
        count: 1,
        ..Observed::default()
    }
}

/// A document, indented, with a line break at its end.
pub(crate) fn written(document: &impl Serialize) -> String {
    let mut output =
        serde_json::to_string_pretty(document).expect("strings, numbers and lists are JSON");
    output.push('\n');
    escaped(&output)
}

/// A finding with what was recorded of it.
pub(crate) fn one_finding<'a>(finding: &'a Finding, observed: &'a Observed) -> OneFinding<'a> {
    OneFinding {
        id: finding.id,
        title: &finding.title,
        confidence: finding.confidence,
        location: finding.location.as_ref(),
        call: observed.call.as_ref(),
        thread: observed.thread.as_ref(),
        capture: observed.capture.as_ref(),
        labels: &finding.labels,
        notes: &finding.notes,
        help: finding.help_with_command(),
        consequences: &observed.consequences,
        stack: &observed.stack,
        native_stack: &observed.native_stack,
        threads: &observed.standing,
        count: observed.count,
        processes: &observed.processes,
        rendered: None,
    }
}
