//! Tables in folders by job and machine, as Hive, Spark and DuckDB read them: a file for each process, so that many can be written at once,
//! on many machines.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use cgsan_diagnose::{Seen, process_of};
use cgsan_finding::{Finding, Process};
use cgsan_trace::{ProcessInfo, Trace};

use crate::column::Failed;
use crate::findings::{self, Numbers};
pub use crate::number::number_of;
use crate::rows::Making;
use crate::table::{Form, Table};
use crate::tables::columns;

/// What Hive calls a partition whose key is null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The tables with rows of single processes.
pub const PROCESS_TABLES: [&str; 4] = ["processes", "events", "captures", "steps"];

/// The table with rows of the whole report.
pub const FINDINGS: &str = "findings";

/// The folder of a job and a machine within that of a table: `job=10.0.0.1%3A29500/host=node-1`. A process without a job counts for its
/// run.
pub fn folder(info: Option<&ProcessInfo>) -> String {
    let job = info.and_then(|it| it.job.as_ref().or(it.run.as_ref()));
    let host = info.and_then(|it| it.host.as_ref());
    format!("job={}/host={}", value(job), value(host))
}

/// A key as part of a path. What may stand for something else there is written as `%XX`, as Hive and Spark do.
fn value(key: Option<&String>) -> String {
    let Some(key) = key.filter(|key| !key.is_empty()) else {
        return NULL.to_owned();
    };
    let mut value = String::new();
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            value.push(char::from(byte));
        } else {
            let _ = write!(value, "%{byte:02X}");
        }
    }
    // A name of dots alone means another folder.
    if value.bytes().all(|byte| byte == b'.') {
        value = value.replace('.', "%2E");
    }
    value
}

/// Writes the tables of one process, in the order of [`PROCESS_TABLES`]. Gives the files back.
///
/// # Errors
///
/// If one cannot be written.
pub fn write_process<W: Write + Send>(
    files: [W; PROCESS_TABLES.len()],
    run: &str,
    path: &Path,
    trace: &Trace,
    seen: &Seen<'_, '_>,
) -> Result<[W; PROCESS_TABLES.len()], Failed> {
    let making = Making::new()?;
    let mut rows = making.begin();
    rows.add(run, path, trace, seen)?;
    let rows = rows.finish()?;
    let number = usize::try_from(number_of(&process_of(trace))).unwrap_or_default();
    let [processes, events, captures, steps] = files;
    let [of_processes, of_events, of_captures, _, of_steps] = columns();
    let mut processes = Table::begin(processes, Form::of(PROCESS_TABLES[0], of_processes)?)?;
    processes.add(rows.processes, number)?;
    let mut events = Table::begin(events, Form::of(PROCESS_TABLES[1], of_events)?)?;
    for group in rows.events {
        events.add_group(group, number)?;
    }
    let mut captures = Table::begin(captures, Form::of(PROCESS_TABLES[2], of_captures)?)?;
    captures.add(rows.captures, number)?;
    let mut steps = Table::begin(steps, Form::of(PROCESS_TABLES[3], of_steps)?)?;
    steps.add(rows.steps, number)?;
    Ok([
        processes.finish()?,
        events.finish()?,
        captures.finish()?,
        steps.finish()?,
    ])
}

/// Writes the findings of a report on the processes of one job and machine, each with what it was found at.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_findings<W: Write + Send>(
    file: W,
    found: &[Finding],
    known: &[(String, Process)],
) -> Result<W, Failed> {
    let mut table = Table::begin(file, Form::of(FINDINGS, findings::columns())?)?;
    findings::write(&mut table, found, known, Numbers::Own)?;
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_one_folder_each_whatever_they_are() {
        let info = |job: &str, host: &str| ProcessInfo {
            job: Some(job.to_owned()),
            host: Some(host.to_owned()),
            ..ProcessInfo::default()
        };
        let of = |job, host| folder(Some(&info(job, host)));
        assert_eq!(
            of("10.0.0.1:29500", "node-1"),
            "job=10.0.0.1%3A29500/host=node-1"
        );
        assert_eq!(of("../../etc", ".."), "job=..%2F..%2Fetc/host=%2E%2E");
        assert_eq!(of("a=b c%", ""), format!("job=a%3Db%20c%25/host={NULL}"));
        assert_eq!(folder(None), format!("job={NULL}/host={NULL}"));
    }

    #[test]
    fn a_run_takes_the_place_of_a_job() {
        let info = ProcessInfo {
            run: Some("r1".to_owned()),
            ..ProcessInfo::default()
        };
        assert_eq!(folder(Some(&info)), format!("job=r1/host={NULL}"));
    }
}
