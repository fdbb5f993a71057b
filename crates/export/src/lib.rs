//! Traces and findings for other tools: as tables in Parquet files, for engines that query many processes at once, and as time lines
//! for Perfetto.
//!
//! | file | what it is |
//! |---|---|
//! | `table` | one file: rows go in one by one or by sheets, and are written by row groups |
//! | `sheet` | rows that wait, by columns |
//! | `rows` | the rows of processes that follow each other, made by themselves, so that many threads can make some |
//! | `cells` | a row, and how values become cells |
//! | `processes`, `events`, `captures`, `findings`, `steps` | one table each: its columns, and its rows |
//! | `partition` | tables in folders by job and machine, a file for each process |
//! | `perfetto` | the time lines |
//! | `read` | reads tables back |
//! | `lines` | the lines of the program that events come from |
//!
//! Nothing here opens a file: the caller gives those that are written and read. What is kept in memory of tables is one row group for
//! each and for each thread that makes rows, and a number for each process.
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
mod rows;
mod sheet;
mod steps;
mod table;

pub use perfetto::Timeline;
pub use read::{Cells, read};
pub use rows::{Making, Rows};
pub use steps::FOR as SPENT_ON;
pub use table::{Column, Failed, Kind};

use std::io::Write;

use cgsan_finding::{Finding, Process};

use crate::findings::Numbers;
use crate::table::{Form, Table};

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
        let [of_processes, of_events, of_captures, of_findings, of_steps] = columns();
        Ok(Self {
            processes: Table::begin(processes, Form::of(TABLES[0], of_processes)?)?,
            events: Table::begin(events, Form::of(TABLES[1], of_events)?)?,
            captures: Table::begin(captures, Form::of(TABLES[2], of_captures)?)?,
            findings: Table::begin(findings, Form::of(TABLES[3], of_findings)?)?,
            steps: Table::begin(steps, Form::of(TABLES[4], of_steps)?)?,
            known: Vec::new(),
        })
    }

    /// Adds the rows of the next processes.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn add(&mut self, rows: Rows) -> Result<(), Failed> {
        let first = self.known.len();
        self.processes.add(rows.processes, first)?;
        self.captures.add(rows.captures, first)?;
        self.steps.add(rows.steps, first)?;
        for group in rows.events {
            self.events.add_group(group, first)?;
        }
        self.known.extend(rows.known);
        Ok(())
    }

    /// Adds the findings of a report on these processes, and ends the tables. Gives the files back, in their order.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn finish(mut self, found: &[Finding]) -> Result<[W; TABLES.len()], Failed> {
        findings::write(&mut self.findings, found, &self.known, Numbers::Counted)?;
        Ok([
            self.processes.finish()?,
            self.events.finish()?,
            self.captures.finish()?,
            self.findings.finish()?,
            self.steps.finish()?,
        ])
    }
}
