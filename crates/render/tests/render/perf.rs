//! What `cgsan perf` says, as text and as JSON.

use cgsan_finding::{Basis, Confidence, Finding, Gap, Note, Observed};
use cgsan_perf::{
    Bounds, Device, DeviceMeasures, Found, Measures, Performance, Place, Prediction, Steps,
    Stretch, Verdict,
};
use cgsan_render::perf::{OfProcess, json, text};
use cgsan_render::{Options, Run};
use serde_json::Value;

use crate::sample;
use crate::schema::faults;

const REPORT: &str = include_str!("../../schema/report.v1.json");
const SCHEMA: &str = include_str!("../../schema/perf.v1.json");

fn prediction(now: f64, low: f64, high: f64, gain: Bounds) -> Prediction {
    Prediction {
        now_ns: Bounds::exactly(now),
        graph_ns: Bounds::new(low, high),
        device_ns: Bounds::new(low, high),
        host_ns: Bounds::new(9000.0, 30_000.0),
        gain,
    }
}

/// A step that waits once, with a graph in its second half.
fn performance() -> Performance {
    let first = prediction(1.4e6, 0.5e6, 0.8e6, Bounds::new(0.3, 0.45));
    let stretch = |at: &str, wait: Option<&str>, prediction: Prediction| Stretch {
        place: Place {
            location: Some(sample::place("train.py", 14, at)),
            words: String::new(),
        },
        wait: wait.map(str::to_owned),
        launches: 200,
        replays: 0,
        duration_ns: 1_400_000,
        idle_ns: 900_000,
        verdict: Verdict::of(prediction.gain),
        prediction,
    };
    Performance {
        verdict: Verdict::WorthIt,
        reason: "the device waits for launches that one replay would make".to_owned(),
        steps: Steps {
            found: Found::Repeating { launches: 240 },
            count: 18,
            left_out: 1,
            undisturbed: 0,
        },
        measures: Measures {
            duration_ns: 2_000_000,
            launches: 240,
            replays: 1,
            waits: 1,
            waited_ns: 31_000,
            copies_before_replays: 2,
            device: Some(DeviceMeasures {
                busy_ns: 800_000,
                idle_ns: 1_200_000,
                work: 279,
                work_in_graphs: 0.143,
                time_in_graphs: 0.2,
                idle_in_replays_ns: 4000,
                copies_before_replays_ns: 9000,
                replays_ns: 120_000,
                ahead_ns: -2500,
                streams: 2,
                at_once: 1,
            }),
        },
        prediction: Some(prediction(2e6, 0.7e6, 1.3e6, Bounds::new(0.35, 0.65))),
        stretches: vec![
            stretch("forward", Some("cudaStreamSynchronize"), first),
            Stretch {
                place: Place {
                    location: None,
                    words: "in `optimizer`".to_owned(),
                },
                replays: 1,
                ..stretch("", None, prediction(6e5, 5e5, 6e5, Bounds::new(0.0, 0.05)))
            },
        ],
        first: Some(0),
        findings: vec![finding()],
        lacks: vec![Gap::new(
            "lines of the program",
            Some("profile with `with_stack=True`"),
        )],
        device: Device::h100(),
    }
}

fn finding() -> Finding {
    Finding {
        id: "CG502",
        title: "the device is idle for 60 % of a step outside of its graphs".to_owned(),
        confidence: Confidence::Confirmed,
        location: None,
        labels: Vec::new(),
        notes: vec!["14 % of the work runs in graphs".to_owned()],
        help: vec!["capture what is launched eagerly too".to_owned()],
        basis: Basis::Run(Box::new(Observed {
            count: 18,
            of_replays: true,
            ..Observed::default()
        })),
    }
}

/// A file without times of the device.
fn without_device() -> Performance {
    Performance {
        verdict: Verdict::CannotTell,
        reason: "no device times were recorded, and a prediction needs them".to_owned(),
        steps: Steps {
            found: Found::Whole,
            count: 1,
            left_out: 0,
            undisturbed: 0,
        },
        measures: Measures::default(),
        prediction: None,
        stretches: Vec::new(),
        first: None,
        findings: Vec::new(),
        lacks: vec![Gap::new("times of the device", None)],
        device: Device::h100(),
    }
}

fn of_process(performance: Performance) -> OfProcess {
    OfProcess {
        files: vec!["trace.json.gz".to_owned()],
        process: Some(4711),
        performance,
        notes: vec![Note::new(
            "torch.compile captures no graph here: mutated inputs",
            Some(sample::place("train.py", 14, "step")),
        )],
    }
}

#[test]
fn the_verdict_comes_first_and_what_is_lacking_last() {
    let processes = [of_process(performance())];
    insta::assert_snapshot!(text(&processes, &Options::default(), &mut |_| None));
}

#[test]
fn several_processes_are_told_apart() {
    let processes = [of_process(without_device()), of_process(without_device())];
    insta::assert_snapshot!(text(&processes, &Options::default(), &mut |_| None));
}

#[test]
fn the_json_fulfils_its_schema() {
    // Findings and places are those of reports.
    let report: Value = serde_json::from_str(REPORT).expect("the schema is JSON");
    let mut schema: Value =
        serde_json::from_str(&SCHEMA.replace("report.v1.json#", "#")).expect("the schema is JSON");
    for (name, definition) in report["$defs"].as_object().expect("definitions") {
        let known = schema["$defs"].as_object_mut().expect("definitions");
        assert_eq!(known.insert(name.clone(), definition.clone()), None);
    }
    let processes = [of_process(performance()), of_process(without_device())];
    let document = serde_json::from_str(&json(&Run::default(), &processes)).expect("JSON");
    assert_eq!(faults(&schema, &document), [""; 0]);
    let mut wrong = document;
    wrong["processes"][0]["prediction"]["gain"] = 0.5.into();
    assert!(!faults(&schema, &wrong).is_empty());
}
