//! One report out of those of a run's processes.

use std::collections::BTreeSet;

use cgsan_finding::{Coverage, Finding, MemoryUse, Note, Observed, Process, Report};

use crate::notes::Limits;

/// The reports on the processes of a run so far, as one.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) findings: Vec<Finding>,
    notes: Vec<Noted>,
    coverage: Coverage,
    memory: Vec<MemoryUse>,
    /// Machine and id of each process that another one forked.
    forked: BTreeSet<(Option<String>, u32)>,
    /// Whether there is more than one process to think of.
    are_several: bool,
}

/// A note, and the processes that it is on.
#[derive(Debug)]
struct Noted {
    note: Note,
    unless_forked: bool,
    processes: Vec<Process>,
}

impl Merged {
    /// Adds the report on the next process, and what limits it. Gives the findings that no process before had.
    pub(crate) fn add(
        &mut self,
        process: &Process,
        report: Report,
        limits: Limits,
    ) -> &mut [Finding] {
        self.are_several |=
            self.coverage.processes > 0 || process.world_size.is_some_and(|size| size > 1);
        self.coverage.add(report.coverage.unwrap_or_default());
        self.memory.extend(report.memory.unwrap_or_default());
        let known = self.findings.len();
        for finding in report.findings {
            add(&mut self.findings, finding);
        }
        for note in report.notes.into_iter().chain(limits.notes) {
            self.note(note, process, false);
        }
        if let Some(note) = limits.unless_forked {
            self.note(note, process, true);
        }
        &mut self.findings[known..]
    }

    fn note(&mut self, note: Note, process: &Process, unless_forked: bool) {
        let is_known = |it: &&mut Noted| it.note == note && it.unless_forked == unless_forked;
        match self.notes.iter_mut().find(is_known) {
            Some(known) => known.processes.push(process.clone()),
            None => self.notes.push(Noted {
                note,
                unless_forked,
                processes: vec![process.clone()],
            }),
        }
    }

    /// Takes note of processes of a machine that another one forked.
    pub(crate) fn add_forked(&mut self, host: Option<&str>, children: impl Iterator<Item = u32>) {
        let children = children.map(|child| (host.map(str::to_owned), child));
        self.forked.extend(children);
    }

    /// The report. A note says whose it is where there is more than one process to think of.
    pub(crate) fn finish(mut self) -> Report {
        for noted in &mut self.notes {
            let is_by_custom = |process: &Process| {
                noted.unless_forked && self.forked.contains(&(process.host.clone(), process.pid))
            };
            noted.processes.retain(|process| !is_by_custom(process));
        }
        self.notes.retain(|noted| !noted.processes.is_empty());
        let notes = self.notes.into_iter().map(|noted| {
            if self.are_several {
                of_processes(noted.note, noted.processes)
            } else {
                noted.note
            }
        });
        Report {
            findings: self.findings,
            left_out: Vec::new(),
            notes: notes.collect(),
            coverage: Some(self.coverage),
            memory: Some(self.memory),
            graphs: None,
        }
    }
}

/// Adds a finding to those of before, or counts it as one of them.
pub(crate) fn add(findings: &mut Vec<Finding>, finding: Finding) {
    let known = findings.iter_mut().find(|known| are_alike(known, &finding));
    match (known.and_then(Finding::observed_mut), finding.observed()) {
        (Some(known), Some(later)) => count_as_one(known, later),
        _ => findings.push(finding),
    }
}

/// Whether two findings are of the same thing: the same line failed in the same way, as in the next iteration of a loop, or
/// in another rank.
fn are_alike(one: &Finding, other: &Finding) -> bool {
    let began = |it: &Observed| {
        let capture = it.capture.as_ref()?;
        Some((capture.file.clone(), capture.line))
    };
    let call = |it: &Observed| Some(it.call.as_ref()?.function.clone());
    let (Some(first), Some(second)) = (one.observed(), other.observed()) else {
        return false;
    };
    one.id == other.id
        && one.location == other.location
        && call(first) == call(second)
        && (first.of_replays || began(first) == began(second))
}

/// Counts what happened again as part of the first.
fn count_as_one(known: &mut Observed, later: &Observed) {
    known.count += later.count;
    for process in &later.processes {
        match known.processes.iter_mut().find(|it| it.is(process)) {
            Some(known) => known.count += process.count,
            None => known.processes.push(process.clone()),
        }
    }
    Process::sort(&mut known.processes);
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
    use cgsan_finding::{Basis, Confidence};

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

    fn merge(reports: Vec<(Process, Report)>) -> Report {
        let mut merged = Merged::default();
        for (process, report) in reports {
            merged.add(&process, report, Limits::default());
        }
        merged.finish()
    }

    fn report(process: Process, ids: &[&'static str], notes: &[&str]) -> (Process, Report) {
        let findings = ids.iter().map(|id| finding(id, process.clone())).collect();
        let notes = notes.iter().map(|text| note(text)).collect();
        let report = Report {
            findings,
            notes,
            coverage: Some(Coverage {
                processes: 1,
                ..Coverage::default()
            }),
            ..Report::default()
        };
        (process, report)
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
        let limits = || Limits {
            unless_forked: Some(note("cut off")),
            ..Limits::default()
        };
        let of = |host: &str| Process {
            host: Some(host.to_owned()),
            ..process(8, None)
        };
        let mut merged = Merged::default();
        for host in ["here", "there"] {
            let (process, report) = report(of(host), &[], &[]);
            merged.add(&process, report, limits());
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
