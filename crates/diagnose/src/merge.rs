//! One report out of those of a run's processes.

use std::collections::BTreeSet;

use cgsan_finding::{
    Coverage, Finding, Location, MemoryUse, Note, NoteLevel, Observed, Process, Report,
};
use rustc_hash::FxHashMap;

use crate::also::Faults;
use crate::summary::Found;

/// The reports on the processes of a run so far, as one.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    findings: Findings,
    notes: Notes,
    coverage: Coverage,
    memory: Vec<MemoryUse>,
    /// Machine and id of each process that another one forked.
    forked: BTreeSet<(Option<String>, u32)>,
    /// Whether there is more than one process to think of.
    are_several: bool,
}

impl Merged {
    /// Adds what was found out of the next process. Gives the findings that no process before had.
    pub(crate) fn add(&mut self, process: &Process, found: Found) -> &mut [Finding] {
        self.are_several |=
            self.coverage.processes > 0 || process.world_size.is_some_and(|size| size > 1);
        self.coverage.add(found.coverage);
        self.memory.extend(found.memory.unwrap_or_default());
        let known = self.findings.all.len();
        for finding in found.findings {
            self.findings.add(finding);
        }
        for note in found.notes {
            self.notes.add(note, process, false);
        }
        if let Some(note) = found.unless_forked {
            self.notes.add(note, process, true);
        }
        &mut self.findings.all[known..]
    }

    /// Takes note of processes of a machine that another one forked.
    pub(crate) fn add_forked(&mut self, host: Option<&str>, children: impl Iterator<Item = u32>) {
        let children = children.map(|child| (host.map(str::to_owned), child));
        self.forked.extend(children);
    }

    /// The report. A note says whose it is where there is more than one process to think of.
    pub(crate) fn finish(mut self) -> Report {
        for noted in &mut self.notes.all {
            let is_by_custom = |process: &Process| {
                noted.unless_forked && self.forked.contains(&(process.host.clone(), process.pid))
            };
            noted.processes.retain(|process| !is_by_custom(process));
        }
        self.notes.all.retain(|noted| !noted.processes.is_empty());
        let notes = self.notes.all.into_iter().map(|noted| {
            if self.are_several {
                of_processes(noted.note, noted.processes)
            } else {
                noted.note
            }
        });
        Report {
            findings: self.findings.finish(),
            left_out: Vec::new(),
            ranks: Vec::new(),
            notes: notes.collect(),
            coverage: Some(self.coverage),
            memory: Some(self.memory),
            graphs: None,
        }
    }
}

/// Findings, those of the same thing as one: the same line failed in the same way, as in the next iteration of a loop, or in
/// another rank.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    known: FxHashMap<Thing, usize>,
    /// The faults at the lines of findings that are about replays.
    faults: FxHashMap<usize, Faults>,
    /// Where each process stands in the list of a finding.
    processes: FxHashMap<(usize, Identity), usize>,
}

/// What findings of one thing have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Thing {
    id: &'static str,
    location: Option<Location>,
    function: Option<String>,
    /// Where the capture began; `None` for replays, which one line makes of many graphs.
    began: Option<(Option<String>, Option<u32>)>,
}

/// What two processes never have in common.
type Identity = (Option<String>, u32, Option<u32>, u64);

impl Findings {
    /// Adds a finding to those of before, or counts it as one of them.
    pub(crate) fn add(&mut self, finding: Finding) {
        let next = self.all.len();
        let Some(observed) = finding.observed() else {
            self.all.push(finding);
            return;
        };
        let at = *self.known.entry(thing(&finding, observed)).or_insert(next);
        if at == next {
            for (place, process) in observed.processes.iter().enumerate() {
                self.processes.insert((at, identity(process)), place);
            }
            if let Some(faults) = Faults::of(&finding) {
                self.faults.insert(at, faults);
            }
            self.all.push(finding);
        } else if let Some(known) = self.all[at].observed_mut() {
            if let Some(faults) = self.faults.get_mut(&at) {
                faults.add(&finding, observed);
            }
            known.count += observed.count;
            for process in &observed.processes {
                let behind = known.processes.len();
                let key = (at, identity(process));
                let place = *self.processes.entry(key).or_insert(behind);
                match known.processes.get_mut(place) {
                    Some(known) => known.count += process.count,
                    None => known.processes.push(process.clone()),
                }
            }
        }
    }

