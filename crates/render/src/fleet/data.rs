//! The cells as columns of numbers, for the script: little-endian, in base 64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::grid::{Cell, Grid};
use super::ranks::{Fleet, SPENT_ON};
use crate::text;

/// In `on`: there is no step.
const NONE: u8 = 255;
/// In `on`: the step was not seen to end.
const NOT_OVER: u8 = 128;

/// All that is drawn.
#[derive(Serialize)]
struct Data {
    on: [&'static str; SPENT_ON.len()],
    ranks: Vec<String>,
    hosts: Vec<String>,
    findings: Vec<String>,
    steps: Vec<u32>,
    places: Vec<String>,
    /// Of each cell: which step it is, from the first of its column on.
    offset: String,
    /// What it was spent on.
    spent: String,
    /// Which part of it, in 255ths.
    share: String,
    /// How long it lasted, and how much later the rank was than others: see [`logarithm`].
    lasted: String,
    late: String,
    /// Where it waited: an index into the places, and 65535 for none.
    place: String,
}

/// The data as JSON that can stand in a script element.
pub(super) fn data(fleet: &Fleet, grid: &Grid) -> String {
    let ranks = || grid.rows.iter().map(|rank| &fleet.ranks[*rank]);
    let texts = |of: &[String]| of.iter().map(|it| text::printable(it)).collect();
    let data = Data {
        on: SPENT_ON,
        ranks: ranks().map(|it| text::printable(&it.name)).collect(),
        hosts: ranks().map(|it| text::printable(&it.host)).collect(),
        findings: ranks()
            .map(|it| text::printable(&it.findings.join(", ")))
            .collect(),
        steps: grid.columns.clone(),
        places: texts(&fleet.places),
        offset: words(grid, |column, cell| {
            u16::try_from(cell.step.step - grid.columns[column]).unwrap_or(u16::MAX)
        }),
        spent: bytes(grid, NONE, |cell| {
            cell.step.spent_on | if cell.step.is_over { 0 } else { NOT_OVER }
        }),
        share: bytes(grid, 0, share),
        lasted: words(grid, |_, cell| logarithm(cell.step.lasted)),
        late: words(grid, |_, cell| logarithm(cell.late_by)),
        place: words(grid, |_, cell| cell.step.place.unwrap_or(u16::MAX)),
    };
    let json = serde_json::to_string(&data).expect("strings, numbers and lists are JSON");
    text::in_script(&json)
}

fn bytes(grid: &Grid, none: u8, of: impl Fn(&Cell) -> u8) -> String {
    let all = grid
        .cells
        .iter()
        .map(|cell| cell.as_ref().map_or(none, &of));
    STANDARD.encode(all.collect::<Vec<u8>>())
}

fn words(grid: &Grid, of: impl Fn(usize, &Cell) -> u16) -> String {
    let columns = grid.columns.len();
    let all = grid.cells.iter().enumerate();
    let all = all.flat_map(|(index, cell)| {
        let word = cell.as_ref().map_or(0, |cell| of(index % columns, cell));
        word.to_le_bytes()
    });
    STANDARD.encode(all.collect::<Vec<u8>>())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 0 to 255"
)]
fn share(cell: &Cell) -> u8 {
    let part = cell.step.spent / cell.step.lasted.max(1.0);
    (part.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A time in nanoseconds as a short number: 0 for less than one, else 1 and 256 times its logarithm to the base of 2.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 1 to 16,385"
)]
fn logarithm(nanoseconds: f32) -> u16 {
    if nanoseconds < 1.0 {
        return 0;
    }
    1 + (nanoseconds.log2().min(64.0) * 256.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::logarithm;

    #[test]
    fn times_are_kept_to_a_third_of_a_percent() {
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(logarithm), [0, 0, 1, 257]);
        for nanoseconds in [3.0_f32, 1e6, 7.7e9] {
            let kept = (f32::from(logarithm(nanoseconds) - 1) / 256.0).exp2();
            assert!((kept / nanoseconds - 1.0).abs() < 0.003, "{nanoseconds}");
        }
    }
}
