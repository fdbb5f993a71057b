//! A process that already runs, as the system describes it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use cgsan_finding::Process;
use cgsan_threads::sees_other_files;
use cgsan_trace::command_line;

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its id here.
    pub pid: u32,
    /// Its id in its own namespace, where that is another one.
    pub inner_pid: Option<u32>,
    /// The process that started it, or adopted it.
    pub parent: u32,
    /// The user that it runs as.
    pub user: u32,
    /// Its command line, with what looks like a secret masked.
    pub command: Vec<String>,
    /// For how long it has been running.
    pub age: Duration,
    /// Seconds since the Unix epoch when it was started.
    pub started: u64,
    /// What its launcher said of it.
    pub place: Place,
    /// The name of its machine, or of its container.
    pub host: Option<String>,
    /// Whether names of files mean other files to it than here.
    pub is_elsewhere: bool,
    /// The debugger that traces it.
    pub traced_by: Option<u32>,
}

/// The place of a process in a job, by its environment when it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its number among all processes of the job.
    pub rank: Option<u32>,
    /// Its number among those of its machine.
    pub local_rank: Option<u32>,
    /// How many processes the job has.
    pub world_size: Option<u32>,
    /// What tells the job apart from others on this machine.
    pub job: Option<String>,
}

/// The variables that say a process's place, by launcher: `torchrun`, Slurm, Open MPI, other MPIs with PMI.
const RANKS: [&str; 4] = ["RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"];
const LOCAL_RANKS: [&str; 4] = [
    "LOCAL_RANK",
    "SLURM_LOCALID",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
];
const SIZES: [&str; 4] = [
    "WORLD_SIZE",
    "SLURM_NTASKS",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
];

/// The variables that tell a job apart, by launcher: all of a row must be there.
const JOBS: [&[&str]; 5] = [
    &["TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"],
    &["SLURM_JOB_ID", "SLURM_STEP_ID"],
    &["PMIX_NAMESPACE"],
    &["OMPI_MCA_ess_base_jobid"],
    &["MASTER_ADDR", "MASTER_PORT"],
];

/// The most bytes of a command line, an environment or a status that are read.
const LONGEST: usize = 1 << 20;

/// Ticks of the clock that `/proc` counts in, per second.
const TICKS: f64 = 100.0;

/// When a process was started, among the words of `stat` behind its name.
const STARTED: usize = 19;

impl Subject {
    /// The process with this id; `None` if it is gone.
    pub fn of(pid: u32) -> Option<Subject> {
        let folder = format!("/proc/{pid}");
        let status = String::from_utf8_lossy(&read(&format!("{folder}/status"))).into_owned();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::trim)
        };
        let state = field("State:")?;
        if state.starts_with(['Z', 'X']) {
            return None;
        }
        let number = |text: &str| text.parse::<u32>().ok();
        let ids: Vec<u32> = field("NSpid:")
            .unwrap_or_default()
            .split_ascii_whitespace()
            .filter_map(number)
            .collect();
        let words = read(&format!("{folder}/cmdline"));
        let words: Vec<_> = words
            .split(|byte| *byte == 0)
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect();
        let words = words.strip_suffix(&[OsString::new()]).unwrap_or(&words);
        let age = age(&folder).unwrap_or_default();
        Some(Subject {
            pid,
            inner_pid: ids.last().copied().filter(|inner| *inner != pid),
            parent: field("PPid:").and_then(number).unwrap_or(0),
            user: fs::metadata(&folder).map_or(0, |it| it.uid()),
            command: command(words, field("Name:").unwrap_or_default()),
            started: epoch_seconds().saturating_sub(age.as_secs()),
            age,
            place: Place::of(&environment(pid)),
            host: host(pid),
            is_elsewhere: sees_other_files(pid),
            traced_by: field("TracerPid:").and_then(number).filter(|it| *it != 0),
        })
    }

    /// The same as findings name it.
    pub fn process(&self) -> Process {
        Process {
            pid: self.pid,
            command: self.command.clone(),
            rank: self.place.rank,
            local_rank: self.place.local_rank,
            world_size: self.place.world_size,
            host: self.host.clone(),
            started: self.started,
            count: 1,
        }
    }

    /// The name of its program, without the folder.
    pub fn program(&self) -> &str {
        let program = self.command.first().map_or("", String::as_str);
        if program.starts_with('[') {
            return program;
        }
        program.rsplit('/').next().unwrap_or_default()
    }
}

