//! Where rows, lanes and groups are, in units of SVG.

use cgsan_graphs::layout::{Group, Layout, Placed};

use crate::svg::EDGE;

/// A box, and the room around it.
pub(super) const BOX: Size = Size {
    width: 244,
    height: 42,
};
const LANE: usize = BOX.width + 32;
const ROW: usize = BOX.height + 28;
/// How many columns of text a box holds.
pub(super) const TEXT_COLUMNS: usize = 27;
/// What a frame takes above its first row and below its last one, and on both sides.
const ABOVE: usize = 26;
const BELOW: usize = 14;
const BESIDE: usize = 12;
/// The least width: for the text above.
const LEAST: usize = 720;

/// How large something is.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Where something is, and how large.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The places of a layout.
pub(super) struct Geometry {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Where each row begins.
    rows: Vec<usize>,
    /// How far the lanes are from the edge.
    left: usize,
    lanes: usize,
    /// How many frames end at the same row as each group, and lie in it; those that begin there and lie in it.
    inner: Vec<(Group, usize, usize)>,
}

impl Geometry {
    pub(super) fn of(layout: &Layout) -> Geometry {
        let deepest = layout.groups.iter().map(|it| it.depth + 1).max();
        let left = EDGE + BESIDE * deepest.unwrap_or_default();
        let mut begins = vec![0; layout.rows + 1];
        let mut ends = vec![0; layout.rows + 1];
        let mut inner = Vec::new();
        for group in &layout.groups {
            begins[group.rows.0] += 1;
            ends[group.rows.1 + 1] += 1;
        }
        for group in &layout.groups {
            let within = |other: &&Group| other.depth > group.depth;
            let others = || layout.groups.iter().filter(within);
            let above = others().filter(|it| it.rows.0 == group.rows.0).count();
            let below = others().filter(|it| it.rows.1 == group.rows.1).count();
            inner.push((group.clone(), above, below));
        }
        let mut rows = Vec::with_capacity(layout.rows + 1);
        let mut y = 0;
        for row in 0..=layout.rows {
            y += BELOW * ends[row] + ABOVE * begins[row];
            rows.push(y);
            y += ROW;
        }
        let height = rows.last().copied().unwrap_or_default();
        Geometry {
            width: (2 * left + layout.lanes * LANE).max(LEAST),
            height,
            rows,
            left,
            lanes: layout.lanes,
            inner,
        }
    }

    /// Where a box is. One that takes all lanes is as wide as they are.
    pub(super) fn area(&self, placed: &Placed) -> Area {
        Area {
            x: self.left + placed.lane * LANE + (LANE - BOX.width) / 2,
            y: self.rows[placed.row],
            width: (placed.span - 1) * LANE + BOX.width,
            height: BOX.height,
        }
    }

    /// The middle of some lanes.
    pub(super) fn center(&self, lane: usize, span: usize) -> usize {
        self.left + lane * LANE + span * LANE / 2
    }

    /// Where the frame around a group is.
    pub(super) fn frame(&self, group: &Group) -> Area {
        let known = self.inner.iter().find(|(it, ..)| it == group);
        let (above, below) = known.map_or((0, 0), |(_, above, below)| (*above, *below));
        let x = EDGE + BESIDE * group.depth;
        let y = self.rows[group.rows.0] - ABOVE * (above + 1);
        let ends = self.rows[group.rows.1] + BOX.height + BELOW * below + BELOW * 2 / 3;
        Area {
            x,
            y,
            width: 2 * (self.left - x) + self.lanes * LANE,
            height: ends - y,
        }
    }
}
