//! Traces and findings for other tools: as tables in Parquet files, for engines that query many processes at once, and as time lines
//! for Perfetto.
//!
//! | file | what it is |
//! |---|---|
//! | `table` | one file: rows go in one by one and are written by row groups |
//! | `cells` | a row, and how values become cells |
//! | `processes`, `events`, `captures`, `findings` | one table each: its columns, and its rows |
//! | `perfetto` | the time lines |
//! | `lines` | the lines of the program that events come from |
//!
//! Nothing here opens a file: what is written goes into what the caller gives. What is kept in memory of tables is one row group for
//! each, and a number for each process.
#![forbid(unsafe_code)]

mod captures;
mod cells;
mod events;
mod findings;
mod lines;
mod perfetto;
mod processes;
mod table;

pub use perfetto::Timeline;
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
pub const TABLES: [&str; 4] = ["processes", "events", "captures", "findings"];

/// The columns of the tables, in the order of [`TABLES`].
pub fn columns() -> [Vec<Column>; 4] {
    [
        processes::columns(),
        events::columns(),
        captures::columns(),
        findings::columns(),
    ]
}

/// The tables, while they are written.
#[derive(Debug)]
pub struct Export<W: Write + Send> {
    processes: Table<W>,
    events: Table<W>,
    captures: Table<W>,
    findings: Table<W>,
    /// What each process was found at, and which it is.
    known: Vec<(String, Process)>,
}

impl<W: Write + Send> Export<W> {
    /// Begins the tables, in the order of [`TABLES`].
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn begin(files: [W; 4]) -> Result<Self, Failed> {
        let [processes, events, captures, findings] = files;
        Ok(Self {
            processes: Table::begin(processes, TABLES[0], &processes::columns())?,
            events: Table::begin(events, TABLES[1], &events::columns())?,
            captures: Table::begin(captures, TABLES[2], &captures::columns())?,
            findings: Table::begin(findings, TABLES[3], &findings::columns())?,
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
            number: Some(self.known.len()),
            process: &process,
        };
        let mut lines = Lines::of(trace);
        let captured = captures::write(&mut self.captures, &owner, trace, seen)?;
        let events = events::write(&mut self.events, &owner, trace, seen, &mut lines)?;
        processes::write(&mut self.processes, &owner, path, trace, events, captured)?;
        self.known.push((run.to_owned(), process));
        Ok(())
    }

    /// Adds the findings of a report on these processes, and ends the tables. Gives the files back, in their order.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn finish(mut self, found: &[Finding]) -> Result<[W; 4], Failed> {
        findings::write(&mut self.findings, found, &self.known)?;
        Ok([
            self.processes.finish()?,
            self.events.finish()?,
            self.captures.finish()?,
            self.findings.finish()?,
        ])
    }
}
