//! Places in source.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A place in a Python file: a line, or a part of the text where that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Location {
    /// The file as the interpreter or the command line names it.
    #[serde(serialize_with = "readable")]
    pub file: PathBuf,
    /// The line, counted from 1; in a notebook, in the code of all its cells.
    pub line: u32,
    /// Which part of the text, beginning on the line; `None` where only the line is known.
    #[serde(flatten, serialize_with = "columns_or_nulls")]
    pub span: Option<Span>,
    /// In a notebook: the cell.
    pub cell: Option<Cell>,
    /// The function around it.
    pub function: String,
}

impl Location {
    /// The file, as a text that may be written anywhere.
    pub fn file_name(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }

    /// The place within a sentence: `train.py:7`. Where the whole path matters, a label has it.
    pub fn short(&self) -> String {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        format!("{}:{}", name.display(), self.line)
    }

    /// The last line of it.
    pub fn end_line(&self) -> u32 {
        self.span.as_ref().map_or(self.line, |span| span.end_line)
    }

    /// The offsets of its bytes, where they are known.
    pub fn bytes(&self) -> Option<Range<usize>> {
        self.span.as_ref().map(|span| span.bytes.clone())
    }
}

/// A part of a text that begins on a known line. Columns are counted from 1, in characters (Unicode's code points).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The column of its first character.
    pub column: u32,
    /// The line on which it ends.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
    /// Its offsets in the file; in a notebook, in the code of all its cells.
    pub bytes: Range<usize>,
}

/// A cell of a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Its number among all cells of the notebook, counted from 1.
    pub number: u32,
    /// The line in it, counted from 1.
    pub line: u32,
}

/// A place as it was written. Columns are left out: without the text they name nothing.
impl<'de> Deserialize<'de> for Location {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Written {
            file: PathBuf,
            line: u32,
            #[serde(default)]
            cell: Option<Cell>,
            #[serde(default)]
            function: String,
        }
        let written = Written::deserialize(deserializer)?;
        Ok(Location {
            file: written.file,
            line: written.line,
            span: None,
            cell: written.cell,
            function: written.function,
        })
    }
}

fn readable<S: Serializer>(file: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&file.to_string_lossy())
}

/// All fields of a span, so that readers find them whether or not they are known.
#[allow(clippy::ref_option, reason = "serde hands the field over so")]
fn columns_or_nulls<S: Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Columns {
        column: Option<u32>,
        end_line: Option<u32>,
        end_column: Option<u32>,
    }
    let span = span.as_ref();
    Columns {
        column: span.map(|it| it.column),
        end_line: span.map(|it| it.end_line),
        end_column: span.map(|it| it.end_column),
    }
    .serialize(serializer)
}
