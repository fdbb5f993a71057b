//! The tables, while they are written.

use std::io::Write;

use cgsan_finding::{Finding, Process};

use crate::column::Failed;
use crate::findings;
use crate::findings::Numbers;
use crate::rows::Rows;
use crate::table::{Form, Table};
use crate::tables::{TABLES, columns};

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
