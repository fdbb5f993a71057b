//! Repairs a project: fixes, until no more follow.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::apply::apply;
use crate::finding::Fix;
use crate::linter::{Outcome, lint};
use crate::project::Project;
use crate::settings::Settings;

/// How often fixes are applied before it is given up that no more follow.
const MOST_ROUNDS: usize = 100;

/// Files that were changed, with their texts as they were.
pub type Changed = BTreeMap<PathBuf, String>;

/// Applies the fixes of `outcome`, looks again, and so on until no more follow. `outcome` is then what remains. Files on
/// disk stay as they are.
pub fn repair(
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
            let (after, applied) = apply(&before, &fixes);
            if applied > 0 {
                changed.entry(path.clone()).or_insert(before);
                project.set_text(&path, after);
                progress = true;
            }
        }
        if !progress {
            break;
        }
        *outcome = lint(project, settings);
    }
    changed
}
