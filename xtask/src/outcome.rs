//! What a program did under `cgsan run` on the virtual GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// How long a program may take: it hangs then.
const LONGEST: Duration = Duration::from_mins(5);

/// Every core has a program of its own: threads and processes that share the work of one would wait for each other.
const ONE_THREAD: [(&str, &str); 2] = [
    ("OMP_NUM_THREADS", "1"),
    ("TORCHINDUCTOR_COMPILE_THREADS", "1"),
];

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How a program ended, and what cgsan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// [`Outcome::WELL`], or the type of the exception that ended it, or its exit status.
    pub end: String,
    /// The first exception that it printed: its type and the first line of its message.
    pub exception: Option<String>,
    /// The ids of the findings, ascending, each once.
    pub findings: Vec<String>,
    /// The refused call that the first finding names, if CUDA was asked.
    pub refused: Option<Call>,
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: String,
    /// The code that it returned, e.g. 900.
    pub code: i32,
}

impl Outcome {
    /// The end of a program that succeeded.
    pub const WELL: &str = "ended well";

    /// What a program did by its end, by what it wrote to standard error and by its findings, in their order.
    fn new<'a>(end: String, errors: &str, findings: impl Iterator<Item = &'a Finding>) -> Outcome {
        let findings: Vec<&Finding> = findings.collect();
        let refused = findings.first().and_then(|finding| finding.call.clone());
        let mut ids: Vec<String> = findings.iter().map(|finding| finding.id.clone()).collect();
        ids.sort();
        ids.dedup();
        Outcome {
            end,
            exception: first_exception(errors),
            findings: ids,
            refused,
        }
    }

    /// Whether the program succeeded.
    pub fn succeeded(&self) -> bool {
        self.end == Outcome::WELL
    }
}

/// `cgsan run` on the virtual GPU with an interpreter.
#[derive(Clone, Copy)]
pub struct Watcher<'a> {
    /// The command.
    pub cgsan: &'a Path,
    /// The interpreter.
    pub python: &'a Path,
    /// Further options of `cgsan run`.
    pub options: &'a [&'a str],
}

impl Watcher<'_> {
    /// What the program at `path` did, run from the root of the repository.
    pub fn one(&self, path: &str) -> Result<Outcome> {
        let folder = folder()?;
        let file = |ending: &str| folder.join(path.replace('/', "-") + ending);
        let (report, errors) = (file(".json"), file(".err"));
        let stderr =
            fs::File::create(&errors).context(|| format!("cannot create {}", errors.display()))?;
        let mut command = self.command(&report);
        let status = end_of(command.arg(path).stderr(stderr), path)?;
        let errors = fs::read(&errors).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        let end = end(status.success(), &errors).unwrap_or_else(|| status.to_string());
        Ok(Outcome::new(end, &errors, findings(&report)?.iter()))
    }

    /// What the programs at these paths did in processes that begin with PyTorch imported (`tests/together.py`), which is faster;
    /// nothing for one that needs a run of its own.
    pub fn together(&self, paths: &[&str]) -> Result<Vec<Option<Outcome>>> {
        let folder =
            tempfile::tempdir_in(folder()?).context(|| "cannot create a folder".to_owned())?;
        let report = folder.path().join("report.json");
        let mut command = self.command(&report);
        command
            .arg("tests/together.py")
            .arg(folder.path())
            .args(paths)
            .stderr(Stdio::null());
        end_of(&mut command, "tests/together.py")?;
        let findings = findings(&report)?;
        Ok(paths
            .iter()
            .enumerate()
            .map(|(number, _)| {
                let read = |ending: &str| {
                    fs::read(folder.path().join(format!("{number}.{ending}")))
                        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                        .ok()
                };
                let ended = read("end")?;
                let (process, status) = ended.split_once(' ')?;
                let (process, status): (i32, i32) = (process.parse().ok()?, status.parse().ok()?);
                let errors = read("err")?;
                let end = end(status == 0, &errors)?;
                let own = findings.iter().filter(|it| it.is_of(process));
                Some(Outcome::new(end, &errors, own))
            })
            .collect())
    }

    /// The command, whose program comes next.
    fn command(&self, report: &Path) -> Command {
        let mut command = Command::new(self.cgsan);
        command
            .args(["run", "--virtual", "--json", "--output"])
            .arg(report)
            .args(self.options)
            .arg("--")
            .arg(self.python)
            .current_dir(workspace::root())
            .envs(ONE_THREAD)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }
}

