//! `--graphs`, `cgsan diff` and `cgsan graph`: what captures recorded.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use support::large::{self, Pattern, Size};
use support::{cgsan, root, temporary_folder};

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

/// A DOT file as the driver writes it in its short form: kernels of these names, each behind the one before it.
fn dot(kernels: &[&str]) -> String {
    let head = "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n";
    let node = |(index, kernel): (usize, &&str)| {
        format!(
            "\"graph_1_node_{index}\"[style=\"bold\" shape=\"octagon\" label=\"{index}\n{kernel}\n\"];\n\n"
        )
    };
    let edge = |index: usize| {
        let before = index - 1;
        format!("\"graph_1_node_{before}\" -> \"graph_1_node_{index}\";\n")
    };
    let nodes: String = kernels.iter().enumerate().map(node).collect();
    let edges: String = (1..kernels.len()).map(edge).collect();
    format!("{head}{nodes}{edges}}}\n}}\n")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn dot_files_are_compared() {
    let folder = temporary_folder().expect("a folder");
    let write = |name: &str, kernels: &[&str]| {
        std::fs::write(folder.path().join(name), dot(kernels)).expect("a file");
    };
    write("old.dot", &["_Z2mmPf", "_Z4reluPf"]);
    write("new.dot", &["_Z2mmPf", "_Z3addPf", "_Z4reluPf"]);
    let differ = cgsan(folder.path(), &["diff", "old.dot", "new.dot"]);
    assert_eq!(differ.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&differ));
    let same = cgsan(folder.path(), &["diff", "old.dot", "old.dot"]);
    assert_eq!(same.status.code(), Some(0));
    assert!(stdout(&same).ends_with("\ncgsan: no difference in 2 nodes\n"));
    let shown = cgsan(folder.path(), &["graph", "new.dot"]);
    assert_eq!(
        stdout(&shown),
        "new.dot\n  3 nodes (3 kernel), 2 edges\n  the longest path has 3 nodes; no two nodes may run at once\n"
    );
}

#[test]
fn what_is_no_graph_is_refused_with_a_reason() {
    let folder = temporary_folder().expect("a folder");
    let recorded = root().join("examples/recorded/cg105_stream_not_forked.cgsan");
    std::fs::copy(recorded, folder.path().join("run.cgsan")).expect("a copy");
    std::fs::write(folder.path().join("old.dot"), dot(&["a"])).expect("a file");
    std::fs::write(folder.path().join("cut.dot"), "digraph dot {\n\"a").expect("a file");
    let mut told = String::new();
    for operand in ["run.cgsan#2", "old.dot#1", "cut.dot", "missing.dot", "."] {
        let refused = cgsan(folder.path(), &["diff", operand, "old.dot"]);
        assert_eq!(refused.status.code(), Some(2), "{operand}");
        told += &String::from_utf8_lossy(&refused.stderr);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_graph_of_ten_thousand_nodes_is_drawn_and_compared() {
    let folder = temporary_folder().expect("a folder");
    let layer = ["_Z2mmPf", "_Z3addPf", "_Z4reluPf", "_Z4normPf"];
    let old = layer.repeat(2_500);
    let mut new = old.clone();
    new.insert(5_000, "more&more");
    std::fs::write(folder.path().join("old.dot"), dot(&old)).expect("a file");
    std::fs::write(folder.path().join("new.dot"), dot(&new)).expect("a file");
    let differ = cgsan(folder.path(), &["diff", "--json", "old.dot", "new.dot"]);
    let report: Value = serde_json::from_slice(&differ.stdout).expect("JSON");
    assert_eq!(report["added"][0]["node"], 5_000);
    assert_eq!(report["kept"], 10_000);
    assert_eq!(report["changed"], json!([]));
    assert_eq!(report["added_edges"], json!([]));
    assert_eq!(report["update"]["id"], "CG601");

    let drawn = cgsan(folder.path(), &["graph", "new.dot", "--svg", "new.svg"]);
    assert!(drawn.status.success(), "{drawn:?}");
    let picture = std::fs::read_to_string(folder.path().join("new.svg")).expect("a picture");
    let picture = roxmltree::Document::parse(&picture).expect("XML");
    let of_class = |class: &str| -> Vec<&str> {
        let all = picture.descendants();
        let of_class = all.filter(|it| it.attribute("class") == Some(class));
        of_class.filter_map(|it| it.text()).collect()
    };
    assert_eq!(of_class("times"), ["× 1250", "× 1250"]);
    assert!(of_class("what").contains(&"more&more"));
}

#[test]
fn captures_are_judged_however_their_nodes_use_memory() {
    let folder = temporary_folder().expect("a folder");
    for (pattern, ids) in [
        (Pattern::Model, &[][..]),
        (Pattern::OneBlock, &[]),
        (Pattern::OneAddress, &[]),
        (Pattern::Covering, &["CG214"]),
        (Pattern::Parts, &["CG214", "CG217"]),
        (Pattern::Freed, &[]),
        (Pattern::Alike, &[]),
    ] {
        let size = Size {
            pattern,
            ..Size::default()
        };
        std::fs::write(folder.path().join("run.cgsan"), large::trace(size)).expect("a file");
        let output = cgsan(
            folder.path(),
            &["report", "run.cgsan", "--json", "--graphs"],
        );
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let findings = report["findings"].as_array().expect("a list").iter();
        let found: Vec<&str> = findings.filter_map(|it| it["id"].as_str()).collect();
        assert_eq!(found, ids, "{pattern:?}");
        let graphs = report["graphs"].as_array().expect("a list").iter();
        let nodes = graphs.map(|graph| graph["nodes"].as_array().map_or(0, Vec::len));
        assert!(nodes.sum::<usize>() >= size.nodes, "{pattern:?}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn captures_of_a_program_are_compared() {
    let folder = temporary_folder().expect("a folder");
    let status = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["run", "--virtual", "--save"])
        .args([
            &folder.path().join("run.cgsan"),
            Path::new("--"),
            Path::new(&support::python()),
        ])
        .args([&root().join("tests/graphs/changed.py"), folder.path()])
        .output()
        .expect("cgsan runs")
        .status;
    assert!(status.success());
    let differ = |old: &str, new: &str| -> Value {
        let output = cgsan(folder.path(), &["diff", "--json", old, new]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let larger = differ("run.cgsan#1", "run.cgsan#2");
    let sin = &larger["changed"][0];
    assert_eq!(
        (&sin["new"]["operator"], &sin["new"]["location"]["line"]),
        (&json!("sin"), &json!(15))
    );
    assert_eq!(
        sin["changes"],
        json!([{"what": "grid", "old": [1, 1, 1], "new": [489, 1, 1]}])
    );
    let masked = differ("run.cgsan#1", "run.cgsan#3");
    assert_eq!(masked["added"][0]["operator"], "clamp");
    assert_eq!(masked["added"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&masked["changed"], &masked["removed"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(masked["update"]["id"], "CG601");

    // The driver's files say the same of the graphs, but for what only Python knows.
    for (number, file) in [
        ("#1", "small.dot"),
        ("#2", "large.dot"),
        ("#3", "masked.dot"),
    ] {
        let own = differ(&format!("run.cgsan{number}"), file);
        assert_eq!(
            (&own["same"], &own["update"]["verdict"]),
            (&json!(true), &json!("unknown"))
        );
    }
    let files = differ("small.dot", "masked.dot");
    assert_eq!(files["added"][0]["name"], masked["added"][0]["name"]);
    assert_eq!(files["update"]["id"], "CG601");
}
