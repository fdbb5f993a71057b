//! Traces and findings for other tools: as tables in Parquet files, for engines that query many processes at once, and as time lines
//! for Perfetto.
//!
//! | file | what it is |
//! |---|---|
//! | `table` | one file: rows go in one by one and are written by row groups |
//! | `cells` | a row, and how values become cells |
//! | `processes`, `events`, `captures`, `findings`, `steps` | one table each: its columns, and its rows |
//! | `partition` | tables in folders by job and machine, a file for each process |
//! | `perfetto` | the time lines |
//! | `read` | reads tables back |
//! | `lines` | the lines of the program that events come from |
//!
//! Nothing here opens a file: the caller gives those that are written and read. What is kept in memory of tables is one row group for
//! each, and a number for each process.
#![forbid(unsafe_code)]

mod captures;
mod cells;
mod events;
mod findings;
mod lines;
pub mod partition;
mod perfetto;
mod processes;
mod read;
mod steps;
mod table;

pub use perfetto::Timeline;
pub use read::{Cells, read};
pub use steps::FOR as SPENT_ON;
pub use table::{Column, Failed, Kind};

use std::io::Write;
use std::path::Path;

use cgsan_diagnose::{Seen, process_of};
use cgsan_finding::{Finding, Process};
use cgsan_trace::Trace;

use crate::cells::Owner;
use crate::lines::Lines;
use crate::table::Table;

/// The version of the columns. Columns may be added to a version; one that is removed or changes its meaning makes a new one.
pub const VERSION: u32 = 1;

/// The names of the tables.
pub const TABLES: [&str; 5] = ["processes", "events", "captures", "findings", "steps"];

/// The columns of the tables, in the order of [`TABLES`].
pub fn columns() -> [Vec<Column>; TABLES.len()] {
    [
        processes::columns(),
        events::columns(),
        captures::columns(),
        findings::columns(),
        steps::columns(),
    ]
}

/// The tables with rows of single processes, while they are written.
pub(crate) struct OfProcess<'t, W: Write + Send> {
    pub(crate) processes: &'t mut Table<W>,
    pub(crate) events: &'t mut Table<W>,
    pub(crate) captures: &'t mut Table<W>,
    pub(crate) steps: &'t mut Table<W>,
}

impl<W: Write + Send> OfProcess<'_, W> {
    /// Adds the rows of a process whose trace lies at `path`.
    pub(crate) fn add(
        self,
        owner: &Owner<'_>,
        path: &Path,
        trace: &Trace,
        seen: &Seen<'_, '_>,
    ) -> Result<(), Failed> {
        let mut lines = Lines::of(trace);
        let captured = captures::write(self.captures, owner, trace, seen)?;
        let events = events::write(self.events, owner, trace, seen, &mut lines)?;
        steps::write(self.steps, owner, trace, seen, &mut lines)?;
        processes::write(self.processes, owner, path, trace, events, captured)
    }
}

/// The tables, while they are written.
#[derive(Debug)]
pub struct Export<W: Write + Send> {
    processes: Table<W>,
    events: Table<W>,
    captures: Table<W>,
    findings: Table<W>,
    steps: Table<W>,
    /// What each process was found at, and which it is.
    known: Vec<(String, Process)>,
}

impl<W: Write + Send> Export<W> {
    /// Begins the tables, in the order of [`TABLES`].
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn begin(files: [W; TABLES.len()]) -> Result<Self, Failed> {
        let [processes, events, captures, findings, steps] = files;
        Ok(Self {
            processes: Table::begin(processes, TABLES[0], &processes::columns())?,
            events: Table::begin(events, TABLES[1], &events::columns())?,
            captures: Table::begin(captures, TABLES[2], &captures::columns())?,
            findings: Table::begin(findings, TABLES[3], &findings::columns())?,
            steps: Table::begin(steps, TABLES[4], &steps::columns())?,
            known: Vec::new(),
        })
    }

    /// Adds a process: its trace, which lies at `path`, was found at what a person named `run`.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
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
            number: i64::try_from(self.known.len()).ok(),
            process: &process,
        };
        let tables = OfProcess {
            processes: &mut self.processes,
            events: &mut self.events,
            captures: &mut self.captures,
            steps: &mut self.steps,
        };
        tables.add(&owner, path, trace, seen)?;
        self.known.push((run.to_owned(), process));
        Ok(())
    }

    /// Adds the findings of a report on these processes, and ends the tables. Gives the files back, in their order.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn finish(mut self, found: &[Finding]) -> Result<[W; TABLES.len()], Failed> {
        let known = &self.known;
        let owner_of = |process: &Process| {
            let place = known.iter().position(|(_, it)| it.is(process));
            let run = place.map_or("", |place| &known[place].0);
            Some((run, place.and_then(|it| i64::try_from(it).ok())))
        };
        findings::write(&mut self.findings, found, &owner_of)?;
        Ok([
            self.processes.finish()?,
            self.events.finish()?,
            self.captures.finish()?,
            self.findings.finish()?,
            self.steps.finish()?,
        ])
    }
}
