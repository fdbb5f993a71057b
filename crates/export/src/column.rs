//! What a table consists of.

use std::io;

/// The version of the columns. Columns may be added to a version; one that is removed or changes its meaning makes a new one.
pub const VERSION: u32 = 1;

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
