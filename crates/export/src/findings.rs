//! The table `findings`: one row for each finding and process in which it was made.

use std::io::Write;

use cgsan_catalogue::entry;
use cgsan_finding::{Confidence, Finding, Process};
use rustc_hash::FxHashMap;

use crate::cells::{Cell, LINE, OWNER, Owner, integer, line, maybe, number, text};
use crate::column::{Column, Failed};
use crate::lines::Line;
use crate::number::number_of;
use crate::table::Table;

pub(crate) fn columns() -> Vec<Column> {
    let own = [
        integer(
            "finding",
            "its number in the report, from 1; rows of one number have one cause",
        ),
        text("id", "the failure mode, e.g. `CG101`"),
        text("name", "its name in the catalogue"),
        text("title", "one line on what happened"),
        text("confidence", "`confirmed`, `likely` or `possible`"),
        integer("times", "how often it happened in this process"),
        text("function", "the function of the driver that was refused"),
        integer("code", "what it returned"),
        text(
            "capture_file",
            "the file of the line that began the capture",
        ),
        integer("capture_line", "that line"),
    ];
    OWNER.into_iter().chain(own).chain(LINE).collect()
}

/// By which numbers processes are known in a table of findings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// Their places in the export, for all processes in which something was found.
    Counted,
    /// Numbers that they have in all exports, for those that are known alone.
    Own,
}

/// Adds the findings of a report on the processes that are known, each with what it was found at.
pub(crate) fn write<W: Write + Send>(
    table: &mut Table<W>,
    findings: &[Finding],
    known: &[(String, Process)],
    numbers: Numbers,
) -> Result<(), Failed> {
    let mut places = FxHashMap::default();
    for (place, (_, process)) in known.iter().enumerate() {
        places.entry(process.identity()).or_insert(place);
    }
    for (index, finding) in findings.iter().enumerate() {
        let processes = finding.observed().into_iter().flat_map(|it| &it.processes);
        for process in processes {
            let place = places.get(&process.identity()).copied();
            let (run, number) = match (numbers, place) {
                (Numbers::Own, None) => continue,
                (Numbers::Own, Some(place)) => {
                    let (run, process) = &known[place];
                    (run.as_str(), usize::try_from(number_of(process)).ok())
                }
                (Numbers::Counted, place) => (place.map_or("", |place| &known[place].0), place),
            };
            let owner = Owner {
                run,
                number,
                process,
            };
            write_one(table, index + 1, finding, &owner)?;
        }
    }
    Ok(())
}

fn write_one<W: Write + Send>(
    table: &mut Table<W>,
    finding_number: usize,
    finding: &Finding,
    owner: &Owner<'_>,
) -> Result<(), Failed> {
    let observed = finding.observed();
    let call = observed.and_then(|it| it.call.as_ref());
    let capture = observed.and_then(|it| it.capture.as_ref());
    let place = finding.location.clone().map(Line::of);
    let confidence = match finding.confidence {
        Confidence::Confirmed => "confirmed",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    };
    let own = [
        number(finding_number),
        Cell::Text(finding.id),
        maybe(entry(finding.id), |entry| Cell::Text(entry.name)),
        Cell::Text(&finding.title),
        Cell::Text(confidence),
        number(owner.process.count),
        maybe(call, |it| Cell::Text(&it.function)),
        maybe(call, |it| number(it.code)),
        maybe(capture.and_then(|it| it.file.as_deref()), Cell::Text),
        maybe(capture.and_then(|it| it.line), number),
    ];
    table.row(&owner.cells(), own.into_iter().chain(line(place.as_ref())))
}