fn folder() -> Result<PathBuf> {
    let folder = workspace::target().join("verify");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Waits for a command, which may be stuck.
fn end_of(command: &mut Command, name: &str) -> Result<ExitStatus> {
    let mut child = command
        .spawn()
        .context(|| format!("cannot start {}", command.get_program().display()))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child
            .try_wait()
            .context(|| format!("cannot wait for {name}"))?
        {
            return Ok(status);
        }
        if start.elapsed() > LONGEST {
            let _ = child.kill();
            return Err(Failure::new(format!(
                "{name} did not end within {} s",
                LONGEST.as_secs()
            )));
        }
        std::thread::sleep(LOOK);
    }
}

/// How a program ended, by its exit and what it wrote to standard error; nothing if neither says it.
fn end(succeeded: bool, errors: &str) -> Option<String> {
    if succeeded {
        Some(Outcome::WELL.to_owned())
    } else {
        exception(errors)
    }
}

/// What a traceback begins with.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// The type of the exception that the last traceback ends with.
fn exception(errors: &str) -> Option<String> {
    let lines: Vec<&str> = errors.lines().map(without_rank).collect();
    let traceback = lines.iter().rposition(|line| line.contains(TRACEBACK))?;
    let line = closing_line(&lines[traceback + 1..])?;
    let type_name = line.split(':').next().unwrap_or(line);
    Some(type_name.to_owned())
}

/// The line that the first traceback ends with.
fn first_exception(errors: &str) -> Option<String> {
    let lines: Vec<&str> = errors.lines().map(without_rank).collect();
    let traceback = lines.iter().position(|line| line.contains(TRACEBACK))?;
    closing_line(&lines[traceback + 1..]).map(|line| line.trim_end().to_owned())
}

/// The first line of a traceback's exception, behind its frames.
fn closing_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut lines = lines.iter();
    lines
        .find(|line| !line.is_empty() && !line.starts_with(' '))
        .copied()
}

/// A line without the rank that wrote it, as `[rank0]: `.
fn without_rank(line: &str) -> &str {
    let rest = line
        .strip_prefix("[rank")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match rest.and_then(|rest| rest.strip_prefix("]:")) {
        Some(text) => text.strip_prefix(' ').unwrap_or(text),
        None => line,
    }
}

/// The part of a report that this looks at.
#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    id: String,
    call: Option<Call>,
    processes: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    pid: i32,
}

impl Finding {
    fn is_of(&self, process: i32) -> bool {
        self.processes.iter().any(|it| it.pid == process)
    }
}

fn findings(report: &Path) -> Result<Vec<Finding>> {
    let text = fs::read_to_string(report)
        .context(|| format!("cgsan wrote no report to {}", report.display()))?;
    let report: Report = serde_json::from_str(&text)
        .context(|| format!("{} is no report of cgsan's", report.display()))?;
    Ok(report.findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_traceback_names_the_end() {
        let errors = "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x\n\nDuring handling of the \
                      above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", \
                      line 2\n    f()\ntorch.AcceleratorError: CUDA error: y\nmore text\n";
        assert_eq!(exception(errors).as_deref(), Some("torch.AcceleratorError"));
        assert_eq!(exception("Segmentation fault"), None);
    }

    #[test]
    fn a_rank_before_the_lines_is_no_part_of_them() {
        let errors = "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"a.py\", line 1\n[rank0]: \
                      RuntimeError: x\n[rank0]:[W1121 08:00:00 init.cpp] y\n";
        assert_eq!(exception(errors).as_deref(), Some("RuntimeError"));
    }

    #[test]
    fn the_first_exception_is_told_with_its_words() {
        let errors = "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x: y\n\nDuring handling of the \
                      above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", \
                      line 2\nTypeError: z\n";
        assert_eq!(first_exception(errors).as_deref(), Some("ValueError: x: y"));
        assert_eq!(first_exception("a warning"), None);
    }

    #[test]
    fn every_id_is_named_once_and_the_first_finding_names_the_call() {
        let report = r#"{"findings": [
            {"id": "CG106", "call": {"function": "cuStreamEndCapture", "code": 904}, "processes": []},
            {"id": "CG101", "call": null, "processes": [{"pid": 7}]},
            {"id": "CG106", "call": null, "processes": []}]}"#;
        let report: Report = serde_json::from_str(report).expect("a report");
        let outcome = Outcome::new(String::new(), "", report.findings.iter());
        assert_eq!(outcome.findings, ["CG101", "CG106"]);
        assert_eq!(outcome.refused.map(|call| call.code), Some(904));
        assert!(report.findings[1].is_of(7) && !report.findings[0].is_of(7));
    }
}
