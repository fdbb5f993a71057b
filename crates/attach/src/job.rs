//! The processes of a job on this machine, from any of them or from their launcher.
//!
//! `torchrun`, Slurm and MPI tell each rank its place by its environment. `torch.multiprocessing.spawn` tells nothing: there the ranks
//! are what one process spawned. Ray's workers have names of their own.

use cgsan_threads::{processes, processes_below};

use crate::subject::Subject;

/// The most processes above one that are looked at.
const ABOVE: usize = 64;

/// In the command line of a process that `multiprocessing` spawned, and of the one that clears up behind those.
const SPAWNED: &str = "from multiprocessing.spawn import spawn_main";

/// How a worker of Ray calls itself while it runs a task, and while it runs none.
const OF_RAY: &str = "ray::";
const IDLE: &str = "ray::IDLE";

/// How the job of a process was told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// By what the launcher said to its ranks.
    Environment(String),
    /// As what this process spawned.
    Spawned(u32),
    /// As Ray's workers of this machine.
    Ray,
}

/// The ranks of the job that a process belongs to, or has started, by rank; and how they were found. `None` if it is part of no job.
pub fn of(pid: u32) -> Option<(Vec<Subject>, Found)> {
    let named = Subject::of(pid)?;
    let all = || processes().into_iter().filter_map(|it| Subject::of(it.pid));
    let below = || {
        processes_below(pid)
            .into_iter()
            .filter_map(|it| Subject::of(it.pid))
    };
    // What a launcher has in its own environment is of the job that it is part of itself, as one that Slurm started.
    let known = below().chain([named.clone()]);
    let mut ranks = known.filter(|it| it.place.rank.is_some() && it.place.job.is_some());
    if let Some(job) = ranks.next().and_then(|it| it.place.job) {
        let is_of_job =
            |it: &Subject| it.place.rank.is_some() && it.place.job.as_ref() == Some(&job);
        let ranks = innermost(&all().filter(is_of_job).collect::<Vec<_>>());
        return Some((ranks, Found::Environment(job)));
    }
    if is_of_ray(&named) {
        return Some((sorted(all().filter(is_of_ray).collect()), Found::Ray));
    }
    let parent = if is_spawned(&named) {
        named.parent
    } else {
        pid
    };
    let spawned: Vec<Subject> = all()
        .filter(|it| it.parent == parent && is_spawned(it))
        .collect();
    (!spawned.is_empty()).then(|| (sorted(spawned), Found::Spawned(parent)))
}

/// What to name in place of a process that only starts others: its ranks. Empty if it starts none.
pub fn started_by(pid: u32) -> Vec<Subject> {
    let Some((ranks, _)) = of(pid) else {
        return Vec::new();
    };
    if ranks.iter().any(|it| it.pid == pid) {
        return Vec::new();
    }
    ranks
}

/// Of processes with one rank, the first: it has handed its environment on to those that it started.
fn innermost(all: &[Subject]) -> Vec<Subject> {
    let is_below = |it: &Subject| {
        let mut above = it.parent;
        for _ in 0..ABOVE {
            let Some(parent) = all.iter().find(|other| other.pid == above) else {
                return false;
            };
            if parent.place.rank == it.place.rank && is_python(parent) {
                return true;
            }
            above = parent.parent;
        }
        false
    };
    let ranks = all.iter().filter(|it| is_python(it) && !is_below(it));
    sorted(ranks.cloned().collect())
}

fn sorted(mut all: Vec<Subject>) -> Vec<Subject> {
    all.sort_by_key(|it| (it.place.rank.is_none(), it.place.rank, it.pid));
    all
}

/// Whether a process is a Python program, by its name: a launcher that is a shell script or a program in C is none.
fn is_python(subject: &Subject) -> bool {
    subject.program().contains("python")
}

fn is_spawned(subject: &Subject) -> bool {
    subject.command.iter().any(|word| word.contains(SPAWNED))
}

fn is_of_ray(subject: &Subject) -> bool {
    let name = subject.command.first().map_or("", String::as_str);
    name.starts_with(OF_RAY) && !name.starts_with(IDLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Place;

    fn rank(pid: u32, parent: u32, rank: u32, program: &str) -> Subject {
        Subject {
            pid,
            parent,
            command: vec![program.to_owned()],
            place: Place {
                rank: Some(rank),
                job: Some("a".to_owned()),
                ..Place::default()
            },
            ..Subject::default()
        }
    }

    #[test]
    fn what_a_rank_starts_is_no_rank() {
        let all = vec![
            rank(10, 1, 1, "/usr/bin/python3"),
            rank(11, 10, 1, "python3"),
            rank(12, 11, 1, "python3"),
            rank(20, 2, 0, "sh"),
            rank(21, 20, 0, "python"),
        ];
        let pids: Vec<u32> = innermost(&all).iter().map(|it| it.pid).collect();
        assert_eq!(pids, [21, 10]);
    }
}
