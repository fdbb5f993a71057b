//! A table as a Parquet file: rows go in one by one or by sheets, and are written by row groups.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::cells::{Cell, NUMBER};
use crate::column::{Column, Failed, Kind, VERSION};
use crate::sheet::{Cells, Sheet};

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

/// What is the same for a table wherever its rows are made.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    columns: Vec<Column>,
}

impl Form {
    pub(crate) fn of(name: &str, columns: Vec<Column>) -> Result<Form, Failed> {
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
        Ok(Form {
            schema: Arc::new(schema),
            properties: Arc::new(properties),
            columns,
        })
    }

    /// A sheet for rows.
    pub(crate) fn sheet(&self) -> Sheet {
        Sheet::of(&self.columns)
    }

    /// A row group of what is on a sheet, which then is empty again. Who puts it into the table numbers the processes.
    pub(crate) fn group(&self, sheet: &mut Sheet) -> Result<Group, Failed> {
        let schema = SchemaDescriptor::new(Arc::clone(&self.schema));
        let mut chunks = Vec::new();
        for (at, cells) in sheet.columns.iter_mut().enumerate() {
            chunks.push(if at == NUMBER {
                Chunk::Numbers(std::mem::replace(cells, Cells::of(Kind::Number)))
            } else {
                let mut encoded = TrackedWrite::new(Vec::new());
                let pages = Box::new(SerializedPageWriter::new(&mut encoded));
                let properties = Arc::clone(&self.properties);
                let mut column = get_column_writer(schema.column(at), properties, pages);
                cells.write(&mut column)?;
                let closed = column.close()?;
                Chunk::Encoded(Bytes::from(encoded.into_inner()?), Box::new(closed))
            });
        }
        sheet.clear();
        Ok(Group(chunks))
    }
}

/// A row group, encoded but for the numbers of processes.
pub(crate) struct Group(Vec<Chunk>);

impl std::fmt::Debug for Group {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_tuple("Group").field(&self.0.len()).finish()
    }
}

/// A column of a row group.
enum Chunk {
    /// Bytes as the file has them, and what the file says of them.
    Encoded(Bytes, Box<ColumnCloseResult>),
    /// The numbers of processes, counted from the first of those that the group was made with.
    Numbers(Cells),
}

/// A table while it is written.
pub(crate) struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    form: Form,
    /// The rows that wait.
    sheet: Sheet,
}

impl<W: Write + Send> std::fmt::Debug for Table<W> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Table")
            .field("sheet", &self.sheet)
            .finish_non_exhaustive()
    }
}

impl<W: Write + Send> Table<W> {
    /// Begins a table.
    pub(crate) fn begin(file: W, form: Form) -> Result<Self, Failed> {
        let schema = Arc::clone(&form.schema);
        let properties = Arc::clone(&form.properties);
        Ok(Self {
            writer: SerializedFileWriter::new(file, schema, properties)?,
            sheet: form.sheet(),
            form,
        })
    }

    /// Adds a row, with a cell for each column: first those that say whose it is.
    pub(crate) fn row<'a>(
        &mut self,
        owner: &[Cell<'a>],
        own: impl IntoIterator<Item = Cell<'a>>,
    ) -> Result<(), Failed> {
        self.sheet.row(owner, own);
        self.write_if_full()
    }

    /// Adds the rows of a sheet, whose processes count from this number.
    pub(crate) fn add(&mut self, sheet: Sheet, first: usize) -> Result<(), Failed> {
        self.sheet.append(sheet, first);
        self.write_if_full()
    }

    /// Adds a row group, whose processes count from this number. No row waits in such a table.
    pub(crate) fn add_group(&mut self, group: Group, first: usize) -> Result<(), Failed> {
        let mut to = self.writer.next_row_group()?;
        for chunk in group.0 {
            match chunk {
                Chunk::Encoded(bytes, closed) => to.append_column(&bytes, *closed)?,
                Chunk::Numbers(mut cells) => {
                    cells.count_from(first);
                    let Some(mut column) = to.next_column()? else {
                        break;
                    };
                    cells.write(column.untyped())?;
                    column.close()?;
                }
            }
        }
        to.close()?;
        Ok(())
    }

    /// Writes what waits, and ends the file.
    pub(crate) fn finish(mut self) -> Result<W, Failed> {
        if !self.sheet.is_empty() {
            self.write_group()?;
        }
        let mut file = self.writer.into_inner()?;
        file.flush()?;
        Ok(file)
    }

    fn write_if_full(&mut self) -> Result<(), Failed> {
        if self.sheet.is_full() {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), Failed> {
        let group = self.form.group(&mut self.sheet)?;
        self.add_group(group, 0)
    }
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
