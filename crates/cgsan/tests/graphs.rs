//! `--graphs`: what captures recorded.

mod support;

use std::process::Command;

use serde_json::{Value, json};

use support::{root, temporary_folder};

#[test]
fn a_failed_capture_has_the_call_that_was_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["report", "--graphs", "--json"])
        .arg(root().join("examples/recorded/cg105_stream_not_forked.cgsan"))
        .output()
        .expect("cgsan runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let graph = &report["graphs"][0];
    assert_eq!(graph["outcome"], "failed");
    let events: Vec<&Value> = graph["events"].as_array().expect("events").iter().collect();
    let kinds: Vec<&Value> = events.iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds[..2], ["begin", "refused"]);
    let text = events[1]["text"].as_str().expect("a text");
    assert!(text.starts_with("`cuMemAlloc_v2` returned 900"), "{text}");
    let place = usize::try_from(events[1]["place"].as_u64().expect("a place")).expect("a number");
    assert_eq!(graph["places"][place]["line"], 11);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nodes_have_streams_edges_operators_and_lines() {
    let folder = temporary_folder().expect("a folder");
    let kept = folder.path().join("report.json");
    let status = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["run", "--virtual", "--graphs", "--json", "--output"])
        .arg(&kept)
        .arg("--")
        .arg(support::python())
        .arg(root().join("tests/graphs/two_streams.py"))
        .status()
        .expect("cgsan runs");
    assert!(status.success());
    let report = std::fs::read(&kept).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let [captured, failed] = [&report["graphs"][0], &report["graphs"][1]];

    assert_eq!(captured["outcome"], "captured");
    assert_eq!(captured["replays"], 5);
    assert_eq!(captured["streams"].as_array().map(Vec::len), Some(2));
    let nodes = captured["nodes"].as_array().expect("nodes").iter();
    let nodes: Vec<Value> = nodes
        .map(|node| {
            let place = node["place"].as_u64().expect("a place");
            let place = &captured["places"][usize::try_from(place).expect("a number")];
            json!([
                node["kind"],
                node["operator"],
                node["stream"],
                node["depends_on"],
                place["line"]
            ])
        })
        .collect();
    assert_eq!(
        nodes,
        [
            json!(["memcpy", "copy_", 0, [], 11]),
            json!(["kernel", "sin", 1, [0], 14]),
            json!(["kernel", "cos", 0, [0], 15]),
            json!(["kernel", "add", 0, [2, 1], 17]),
        ]
    );
    assert_eq!(captured["nodes"][0]["name"], "4000 bytes host to device");
    let kernel = captured["nodes"][1]["name"].as_str().expect("a name");
    assert!(kernel.contains("at::native::sin_kernel_cuda"), "{kernel}");
    assert_eq!(events(captured), ["begin 0", "fork 1", "join 3", "end 4"]);

    assert_eq!(failed["outcome"], "failed");
    assert_eq!(failed["nodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(events(failed)[..2], ["begin 0", "refused 1"]);
}

/// The kinds of events, each with the number of nodes before it.
fn events(graph: &Value) -> Vec<String> {
    let events = graph["events"].as_array().expect("events").iter();
    let kind = |it: &Value| it["kind"].as_str().expect("a kind").to_owned();
    events
        .map(|it| format!("{} {}", kind(it), it["after_nodes"]))
        .collect()
}
