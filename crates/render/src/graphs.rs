//! What captures recorded, as text.

use cgsan_finding::{CapturedGraph, EventKind, GraphNode, GraphShape, Outcome, Process};

use crate::style::Painter;
use crate::{NamedGraph, Options, facts, text};

/// What each capture recorded, with an empty line behind each.
pub fn graphs(graphs: &[CapturedGraph], options: &Options) -> String {
    let mut output = String::new();
    if graphs.is_empty() {
        output += "no graphs to show: no capture began\n\n";
    }
    for graph in graphs {
        output += &one_graph(graph, options);
        output += "\n";
    }
    text::shown(&output)
}

/// What a graph is, wherever it comes from: its nodes, its shape, and how many nodes each stream has.
pub fn graph(named: NamedGraph<'_>, options: &Options) -> String {
    let NamedGraph { name, graph } = named;
    let painter = Painter::new(options.color);
    let mut lines = vec![painter.heading(&text::printable(name))];
    lines.push(format!("  {}", counts(&graph.nodes)));
    let shape = cgsan_graphs::shape(&graph.nodes);
    lines.extend(shape.map(|shape| format!("  {}", of_shape(shape))));
    for (stream, name) in graph.streams.iter().enumerate() {
        let nodes = graph.nodes.iter().filter(|it| it.stream == Some(stream));
        lines.push(format!("  {name}: {}", text::count(nodes.count(), "node")));
    }
    text::shown(&(lines.join("\n") + "\n"))
}

fn one_graph(graph: &CapturedGraph, options: &Options) -> String {
    let painter = Painter::new(options.color);
    let mut lines = vec![painter.heading(&title(graph, options))];
    lines.push(format!("  {}", counts(&graph.nodes)));
    lines.extend(graph.shape.map(|shape| format!("  {}", of_shape(shape))));
    for (stream, name) in graph.streams.iter().enumerate() {
        lines.push(format!("  {name}: {}", of_stream(graph, stream, options)));
    }
    lines.join("\n") + "\n"
}

/// How many nodes there are of each kind, and how many edges.
pub(crate) fn counts(nodes: &[GraphNode]) -> String {
    let kinds = cgsan_finding::kinds(nodes).into_iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let of_kinds = if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    let edges = text::count(cgsan_finding::edges(nodes), "edge");
    format!("{}{of_kinds}, {edges}", text::count(nodes.len(), "node"))
}

/// How much can run at once.
pub(crate) fn of_shape(shape: GraphShape) -> String {
    let path = text::count(shape.critical_path, "node");
    let (least, most) = (shape.width_at_least, shape.width_at_most);
    let width = match (least, most) {
        (1, 1) => "no two nodes may run at once".to_owned(),
        _ if least == most => format!("{most} nodes may run at once"),
        _ => format!("{least} to {most} nodes may run at once"),
    };
    let redundant = match shape.redundant_edges {
        None | Some(0) => String::new(),
        Some(1) => "; 1 edge says nothing new".to_owned(),
        Some(edges) => format!("; {edges} edges say nothing new"),
    };
    format!("the longest path has {path}; {width}{redundant}")
}

/// Whose graph it is, where there is more than one process to think of.
pub(crate) fn whose(graph: &CapturedGraph, options: &Options) -> String {
    if options.several_processes {
        let process = std::slice::from_ref(&graph.process);
        format!(" of {}", Process::names(process))
    } else {
        String::new()
    }
}

/// Whose graph it is, where its capture began, and how that ended.
fn title(graph: &CapturedGraph, options: &Options) -> String {
    let whose = whose(graph, options);
    let place = graph.location.as_ref();
    let place = place.map(|it| format!(" at {}", facts::place_of(it, options)));
    let ended = match graph.outcome {
        Outcome::Captured => text::count(
            usize::try_from(graph.replays).unwrap_or(usize::MAX),
            "replay",
        ),
        Outcome::Failed => "the capture failed".to_owned(),
        Outcome::Unfinished => "the capture was not ended".to_owned(),
    };
    format!(
        "graph {}{whose}: captured{}, mode `{}`, {ended}",
        graph.graph,
        place.unwrap_or_default(),
        graph.mode
    )
}

/// How much a stream recorded, and how it came to the capture.
fn of_stream(graph: &CapturedGraph, stream: usize, options: &Options) -> String {
    let nodes = graph.nodes.iter().filter(|it| it.stream == Some(stream));
    let nodes = text::count(nodes.count(), "node");
    if stream == 0 {
        return format!("{nodes}, the origin stream");
    }
    let fork = graph
        .events
        .iter()
        .find(|it| it.kind == EventKind::Fork && it.stream == Some(stream));
    let place = fork.and_then(|it| graph.places.get(it.place?));
    match place {
        Some(place) => format!("{nodes}, forked at {}", facts::place_of(place, options)),
        None => nodes,
    }
}
