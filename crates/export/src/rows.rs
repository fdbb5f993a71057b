//! The rows of processes that follow each other. They are made by themselves and then put into the tables, in the order of the
//! processes: only then is it known which numbers the processes have.

use std::path::Path;

use cgsan_diagnose::{Seen, process_of};
use cgsan_finding::Process;
use cgsan_trace::Trace;

use crate::cells::{Cell, Owner};
use crate::column::Failed;
use crate::lines::Lines;
use crate::sheet::Sheet;
use crate::table::{Form, Group};
use crate::tables::{TABLES, columns};
use crate::{captures, events, processes, steps};

/// The rows of some processes.
#[derive(Debug)]
pub struct Rows {
    pub(crate) processes: Sheet,
    pub(crate) captures: Sheet,
    pub(crate) steps: Sheet,
    pub(crate) events: Vec<Group>,
    /// What each process was found at, and which it is.
    pub(crate) known: Vec<(String, Process)>,
}

/// Makes rows: one for each thread, or for all of them.
#[derive(Clone, Debug)]
pub struct Making {
    processes: Form,
    events: Form,
    captures: Form,
    steps: Form,
}

impl Making {
    /// Of the tables that there are.
    ///
    /// # Errors
    ///
    /// If the columns cannot be encoded.
    pub fn new() -> Result<Making, Failed> {
        let [of_processes, of_events, of_captures, _, of_steps] = columns();
        Ok(Making {
            processes: Form::of(TABLES[0], of_processes)?,
            events: Form::of(TABLES[1], of_events)?,
            captures: Form::of(TABLES[2], of_captures)?,
            steps: Form::of(TABLES[4], of_steps)?,
        })
    }

    /// Rows of no process yet.
    pub fn begin(&self) -> Begun<'_> {
        Begun {
            processes: self.processes.sheet(),
            captures: self.captures.sheet(),
            steps: self.steps.sheet(),
            events: Groups {
                form: &self.events,
                sheet: self.events.sheet(),
                full: Vec::new(),
            },
            known: Vec::new(),
        }
    }
}

/// Rows that are being made.
#[derive(Debug)]
pub struct Begun<'f> {
    processes: Sheet,
    captures: Sheet,
    steps: Sheet,
    events: Groups<'f>,
    known: Vec<(String, Process)>,
}

impl Begun<'_> {
    /// Adds a process: its trace, which lies at `path`, was found at what a person named `run`.
    ///
    /// # Errors
    ///
    /// If its events cannot be encoded.
    pub fn add(
        &mut self,
        run: &str,
        path: &Path,
        trace: &Trace,
        seen: &Seen<'_, '_>,
    ) -> Result<(), Failed> {
        let process = process_of(trace);
        let owner = Owner {
            run,
            number: Some(self.known.len()),
            process: &process,
        };
        let mut lines = Lines::of(trace);
        let captured = captures::write(&mut self.captures, &owner, trace, seen);
        let events = events::write(&mut self.events, &owner, trace, seen, &mut lines)?;
        steps::write(&mut self.steps, &owner, trace, seen, &mut lines);
        processes::write(&mut self.processes, &owner, path, trace, events, captured);
        self.known.push((run.to_owned(), process));
        Ok(())
    }

    /// The rows.
    ///
    /// # Errors
    ///
    /// If the last events cannot be encoded.
    pub fn finish(self) -> Result<Rows, Failed> {
        Ok(Rows {
            processes: self.processes,
            captures: self.captures,
            steps: self.steps,
            events: self.events.finish()?,
            known: self.known,
        })
    }
}

/// Rows by row groups, which are encoded as soon as they are full.
#[derive(Debug)]
pub(crate) struct Groups<'f> {
    form: &'f Form,
    sheet: Sheet,
    full: Vec<Group>,
}

impl Groups<'_> {
    /// Adds a row, with a cell for each column: first those that say whose it is.
    pub(crate) fn row<'a>(
        &mut self,
        owner: &[Cell<'a>],
        own: impl IntoIterator<Item = Cell<'a>>,
    ) -> Result<(), Failed> {
        self.sheet.row(owner, own);
        if self.sheet.is_full() {
            self.full.push(self.form.group(&mut self.sheet)?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Group>, Failed> {
        if !self.sheet.is_empty() {
            self.full.push(self.form.group(&mut self.sheet)?);
        }
        Ok(self.full)
    }
}
