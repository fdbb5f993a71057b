//! What tells the processes of one run, and of one distributed job, from those of others.

/// The numbers of tasks that a step of Slurm may say it has, by which it is more than a shell in an allocation.
const SLURM_TASKS: [&str; 2] = ["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"];

/// The name of this machine, which tells its processes from those of another one with the same ids.
pub fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim_end();
    (!name.is_empty()).then(|| name.to_owned())
}

/// What launchers other than `torchrun` say of the rank of a process: the variable for it, and those for the number of ranks. They
/// start programs, too, that are no job: then that number is 1.
const RANKS: [(&str, &[&str]); 3] = [
    ("SLURM_PROCID", &SLURM_TASKS),
    ("OMPI_COMM_WORLD_RANK", &["OMPI_COMM_WORLD_SIZE"]),
    ("PMI_RANK", &["PMI_SIZE"]),
];

/// The rank of this process in a distributed job, as launchers leave it in the environment.
pub fn rank(variable: &dyn Fn(&str) -> Option<String>) -> Option<u32> {
    let number = |name: &str| variable(name)?.parse::<u32>().ok();
    let of_job = |(rank, sizes): &(&str, &[&str])| {
        let size = sizes.iter().find_map(|name| number(name))?;
        number(rank).filter(|_| size > 1)
    };
    number("RANK").or_else(|| RANKS.iter().find_map(of_job))
}

/// What the processes of a distributed job have in common on all its machines, as launchers leave it in the environment. Each process
/// may have a `cgsan run` of its own.
pub fn job(host: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    meeting(host, &set)
        .or_else(|| step(&set))
        .or_else(|| set("PMIX_NAMESPACE").map(|name| format!("pmix {name}")))
        .or_else(|| indexed(host?, &set))
}

/// The indexed job of Kubernetes whose pod this is: it and the index are the pod's name as a machine.
fn indexed(host: &str, set: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let index = set("JOB_COMPLETION_INDEX")?;
    let name = host.strip_suffix(&index)?.strip_suffix('-')?;
    Some(format!("kubernetes {name}"))
}

/// Where the ranks of PyTorch meet, and the name that `torchrun` gives the job. On this machine alone, the place says which machine
/// it is.
fn meeting(host: Option<&str>, set: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    set("RANK")?;
    let (address, port) = (set("MASTER_ADDR")?, set("MASTER_PORT")?);
    let is_here = address == "localhost" || address.starts_with("127.") || address == "::1";
    let address = match host {
        Some(host) if is_here => host.to_owned(),
        _ => address,
    };
    // What `torchrun` says where nobody named the job.
    let name = set("TORCHELASTIC_RUN_ID").filter(|name| name != "none");
    let name = name.unwrap_or_default();
    Some(format!("{address}:{port} {name}").trim_end().to_owned())
}

/// The step of Slurm that started the processes.
fn step(set: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let tasks = SLURM_TASKS
        .iter()
        .find_map(|name| set(name)?.parse::<u32>().ok())?;
    let (job, step) = (set("SLURM_JOB_ID")?, set("SLURM_STEP_ID")?);
    let start = set("SLURM_RESTART_COUNT").unwrap_or_default();
    (tasks > 1).then(|| format!("slurm {job}.{step} {start}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(variables: &[(&str, &str)]) -> Option<String> {
        job(Some("node-1"), &|name| {
            let found = variables.iter().find(|(it, _)| *it == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_name_a_job_alike_on_all_its_machines() {
        let meeting = [
            ("RANK", "3"),
            ("MASTER_ADDR", "10.0.0.1"),
            ("MASTER_PORT", "29500"),
        ];
        assert_eq!(named(&meeting).as_deref(), Some("10.0.0.1:29500"));
        let torchrun = |name| [&meeting[..], &[("TORCHELASTIC_RUN_ID", name)]].concat();
        assert_eq!(named(&torchrun("none")).as_deref(), Some("10.0.0.1:29500"));
        assert_eq!(
            named(&torchrun("training")).as_deref(),
            Some("10.0.0.1:29500 training")
        );
        let slurm = |tasks| {
            named(&[
                ("SLURM_JOB_ID", "77"),
                ("SLURM_STEP_ID", "2"),
                ("SLURM_NTASKS", tasks),
            ])
        };
        assert_eq!(slurm("8").as_deref(), Some("slurm 77.2"));
        assert_eq!(
            named(&[("PMIX_NAMESPACE", "prterun-1")]).as_deref(),
            Some("pmix prterun-1")
        );
    }

    #[test]
    fn an_indexed_job_of_kubernetes_has_the_name_that_its_pods_share() {
        let index = |index| named(&[("JOB_COMPLETION_INDEX", index)]);
        assert_eq!(index("1").as_deref(), Some("kubernetes node"));
        assert_eq!(index("2"), None);
    }

    #[test]
    fn launchers_say_which_rank_a_process_is() {
        let of = |variables: &[(&str, &str)]| {
            rank(&|name| {
                let found = variables.iter().find(|(it, _)| *it == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("RANK", "3"), ("SLURM_PROCID", "0")]), Some(3));
        let slurm = |tasks| of(&[("SLURM_PROCID", "517"), ("SLURM_NTASKS", tasks)]);
        assert_eq!(slurm("1000"), Some(517));
        assert_eq!(slurm("1"), None);
        let mpi = [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")];
        assert_eq!(of(&mpi), Some(2));
        assert_eq!(of(&[("PMI_RANK", "2")]), None);
    }

    #[test]
    fn what_is_no_job_has_no_name_and_one_of_this_machine_says_which() {
        assert_eq!(named(&[]), None);
        assert_eq!(
            named(&[("MASTER_ADDR", "10.0.0.1"), ("MASTER_PORT", "29500")]),
            None
        );
        let alone = [
            ("SLURM_JOB_ID", "77"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_NTASKS", "1"),
        ];
        assert_eq!(named(&alone), None);
        let here = [
            ("RANK", "0"),
            ("MASTER_ADDR", "localhost"),
            ("MASTER_PORT", "29500"),
        ];
        assert_eq!(named(&here).as_deref(), Some("node-1:29500"));
    }
}