/// A command line, or as `ps` shows it the name of a process that has none: a thread of the kernel, or one that is just being started.
fn command(words: &[OsString], name: &str) -> Vec<String> {
    let command = command_line::masked(words);
    if command.is_empty() {
        return vec![format!("[{name}]")];
    }
    command
}

impl Place {
    fn of(environment: &BTreeMap<String, String>) -> Place {
        let number = |names: &[&str]| {
            let mut values = names.iter().filter_map(|name| environment.get(*name));
            values.find_map(|value| value.parse().ok())
        };
        let job = JOBS.iter().find_map(|names| {
            let values: Option<Vec<String>> = names
                .iter()
                .map(|name| Some(format!("{name}={}", environment.get(*name)?)))
                .collect();
            Some(values?.join(" "))
        });
        Place {
            rank: number(&RANKS),
            local_rank: number(&LOCAL_RANKS),
            world_size: number(&SIZES),
            job,
        }
    }
}

/// The variables of a process's environment that say its place, as they were when it was started.
fn environment(pid: u32) -> BTreeMap<String, String> {
    let wanted = JOBS.iter().copied().flatten();
    let wanted: Vec<&str> = wanted
        .chain([RANKS, LOCAL_RANKS, SIZES].iter().flatten())
        .copied()
        .collect();
    let text = read(&format!("/proc/{pid}/environ"));
    let variables = text.split(|byte| *byte == 0).filter_map(|line| {
        let line = std::str::from_utf8(line).ok()?;
        let (name, value) = line.split_once('=')?;
        wanted
            .contains(&name)
            .then(|| (name.to_owned(), value.to_owned()))
    });
    variables.collect()
}

/// The name of the machine as the process sees it: that of its container, which gives it in its environment or has a file of it.
fn host(pid: u32) -> Option<String> {
    let same = |link: &str| {
        let of = |process: &str| fs::read_link(format!("/proc/{process}/ns/{link}")).ok();
        of("self") == of(&pid.to_string())
    };
    let file = if same("uts") {
        "/proc/sys/kernel/hostname".to_owned()
    } else {
        format!("/proc/{pid}/root/etc/hostname")
    };
    let name = fs::read_to_string(file).ok()?;
    Some(name.trim().to_owned()).filter(|it| !it.is_empty())
}

fn age(folder: &str) -> Option<Duration> {
    let stat = String::from_utf8_lossy(&read(&format!("{folder}/stat"))).into_owned();
    let (_, behind) = stat.rsplit_once(')')?;
    let started: f64 = behind.split_ascii_whitespace().nth(STARTED)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64((uptime - started / TICKS).max(0.0)).ok()
}

fn epoch_seconds() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

fn read(path: &str) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap_or_default();
    bytes.truncate(LONGEST);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known_and_one_that_is_gone_is_not() {
        let own = Subject::of(std::process::id()).expect("it runs");
        assert_eq!(own.inner_pid, None);
        assert!(!own.is_elsewhere && !own.command.is_empty());
        assert!(own.age < Duration::from_mins(10));
        assert_eq!(Subject::of(u32::MAX), None);
        assert_eq!(command(&[], "kworker/0:1"), ["[kworker/0:1]"]);
    }

    #[test]
    fn each_launcher_tells_the_place_in_its_own_words() {
        let place = |pairs: &[(&str, &str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Place::of(&pairs.collect())
        };
        let torchrun = place(&[
            ("RANK", "3"),
            ("LOCAL_RANK", "1"),
            ("WORLD_SIZE", "8"),
            ("MASTER_ADDR", "a"),
            ("MASTER_PORT", "1"),
        ]);
        assert_eq!(
            (torchrun.rank, torchrun.local_rank, torchrun.world_size),
            (Some(3), Some(1), Some(8))
        );
        assert_eq!(torchrun.job.as_deref(), Some("MASTER_ADDR=a MASTER_PORT=1"));
        let slurm = place(&[
            ("SLURM_PROCID", "5"),
            ("SLURM_JOB_ID", "7"),
            ("SLURM_STEP_ID", "0"),
        ]);
        assert_eq!(slurm.rank, Some(5));
        assert_eq!(slurm.job.as_deref(), Some("SLURM_JOB_ID=7 SLURM_STEP_ID=0"));
        let mpirun = place(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]);
        assert_eq!((mpirun.rank, mpirun.world_size), (Some(2), Some(4)));
        assert_eq!(place(&[("RANK", "x")]), Place::default());
    }
}
