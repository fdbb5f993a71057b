//! Running many programs under one `cgsan run`, each in a process that begins with PyTorch imported: see `tests/together.py`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Finding, Watched, in_parallel, root, run, temporary_folder};

/// How many programs share an import of PyTorch: few enough that all processors have work until the end.
const TOGETHER: usize = 30;

/// How several programs are run.
pub type WatchAll = fn(&OsStr, &[PathBuf]) -> Vec<Result<Watched, String>>;

/// What each program did, in order; an error says that there is no result to judge. Notes are left out: they are about the run.
pub fn watch_all(python: &OsStr, programs: &[PathBuf]) -> Vec<Result<Watched, String>> {
    let groups: Vec<&[PathBuf]> = programs.chunks(TOGETHER).collect();
    in_parallel(&groups, |group| {
        watch_group(python, group)
            .unwrap_or_else(|problem| group.iter().map(|_| Err(problem.clone())).collect())
    })
    .into_iter()
    .flatten()
    .collect()
}

fn watch_group(
    python: &OsStr,
    programs: &[PathBuf],
) -> Result<Vec<Result<Watched, String>>, String> {
    let folder = temporary_folder()?;
    let driver = root().join("tests/together.py");
    let mut arguments = vec![python, driver.as_os_str(), folder.path().as_os_str()];
    arguments.extend(programs.iter().map(|program| program.as_os_str()));
    let (output, report) = run(&["--gpus", "1"], &arguments, folder.path())?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "together.py ended with {}: {stderr}",
            output.status
        ));
    }
    let ends = (0..programs.len())
        .map(|number| End::of(folder.path(), number))
        .collect::<Result<Vec<End>, String>>()?;
    let mut findings: Vec<Vec<Finding>> = programs.iter().map(|_| Vec::new()).collect();
    for finding in report.findings {
        let owner = ends
            .iter()
            .position(|end| finding.processes.iter().any(|it| it.pid == end.process))
            // Processes that a program started are known by its file.
            .or_else(|| programs.iter().position(|it| finding.line_in(it).is_some()))
            .ok_or_else(|| format!("no program has the finding {finding:?}"))?;
        findings[owner].push(finding);
    }
    Ok(ends
        .into_iter()
        .zip(findings)
        .map(|(end, findings)| {
            Ok(Watched {
                exit: end.exit,
                stdout: end.stdout,
                stderr: end.stderr,
                findings,
                notes: Vec::new(),
            })
        })
        .collect())
}

/// What the driver left behind of one program.
struct End {
    process: i32,
    exit: Option<i32>,
    stdout: String,
    stderr: String,
}

impl End {
    fn of(folder: &Path, number: usize) -> Result<End, String> {
        let read = |ending: &str| {
            let path = folder.join(format!("{number}.{ending}"));
            fs::read(&path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|error| format!("{}: {error}", path.display()))
        };
        let end = read("end")?;
        let (process, status) = end
            .split_once(' ')
            .and_then(|(process, status)| Some((process.parse().ok()?, status.parse().ok()?)))
            .ok_or_else(|| format!("`{end}` is no end of a program"))?;
        Ok(End {
            process,
            // Python writes a signal as a negative number.
            exit: (status >= 0).then_some(status),
            stdout: read("out")?,
            stderr: read("err")?,
        })
    }
}
