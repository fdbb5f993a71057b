//! `cgsan export --format perfetto`, held against the Trace Event Format as it is documented, and against the profiler's own file.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use support::{fleet, root, temporary_folder};

fn exported(traces: &[PathBuf]) -> Value {
    let folder = temporary_folder().expect("a folder");
    let path = folder.path().join("timeline.json");
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["export", "--format", "perfetto", "--output"])
        .arg(&path)
        .args(traces)
        .output()
        .expect("cgsan runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON")
}

fn events(timeline: &Value) -> &[Value] {
    timeline["traceEvents"].as_array().expect("a list")
}

fn of_category<'a>(timeline: &'a Value, category: &str) -> Vec<&'a Value> {
    let all = events(timeline).iter();
    all.filter(|it| it["cat"] == category).collect()
}

/// A track: a process and a thread.
type Track = (u64, u64);

fn track(event: &Value) -> Track {
    let number = |name: &str| event[name].as_u64().expect("a number");
    (number("pid"), number("tid"))
}

/// What breaks the Trace Event Format.
fn faults(timeline: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut named = BTreeSet::new();
    let mut open: BTreeMap<Track, usize> = BTreeMap::new();
    // For each arrow, where it begins and where it ends.
    let mut arrows: BTreeMap<u64, [Vec<(Track, String)>; 2]> = BTreeMap::new();
    let mut slices = BTreeSet::new();
    let mut begins = BTreeSet::new();
    for event in events(timeline) {
        let mut wrong = |what: &str| faults.push(format!("{what}: {event}"));
        let track = track(event);
        let phase = event["ph"].as_str().unwrap_or_default();
        if phase == "M" {
            if !event["args"].is_object() {
                wrong("it says nothing");
            }
            if event["name"] == "thread_name" {
                named.insert(track);
            }
            continue;
        }
        if event["ts"].as_f64().is_none_or(|ts| ts < 0.0) {
            wrong("it has no time");
        }
        if !named.contains(&track) {
            wrong("its track has no name");
        }
        if phase != "E" && event["name"].as_str().is_none_or(str::is_empty) {
            wrong("it has no name");
        }
        let moment = event["ts"].to_string();
        match phase {
            "B" => {
                *open.entry(track).or_default() += 1;
                begins.insert((track, moment));
            }
            "E" => match open.get_mut(&track) {
                Some(count) if *count > 0 => *count -= 1,
                _ => wrong("nothing is open that it could end"),
            },
            "X" => {
                if event["dur"].as_f64().is_none_or(|it| it <= 0.0) {
                    wrong("it has no length");
                }
                if begins.contains(&(track, moment.clone())) {
                    wrong("it begins with the slice that it is to lie in");
                }
                slices.insert((track, moment));
            }
            "i" if event["s"] == "t" => {}
            "s" | "f" => {
                let id = event["id"].as_u64().expect("an arrow has a number");
                let ends = arrows.entry(id).or_default();
                ends[usize::from(phase == "f")].push((track, moment));
            }
            _ => wrong("there is no such event"),
        }
    }
    faults.extend(
        open.iter()
            .filter(|it| *it.1 > 0)
            .map(|it| format!("{it:?} does not end")),
    );
    for (id, [begins, ends]) in arrows {
        let is_whole = begins.len() == 1 && ends.len() == 1;
        let all = begins.iter().chain(&ends);
        if !is_whole || !all.into_iter().all(|it| slices.contains(it)) {
            faults.push(format!("arrow {id} does not lead from a slice to a slice"));
        }
    }
    faults
}

#[test]
fn recorded_traces_become_time_lines_of_the_format() {
    let recorded = root().join("examples/recorded");
    let traces = fs::read_dir(recorded).expect("a folder");
    let traces: Vec<PathBuf> = traces
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "cgsan"))
        .collect();
    let timeline = exported(&traces);
    assert_eq!(faults(&timeline), [""; 0]);
    let refusals = of_category(&timeline, "refusal");
    let refused = refusals
        .iter()
        .any(|it| it["name"] == "refused: cuMemAlloc_v2");
    assert!(refused, "{refusals:?}");
    assert!(!of_category(&timeline, "capture").is_empty());
}

#[test]
fn each_rank_is_a_process_of_its_own() {
    let folder = temporary_folder().expect("a folder");
    let traces = folder.path().join("traces");
    fleet::write(&traces, 20, 100);
    let timeline = exported(&[traces]);
    assert_eq!(faults(&timeline), [""; 0]);
    let names = events(&timeline).iter();
    let names: BTreeSet<&str> = names
        .filter(|it| it["name"] == "process_name")
        .filter_map(|it| it["args"]["name"].as_str())
        .collect();
    assert_eq!(names.len(), 20);
    assert!(
        names.iter().any(|it| it.contains(", rank 8 on node-1: ")),
        "{names:?}"
    );
}

#[test]
fn without_a_trace_nothing_is_written() {
    let folder = temporary_folder().expect("a folder");
    let path = folder.path().join("timeline.json");
    fs::write(&path, "before").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["export", "--format", "perfetto", "--output"])
        .args([&path, Path::new("no-such.cgsan")])
        .output()
        .expect("cgsan runs");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&path).expect("a file"), "before");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn it_lines_up_with_the_profiler() {
    let folder = temporary_folder().expect("a folder");
    let (profile, trace) = (
        folder.path().join("profile.json"),
        folder.path().join("run.cgsan"),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["run", "--virtual", "--save"])
        .args([&trace, Path::new("--"), Path::new(&support::python())])
        .args([&root().join("tests/graphs/profiled.py"), &profile])
        .output()
        .expect("cgsan runs");
    assert!(output.status.success(), "{output:?}");
    let timeline = exported(&[trace]);
    assert_eq!(faults(&timeline), [""; 0]);
    let arrows = |category: &str| {
        let all = of_category(&timeline, category).into_iter();
        all.filter(|it| it["ph"] == "s").count()
    };
    assert_eq!((arrows("fork"), arrows("join")), (1, 1));
    let replays = of_category(&timeline, "replay");
    assert_eq!(replays[0]["name"], "replay of graph 1");

    let profile: Value =
        serde_json::from_str(&fs::read_to_string(profile).expect("a file")).expect("JSON");
    assert_eq!(
        profile["baseTimeNanoseconds"],
        timeline["baseTimeNanoseconds"]
    );
    let when = |all: &Value, name: &str| {
        let first = events(all).iter().find(|it| it["name"] == name);
        first
            .and_then(|it| it["ts"].as_f64())
            .expect("it was called")
    };
    // The same operator in both files; the profiler converts another clock, whose error is far less than a second.
    let apart = when(&profile, "aten::cos") - when(&timeline, "aten::cos");
    assert!(apart.abs() < 1_000_000.0, "{apart} µs apart");
}