    /// All of them, each with its processes by rank, and with what else was found at its line.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        for (at, finding) in self.all.iter_mut().enumerate() {
            let faults = self.faults.remove(&at).map(Faults::notes);
            finding.notes.extend(faults.unwrap_or_default());
        }
        for observed in self.all.iter_mut().filter_map(Finding::observed_mut) {
            Process::sort(&mut observed.processes);
        }
        self.all
    }
}

fn thing(finding: &Finding, observed: &Observed) -> Thing {
    let capture = observed.capture.as_ref().filter(|_| !observed.of_replays);
    Thing {
        id: finding.id,
        location: finding.location.clone(),
        function: observed.call.as_ref().map(|it| it.function.clone()),
        began: capture.map(|it| (it.file.clone(), it.line)),
    }
}

fn identity(process: &Process) -> Identity {
    let (host, pid, rank, started) = process.identity();
    (host.map(str::to_owned), pid, rank, started)
}

/// Notes, each once.
#[derive(Debug, Default)]
struct Notes {
    all: Vec<Noted>,
    known: FxHashMap<(bool, NoteLevel, String, Option<Location>), usize>,
}

/// A note, and the processes that it is on.
#[derive(Debug)]
struct Noted {
    note: Note,
    unless_forked: bool,
    processes: Vec<Process>,
}

impl Notes {
    fn add(&mut self, note: Note, process: &Process, unless_forked: bool) {
        let key = (
            unless_forked,
            note.level,
            note.text.clone(),
            note.location.clone(),
        );
        let at = *self.known.entry(key).or_insert(self.all.len());
        match self.all.get_mut(at) {
            Some(known) => known.processes.push(process.clone()),
            None => self.all.push(Noted {
                note,
                unless_forked,
                processes: vec![process.clone()],
            }),
        }
    }
}

