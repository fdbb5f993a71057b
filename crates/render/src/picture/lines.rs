//! Edges.

use cgsan_graphs::layout::{Layout, Placed};
use maud::{Markup, html};

use super::geometry::Geometry;

/// How far a line bends to get past boxes of its own lane.
const BEND: usize = 26;

/// The arrow heads that lines end in.
pub(super) fn arrow_heads() -> Markup {
    let head = |id, class| {
        html! {
            marker id=(id) viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse" {
                path class=(class) d="M0 0.5 L8 4 L0 7.5 Z" {}
            }
        }
    };
    html! { defs { (head("head", "head")) (head("critical-head", "head critical")) } }
}

/// A line for each edge, those of the critical path over the others.
pub(super) fn lines(layout: &Layout, geometry: &Geometry) -> Markup {
    let marks_path = layout.lanes > 1;
    let lines = layout.lines.iter().map(|(from, to)| {
        let (from, to) = (&layout.boxes[*from], &layout.boxes[*to]);
        let is_critical = marks_path && from.is_critical && to.is_critical;
        (is_critical, shape(layout, geometry, from, to))
    });
    let (critical, others): (Vec<_>, Vec<_>) = lines.partition(|(is_critical, _)| *is_critical);
    html! {
        @for (_, shape) in others { path.line d=(shape) marker-end="url(#head)" {} }
        @for (_, shape) in critical { path class="line critical" d=(shape) marker-end="url(#critical-head)" {} }
    }
}

/// From the lower edge of a box to the upper one of another; past boxes that lie between them.
fn shape(layout: &Layout, geometry: &Geometry, from: &Placed, to: &Placed) -> String {
    let (above, below) = (geometry.area(from), geometry.area(to));
    let (x1, y1) = (above.x + above.width / 2, above.y + above.height);
    let (x2, y2) = (below.x + below.width / 2, below.y);
    // A box that takes all lanes is met where the other one is.
    let (x1, x2) = match (from.span > 1, to.span > 1) {
        (true, false) => (x2, x2),
        (false, true) => (x1, x1),
        _ => (x1, x2),
    };
    let is_between = |it: &Placed| from.row < it.row && it.row < to.row && it.lane == to.lane;
    let begins = layout.boxes.partition_point(|it| it.row <= from.row);
    let mut between = layout.boxes[begins..]
        .iter()
        .take_while(|it| it.row < to.row);
    if from.lane == to.lane && from.span == to.span && between.any(is_between) {
        let (x, y1, y2) = (
            above.x,
            above.y + above.height / 2,
            below.y + below.height / 2,
        );
        let bent = x.saturating_sub(BEND);
        return format!(
            "M{x} {y1}C{bent} {} {bent} {} {x} {y2}",
            y1 + BEND,
            y2.saturating_sub(BEND)
        );
    }
    if x1 == x2 {
        return format!("M{x1} {y1}V{y2}");
    }
    let half = (y2 - y1).min(100) * 3 / 4;
    format!(
        "M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}",
        y1 + half,
        y2.saturating_sub(half)
    )
}
