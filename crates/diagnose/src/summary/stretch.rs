//! What of a trace a summary is about: all that is there, or the beginning that is to give way to the summary, or what is left where
//! a beginning has given way.

use std::ops::Range;

use cgsan_finding::Note;
use cgsan_trace::{Summarized, Trace};

use super::{Found, Summary};
use crate::merge;
use crate::part::Lasts;
use crate::subjects::Subject;

/// As many notes are kept of what has given way.
const NOTES: usize = 100;

/// What of a trace a summary is about.
pub(super) struct Stretch<'l> {
    entries: Range<usize>,
    /// Whether something before it has given way.
    is_left: bool,
    /// What lasts of it, where it is to give way.
    lasts: Option<&'l Lasts>,
}

impl<'l> Stretch<'l> {
    /// All that has not given way.
    pub(super) fn newest(trace: &Trace) -> Stretch<'l> {
        Stretch {
            entries: trace.part_begins()..trace.entries().len(),
            is_left: trace.summarized().is_some(),
            lasts: None,
        }
    }

    /// What has not given way and is to.
    pub(super) fn beginning(trace: &Trace, lasts: &'l Lasts) -> Stretch<'l> {
        Stretch {
            entries: trace.part_begins()..lasts.kept.len(),
            is_left: trace.summarized().is_some(),
            lasts: Some(lasts),
        }
    }

    /// The entries that it is about.
    pub(super) fn entries(&self) -> &Range<usize> {
        &self.entries
    }

    /// Whether the program goes on behind it.
    pub(super) fn goes_on(&self) -> bool {
        self.lasts.is_some()
    }

    /// Whether nothing has given way or is to: only then is there all that ranks are compared by.
    pub(super) fn is_all(&self) -> bool {
        !self.is_left && !self.goes_on()
    }

    /// Whether it is the one to tell of a subject.
    pub(super) fn tells_of(&self, subject: &Subject<'_, '_>) -> bool {
        if subject.is_of_earlier_part() {
            return false;
        }
        if self.is_all() {
            return true;
        }
        match subject {
            // A graph that lives on may be replayed later, and one that was there before may have been.
            Subject::Unused(unused) => self.has_whole_life(unused.captured_at()),
            _ => self.entries.contains(&subject.position()),
        }
    }

    /// Whether all that became of a graph lies in it, which was captured at this position.
    fn has_whole_life(&self, captured_at: usize) -> bool {
        let lives_on = |lasts: &Lasts| lasts.is_in_capture.get(captured_at) == Some(&true);
        self.entries.contains(&captured_at) && !self.lasts.is_some_and(lives_on)
    }
}

impl Summary {
    /// What this says, behind what was found in entries that have given way.
    pub(super) fn behind(mut self, summarized: &Summarized) -> Summary {
        match Summary::from_line(&summarized.summary) {
            Ok(earlier) => {
                self.forked.extend(earlier.forked);
                self.forked.sort_unstable();
                self.forked.dedup();
                if let (Some(before), Some(now)) = (earlier.found, self.found.as_deref_mut()) {
                    *now = before.joined(std::mem::take(now));
                }
            }
            Err(reason) => self.add_note(lost(summarized, &reason.to_string())),
        }
        self
    }

    /// The same, and says how much has given way.
    pub(super) fn behind_all(self, summarized: &Summarized) -> Summary {
        let mut summary = self.behind(summarized);
        summary.add_note(gave_way(summarized));
        summary
    }

    fn add_note(&mut self, note: Note) {
        if let Some(found) = &mut self.found {
            found.notes.push(note);
        }
    }
}

impl Found {
    /// This, and what was found later of the same process.
    fn joined(self, later: Found) -> Found {
        let mut findings = merge::Findings::default();
        for finding in self.findings.into_iter().chain(later.findings) {
            findings.add(finding);
        }
        let mut notes = self.notes;
        notes.retain(|note| !later.notes.contains(note));
        notes.truncate(NOTES);
        notes.extend(later.notes);
        let mut coverage = self.coverage;
        coverage.add(later.coverage);
        coverage.processes = 1;
        let mut cells = self.cells;
        cells.extend(later.cells);
        Found {
            findings: findings.finish(),
            notes,
            coverage,
            cells,
            ..later
        }
    }
}

fn gave_way(summarized: &Summarized) -> Note {
    let text = format!(
        "the oldest {} records gave way to what was found in them, since the trace is limited (`--trace-limit`); ranks are not \
         compared",
        summarized.entries
    );
    Note::new(text, None)
}

fn lost(summarized: &Summarized, reason: &str) -> Note {
    let text = format!(
        "what was found in {} records is lost, to which they gave way: {reason}",
        summarized.entries
    );
    Note::new(text, None)
}
