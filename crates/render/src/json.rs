//! Findings as JSON. The shape is described by `schema/report.v1.json`.

use cgsan_diagnose::{Coverage, Finding, Note, Report};
use serde::Serialize;

use crate::text::escaped;

/// The version of the shape. Fields may be added to a version; a change or removal makes a new one.
const VERSION: u32 = 1;

/// What ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The command line.
    pub program: Vec<String>,
    /// Its exit status; `None` if a signal ended it, or it is not known.
    pub exit: Option<i32>,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    run: &'a Run,
    findings: &'a [Finding],
    notes: &'a [Note],
    coverage: Option<&'a Coverage>,
}

/// A report as one JSON object, indented, with a line break at its end.
pub fn json(report: &Report, run: &Run) -> String {
    let document = Document {
        version: VERSION,
        run,
        findings: &report.findings,
        notes: &report.notes,
        coverage: report.coverage.as_ref(),
    };
    let mut output =
        serde_json::to_string_pretty(&document).expect("strings, numbers and lists are JSON");
    output.push('\n');
    escaped(&output)
}
