//! In what two graphs differ, as text and as JSON.

use cgsan_finding::{GraphNode, Parameters};
use cgsan_graphs::Graph;
use cgsan_render::{NamedGraph, Options, difference, difference_json};
use serde_json::{Value, json};

use crate::graphs::two_streams;

fn old() -> Graph {
    Graph::captured(two_streams())
}

/// The same with another launch, another line, a node between and one less, and without the join.
fn new() -> Graph {
    let mut new = old();
    new.places[0].line = 33;
    new.nodes[1].parameters = Some(Parameters::Launch {
        grid: [16, 2, 1],
        block: [128, 1, 1],
        shared: 48,
    });
    new.nodes[3] = GraphNode {
        name: Some("void at::native::mul_kernel<float>(float*)".to_owned()),
        operator: Some("mul".to_owned()),
        depends_on: vec![2],
        ..new.nodes[3].clone()
    };
    new.nodes.push(GraphNode {
        kind: "memset",
        name: Some("4 bytes".to_owned()),
        operator: None,
        depends_on: vec![3],
        parameters: Some(Parameters::Fill {
            value: 0,
            bytes: 4,
            rows: 1,
        }),
        ..new.nodes[3].clone()
    });
    new
}

fn shown(old: &Graph, new: &Graph) -> String {
    let options = Options {
        directory: Some("/home/user/project".to_owned()),
        ..Options::default()
    };
    let found = cgsan_graphs::difference(old, new);
    difference(named("old", old), named("new", new), &found, &options)
}

fn named<'a>(name: &'a str, graph: &'a Graph) -> NamedGraph<'a> {
    NamedGraph { name, graph }
}

#[test]
fn differences_are_told_node_by_node() {
    insta::assert_snapshot!(shown(&old(), &new()));
}

#[test]
fn an_update_that_is_accepted_or_not_known_is_told() {
    let mut grown = old();
    grown.nodes[2].parameters = Some(Parameters::Launch {
        grid: [9, 1, 1],
        block: [128, 1, 1],
        shared: 0,
    });
    assert!(shown(&old(), &grown).contains("note: an executable of the old graph can be updated"));
    let file = Graph {
        is_in_order: false,
        ..grown
    };
    let told = shown(&old(), &file);
    assert!(
        told.contains("note: cannot tell whether an executable"),
        "{told}"
    );
    assert!(!shown(&old(), &old()).contains("updated"));
}

#[test]
fn what_a_program_named_is_text() {
    let mut hostile = old();
    hostile.nodes[1].name = Some("\u{1b}[31mkernel\n\u{202e}".to_owned());
    let told = shown(&old(), &hostile);
    assert!(
        !told.contains('\u{1b}') && !told.contains('\u{202e}'),
        "{told}"
    );
}

#[test]
fn very_many_differences_are_counted() {
    let mut large = old();
    let node = large.nodes[0].clone();
    large.nodes.extend((0..1_000).map(|_| node.clone()));
    let told = shown(&old(), &large);
    assert!(
        told.contains("… and 900 more differences; `--json` has all"),
        "{told}"
    );
}

#[test]
fn json_has_nodes_changes_and_edges() {
    let (old, new) = (old(), new());
    let found = cgsan_graphs::difference(&old, &new);
    let text = difference_json(named("old", &old), named("new", &new), &found);
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["same"], false);
    assert_eq!(json["old"]["shape"]["critical_path"], 3);
    assert_eq!(
        json["changed"][0]["changes"],
        json!([
            {"what": "grid", "old": [8, 1, 1], "new": [16, 2, 1]},
            {"what": "shared", "old": 0, "new": 48},
        ])
    );
    assert_eq!(
        json["changed"][1]["new"]["stream"],
        "stream 2 (non-blocking)"
    );
    assert_eq!(json["added"][0]["kind"], "memset");
    assert_eq!(json["removed_edges"], json!([{"node": 3, "depends_on": 1}]));
    assert_eq!(json["update"]["verdict"], "refused");
    assert_eq!(json["update"]["new"], 4);
}
