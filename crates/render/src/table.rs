//! Rows of text as a table.

use crate::text;

/// A row of a table: its cells.
pub(crate) type Row = Vec<String>;

/// A row of these cells.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Row {
    cells.map(str::to_owned).to_vec()
}

/// The rows as columns: the first ones, which are texts, to the left, and numbers to the right.
pub(crate) fn aligned(rows: &[Row], texts: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| text::width(&row[column])).max();
    let widths: Vec<usize> = (0..columns)
        .map(|it| width(it).unwrap_or_default())
        .collect();
    let mut output = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                let space = " ".repeat(width - text::width(cell));
                if column < texts {
                    format!("{cell}{space}")
                } else {
                    format!("{space}{cell}")
                }
            });
        let line = cells.collect::<Vec<String>>().join("  ");
        output += "  ";
        output += line.trim_end();
        output += "\n";
    }
    output
}
