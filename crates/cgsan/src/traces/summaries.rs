//! Files of summaries: what is known of processes, each in a line, wherever their traces are.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use cgsan_diagnose::Summary;
use cgsan_diagnose::summary::{self, Unreadable};
use cgsan_files::Unread;
use cgsan_trace::ProcessInfo;

use crate::output::error::Error;

/// How the names of such files end.
const ENDING: &str = ".cgsan-summary";

/// Bytes of the longest line that is read.
const LONGEST: u64 = 256 << 20;

/// Bytes that tell such a file from others.
const BEGINNING: u64 = 64;

/// Where a summary is: in which line of a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The number of the line, counted from 1.
    number: usize,
    /// Where it begins, in bytes.
    offset: u64,
}

/// Why a summary could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BadSummary {
    /// The operating system would not give it.
    #[error("cannot read {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: Unread,
    },
    /// It is not one.
    #[error("cannot read the summary in line {line} of {}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
        /// What is wrong with it.
        reason: Unreadable,
    },
}

impl From<BadSummary> for Error {
    fn from(bad: BadSummary) -> Self {
        Self::Summary {
            reason: bad.to_string(),
        }
    }
}

/// Whether a file has a name such as those of summaries have.
pub fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(ENDING)
}

/// The name of a file of summaries.
pub fn named(name: &str) -> String {
    format!("{name}{ENDING}")
}

/// Whether a file says of itself that it holds summaries.
pub fn is_one(path: &Path) -> bool {
    let beginning = || {
        let mut beginning = Vec::new();
        let file = cgsan_files::open(path).ok()?;
        file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
        Some(beginning)
    };
    beginning().is_some_and(|bytes| summary::is_header(&bytes))
}

/// Where the summaries of a file are, and of which processes.
pub fn list(path: &Path) -> Result<Vec<(Place, ProcessInfo)>, BadSummary> {
    let mut lines = Lines::open(path)?;
    let header = lines.next().transpose()?.map(|(_, line)| line);
    let bad = |number, reason| BadSummary::Line {
        path: path.to_owned(),
        line: number,
        reason,
    };
    summary::check_header(&header.unwrap_or_default()).map_err(|reason| bad(1, reason))?;
    let found = lines.map(|line| {
        let (place, line) = line?;
        let process = summary::process_in(&line).map_err(|reason| bad(place.number, reason))?;
        Ok((place, process))
    });
    found.collect()
}

/// The summary at a place.
pub fn read(path: &Path, place: &Place) -> Result<Summary, BadSummary> {
    let mut lines = Lines::open(path)?;
    lines.go_to(place)?;
    let line = lines.next().transpose()?.map(|(_, line)| line);
    let summary = Summary::from_line(&line.unwrap_or_default());
    summary.map_err(|reason| BadSummary::Line {
        path: path.to_owned(),
        line: place.number,
        reason,
    })
}

/// The lines of a file.
struct Lines<'p> {
    path: &'p Path,
    file: BufReader<File>,
    next: Place,
}

impl<'p> Lines<'p> {
    fn open(path: &'p Path) -> Result<Lines<'p>, BadSummary> {
        let file = cgsan_files::open(path).map_err(|reason| unread(path, reason))?;
        Ok(Lines {
            path,
            file: BufReader::new(file),
            next: Place {
                number: 1,
                offset: 0,
            },
        })
    }

    fn go_to(&mut self, place: &Place) -> Result<(), BadSummary> {
        let gone = self.file.seek(SeekFrom::Start(place.offset));
        gone.map_err(|reason| unread(self.path, reason.into()))?;
        self.next = place.clone();
        Ok(())
    }

    fn read(&mut self) -> Result<Option<(Place, String)>, Unread> {
        let mut line = String::new();
        let read = self.file.by_ref().take(LONGEST).read_line(&mut line);
        let read = read.map_err(|reason| match reason.kind() {
            io::ErrorKind::InvalidData => Unread::NotText,
            _ => reason.into(),
        })?;
        if read == 0 {
            return Ok(None);
        }
        if !line.ends_with('\n') && read as u64 == LONGEST {
            return Err(Unread::TooLarge(LONGEST));
        }
        let place = self.next.clone();
        self.next = Place {
            number: place.number + 1,
            offset: place.offset + read as u64,
        };
        Ok(Some((place, line)))
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<(Place, String), BadSummary>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.read();
        line.map_err(|reason| unread(self.path, reason)).transpose()
    }
}

fn unread(path: &Path, reason: Unread) -> BadSummary {
    BadSummary::File {
        path: path.to_owned(),
        reason,
    }
}
