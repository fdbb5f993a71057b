//! One report out of those of a run's processes.

use cgsan_finding::{Coverage, Finding, Note, Observed, Process, Report};

/// Puts the reports on the processes of a run into one, in their order.
///
/// A note says whose it is where there is more than one process to think of.
pub(crate) fn merge(reports: Vec<(Process, Report)>) -> Report {
    let is_ranked = |process: &Process| process.world_size.is_some_and(|size| size > 1);
    let several = reports.len() > 1 || reports.iter().any(|(process, _)| is_ranked(process));
    let mut merged = Report::default();
    let mut coverage = Coverage::default();
    let mut memory = Vec::new();
    let mut notes: Vec<(Note, Vec<Process>)> = Vec::new();
    for (process, report) in reports {
        coverage.add(report.coverage.unwrap_or_default());
        memory.extend(report.memory.unwrap_or_default());
        for finding in report.findings {
            add(&mut merged.findings, finding);
        }
        for note in report.notes {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, whose)) => whose.push(process.clone()),
                None => notes.push((note, vec![process.clone()])),
            }
        }
    }
    merged.notes = notes
        .into_iter()
        .map(|(note, whose)| {
            if several {
                of_processes(note, whose)
            } else {
                note
            }
        })
        .collect();
    merged.coverage = Some(coverage);
    merged.memory = Some(memory);
    merged
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
        match known.processes.iter_mut().find(|it| it.pid == process.pid) {
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

    fn report(process: Process, ids: &[&'static str], notes: &[&str]) -> (Process, Report) {
        let findings = ids.iter().map(|id| finding(id, process.clone())).collect();
        let notes = notes.iter().map(|text| note(text)).collect();
        let report = Report {
            findings,
            notes,
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
    fn the_only_process_of_a_run_needs_no_name() {
        let merged = merge(vec![report(process(7, Some(0)), &[], &["cut off"])]);
        assert_eq!(merged.notes[0].text, "cut off");
    }
}
