//! Why a recording cannot be read.

use std::path::PathBuf;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened, or its compression is damaged.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is neither a program nor a probe.
    #[error(
        "{}, line {line}: neither a program (`seed`, `ops`) nor a probe (`api`, `rc`): {reason}",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the line lacks.
        reason: String,
    },
    /// The last line ends in the middle.
    #[error(
        "{}, line {line}: the file ends in the middle of a line; was it copied as a whole?",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Programs and probes in one file.
    #[error("{}, line {line}: a recording holds programs or probes, not both", path.display())]
    Mixed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Nothing to compare.
    #[error("{} holds no program and no probe", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}
