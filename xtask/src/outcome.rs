//! What a program did under `cgsan run` on the virtual GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// How long a program may take: it hangs then.
const LONGEST: Duration = Duration::from_mins(5);

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How a program ended, and what cgsan found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// [`Outcome::WELL`], or the type of the exception that ended it, or its exit status.
    pub end: String,
    /// The ids of the findings, ascending, each once.
    pub findings: Vec<String>,
}

impl Outcome {
    /// The end of a program that succeeded.
    pub const WELL: &str = "ended well";

    fn new<'a>(end: String, findings: impl Iterator<Item = &'a Finding>) -> Outcome {
        let mut findings: Vec<String> = findings.map(|finding| finding.id.clone()).collect();
        findings.sort();
        findings.dedup();
        Outcome { end, findings }
    }

    /// Whether the program succeeded.
    pub fn succeeded(&self) -> bool {
        self.end == Outcome::WELL
    }
}

/// Runs the program at `path`, from the root of the repository.
pub fn of(cgsan: &Path, python: &Path, path: &str) -> Result<Outcome> {
    let folder = folder()?;
    let file = |ending: &str| folder.join(path.replace('/', "-") + ending);
    let (report, errors) = (file(".json"), file(".err"));
    let stderr =
        fs::File::create(&errors).context(|| format!("cannot create {}", errors.display()))?;
    let mut command = cgsan_run(cgsan, python, &report);
    let status = end_of(command.arg(path).stderr(stderr), path)?;
    let errors = fs::read_to_string(&errors).unwrap_or_default();
    let end = end(status.success(), &errors).unwrap_or_else(|| status.to_string());
    let findings = findings(&report)?;
    Ok(Outcome::new(end, findings.iter()))
}

/// What the programs at these paths did in processes that begin with PyTorch imported (`tests/together.py`), which is faster;
/// nothing for one that needs a run of its own.
pub fn together(cgsan: &Path, python: &Path, paths: &[&str]) -> Result<Vec<Option<Outcome>>> {
    let folder = tempfile::tempdir_in(folder()?).context(|| "cannot create a folder".to_owned())?;
    let report = folder.path().join("report.json");
    let mut command = cgsan_run(cgsan, python, &report);
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
            let end = end(status == 0, &read("err")?)?;
            let own = findings.iter().filter(|it| it.is_of(process));
            Some(Outcome::new(end, own))
        })
        .collect())
}

fn folder() -> Result<PathBuf> {
    let folder = workspace::target().join("verify");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// `cgsan run` on the virtual GPU with this interpreter, whose program comes next.
fn cgsan_run(cgsan: &Path, python: &Path, report: &Path) -> Command {
    let mut command = Command::new(cgsan);
    command
        .args(["run", "--virtual", "--json", "--output"])
        .arg(report)
        .arg("--")
        .arg(python)
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
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

/// The type of the exception that the last traceback ends with.
fn exception(errors: &str) -> Option<String> {
    let lines: Vec<&str> = errors.lines().map(without_rank).collect();
    let traceback = lines
        .iter()
        .rposition(|line| line.contains("Traceback (most recent call last):"))?;
    let line = lines[traceback..]
        .iter()
        .skip(1)
        .find(|line| !line.is_empty() && !line.starts_with(' '))?;
    let type_name = line.split(':').next().unwrap_or(line);
    Some(type_name.to_owned())
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
    fn every_id_is_named_once() {
        let report = r#"{"findings": [{"id": "CG106", "processes": []}, {"id": "CG101", "processes": [{"pid": 7}]}, {"id": "CG106", "processes": []}]}"#;
        let report: Report = serde_json::from_str(report).expect("a report");
        assert_eq!(
            Outcome::new(String::new(), report.findings.iter()).findings,
            ["CG101", "CG106"]
        );
        assert!(report.findings[1].is_of(7) && !report.findings[0].is_of(7));
    }
}
