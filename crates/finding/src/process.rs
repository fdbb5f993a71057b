//! Processes, and what a sentence calls them.

use serde::Serialize;

use crate::phrase::{list, numbers};

/// A process in which something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Process {
    /// Its process id.
    pub pid: u32,
    /// Its command line.
    pub command: Vec<String>,
    /// Its number among all processes of its distributed job; `None` if it is part of none.
    pub rank: Option<u32>,
    /// Its number among those of the job on its machine.
    pub local_rank: Option<u32>,
    /// How many processes the job has.
    pub world_size: Option<u32>,
    /// The name of its machine; `None` where the trace does not have it.
    pub host: Option<String>,
    /// Seconds since the Unix epoch when it began to be recorded; 0 if that is not known.
    #[serde(skip)]
    pub started: u64,
    /// How often the finding was made in it.
    pub count: usize,
}

/// How many processes without a rank are named one by one.
const NAMED: usize = 3;

/// How much of a command line is shown, in characters.
const SHOWN: usize = 48;

impl Process {
    /// Whether both are the same process: ids are given out by each machine, by each container on it, and again after a while.
    pub fn is(&self, other: &Process) -> bool {
        self.identity() == other.identity()
    }

    /// What two processes never have in common.
    pub fn identity(&self) -> (Option<&str>, u32, Option<u32>, u64) {
        (self.host.as_deref(), self.pid, self.rank, self.started)
    }

    /// Brings processes into the order of their ranks; those without one come last.
    pub fn sort(processes: &mut [Process]) {
        processes.sort_by_key(|process| (process.rank.is_none(), process.rank));
    }

    /// What a sentence calls processes: `rank 1`, `ranks 0 to 7`, ``process 4711 (`python worker.py`)``.
    pub fn names(processes: &[Process]) -> String {
        let mut ranks: Vec<u32> = processes.iter().filter_map(|it| it.rank).collect();
        ranks.dedup();
        let others: Vec<String> = processes
            .iter()
            .filter(|it| it.rank.is_none())
            .map(|it| format!("process {} (`{}`)", it.pid, it.short_command()))
            .collect();
        let mut names = Vec::new();
        match ranks.as_slice() {
            [] => {}
            [rank] => names.push(format!("rank {rank}")),
            ranks => names.push(format!("ranks {}", numbers(ranks))),
        }
        if others.len() <= NAMED {
            names.extend(others);
        } else {
            let ids = processes.iter().filter(|it| it.rank.is_none());
            let ids: Vec<u32> = ids.map(|it| it.pid).collect();
            names.push(format!("processes {}", numbers(&ids)));
        }
        list(&names)
    }

    /// The beginning of the command line, without the folder of the program.
    fn short_command(&self) -> String {
        let program = self
            .command
            .first()
            .map_or("?", |it| it.rsplit('/').next().unwrap_or_default());
        let words = self.command.iter().skip(1).map(String::as_str);
        let line: Vec<&str> = std::iter::once(program).chain(words).collect();
        let line = line.join(" ");
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_other_processes_are_named_together() {
        let process = |pid, rank| Process {
            pid,
            rank,
            command: vec!["/usr/bin/python".to_owned(), "a.py".to_owned()],
            ..Process::default()
        };
        let named = [process(7, Some(0)), process(8, Some(1)), process(9, None)];
        assert_eq!(
            Process::names(&named),
            "ranks 0 and 1 and process 9 (`python a.py`)"
        );
        let many: Vec<Process> = (0..5).map(|pid| process(10 + 2 * pid, None)).collect();
        assert_eq!(Process::names(&many), "processes 10, 12, 14, 16 and 18");
    }

    #[test]
    fn a_long_command_line_is_cut_off() {
        let process = Process {
            command: vec!["python".to_owned(), "é".repeat(100)],
            ..Process::default()
        };
        assert_eq!(
            process.short_command(),
            format!("python {}…", "é".repeat(SHOWN - 7))
        );
    }
}
