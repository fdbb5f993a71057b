//! Nodes, and what is known of them.

use cgsan_finding::{GraphNode, Parameters};
use cgsan_graphs::Graph;
use cgsan_graphs::layout::{Content, Placed};
use maud::{Markup, html};

use super::geometry::{Geometry, TEXT_COLUMNS};
use crate::difference::dimensions;
use crate::svg::line;
use crate::{Options, facts, kernel, text};

/// How many columns a text has that is shown when one points at something.
const POINTED_AT: usize = 600;
/// How many columns the small line of a box has.
const SMALL_COLUMNS: usize = 32;

/// A box of the layout. `marks_path` says whether the critical path is something to be told apart.
pub(super) fn markup(
    graph: &Graph,
    placed: &Placed,
    marks_path: bool,
    geometry: &Geometry,
    options: &Options,
) -> Markup {
    let area = geometry.area(placed);
    let critical = if placed.is_critical && marks_path {
        " critical"
    } else {
        ""
    };
    let (nodes, side_by_side) = match &placed.content {
        Content::Nodes {
            nodes,
            side_by_side,
        } => (nodes, *side_by_side),
        Content::Rest { nodes } => {
            return html! {
                rect.rest x=(area.x) y=(area.y) width=(area.width) height=(area.height) rx="6" {}
                text.middle x=(area.x + area.width / 2) y=(area.y + 26) { (text::count(*nodes, "node")) ", not drawn one by one" }
            };
        }
    };
    let Some((first, node)) = nodes
        .first()
        .and_then(|first| Some((*first, graph.nodes.get(*first)?)))
    else {
        return html! {};
    };
    let times = (nodes.len() > 1).then(|| {
        let beside = if side_by_side { "side by side " } else { "" };
        format!("{beside}× {}", nodes.len())
    });
    let number = times.unwrap_or_else(|| format!("{first}"));
    let room = TEXT_COLUMNS.saturating_sub(text::width(&number) + 1);
    html! {
        g {
            title { (line(&told(graph, first, node, options), POINTED_AT)) }
            rect class={ "box" (critical) } x=(area.x) y=(area.y) width=(area.width) height=(area.height) rx="6" {}
            rect class={ "mark " (node.kind) } x=(area.x + 5) y=(area.y + 6) width="5" height=(area.height - 12) rx="2.5" {}
            text.what x=(area.x + 17) y=(area.y + 18) { (line(&what(node), room)) }
            text.number x=(area.x + area.width - 8) y=(area.y + 18) { (number) }
            text.small x=(area.x + 17) y=(area.y + 34) { (line(&more(graph, node), SMALL_COLUMNS)) }
        }
    }
}

/// What a person calls it: the operator, else the kernel, else its kind.
fn what(node: &GraphNode) -> String {
    match (&node.operator, &node.name) {
        (Some(operator), _) => operator.clone(),
        (None, Some(name)) if node.kind == "kernel" => {
            kernel::computes(name).unwrap_or_else(|| kernel::short(name))
        }
        (None, _) => node.kind.to_owned(),
    }
}

/// Its line, and what it is given.
fn more(graph: &Graph, node: &GraphNode) -> String {
    let place = graph.place(node).map(cgsan_finding::Location::short);
    let given = node.parameters.map(given);
    let kernel = node.name.as_deref().filter(|_| node.kind == "kernel");
    let kernel = kernel.map(kernel::short);
    let kernel = kernel.filter(|it| *it != what(node));
    let all: Vec<String> = [place, given, kernel].into_iter().flatten().collect();
    all.join(" · ")
}

fn given(parameters: Parameters) -> String {
    match parameters {
        Parameters::Launch { grid, block, .. } => {
            format!("⟨{}, {}⟩", dimensions(grid), dimensions(block))
        }
        _ => parameters.words().unwrap_or_default(),
    }
}

/// All that is known of a node, in a sentence.
fn told(graph: &Graph, index: usize, node: &GraphNode, options: &Options) -> String {
    let name = node.name.as_ref().map(|it| format!(": {it}"));
    let operator = node.operator.as_ref().map(|it| format!("; operator {it}"));
    let place = graph.place(node);
    let place = place.map(|it| format!("; {}", facts::place_of(it, options)));
    let stream = graph.stream(node).map(|it| format!("; on {it}"));
    let launch = match node.parameters {
        Some(Parameters::Launch {
            grid,
            block,
            shared,
        }) => Some(format!(
            "; grid {}, block {}, {shared} bytes of shared memory",
            dimensions(grid),
            dimensions(block)
        )),
        _ => None,
    };
    let all = [name, operator, place, stream, launch];
    let all: Vec<String> = all.into_iter().flatten().collect();
    format!("node {index}, {}{}", node.kind, all.concat())
}
