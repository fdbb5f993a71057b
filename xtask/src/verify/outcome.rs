//! What a program did under `cgsan run` on the virtual GPU.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

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

    /// Whether the program succeeded.
    pub fn succeeded(&self) -> bool {
        self.end == Outcome::WELL
    }
}

/// Runs the program at `path`, from the root of the repository.
pub fn of(cgsan: &Path, python: &Path, path: &str) -> Result<Outcome> {
    let folder = workspace::target().join("verify");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    let file = |ending: &str| folder.join(path.replace('/', "-") + ending);
    let (report, errors) = (file(".json"), file(".err"));
    let stderr =
        fs::File::create(&errors).context(|| format!("cannot create {}", errors.display()))?;
    let mut child = Command::new(cgsan)
        .args(["run", "--virtual", "--json", "--output"])
        .arg(&report)
        .arg("--")
        .arg(python)
        .arg(path)
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child
            .try_wait()
            .context(|| format!("cannot wait for {path}"))?
        {
            break status;
        }
        if start.elapsed() > LONGEST {
            let _ = child.kill();
            return Err(Failure::new(format!(
                "{path} did not end within {} s",
                LONGEST.as_secs()
            )));
        }
        std::thread::sleep(LOOK);
    };
    let report = fs::read_to_string(&report).context(|| {
        format!(
            "cgsan wrote no report about {path}; see {}",
            errors.display()
        )
    })?;
    let errors = fs::read_to_string(&errors).unwrap_or_default();
    Ok(Outcome {
        end: if status.success() {
            Outcome::WELL.to_owned()
        } else {
            exception(&errors).unwrap_or_else(|| status.to_string())
        },
        findings: findings(&report).ok_or_else(|| {
            Failure::new(format!("the report about {path} is not one of cgsan's"))
        })?,
    })
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

/// The ids in a report.
fn findings(report: &str) -> Option<Vec<String>> {
    let report: Value = serde_json::from_str(report).ok()?;
    let mut ids: Vec<String> = report
        .get("findings")?
        .as_array()?
        .iter()
        .map(|finding| Some(finding.get("id")?.as_str()?.to_owned()))
        .collect::<Option<_>>()?;
    ids.sort();
    ids.dedup();
    Some(ids)
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
        let report = r#"{"findings": [{"id": "CG106"}, {"id": "CG101"}, {"id": "CG106"}]}"#;
        assert_eq!(findings(report).unwrap(), ["CG101", "CG106"]);
        assert_eq!(findings("{}"), None);
    }
}
