//! A database that is only read.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};
use rustc_hash::FxHashMap;

use crate::{Builder, Error, NameId};

/// A file that is only read.
pub(super) struct Database(Connection);

impl Database {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        // Immutable, so that nothing is created beside it. Such a name needs its special characters escaped.
        let mut name = "file:".to_owned();
        for byte in path.as_os_str().as_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                    name.push(char::from(*byte));
                }
                byte => {
                    let _ = write!(name, "%{byte:02x}");
                }
            }
        }
        name += "?mode=ro&immutable=1";
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags)?;
        // What the file defines is not run: views, triggers and expressions with functions that could do harm.
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
        Ok(Self(connection))
    }

    /// The columns of a table; none if it is not there, or is no table.
    pub(super) fn columns(&self, table: &str) -> Result<Vec<String>, Error> {
        let is_table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let count: i64 = self.0.query_row(is_table, [table], |row| row.get(0))?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut statement = self.0.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = statement.query_map([table], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Shows each row of a table, with these columns as numbers; `None` for what is null or missing. Nothing if there is no such
    /// table, or if it lacks a column whose name ends in `!`.
    pub(super) fn rows<const N: usize>(
        &self,
        table: &str,
        columns: [&str; N],
        mut show: impl FnMut([Option<i64>; N]),
    ) -> Result<bool, Error> {
        let has = self.columns(table)?;
        let is_there = |name: &str| has.iter().any(|it| it == name);
        let needed = columns.iter().filter_map(|it| it.strip_suffix('!'));
        if has.is_empty() || !needed.into_iter().all(is_there) {
            return Ok(false);
        }
        let names = columns.map(|name| match name.trim_end_matches('!') {
            name if is_there(name) => format!("\"{name}\""),
            _ => "NULL".to_owned(),
        });
        let query = format!("SELECT {} FROM \"{table}\"", names.join(", "));
        self.query(&query, |row| show(numbers(row)))?;
        Ok(true)
    }

    /// Shows each row of a query.
    pub(super) fn query(&self, query: &str, mut show: impl FnMut(&Row<'_>)) -> Result<(), Error> {
        let mut statement = self.0.prepare(query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            show(row);
        }
        Ok(())
    }

    /// The id of a name by its number in `StringIds`.
    pub(super) fn name(
        &self,
        number: Option<i64>,
        known: &mut FxHashMap<i64, NameId>,
        to: &mut Builder,
    ) -> NameId {
        let Some(number) = number else {
            return to.name(b"");
        };
        *known.entry(number).or_insert_with(|| {
            let query = "SELECT value FROM StringIds WHERE id = ?1";
            let text = self
                .0
                .query_row(query, [number], |row| row.get::<_, String>(0));
            to.name(text.unwrap_or_default().as_bytes())
        })
    }
}

/// The columns of a row as numbers.
pub(super) fn numbers<const N: usize>(row: &Row<'_>) -> [Option<i64>; N] {
    std::array::from_fn(|at| row.get(at).ok())
}

impl From<rusqlite::Error> for Error {
    fn from(reason: rusqlite::Error) -> Self {
        Self::Database(reason.to_string())
    }
}

/// A column of a row as text, which need not be UTF-8; empty if it is something else.
pub(super) fn text<'a>(row: &'a Row<'_>, column: usize) -> &'a [u8] {
    let value = row.get_ref(column).ok();
    value.and_then(|it| it.as_bytes().ok()).unwrap_or_default()
}
