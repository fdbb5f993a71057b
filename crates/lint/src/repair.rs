//! Repairs a project: fixes, until no more follow. A fix that does not help is taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::apply::apply_some;
use crate::finding::{Basis, Finding, Fix};
use crate::linter::{Outcome, lint, lint_file};
use crate::notebook;
use crate::project::{Project, is_notebook};
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
    let mut useless = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let fixable: Vec<Finding> = outcome
            .findings
            .iter()
            .filter(|it| {
                it.fix().is_some_and(|fix| {
                    (fix.safe || also_unsafe) && !useless.contains(&attempt(project, it))
                })
            })
            .cloned()
            .collect();
        let look = |project: &mut Project| lint(project, settings);
        let step = step(project, look, outcome, &fixable).or_else(|| {
            fixable.iter().find_map(|finding| {
                let step = step(project, look, outcome, std::slice::from_ref(finding));
                if step.is_none() {
                    useless.insert(attempt(project, finding));
                }
                step
            })
        });
        let Some(step) = step else { break };
        *outcome = step.after;
        for (path, before) in step.before {
            changed.entry(path).or_insert(before.contents);
        }
    }
    changed.retain(|path, before| project.contents(path).as_ref() != Some(before));
    changed
}

/// Whether the fix of a finding, one of those that [`lint_file`] finds from `root` on, helps: applied, it leaves Python in
/// which the finding is gone and nothing else is found. The project stays as it is.
pub fn helps(
    project: &mut Project,
    settings: &Settings,
    root: &Path,
    outcome: &Outcome,
    finding: &Finding,
) -> bool {
    let look = |project: &mut Project| lint_file(project, settings, root);
    let step = step(project, look, outcome, std::slice::from_ref(finding));
    step.map(|step| take_back(project, step.before)).is_some()
}

/// Leaves out the safe fixes that do not help, as far as the findings are found from their own files on.
pub fn drop_useless_fixes(project: &mut Project, settings: &Settings, outcome: &mut Outcome) {
    let mut found: BTreeMap<PathBuf, Outcome> = BTreeMap::new();
    for finding in &mut outcome.findings {
        let (Some(root), Some(true)) = (finding.file(), finding.fix().map(|fix| fix.safe)) else {
            continue;
        };
        let root = root.to_owned();
        let before = found
            .entry(root.clone())
            .or_insert_with(|| lint_file(project, settings, &root));
        let is_found = before.findings.contains(finding);
        if is_found && !helps(project, settings, &root, before, finding) {
            finding.basis = Basis::Source(None);
        }
    }
}

/// Fixes that were applied and helped.
struct Step {
    /// The changed files as they were.
    before: BTreeMap<PathBuf, Before>,
    /// What is found now.
    after: Outcome,
}

/// A file before it was changed.
struct Before {
    contents: String,
    /// The same, if the project does not have it from disk.
    held: Option<String>,
}

/// Applies the fixes of these findings, as far as they do not touch each other. `None` if one of them does not help, or brings another finding; the
/// project is then as it was.
fn step(
    project: &mut Project,
    look: impl Fn(&mut Project) -> Outcome,
    outcome: &Outcome,
    fixable: &[Finding],
) -> Option<Step> {
    let mut by_file: BTreeMap<&PathBuf, Vec<(&Finding, &Fix)>> = BTreeMap::new();
    for finding in fixable {
        let Some(fix) = finding.fix() else { continue };
        by_file.entry(&fix.file).or_default().push((finding, fix));
    }
    let mut before = BTreeMap::new();
    let mut gone: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
    for (path, findings) in by_file {
        let fixes: Vec<&Fix> = findings.iter().map(|(_, fix)| *fix).collect();
        let Some((new, applied)) = repaired(project, path, &fixes) else {
            continue;
        };
        let (Some(contents), Some(id)) = (project.contents(path), project.id(path)) else {
            continue;
        };
        for at in applied {
            *gone.entry(kind(findings[at].0)).or_default() += 1;
        }
        let held = project.replace_text(id, Some(new));
        before.insert(path.clone(), Before { contents, held });
    }
    if before.is_empty() {
        return None;
    }
    let after = look(project);
    let (had, has) = (counts(outcome), counts(&after));
    // What was repaired is gone, and nothing else came in its place.
    let helped = after.errors.len() <= outcome.errors.len()
        && has.iter().all(|(kind, count)| {
            let gone = gone.get(kind).copied().unwrap_or(0);
            count + gone <= had.get(kind).copied().unwrap_or(0)
        });
    if helped {
        return Some(Step { before, after });
    }
    take_back(project, before);
    None
}

fn take_back(project: &mut Project, before: BTreeMap<PathBuf, Before>) {
    for (path, before) in before {
        if let Some(id) = project.id(&path) {
            project.replace_text(id, before.held);
        }
    }
}

/// A file's text with fixes applied, and which of them; at least one.
fn repaired(project: &Project, path: &Path, fixes: &[&Fix]) -> Option<(String, Vec<usize>)> {
    let is_notebook = is_notebook(path);
    let (code, applied) = apply_some(project.code(path)?, is_notebook, fixes);
    if applied.is_empty() {
        return None;
    }
    if !is_notebook {
        return Some((code, applied));
    }
    let fixes: Vec<&Fix> = applied.iter().map(|at| fixes[*at]).collect();
    let json = notebook::repaired(&project.contents(path)?, &fixes)?;
    Some((json, applied))
}

/// Findings of one id in one file.
type Kind<'a> = (&'static str, Option<&'a Path>);

fn kind(finding: &Finding) -> Kind<'_> {
    (finding.id, finding.file())
}

fn counts(outcome: &Outcome) -> BTreeMap<Kind<'_>, usize> {
    let mut counts = BTreeMap::new();
    for finding in &outcome.findings {
        *counts.entry(kind(finding)).or_default() += 1;
    }
    counts
}

/// What a fix is meant to do to which code, wherever that has moved to.
fn attempt(project: &Project, finding: &Finding) -> Option<(PathBuf, String, String)> {
    let place = finding.location.as_ref()?;
    let code = project.code(&place.file)?.get(place.bytes()?)?;
    let title = finding.fix()?.title.clone();
    Some((place.file.clone(), title, code.to_owned()))
}
