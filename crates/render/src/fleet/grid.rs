//! The cells as the page holds them: as many rows and columns as there is room for.

use super::late::Across;
use super::ranks::{Fleet, FleetStep};

/// How many cells a page holds.
const CELLS: usize = 2_000_000;
/// How many rows.
const ROWS: usize = 4_000;
/// How many columns, if there are few rows.
const COLUMNS: usize = 4_000;

/// The rows and columns of the picture.
pub(super) struct Grid {
    /// The ranks that have a row.
    pub(super) rows: Vec<usize>,
    /// The first step of each column.
    pub(super) columns: Vec<u32>,
    /// Row by row.
    pub(super) cells: Vec<Option<Cell>>,
}

/// A step of a rank; of a column with several, the one that was latest, or else lasted longest.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) step: FleetStep,
    /// How much later the rank was than the median.
    pub(super) late_by: f32,
}

impl Grid {
    /// The cells of a fleet. `latest` are the ranks that were waited for: they have a row in any case.
    pub(super) fn of(fleet: &Fleet, across: &[Across], latest: &[usize]) -> Grid {
        let rows = rows(fleet, latest);
        let mut steps: Vec<u32> = Vec::new();
        for rank in &fleet.ranks {
            steps.extend(rank.steps.iter().map(|it| it.step));
            if steps.len() > CELLS {
                steps.sort_unstable();
                steps.dedup();
            }
        }
        steps.sort_unstable();
        steps.dedup();
        let most = (CELLS / rows.len().max(1)).clamp(1, COLUMNS);
        let together = steps.len().div_ceil(most).max(1);
        let columns: Vec<u32> = steps.iter().copied().step_by(together).collect();
        let mut cells: Vec<Option<Cell>> = vec![None; rows.len() * columns.len()];
        for (row, rank) in rows.iter().enumerate() {
            let of_row = &mut cells[row * columns.len()..][..columns.len()];
            for step in &fleet.ranks[*rank].steps {
                let column = columns.partition_point(|first| *first <= step.step) - 1;
                let median = across.binary_search_by_key(&step.step, |it| it.step);
                let late_by = median.map_or(0.0, |at| (step.host - across[at].host).max(0.0));
                let cell = Cell {
                    step: *step,
                    late_by,
                };
                if of_row[column].is_none_or(|known| known.weight() < cell.weight()) {
                    of_row[column] = Some(cell);
                }
            }
        }
        Grid {
            rows,
            columns,
            cells,
        }
    }
}

impl Cell {
    fn weight(&self) -> (bool, f32, f32) {
        (!self.step.is_over, self.late_by, self.step.lasted)
    }
}

fn rows(fleet: &Fleet, latest: &[usize]) -> Vec<usize> {
    let with_steps = |rank: &usize| !fleet.ranks[*rank].steps.is_empty();
    let all: Vec<usize> = (0..fleet.ranks.len()).filter(with_steps).collect();
    if all.len() <= ROWS {
        return all;
    }
    let mut is_shown = vec![false; fleet.ranks.len()];
    let found = all
        .iter()
        .filter(|rank| !fleet.ranks[**rank].findings.is_empty());
    for rank in latest.iter().chain(found).chain(&all).take(ROWS) {
        is_shown[*rank] = true;
    }
    all.into_iter().filter(|rank| is_shown[*rank]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::FleetRank;
    use super::*;

    fn fleet(ranks: usize, steps: u32) -> Fleet {
        let step = |step| FleetStep {
            step,
            lasted: 1.0,
            is_over: true,
            ..FleetStep::default()
        };
        let rank = FleetRank {
            steps: (1..=steps).map(step).collect(),
            ..FleetRank::default()
        };
        Fleet {
            ranks: vec![rank; ranks],
            ..Fleet::default()
        }
    }

    #[test]
    fn a_column_with_several_steps_shows_the_one_that_is_worth_it() {
        let mut fleet = fleet(2, 10_000);
        fleet.ranks[1].steps[7_777].lasted = 5.0;
        let grid = Grid::of(&fleet, &[], &[]);
        assert_eq!(grid.columns.len(), 3_334);
        let column = grid.columns.partition_point(|it| *it <= 7_778) - 1;
        let cell = grid.cells[grid.columns.len() + column].expect("a cell");
        assert_eq!(cell.step.step, 7_778);
    }

    #[test]
    fn of_too_many_ranks_those_stay_that_were_late() {
        let grid = Grid::of(&fleet(5_000, 2), &[], &[4_999]);
        assert_eq!(grid.rows.len(), 4_000);
        assert_eq!(grid.rows.last(), Some(&4_999));
    }
}
