//! A captured graph as a picture: SVG with a style for light and dark, and without scripts.
//!
//! | file | what |
//! |---|---|
//! | `geometry` | where rows, lanes and groups are |
//! | `boxes` | nodes, and what is known of them |
//! | `lines` | edges |
//! | `style.css` | colours |
//!
//! `cgsan_graphs::layout` decides what is drawn and in which order. `maud` escapes all texts and attributes.

mod boxes;
mod geometry;
mod lines;

use cgsan_finding::kinds;
use cgsan_graphs::Graph;
use cgsan_graphs::layout::{Content, Group, Layout, layout};
use maud::{Markup, PreEscaped, html};

use crate::svg::{EDGE, line};
use crate::{NamedGraph, Options, graphs};
use geometry::Geometry;

const STYLE: &str = include_str!("style.css");

/// How many columns a line of text above the picture has, at least.
const COLUMNS: usize = 100;
/// How wide a column of text is, in units.
const COLUMN: usize = 7;
/// How far the entries of the legend are apart.
const LEGEND: usize = 150;

/// A graph as an SVG document.
pub fn graph_picture(named: NamedGraph<'_>, options: &Options) -> String {
    let graph = named.graph;
    let layout = layout(&graph.nodes);
    let remark = remark(graph, layout.as_ref());
    let layout = layout.unwrap_or_default();
    let geometry = Geometry::of(&layout);
    let columns = COLUMNS.max(geometry.width / COLUMN);
    let counts = graphs::counts(&graph.nodes);
    let shape = cgsan_graphs::shape(&graph.nodes).map(graphs::of_shape);
    let about = std::iter::once(counts).chain(shape).chain(remark);
    let about: Vec<String> = about.map(|it| line(&it, columns)).collect();
    let name = line(named.name, COLUMNS);
    let top = EDGE + 32 + 20 * about.len() + 30;
    let streams = layout.streams.iter().zip(0..);
    let streams = streams.filter_map(|(it, lane)| Some((graph.streams.get(*it)?, lane)));
    let begins = top + if layout.streams.is_empty() { 0 } else { 26 };
    let (width, height) = (geometry.width, begins + geometry.height + EDGE);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
            role="img" aria-labelledby="graph-title graph-description" {
            title id="graph-title" { "Captured graph: " (name) }
            desc id="graph-description" { (about.join(". ")) "." }
            style { (PreEscaped(STYLE)) }
            (lines::arrow_heads())
            rect.paper width="100%" height="100%" {}
            text.heading x=(EDGE) y=(EDGE + 14) { (name) }
            @for (row, text) in about.iter().enumerate() {
                text.about x=(EDGE) y=(EDGE + 40 + 20 * row) { (text) }
            }
            g transform={ "translate(" (EDGE) " " (top - 26) ")" } { (legend(graph, layout.lanes > 1)) }
            @for (stream, lane) in streams {
                text.stream x=(geometry.center(lane, 1)) y=(top + 16) { (line(stream, geometry::TEXT_COLUMNS)) }
            }
            g transform={ "translate(0 " (begins) ")" } {
                @for group in &layout.groups { (around(group, &geometry)) }
                (lines::lines(&layout, &geometry))
                @for placed in &layout.boxes { (boxes::markup(graph, placed, layout.lanes > 1, &geometry, options)) }
            }
        }
    };
    picture.into_string() + "\n"
}

/// What one has to know to read the picture, line by line.
fn remark(graph: &Graph, layout: Option<&Layout>) -> Vec<String> {
    let Some(layout) = layout else {
        return vec!["Edges run in a cycle, so that there is no order to draw.".to_owned()];
    };
    let is_one = |it: &Content| matches!(it, Content::Nodes { nodes, .. } if nodes.len() == 1);
    let is_whole = layout.groups.is_empty() && layout.boxes.iter().all(|it| is_one(&it.content));
    if graph.nodes.is_empty() {
        vec!["There are no nodes.".to_owned()]
    } else if is_whole {
        Vec::new()
    } else {
        vec![
            "A box with × stands for several nodes that run the same, a frame for what repeats so often."
                .to_owned(),
            "What is shown of them is that of the first; launches and lines may differ.".to_owned(),
        ]
    }
}

/// What the colours mean, of the kinds that there are, and the outline where it tells boxes apart.
fn legend(graph: &Graph, marks_path: bool) -> Markup {
    let kinds = kinds(&graph.nodes);
    html! {
        @if marks_path {
            g transform={ "translate(" (kinds.len() * LEGEND) " 0)" } {
                rect class="box critical" width="12" height="12" rx="2" {}
                text.about x="18" y="11" { "longest path" }
            }
        }
        @for (place, (kind, count)) in kinds.into_iter().enumerate() {
            g transform={ "translate(" (place * LEGEND) " 0)" } {
                rect class={ "mark " (kind) } width="12" height="12" rx="2" {}
                text.about x="18" y="11" { (count) " " (kind) }
            }
        }
    }
}

/// A frame around rows that are drawn once for several times.
fn around(group: &Group, geometry: &Geometry) -> Markup {
    let frame = geometry.frame(group);
    html! {
        rect.frame x=(frame.x) y=(frame.y) width=(frame.width) height=(frame.height) rx="8" {}
        text.times x=(frame.x + 10) y=(frame.y + 17) { "× " (group.times) }
    }
}
