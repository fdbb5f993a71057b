//! What graphs would gain, as JSON. The shape is described by `schema/perf.v1.json`.

use cgsan_finding::{Gap, Note};
use cgsan_perf::{Device, Measures, Prediction, Steps, Stretch, Verdict};
use serde::Serialize;

use super::OfProcess;
use crate::json::{OneFinding, of_source, one_finding, written};
use crate::run::Run;

/// The version of the shape. Fields may be added to a version; a change or removal makes a new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    run: &'a Run,
    processes: Vec<OneProcess<'a>>,
}

#[derive(Serialize)]
struct OneProcess<'a> {
    files: &'a [String],
    process: Option<u64>,
    verdict: Verdict,
    reason: &'a str,
    steps: &'a Steps,
    measures: &'a Measures,
    prediction: Option<&'a Prediction>,
    stretches: &'a [Stretch],
    first: Option<usize>,
    findings: Vec<OneFinding<'a>>,
    notes: &'a [Note],
    not_measured: &'a [Gap],
    device: &'a Device,
}

/// What is said of processes as one JSON object, indented, with a line break at its end. `run` is empty where files were read.
pub fn json(run: &Run, processes: &[OfProcess]) -> String {
    let source = of_source();
    let processes = processes.iter().map(|it| {
        let performance = &it.performance;
        let findings = performance.findings.iter();
        OneProcess {
            files: &it.files,
            process: it.process,
            verdict: performance.verdict,
            reason: &performance.reason,
            steps: &performance.steps,
            measures: &performance.measures,
            prediction: performance.prediction.as_ref(),
            stretches: &performance.stretches,
            first: performance.first,
            findings: findings
                .map(|it| one_finding(it, it.observed().unwrap_or(&source)))
                .collect(),
            notes: &it.notes,
            not_measured: &performance.lacks,
            device: &performance.device,
        }
    });
    written(&Document {
        version: VERSION,
        run,
        processes: processes.collect(),
    })
}