fn of_processes(note: Note, mut whose: Vec<Process>) -> Note {
    Process::sort(&mut whose);
    Note {
        text: format!("in {}: {}", Process::names(&whose), note.text),
        ..note
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cgsan_finding::{Basis, Confidence, Label, LabelRole};

    fn process(pid: u32, rank: Option<u32>) -> Process {
        Process {
            pid,
            command: vec!["python".to_owned(), "train.py".to_owned()],
            rank,
            count: 1,
            ..Process::default()
        }
    }

    fn finding(id: &'static str, process: Process) -> Finding {
        Finding {
            id,
            title: id.to_owned(),
            confidence: Confidence::Confirmed,
            location: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            basis: Basis::Run(Box::new(Observed {
                count: process.count,
                processes: vec![process],
                ..Observed::default()
            })),
        }
    }

    fn note(text: &str) -> Note {
        Note::new(text, None)
    }

    fn merge(reports: Vec<(Process, Found)>) -> Report {
        let mut merged = Merged::default();
        for (process, report) in reports {
            merged.add(&process, report);
        }
        merged.finish()
    }

    fn report(process: Process, ids: &[&'static str], notes: &[&str]) -> (Process, Found) {
        let findings = ids.iter().map(|id| finding(id, process.clone())).collect();
        let notes = notes.iter().map(|text| note(text)).collect();
        let found = Found {
            findings,
            notes,
            coverage: Coverage {
                processes: 1,
                ..Coverage::default()
            },
            ..Found::default()
        };
        (process, found)
    }

    #[test]
    fn what_several_ranks_did_is_said_once_with_their_names() {
        let merged = merge(vec![
            report(process(8, Some(1)), &["CG101"], &["cut off"]),
            report(
                process(7, Some(0)),
                &["CG102", "CG101", "CG101"],
                &["cut off", "alone"],
            ),
        ]);
        let told: Vec<_> = merged
            .findings
            .iter()
            .map(|finding| {
                let it = finding.observed().expect("it ran");
                let ranks: Vec<_> = it.processes.iter().map(|it| (it.rank, it.count)).collect();
                (finding.id, it.count, ranks)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("CG101", 3, vec![(Some(0), 2), (Some(1), 1)]),
                ("CG102", 1, vec![(Some(0), 1)]),
            ]
        );
        let notes: Vec<&str> = merged.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes, ["in ranks 0 and 1: cut off", "in rank 0: alone"]);
    }

    #[test]
    fn other_faults_at_a_line_that_replays_many_graphs_are_notes() {
        let line = |line: u32| Location {
            file: "serve.py".into(),
            line,
            span: None,
            cell: None,
            function: "<module>".to_owned(),
        };
        let label = |role, at, text: &str| Label {
            role,
            location: line(at),
            text: text.to_owned(),
        };
        let of_name = |text: &str, read_at: u32| {
            let mut finding = finding("CG203", process(7, None));
            finding.location = Some(line(9));
            finding.labels = vec![
                label(LabelRole::Primary, 9, text),
                label(LabelRole::Secondary, read_at, "the capture read it"),
            ];
            let observed = finding.observed_mut().expect("it ran");
            observed.of_replays = true;
            finding
        };
        let mut findings = Findings::default();
        for (text, read_at) in [
            ("`w` is another tensor", 3),
            ("`w` is another tensor", 3),
            ("`b` is another tensor", 4),
            ("`b` is another tensor", 4),
            ("`w` is another tensor", 5),
        ] {
            findings.add(of_name(text, read_at));
        }
        let all = findings.finish();
        assert_eq!(all.len(), 1);
        assert_eq!(
            all[0].notes,
            [
                "also here: `b` is another tensor (serve.py:4)",
                "also here: `w` is another tensor (serve.py:5)",
            ]
        );
        assert_eq!(all[0].observed().expect("it ran").count, 5);
    }

    #[test]
    fn a_process_without_a_rank_has_its_id_and_its_command() {
        let merged = merge(vec![
            report(process(7, None), &[], &["cut off"]),
            report(process(8, None), &[], &[]),
        ]);
        assert_eq!(
            merged.notes[0].text,
            "in process 7 (`python train.py`): cut off"
        );
    }

    #[test]
    fn a_forked_child_that_leaves_without_cleaning_up_is_no_news() {
        let of = |host: &str| Process {
            host: Some(host.to_owned()),
            ..process(8, None)
        };
        let mut merged = Merged::default();
        for host in ["here", "there"] {
            let (process, found) = report(of(host), &[], &[]);
            let found = Found {
                unless_forked: Some(note("cut off")),
                ..found
            };
            merged.add(&process, found);
        }
        merged.add_forked(Some("here"), std::iter::once(8));
        let report = merged.finish();
        let notes: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes, ["in process 8 (`python train.py`): cut off"]);
    }

    #[test]
    fn processes_with_one_id_on_two_machines_are_two() {
        let of = |host: &str| Process {
            host: Some(host.to_owned()),
            ..process(8, None)
        };
        let merged = merge(vec![
            report(of("here"), &["CG101"], &[]),
            report(of("there"), &["CG101"], &[]),
        ]);
        let observed = merged.findings[0].observed().expect("it ran");
        assert_eq!((observed.count, observed.processes.len()), (2, 2));
    }

    #[test]
    fn the_only_process_of_a_run_needs_no_name() {
        let merged = merge(vec![report(process(7, Some(0)), &[], &["cut off"])]);
        assert_eq!(merged.notes[0].text, "cut off");
    }
}
