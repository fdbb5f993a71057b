//! `--schedule race`: whether two runs of a program, whose work is done at other moments, compute the same.
//!
//! Both runs write down what each operator computed, in the order in which the operators were called. At the first one with
//! another result, everything that was called before it gave the same in both runs. So if it read what one operator had written
//! last in the one run, and what another had in the other, nothing orders it and the later of the two. If not, the program does
//! not repeat itself there, and what follows from it is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cgsan_finding::{Location, Note};
use serde::Deserialize;

/// An operator's place in the order: for one of a replay, that of the launch first.
type Key = (u64, u64);

/// What an operator did, as the agent writes it.
#[derive(Debug, Deserialize)]
struct Record {
    launch: u64,
    order: u64,
    name: String,
    /// A checksum of its arguments: plain values, and the forms of tensors.
    given: u32,
    file: PathBuf,
    line: u32,
    stream: String,
    /// Of its results.
    checksum: u32,
    /// Which operators wrote last what it read.
    writers: Vec<Option<Key>>,
}

impl Verdict {
    /// Whether nothing orders work that something should order.
    pub fn is_race(&self) -> bool {
        !self.races.is_empty()
    }

    /// Drops the races of programs that read something else in each run, by one more run like the first.
    pub fn confirm(&mut self, first: &Path, again: &Path) {
        let (first, again) = (read_all(first), read_all(again));
        let repeats = |(process, key): &(usize, Key)| {
            let of = |run: &[Records]| {
                let record = run.get(*process)?.get(key)?;
                Some((record.checksum, record.given, record.writers.clone()))
            };
            of(&first) == of(&again)
        };
        if !self.races.iter().all(repeats) {
            *self = Verdict {
                races: Vec::new(),
                notes: vec![Note::new(
                    "runs of the program under one schedule differ by themselves, so they show no race",
                    None,
                )],
            };
        }
    }
}

impl Record {
    fn key(&self) -> Key {
        (self.launch, self.order)
    }

    /// Whether it is the same call as one of another run.
    fn is_call_of(&self, other: &Record) -> bool {
        (&self.name, &self.file, self.line) == (&other.name, &other.file, other.line)
    }

    fn location(&self) -> Option<Location> {
        (self.line > 0).then(|| Location {
            file: self.file.clone(),
            line: self.line,
            span: None,
            cell: None,
            function: String::new(),
        })
    }

    /// For a sentence: the operator, with its line if that is known.
    fn described(&self) -> String {
        if self.line == 0 {
            return format!("`{}` (of a backward pass)", self.name);
        }
        format!("`{}` ({}:{})", self.name, self.file.display(), self.line)
    }
}

/// The operators of a process.
type Records = BTreeMap<Key, Record>;

/// How two runs of a process compare.
#[derive(Debug)]
enum Comparison<'a> {
    Same,
    /// They do not call the same operators from this one on.
    Diverged(&'a Record),
    /// This one and what uses its results differ for another reason than the order of work.
    Unrepeatable(&'a Record),
    /// This one read what the other one wrote, in one of the runs.
    Race(&'a Record, &'a Record),
}

/// What two runs have to say that left these folders.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Who read something else in the second run, by the number of its process.
    races: Vec<(usize, Key)>,
    /// One for each process that has something to say.
    pub notes: Vec<Note>,
}

/// Compares the runs that left two folders: the work of the one was done when it was enqueued, that of the other as late as
/// possible.
pub fn compare(eager: &Path, lazy: &Path) -> Verdict {
    let mut verdict = Verdict::default();
    let (eager, lazy) = (read_all(eager), read_all(lazy));
    if eager.len() != lazy.len() {
        verdict.notes.push(Note::new(
            "the two runs have different numbers of processes, so they were not compared",
            None,
        ));
        return verdict;
    }
    for (process, (eager, lazy)) in eager.iter().zip(&lazy).enumerate() {
        let comparison = compare_process(eager, lazy);
        if let Comparison::Race(reader, _) = comparison {
            verdict.races.push((process, reader.key()));
        }
        verdict.notes.extend(note(&comparison));
    }
    verdict
}

