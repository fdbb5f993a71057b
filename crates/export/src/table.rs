//! A table as a Parquet file: rows go in one by one, and are written by row groups.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::VERSION;
use crate::cells::Cell;

/// Rows of a row group: enough for engines to read columns in one go, and few enough to wait in memory.
const ROWS: usize = 50_000;

/// Bytes of text of a row group, after which it is written though it has fewer rows.
const TEXT: usize = 16 << 20;

/// Bytes of the longest text in a cell; what is longer is cut off.
const LONGEST: usize = 4096;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its cells are.
    pub kind: Kind,
    /// What they mean.
    pub what: &'static str,
}

/// What the cells of a column are. Any may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text in UTF-8.
    Text,
    /// A number with 64 bits and a sign.
    Number,
    /// True or false.
    Truth,
    /// A time of day in UTC, in nanoseconds.
    Time,
}

impl Kind {
    /// What the documentation calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Number => "integer",
            Kind::Truth => "boolean",
            Kind::Time => "timestamp",
        }
    }
}

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failed {
    /// The file took nothing more.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The encoder refused something.
    #[error("a table cannot be encoded: {0}")]
    Encoding(String),
    /// A table that is read has no such column.
    #[error("it has no column `{0}` as this cgsan writes it")]
    Column(String),
}

impl From<ParquetError> for Failed {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Failed::Io(*error),
                Err(other) => Failed::Encoding(other.to_string()),
            },
            other => Failed::Encoding(other.to_string()),
        }
    }
}

/// A table while it is written.
pub(crate) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Cells>,
    rows: usize,
    /// Bytes of text that wait.
    text: usize,
}

impl<W: Write + Send> std::fmt::Debug for Table<W> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Table")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

/// The cells of a column that wait to be written, and which of them are there: 1, or 0 for null.
struct Cells {
    values: Values,
    levels: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<i64>),
    Truth(Vec<bool>),
}

impl<W: Write + Send> Table<W> {
    /// Begins a table with these columns.
    pub(crate) fn begin(file: W, name: &str, columns: &[Column]) -> Result<Self, Failed> {
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder(name).with_fields(fields).build()?;
        let facts = [
            ("cgsan.table", name.to_owned()),
            ("cgsan.schema", VERSION.to_string()),
        ];
        let facts = facts.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("cgsan version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(facts.into()))
            .build();
        Ok(Self {
            writer: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?,
            columns: columns.iter().map(|it| Cells::of(it.kind)).collect(),
            rows: 0,
            text: 0,
        })
    }

    /// Adds a row, with a cell for each column: first those that say whose it is.
    pub(crate) fn row<'a>(
        &mut self,
        owner: &[Cell<'a>],
        own: impl IntoIterator<Item = Cell<'a>>,
    ) -> Result<(), Failed> {
        let cells = owner.iter().copied().chain(own);
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
            if let Cell::Text(text) = cell {
                self.text += text.len().min(LONGEST);
            }
        }
        self.rows += 1;
        if self.rows >= ROWS || self.text >= TEXT {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what waits, and ends the file.
    pub(crate) fn finish(mut self) -> Result<W, Failed> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let mut file = self.writer.into_inner()?;
        file.flush()?;
        Ok(file)
    }

    fn write_group(&mut self) -> Result<(), Failed> {
        let mut group = self.writer.next_row_group()?;
        for cells in &mut self.columns {
            let Some(mut column) = group.next_column()? else {
                break;
            };
            let levels = Some(cells.levels.as_slice());
            match &mut cells.values {
                Values::Text(values) => {
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(values, levels, None)?;
                    values.clear();
                }
                Values::Number(values) => {
                    column
                        .typed::<Int64Type>()
                        .write_batch(values, levels, None)?;
                    values.clear();
                }
                Values::Truth(values) => {
                    column
                        .typed::<BoolType>()
                        .write_batch(values, levels, None)?;
                    values.clear();
                }
            }
            cells.levels.clear();
            column.close()?;
        }
        group.close()?;
        self.rows = 0;
        self.text = 0;
        Ok(())
    }
}

impl Cells {
    fn of(kind: Kind) -> Cells {
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
}

/// A text, cut off where it is too long.
pub(crate) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

fn field(column: &Column) -> Result<Arc<Type>, Failed> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Number => (Physical::INT64, None),
        Kind::Truth => (Physical::BOOLEAN, None),
        Kind::Time => (
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::NANOS)),
        ),
    };
    let field = Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(field))
}
