//! Captured graphs as pictures.

use cgsan_finding::GraphNode;
use cgsan_graphs::Graph;
use cgsan_render::{NamedGraph, Options, graph_picture};

use crate::graphs::two_streams;

fn drawn(graph: &Graph) -> String {
    let name = "graph 1 of a & b";
    graph_picture(NamedGraph { name, graph }, &Options::default())
}

/// The texts of a picture, as they can be read in it.
fn texts(picture: &str) -> Vec<String> {
    let picture = roxmltree::Document::parse(picture).expect("XML");
    let texts = picture.descendants().filter(|it| it.has_tag_name("text"));
    let all = |it: roxmltree::Node<'_, '_>| -> String {
        it.descendants()
            .filter_map(|it| it.is_text().then(|| it.text())?)
            .collect()
    };
    texts.map(all).collect()
}

#[test]
fn nodes_have_their_operator_their_line_and_their_launch() {
    let texts = texts(&drawn(&Graph::captured(two_streams())));
    for text in [
        "graph 1 of a & b",
        "4 nodes (3 kernel, 1 memcpy), 4 edges",
        "stream 2 (non-blocking)",
        "sin",
        "train.py:21 · ⟨8, 128⟩ · sin_ke…",
        "longest path",
    ] {
        assert!(texts.iter().any(|it| it == text), "{text}: {texts:?}");
    }
}

#[test]
fn names_are_text() {
    let mut hostile = Graph::captured(two_streams());
    hostile.nodes[1].operator = Some("</text><script>alert(1)</script>\u{ffff}\u{1}".to_owned());
    let picture = drawn(&hostile);
    assert!(!picture.contains("<script"), "{picture}");
    assert!(
        texts(&picture)
            .iter()
            .any(|it| it.starts_with("</text><script>"))
    );
}

#[test]
fn cycles_and_empty_graphs_are_said() {
    let mut graph = Graph::captured(two_streams());
    graph.nodes[0].depends_on = vec![3];
    let told = texts(&drawn(&graph));
    assert!(
        told.iter().any(|it| it.starts_with("Edges run in a cycle")),
        "{told:?}"
    );
    graph.nodes.clear();
    assert!(
        texts(&drawn(&graph))
            .iter()
            .any(|it| it == "There are no nodes.")
    );
}

#[test]
fn a_picture_does_not_grow_with_its_graph() {
    let mut graph = Graph::captured(two_streams());
    let node = graph.nodes[1].clone();
    let all = (0_u32..20_000).map(|index| GraphNode {
        operator: Some(format!(
            "operator {}",
            index.wrapping_mul(2_654_435_761) % 8_191
        )),
        depends_on: index.checked_sub(1).into_iter().collect(),
        ..node.clone()
    });
    graph.nodes = all.collect();
    let picture = drawn(&graph);
    assert!(picture.len() < 400_000, "{}", picture.len());
    assert!(
        texts(&picture)
            .iter()
            .any(|it| it.ends_with("not drawn one by one"))
    );
}
