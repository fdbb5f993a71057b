//! Which traces belong together: those of one run, and those of the runs that make one distributed job.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cgsan_trace::ProcessInfo;

use crate::traces::kept::{Kept, KeptTrace};
use crate::traces::leftovers;

/// As many files of a run are listed.
const SHOWN: usize = 8;

/// The traces of one run, or of one job.
#[derive(Debug)]
pub struct OfRun {
    /// The traces.
    pub kept: Kept,
    /// The process that started first.
    first: ProcessInfo,
    /// The ranks that there are.
    ranks: BTreeSet<u32>,
}

impl OfRun {
    fn begun_by(first: &ProcessInfo) -> OfRun {
        OfRun {
            kept: Kept::default(),
            first: first.clone(),
            ranks: BTreeSet::new(),
        }
    }

    /// What it is, for a heading: when it began, how many processes left traces, and the program.
    pub fn title(&self) -> String {
        let began = UNIX_EPOCH + Duration::from_secs(self.first.started);
        let age = SystemTime::now().duration_since(began).unwrap_or_default();
        let processes = match self.kept.traces.len() {
            1 => "1 process".to_owned(),
            many => format!("{many} processes"),
        };
        let program = self.first.arguments.join(" ");
        format!("begun {}, {processes}: {program}", leftovers::ago(age))
    }

    /// The same with the files, for a list.
    pub fn described(&self) -> String {
        let mut files = self
            .kept
            .traces
            .iter()
            .map(|it| it.path.display().to_string());
        let shown: Vec<String> = files.by_ref().take(SHOWN).collect();
        let more = match files.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}\n    {}{more}", self.title(), shown.join(" "))
    }
}

/// Tells runs apart, in the order in which they began. Traces of a cgsan that did not say which run they belong to are taken for one. What
/// cannot be read goes to the first, where it is told.
///
/// Runs are one job if something names it that they have in common, and no rank is in two of them: who runs the same job twice has
/// each rank twice.
pub fn tell_apart(kept: Kept) -> Vec<OfRun> {
    let mut by_run: BTreeMap<Option<String>, Vec<(KeptTrace, ProcessInfo)>> = BTreeMap::new();
    let mut unread = Vec::new();
    for trace in kept.traces {
        match trace.process.clone() {
            Some(process) => {
                let of_run = by_run.entry(process.run.clone()).or_default();
                of_run.push((trace, process));
            }
            None => unread.push(trace),
        }
    }
    let mut runs = join(by_run.into_values().collect());
    if runs.is_empty() {
        runs.push(OfRun::begun_by(&ProcessInfo::default()));
    }
    runs[0].kept.traces.extend(unread);
    runs[0].kept.notes = kept.notes;
    runs
}

/// Makes those runs one that are of the same job.
fn join(mut by_run: Vec<Vec<(KeptTrace, ProcessInfo)>>) -> Vec<OfRun> {
    by_run.sort_by_key(|run| run.iter().map(|(_, process)| start(process)).min());
    let mut runs: Vec<OfRun> = Vec::new();
    let mut of_job: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for traces in by_run {
        let processes = traces.iter().map(|(_, process)| process);
        let Some(first) = processes.clone().min_by_key(|process| start(process)) else {
            continue;
        };
        let jobs: BTreeSet<String> = processes.clone().filter_map(|it| it.job.clone()).collect();
        let ranks: BTreeSet<u32> = processes.filter_map(|it| it.rank).collect();
        let mut candidates = jobs.iter().filter_map(|job| of_job.get(job)).flatten();
        let joined = candidates.find(|index| runs[**index].ranks.is_disjoint(&ranks));
        let index = joined.copied().unwrap_or_else(|| {
            runs.push(OfRun::begun_by(first));
            runs.len() - 1
        });
        let run = &mut runs[index];
        run.ranks.extend(ranks);
        run.kept
            .traces
            .extend(traces.into_iter().map(|(trace, _)| trace));
        for job in jobs {
            let indices = of_job.entry(job).or_default();
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
    }
    runs
}

fn start(process: &ProcessInfo) -> (u64, Option<u32>, Option<u32>, u32) {
    (
        process.started,
        process.started_ns,
        process.rank,
        process.pid,
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The traces of processes, by what they say of their run, job and rank, as the runs that they are.
    fn told_apart(processes: &[(&str, &str, Option<u32>)]) -> Vec<Vec<usize>> {
        let mut kept = Kept::default();
        for (number, (run, job, rank)) in processes.iter().enumerate() {
            let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
            let process = ProcessInfo {
                started: number as u64,
                run: named(run),
                job: named(job),
                rank: *rank,
                ..ProcessInfo::default()
            };
            let path = PathBuf::from(number.to_string());
            let trace = KeptTrace::of(path.clone(), path, Some(process));
            kept.traces.push(trace);
        }
        let number = |trace: KeptTrace| {
            let name = trace.path.file_name().expect("a name").to_string_lossy();
            name.parse().expect("a number")
        };
        let runs = tell_apart(kept).into_iter();
        runs.map(|run| run.kept.traces.into_iter().map(number).collect())
            .collect()
    }

    #[test]
    fn traces_of_one_run_belong_together_and_others_do_not() {
        let found = told_apart(&[("a", "", None), ("b", "", None), ("a", "", None)]);
        assert_eq!(found, [vec![0, 2], vec![1]]);
        assert_eq!(told_apart(&[("", "", None), ("", "", Some(1))]), [[0, 1]]);
    }

    #[test]
    fn the_machines_of_a_job_belong_together_each_time_that_it_runs() {
        let ranks = [
            // A launcher that is no rank, and two machines; then the same again.
            ("a", "", None),
            ("a", "job", Some(0)),
            ("b", "job", Some(1)),
            ("c", "job", Some(0)),
            ("d", "job", Some(1)),
            ("e", "other", Some(2)),
        ];
        assert_eq!(told_apart(&ranks), [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }
}
