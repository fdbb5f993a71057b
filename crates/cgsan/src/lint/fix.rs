//! `--fix` and `--diff`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use cgsan_lint::{Fix, Outcome, Project, Settings};
use similar::TextDiff;

use crate::error::Error;

/// How often fixes are applied before it is given up that no more follow.
const MOST_ROUNDS: usize = 10;

/// Files that were changed, with their texts as they were.
pub type Changed = BTreeMap<PathBuf, String>;

/// Applies fixes until no more follow. Files on disk stay as they are.
pub fn converge(
    project: &mut Project,
    settings: &Settings,
    outcome: &mut Outcome,
    also_unsafe: bool,
) -> Changed {
    let mut changed = Changed::new();
    for _ in 0..MOST_ROUNDS {
        let mut by_file: BTreeMap<PathBuf, Vec<&Fix>> = BTreeMap::new();
        for fix in outcome.findings.iter().filter_map(|it| it.fix.as_ref()) {
            let is_notebook = fix.file.extension().is_some_and(|it| it == "ipynb");
            if (fix.safe || also_unsafe) && !is_notebook {
                by_file.entry(fix.file.clone()).or_default().push(fix);
            }
        }
        let mut progress = false;
        for (path, fixes) in by_file {
            let Some(before) = project.code(&path).map(str::to_owned) else {
                continue;
            };
            let (after, applied) = cgsan_lint::apply(&before, &fixes);
            if applied > 0 {
                changed.entry(path.clone()).or_insert(before);
                project.set_text(&path, after);
                progress = true;
            }
        }
        if !progress {
            break;
        }
        *outcome = cgsan_lint::lint(project, settings);
    }
    changed
}

/// The changes as a patch.
pub fn difference(changed: &Changed, project: &Project) -> String {
    changed
        .iter()
        .filter_map(|(path, before)| {
            let after = project.code(path)?;
            let name = path.display().to_string();
            let diff = TextDiff::from_lines(before.as_str(), after);
            Some(diff.unified_diff().header(&name, &name).to_string())
        })
        .collect()
}

/// Writes the changed files, or standard input's new text to standard output.
pub fn write(changed: &Changed, project: &Project, stdin: bool) -> Result<(), Error> {
    if stdin {
        let text = project
            .paths()
            .next()
            .and_then(|path| project.code(path))
            .unwrap_or_default();
        // A reader that has gone away is no failure of ours.
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
        return Ok(());
    }
    for path in changed.keys() {
        if let Some(text) = project.code(path) {
            replace(path, text)?;
        }
    }
    Ok(())
}

fn replace(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|reason| Error::not_writable("--fix", path, reason))
}
