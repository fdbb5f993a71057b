//! Rows for what is left.

use super::blocks::Block;
use super::fold::{Entry, Folded};
use super::lanes::Lanes;
use super::merge::Merged;
use super::{Content, Group, Layout, Placed};

/// A block of more boxes, or more lanes, is one box.
const BOXES: usize = 150;
const LANES: usize = 24;
/// How many rows there are at most: of more, so many at the beginning and at the end are drawn.
const ROWS: usize = 400;
const AT_THE_BEGINNING: usize = 260;
const AT_THE_END: usize = 100;

/// Rows for blocks and groups.
pub(super) fn placed(merged: &Merged, laid: &Lanes, blocks: &[Block], folded: &Folded) -> Layout {
    let widest = blocks.iter().filter(|it| !is_large(it)).map(Block::lanes);
    let lanes = widest.max().unwrap_or(1).max(laid.streams.len());
    let mut placer = Placer {
        merged,
        laid,
        blocks,
        layout: Layout {
            lanes,
            streams: laid.streams.clone(),
            ..Layout::default()
        },
        box_of: vec![None; merged.bundles.len()],
    };
    placer.all(&folded.entries);
    placer.lines(folded);
    placer.layout
}

fn is_large(block: &Block) -> bool {
    block.bundles.len() > BOXES || block.lanes() > LANES
}

fn rows_of(block: &Block) -> usize {
    if is_large(block) { 1 } else { block.rows() }
}

struct Placer<'a> {
    merged: &'a Merged,
    laid: &'a Lanes,
    blocks: &'a [Block],
    layout: Layout,
    /// The box of each bundle that is drawn.
    box_of: Vec<Option<usize>>,
}

impl Placer<'_> {
    /// Places all entries, but for what is too tall, and for the middle of very many rows.
    fn all(&mut self, entries: &[Entry]) {
        let rows: Vec<usize> = entries.iter().map(|it| self.rows_of(it)).collect();
        let all: usize = rows.iter().sum();
        let mut seen = 0;
        let mut left_out: Option<usize> = None;
        for (entry, rows) in entries.iter().zip(rows) {
            let begins = seen;
            seen += rows;
            let is_in_the_middle = begins >= AT_THE_BEGINNING && seen + AT_THE_END <= all;
            if all > ROWS && (is_in_the_middle || rows > ROWS) {
                let rest = left_out.unwrap_or_else(|| self.rest());
                self.leave_out(rest, entry, 1);
                left_out = Some(rest);
            } else {
                self.entry(entry, 0);
                left_out = None;
            }
        }
    }

    fn rows_of(&self, entry: &Entry) -> usize {
        match entry {
            Entry::Block(block) => rows_of(&self.blocks[*block]),
            Entry::Repeat { body, .. } => body.iter().map(|it| self.rows_of(it)).sum(),
        }
    }

    fn entry(&mut self, entry: &Entry, depth: usize) {
        match entry {
            Entry::Block(block) => {
                let block = &self.blocks[*block];
                if is_large(block) {
                    let rest = self.rest();
                    self.count_in(rest, block, 1);
                } else {
                    self.boxes(block);
                }
            }
            Entry::Repeat { body, times } => {
                let group = self.layout.groups.len();
                let first = self.layout.rows;
                self.layout.groups.push(Group {
                    rows: (first, first),
                    times: *times,
                    depth,
                });
                for entry in body {
                    self.entry(entry, depth + 1);
                }
                self.layout.groups[group].rows.1 = self.layout.rows.saturating_sub(1);
            }
        }
    }

    /// Counts an entry, so many times, in the box for what is not drawn.
    fn leave_out(&mut self, rest: usize, entry: &Entry, times: usize) {
        match entry {
            Entry::Block(block) => self.count_in(rest, &self.blocks[*block], times),
            Entry::Repeat { body, times: again } => {
                for entry in body {
                    self.leave_out(rest, entry, times.saturating_mul(*again));
                }
            }
        }
    }

    /// The boxes of a block, each on its own.
    fn boxes(&mut self, block: &Block) {
        let first = self.layout.rows;
        for (bundle, (level, lane)) in block.bundles.iter().zip(&block.places) {
            let it = &self.merged.bundles[*bundle];
            self.box_of[*bundle] = Some(self.layout.boxes.len());
            self.layout.boxes.push(Placed {
                content: Content::Nodes {
                    nodes: it.nodes.clone(),
                    side_by_side: it.side_by_side,
                },
                row: first + level,
                lane: *lane,
                span: 1,
                is_critical: self.laid.critical[*bundle],
            });
        }
        self.layout.rows += block.rows();
    }

    /// A row with one box for what is not drawn.
    fn rest(&mut self) -> usize {
        self.layout.boxes.push(Placed {
            content: Content::Rest { nodes: 0 },
            row: self.layout.rows,
            lane: 0,
            span: self.layout.lanes,
            is_critical: false,
        });
        self.layout.rows += 1;
        self.layout.boxes.len() - 1
    }

    fn count_in(&mut self, rest: usize, block: &Block, times: usize) {
        let counted = block.bundles.iter();
        let counted: usize = counted.map(|it| self.merged.bundles[*it].nodes.len()).sum();
        if let Content::Rest { nodes } = &mut self.layout.boxes[rest].content {
            *nodes += counted.saturating_mul(times);
        }
        for bundle in &block.bundles {
            self.box_of[*bundle] = Some(rest);
        }
    }

    /// The lines that lead down. What is folded is shown by what stands for it; a line back to its beginning is left out.
    fn lines(&mut self, folded: &Folded) {
        let mut stands_for = vec![0; self.box_of.len()];
        for (block, shown) in self.blocks.iter().zip(&folded.shown) {
            for (bundle, other) in block.bundles.iter().zip(&self.blocks[*shown].bundles) {
                stands_for[*bundle] = *other;
            }
        }
        let box_of = |bundle: usize| self.box_of[stands_for[bundle]];
        let mut lines = Vec::new();
        for (bundle, edges) in self.merged.edges.iter().enumerate() {
            for dependency in edges {
                if let (Some(from), Some(to)) = (box_of(*dependency), box_of(bundle))
                    && self.layout.boxes[from].row < self.layout.boxes[to].row
                {
                    lines.push((from, to));
                }
            }
        }
        lines.sort_unstable();
        lines.dedup();
        self.layout.lines = lines;
    }
}
