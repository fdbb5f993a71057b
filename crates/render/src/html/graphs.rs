//! What was captured: a table of all graphs, and the data that the scripts draw them from.

use std::collections::HashMap;

use cgsan_finding::{CapturedGraph, EventKind, Location, Outcome};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use crate::{Options, facts, graphs, text};

/// How many nodes a page holds. Larger graphs are in the table alone.
const NODES: usize = 200_000;
/// How many events.
const EVENTS: usize = 50_000;
/// How many graphs the table has.
const ROWS: usize = 2_000;

/// The section on what was captured, with the data in it.
pub fn section(all: &[CapturedGraph], options: &Options) -> Markup {
    let drawn = drawn(all);
    let left_out = all.len().saturating_sub(ROWS);
    html! {
        section #graphs aria-labelledby="graphs-title" {
            h2 #graphs-title { "What was captured" }
            @if all.is_empty() {
                p { "No capture began." }
            } @else {
                div.wide {
                    table {
                        thead { tr {
                            th scope="col" { "Graph" }
                            th scope="col" { "Nodes" }
                            th scope="col" { "Edges" }
                            th scope="col" { "Streams" }
                            th scope="col" { "Outcome" }
                        } }
                        tbody {
                            @for (index, graph) in all.iter().take(ROWS).enumerate() {
                                (row(index, graph, drawn[index], options))
                            }
                        }
                    }
                }
                @if left_out > 0 { p { "Left out here: " (text::count(left_out, "graph")) "." } }
                div #view hidden {}
                noscript { p { "The pictures of graphs need scripts, which are part of this file." } }
                script #graph-data type="application/json" { (data(all, &drawn, options)) }
            }
        }
    }
}

/// Which graphs are drawn: as many as there is room for, failed captures first.
fn drawn(all: &[CapturedGraph]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..all.len().min(ROWS)).collect();
    order.sort_by_key(|index| all[*index].outcome == Outcome::Captured);
    let mut drawn = vec![false; all.len()];
    let (mut nodes, mut events) = (NODES, EVENTS);
    for index in order {
        let graph = &all[index];
        if graph.nodes.len() <= nodes && graph.events.len() <= events {
            nodes -= graph.nodes.len();
            events -= graph.events.len();
            drawn[index] = true;
        }
    }
    drawn
}

fn row(index: usize, graph: &CapturedGraph, is_drawn: bool, options: &Options) -> Markup {
    let kinds = graph.kinds().into_iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    html! {
        tr id={ "graph-" (index + 1) } {
            th scope="row" {
                @let title = title(graph, options);
                @if is_drawn { a.show href={ "#graph-" (index + 1) } data-graph=(index) { (title) } }
                @else { (title) " (too large to be drawn here)" }
            }
            td title=(kinds.join(", ")) { (graph.nodes.len()) }
            td { (graph.edges()) }
            td { (graph.streams.len()) }
            td class=(graph.outcome.name()) {
                @match graph.outcome {
                    Outcome::Captured => { (text::count(usize::try_from(graph.replays).unwrap_or(usize::MAX), "replay")) }
                    Outcome::Failed => "failed",
                    Outcome::Unfinished => "not ended",
                }
            }
        }
    }
}

/// Its number, whose it is, and where its capture began.
fn title(graph: &CapturedGraph, options: &Options) -> String {
    let place = graph.location.as_ref();
    let place = place.map(|it| format!(", {}", facts::place_of(it, options)));
    let place = place.unwrap_or_default();
    text::printable(&format!(
        "graph {}{}{place}",
        graph.graph,
        graphs::whose(graph, options)
    ))
}

/// All that is drawn. Columns of numbers, since there may be very many nodes; words stand once in a list.
#[derive(Serialize)]
struct Data {
    graphs: Vec<Option<GraphData>>,
}

#[derive(Serialize)]
struct GraphData {
    title: String,
    outcome: &'static str,
    streams: Vec<String>,
    places: Vec<String>,
    words: Vec<String>,
    /// For each node, the indices of these among the words; -1 where there is none.
    kind: Vec<i32>,
    operator: Vec<i32>,
    name: Vec<i32>,
    /// For each node, an index into the streams or the places; -1 where there is none.
    stream: Vec<i32>,
    place: Vec<i32>,
    /// What each node waits for, node after node, and where each node's part ends.
    edges: Vec<u32>,
    ends: Vec<usize>,
    events: Vec<EventData>,
}

#[derive(Serialize)]
struct EventData {
    kind: EventKind,
    after: usize,
    stream: i32,
    waits: i32,
    text: String,
    place: i32,
}

fn data(all: &[CapturedGraph], drawn: &[bool], options: &Options) -> Markup {
    let graphs = all.iter().zip(drawn).take(ROWS);
    let data = Data {
        graphs: graphs
            .map(|(graph, is_drawn)| is_drawn.then(|| graph_data(graph, options)))
            .collect(),
    };
    let json = serde_json::to_string(&data).expect("strings, numbers and lists are JSON");
    PreEscaped(text::in_script(&json))
}

fn graph_data(graph: &CapturedGraph, options: &Options) -> GraphData {
    let mut words = Words::default();
    let mut data = GraphData {
        title: title(graph, options),
        outcome: graph.outcome.name(),
        streams: graph.streams.iter().map(|it| text::printable(it)).collect(),
        places: graph.places.iter().map(|it| place(it, options)).collect(),
        words: Vec::new(),
        kind: Vec::new(),
        operator: Vec::new(),
        name: Vec::new(),
        stream: Vec::new(),
        place: Vec::new(),
        edges: Vec::new(),
        ends: Vec::new(),
        events: Vec::new(),
    };
    for node in &graph.nodes {
        data.kind.push(words.index(Some(node.kind)));
        data.operator.push(words.index(node.operator.as_deref()));
        data.name.push(words.index(node.name.as_deref()));
        data.stream.push(number(node.stream));
        data.place.push(number(node.place));
        data.edges.extend(&node.depends_on);
        data.ends.push(data.edges.len());
    }
    let events = graph.events.iter().map(|event| EventData {
        kind: event.kind,
        after: event.after_nodes,
        stream: number(event.stream),
        waits: number(event.waits_for),
        text: text::printable(&event.text.replace('`', "")),
        place: number(event.place),
    });
    data.events.extend(events);
    data.words = words.all;
    data
}

fn place(place: &Location, options: &Options) -> String {
    text::printable(&facts::frame(place, options))
}

fn number(index: Option<usize>) -> i32 {
    index.and_then(|it| i32::try_from(it).ok()).unwrap_or(-1)
}

/// Words, each once.
#[derive(Default)]
struct Words {
    all: Vec<String>,
    known: HashMap<String, i32>,
}

impl Words {
    /// How long a word may be: names of kernels can be thousands of characters.
    const LONGEST: usize = 600;

    fn index(&mut self, word: Option<&str>) -> i32 {
        let Some(word) = word else {
            return -1;
        };
        let word = text::one_line(word, Self::LONGEST);
        *self.known.entry(word).or_insert_with_key(|word| {
            self.all.push(word.clone());
            number(Some(self.all.len() - 1))
        })
    }
}
