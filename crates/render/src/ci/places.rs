//! What only those who looked at the files of a report know of them.

use std::ops::Range;
use std::path::Path;

use cgsan_finding::Location;

/// What is known of the files that a report points into.
pub trait Places {
    /// The line of the file as it is written, from 1: a notebook's lines are not those of its cells.
    fn line_in_file(&self, place: &Location) -> u32 {
        place.line
    }

    /// The place that an edit replaces, given as bytes of the file; `None` where they are not those of the file as it is written.
    fn of_edit(&self, _file: &Path, _bytes: Range<usize>) -> Option<Location> {
        None
    }
}

/// The files of a program that ran: lines are those of the files, and nothing is edited.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPlaces;

impl Places for RecordedPlaces {}