fn compare_process<'a>(eager: &'a Records, lazy: &'a Records) -> Comparison<'a> {
    // Those that differ for another reason, and those that read what they wrote.
    let mut unrepeatable: BTreeSet<Key> = BTreeSet::new();
    for (key, one) in eager {
        let Some(other) = lazy.get(key).filter(|other| other.is_call_of(one)) else {
            return Comparison::Diverged(one);
        };
        if one.checksum == other.checksum {
            continue;
        }
        if one.given != other.given {
            unrepeatable.insert(*key);
            continue;
        }
        let mut writers = one.writers.iter().chain(&other.writers).flatten();
        let mut later = None;
        if !writers.any(|writer| unrepeatable.contains(writer)) {
            let pairs = one.writers.iter().zip(&other.writers);
            let mut differing = pairs.filter(|(one, other)| one != other);
            later = differing.find_map(|(one, other)| *one.max(other));
        }
        match later.and_then(|writer| eager.get(&writer)) {
            // The order of one stream is the same in all runs.
            Some(writer) if writer.stream != one.stream => return Comparison::Race(one, writer),
            _ => unrepeatable.insert(*key),
        };
    }
    let first = unrepeatable.first().and_then(|key| eager.get(key));
    first.map_or(Comparison::Same, Comparison::Unrepeatable)
}

fn note(comparison: &Comparison<'_>) -> Option<Note> {
    let (text, at) = match comparison {
        Comparison::Same => return None,
        Comparison::Diverged(at) => (
            "the two runs of `--schedule race` call other operators from here on, and were not compared further".to_owned(),
            at,
        ),
        Comparison::Unrepeatable(at) => (
            "the two runs of `--schedule race` compute something else here, for another reason than the order of work; what \
             follows from it was not compared"
                .to_owned(),
            at,
        ),
        Comparison::Race(reader, writer) => (
            format!(
                "a race: nothing orders {} and {}, and what the program computes depends on which is first",
                reader.described(),
                writer.described(),
            ),
            reader,
        ),
    };
    Some(Note::new(text, at.location()))
}

/// The records of a run's processes: those of a job by their ranks, others in the order in which they began.
fn read_all(folder: &Path) -> Vec<Records> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(u64, SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let (rank, _) = path
                .file_name()?
                .to_str()?
                .strip_prefix("results-")?
                .split_once('-')?;
            Some((
                rank.parse().ok()?,
                entry.metadata().ok()?.created().ok()?,
                path,
            ))
        })
        .collect();
    files.sort();
    files.iter().map(|(.., path)| read(path)).collect()
}

/// A process that was killed has left half of a line at most.
fn read(path: &Path) -> Records {
    let text = fs::read_to_string(path).unwrap_or_default();
    let records = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    records
        .map(|record: Record| (record.key(), record))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operator in a line of its own, on a stream, which read what those in other lines wrote.
    fn record(line: u32, stream: &str, checksum: u32, writers: &[u64]) -> (Key, Record) {
        let key = (u64::from(line), 0);
        let record = Record {
            launch: key.0,
            order: 0,
            name: "aten.add.Tensor".to_owned(),
            given: 0,
            file: PathBuf::from("a.py"),
            line,
            stream: stream.to_owned(),
            checksum,
            writers: writers.iter().map(|line| Some((*line, 0))).collect(),
        };
        (key, record)
    }

    fn lines(comparison: &Comparison<'_>) -> (&'static str, Vec<u32>) {
        match comparison {
            Comparison::Same => ("same", vec![]),
            Comparison::Diverged(at) => ("diverged", vec![at.line]),
            Comparison::Unrepeatable(at) => ("unrepeatable", vec![at.line]),
            Comparison::Race(reader, writer) => ("race", vec![reader.line, writer.line]),
        }
    }

    #[test]
    fn who_read_something_else_races_with_who_wrote_it() {
        let start = || [record(1, "0", 5, &[]), record(2, "7", 6, &[1])];
        let run = |end| start().into_iter().chain(end).collect::<Records>();
        let eager = run([record(3, "0", 8, &[2]), record(4, "0", 9, &[3])]);
        let lazy = run([record(3, "0", 1, &[1]), record(4, "0", 2, &[3])]);
        assert_eq!(lines(&compare_process(&eager, &lazy)), ("race", vec![3, 2]));
        assert_eq!(lines(&compare_process(&eager, &eager)), ("same", vec![]));
    }

    #[test]
    fn what_does_not_repeat_itself_is_no_race_nor_is_what_follows() {
        let run = |drawn, writer| {
            let drawn_too = record(2, "7", drawn, &[1]);
            let uses_it = record(3, "0", drawn + 1, &[writer]);
            Records::from_iter([record(1, "0", drawn, &[]), drawn_too, uses_it])
        };
        let (eager, lazy) = (run(5, 2), run(6, 1));
        let found = compare_process(&eager, &lazy);
        assert_eq!(lines(&found), ("unrepeatable", vec![1]));
    }

    #[test]
    fn another_way_through_the_program_is_not_compared() {
        let eager = Records::from_iter([record(1, "0", 5, &[]), record(2, "0", 6, &[1])]);
        let lazy = Records::from_iter([record(1, "0", 5, &[])]);
        let found = compare_process(&eager, &lazy);
        assert_eq!(lines(&found), ("diverged", vec![2]));
    }
}
