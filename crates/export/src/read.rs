//! Reads tables back, a row group at a time, for what is made of tables.

use std::fs::File;
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};

use crate::column::Failed;

/// The cells of a column, of the rows of a group. `None` is null.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers, and times in nanoseconds since the Unix epoch.
    Numbers(Vec<Option<i64>>),
    /// Texts.
    Texts(Vec<Option<Arc<str>>>),
}

impl Cells {
    /// The number in a row; `None` for null, and in a column of texts.
    pub fn number(&self, row: usize) -> Option<i64> {
        match self {
            Cells::Numbers(all) => *all.get(row)?,
            Cells::Texts(_) => None,
        }
    }

    /// The text in a row; `None` for null, and in a column of numbers.
    pub fn text(&self, row: usize) -> Option<&str> {
        match self {
            Cells::Numbers(_) => None,
            Cells::Texts(all) => all.get(row)?.as_deref(),
        }
    }
}

/// Reads these columns of a table, and hands over each group of rows: how many there are, and their cells, by column.
///
/// # Errors
///
/// If the file is not a table that has them.
pub fn read(
    file: File,
    names: &[&str],
    take: &mut dyn FnMut(usize, &[Cells]),
) -> Result<(), Failed> {
    let file = SerializedFileReader::new(file)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let place = |name: &&str| {
        let columns = schema.columns().iter();
        let mut places = columns.enumerate();
        let found = places.find(|(_, column)| column.name() == *name);
        found
            .map(|(place, _)| place)
            .ok_or_else(|| Failed::Column((*name).to_owned()))
    };
    let places = names.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
        let cells = places.iter().map(|place| column(&*group, *place, rows));
        take(rows, &cells.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(())
}

fn column(group: &dyn RowGroupReader, place: usize, rows: usize) -> Result<Cells, Failed> {
    match group.get_column_reader(place)? {
        ColumnReader::Int64ColumnReader(reader) => Ok(Cells::Numbers(cells(reader, rows)?)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            Ok(Cells::Texts(texts(cells(reader, rows)?)))
        }
        _ => {
            let name = group.metadata().column(place).column_path().string();
            Err(Failed::Column(name))
        }
    }
}

/// The cells of a column whose cells may be null.
fn cells<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>, Failed> {
    let mut levels = Vec::with_capacity(rows);
    let mut values = Vec::with_capacity(rows);
    while levels.len() < rows {
        let (read, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            break;
        }
    }
    let mut values = values.into_iter();
    let cells = levels.into_iter();
    Ok(cells
        .map(|level| (level > 0).then(|| values.next()).flatten())
        .collect())
}

/// Bytes as texts. Most are those of the row before, and share their memory.
fn texts(cells: Vec<Option<ByteArray>>) -> Vec<Option<Arc<str>>> {
    let mut last: Option<Arc<str>> = None;
    let texts = cells.into_iter().map(|cell| {
        let text = String::from_utf8_lossy(cell.as_ref()?.data()).into_owned();
        if last.as_deref() != Some(&*text) {
            last = Some(Arc::from(text));
        }
        last.clone()
    });
    texts.collect()
}
