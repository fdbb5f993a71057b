//! Rows that wait to be written, by columns.

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;

use crate::cells::{Cell, NUMBER};
use crate::column::{Column, Failed, Kind};

/// Rows of a row group: enough for engines to read columns in one go, and few enough to wait in memory.
const ROWS: usize = 50_000;

/// Bytes of text of a row group, after which it is written though it has fewer rows.
const TEXT: usize = 16 << 20;

/// Bytes of the longest text in a cell; what is longer is cut off.
const LONGEST: usize = 4096;

/// Rows that wait.
pub(crate) struct Sheet {
    pub(crate) columns: Vec<Cells>,
    rows: usize,
    /// Bytes of text.
    text: usize,
}

impl std::fmt::Debug for Sheet {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Sheet")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Sheet {
    pub(crate) fn of(columns: &[Column]) -> Sheet {
        Sheet {
            columns: columns.iter().map(|it| Cells::of(it.kind)).collect(),
            rows: 0,
            text: 0,
        }
    }

    /// Adds a row, with a cell for each column: first those that say whose it is.
    pub(crate) fn row<'a>(&mut self, owner: &[Cell<'a>], own: impl IntoIterator<Item = Cell<'a>>) {
        let cells = owner.iter().copied().chain(own);
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
            if let Cell::Text(text) = cell {
                self.text += text.len().min(LONGEST);
            }
        }
        self.rows += 1;
    }

    /// Adds the rows of another sheet, whose processes count from this number.
    pub(crate) fn append(&mut self, mut other: Sheet, first: usize) {
        other.columns[NUMBER].count_from(first);
        for (column, cells) in self.columns.iter_mut().zip(other.columns) {
            column.append(cells);
        }
        self.rows += other.rows;
        self.text += other.text;
    }

    /// Whether it has as many rows as a row group.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.text >= TEXT
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Takes all rows away.
    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Cells::clear);
        self.rows = 0;
        self.text = 0;
    }
}

/// The cells of a column, and which of them are there: 1, or 0 for null.
pub(crate) struct Cells {
    values: Values,
    levels: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<i64>),
    Truth(Vec<bool>),
}

impl Cells {
    pub(crate) fn of(kind: Kind) -> Cells {
        let values = match kind {
            Kind::Text => Values::Text(Vec::new()),
            Kind::Number | Kind::Time => Values::Number(Vec::new()),
            Kind::Truth => Values::Truth(Vec::new()),
        };
        Cells {
            values,
            levels: Vec::new(),
        }
    }

    /// Writes them to a column of their type.
    pub(crate) fn write(&self, column: &mut ColumnWriter<'_>) -> Result<(), Failed> {
        let levels = Some(self.levels.as_slice());
        match (&self.values, column) {
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(column)) => {
                column.write_batch(values, levels, None)?;
            }
            (Values::Number(values), ColumnWriter::Int64ColumnWriter(column)) => {
                column.write_batch(values, levels, None)?;
            }
            (Values::Truth(values), ColumnWriter::BoolColumnWriter(column)) => {
                column.write_batch(values, levels, None)?;
            }
            _ => return Err(Failed::Encoding("a column has another type".to_owned())),
        }
        Ok(())
    }

    /// Counts numbers from this one.
    pub(crate) fn count_from(&mut self, first: usize) {
        let first = i64::try_from(first).unwrap_or(i64::MAX);
        if let Values::Number(values) = &mut self.values {
            for value in values {
                *value = value.saturating_add(first);
            }
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        let is_there = match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                // Most texts are those of the row before.
                let bytes = cut(text).as_bytes();
                let same = values.last().filter(|last| last.data() == bytes).cloned();
                values.push(same.unwrap_or_else(|| ByteArray::from(bytes.to_vec())));
                true
            }
            (Values::Number(values), Cell::Number(number)) => {
                values.push(number);
                true
            }
            (Values::Truth(values), Cell::Truth(truth)) => {
                values.push(truth);
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_there));
    }

    fn append(&mut self, other: Cells) {
        match (&mut self.values, other.values) {
            (Values::Text(values), Values::Text(others)) => values.extend(others),
            (Values::Number(values), Values::Number(others)) => values.extend(others),
            (Values::Truth(values), Values::Truth(others)) => values.extend(others),
            // Sheets of one table have the same columns.
            _ => return,
        }
        self.levels.extend(other.levels);
    }

    fn clear(&mut self) {
        match &mut self.values {
            Values::Text(values) => values.clear(),
            Values::Number(values) => values.clear(),
            Values::Truth(values) => values.clear(),
        }
        self.levels.clear();
    }
}

/// A text, cut off where it is too long.
pub(crate) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
