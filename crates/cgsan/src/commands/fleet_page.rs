//! `cgsan export --format page`: the page of ranks and steps, made from tables.
//!
//! It is made from tables and not from traces, since these may lie on machines that are gone by then, and are many times as large.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use cgsan_export::{Cells, SPENT_ON};
use cgsan_files::{Destination, Links};
use cgsan_render::{Fleet, FleetRank, FleetStep};

use crate::output::error::Error;

/// What is read of the table `steps`.
const STEPS: [&str; 14] = [
    "process",
    "rank",
    "host",
    "pid",
    "step",
    "duration_ns",
    "host_ns",
    "gpu_ns",
    "copy_ns",
    "collective_ns",
    "launch_ns",
    "file",
    "line",
    "in_function",
];

/// What is read of the table `findings`.
const FINDINGS: [&str; 2] = ["process", "id"];

const _: () = assert!(SPENT_ON.len() == cgsan_render::SPENT_ON.len());

/// Writes the page of these folders of tables.
pub fn write(folders: &[PathBuf], output: &Path) -> Result<(), Error> {
    let page = cgsan_render::fleet(&fleet(folders)?);
    Destination::open(output, Links::Part)
        .and_then(|mut destination| destination.write(page.as_bytes()))
        .map_err(|reason| Error::not_writable("--output", output, reason))
}

fn fleet(folders: &[PathBuf]) -> Result<Fleet, Error> {
    let mut steps = Steps::default();
    for folder in folders {
        for file in files_of("steps", folder)? {
            read(&file, &STEPS, &mut |rows, cells| {
                (0..rows).for_each(|row| steps.add(cells, row));
            })?;
        }
        for file in files_of("findings", folder)? {
            read(&file, &FINDINGS, &mut |rows, cells| {
                (0..rows).for_each(|row| steps.add_finding(&cells[0], &cells[1], row));
            })?;
        }
    }
    Ok(steps.finish())
}

/// The files of a table: one, or as many as there are in the table's folder.
fn files_of(table: &str, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let alone = folder.join(format!("{table}.parquet"));
    if alone.is_file() {
        return Ok(vec![alone]);
    }
    let mut files = Vec::new();
    let mut folders = vec![folder.join(table)];
    while let Some(within) = folders.pop() {
        let entries = fs::read_dir(&within).map_err(|_| Error::Table {
            place: folder.to_owned(),
            reason: format!("it has no table `{table}`"),
        })?;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "parquet") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path, names: &[&str], take: &mut dyn FnMut(usize, &[Cells])) -> Result<(), Error> {
    let unread = |reason: String| Error::Table {
        place: file.to_owned(),
        reason,
    };
    let open = File::open(file).map_err(|reason| unread(cgsan_files::in_words(&reason)))?;
    cgsan_export::read(open, names, take).map_err(|reason| unread(reason.to_string()))
}

/// The steps as far as they are read.
#[derive(Default)]
struct Steps {
    ranks: BTreeMap<i64, FleetRank>,
    order: BTreeMap<(bool, i64, i64), i64>,
    places: Vec<String>,
    known: HashMap<String, u16>,
    findings: BTreeMap<i64, Vec<String>>,
}

impl Steps {
    fn add(&mut self, cells: &[Cells], row: usize) {
        let [
            process,
            rank,
            host,
            pid,
            step,
            lasted,
            times @ ..,
            file,
            line,
            function,
        ] = cells
        else {
            return;
        };
        let Some(number) = process.number(row) else {
            return;
        };
        let place = file.text(row).and_then(|file| {
            let name = Path::new(file).file_name()?.to_string_lossy().into_owned();
            let line = line.number(row).unwrap_or_default();
            let function = function.text(row).unwrap_or_default();
            self.place(format!("{name}:{line} in {function}"))
        });
        let step = step_of(step.number(row), lasted.number(row), times, row, place);
        let of = self.ranks.entry(number).or_insert_with(|| {
            let id = pid.number(row).unwrap_or_default();
            let rank = rank.number(row);
            self.order
                .insert((rank.is_none(), rank.unwrap_or(id), number), number);
            FleetRank {
                name: rank.map_or(format!("process {id}"), |rank| format!("rank {rank}")),
                host: host.text(row).unwrap_or_default().to_owned(),
                ..FleetRank::default()
            }
        });
        of.steps.push(step);
    }

    fn add_finding(&mut self, process: &Cells, id: &Cells, row: usize) {
        if let (Some(process), Some(id)) = (process.number(row), id.text(row)) {
            let found = self.findings.entry(process).or_default();
            if !found.iter().any(|it| it == id) {
                found.push(id.to_owned());
            }
        }
    }

    /// The number of a place. Beyond as many as there are numbers, places are not named.
    fn place(&mut self, place: String) -> Option<u16> {
        if let Some(known) = self.known.get(&place) {
            return Some(*known);
        }
        let number = u16::try_from(self.places.len())
            .ok()
            .filter(|it| *it < u16::MAX)?;
        self.places.push(place.clone());
        self.known.insert(place, number);
        Some(number)
    }

    fn finish(mut self) -> Fleet {
        let mut ranks = Vec::new();
        for process in self.order.values() {
            let Some(mut rank) = self.ranks.remove(process) else {
                continue;
            };
            rank.steps.sort_by_key(|it| it.step);
            rank.findings = self.findings.remove(process).unwrap_or_default();
            ranks.push(rank);
        }
        Fleet {
            ranks,
            places: self.places,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times that are shown with three digits"
)]
fn step_of(
    number: Option<i64>,
    lasted: Option<i64>,
    times: &[Cells],
    row: usize,
    place: Option<u16>,
) -> FleetStep {
    let times: Vec<f32> = times
        .iter()
        .map(|it| it.number(row).unwrap_or_default() as f32)
        .collect();
    let most = times.iter().enumerate().rev();
    let (spent_on, spent) = most
        .max_by(|one, other| one.1.total_cmp(other.1))
        .map_or((0, 0.0), |(on, spent)| (on, *spent));
    FleetStep {
        step: number
            .and_then(|it| u32::try_from(it).ok())
            .unwrap_or(u32::MAX),
        lasted: lasted.map_or_else(|| times.iter().sum(), |it| it as f32),
        host: times.first().copied().unwrap_or_default(),
        spent,
        place,
        spent_on: u8::try_from(spent_on).unwrap_or_default(),
        is_over: lasted.is_some(),
    }
}
