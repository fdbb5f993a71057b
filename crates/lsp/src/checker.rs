//! The one place that asks the linter.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cgsan_finding::Finding;
use cgsan_lint::{Cells, Outcome, Project, Settings};
use cgsan_selection::Baseline;

/// What the server has to know of the disk beside the files that are open.
pub trait Surroundings: Send + Sync {
    /// The configuration for the files of a folder.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and what to do.
    fn configuration(&self, folder: &Path) -> Result<Configuration, String>;

    /// The Python files and notebooks under a folder of the workspace, one after the other, without those that are not
    /// the user's own.
    fn files(&self, folder: &Path) -> Box<dyn Iterator<Item = PathBuf>>;
}

/// What is reported in the files of a folder.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// By id, confidence and version.
    pub settings: Settings,
    /// What is known, and not reported again.
    pub baseline: Option<Baseline>,
    /// The file of the baseline, whether it can be read or not.
    pub baseline_path: Option<PathBuf>,
    /// What is wrong with a part of the configuration; the rest counts.
    pub trouble: Option<String>,
}

/// The linter, with the texts that the editor holds.
pub struct Checker {
    surroundings: Arc<dyn Surroundings>,
    project: Project,
    /// The configuration of each folder that was asked for.
    configurations: BTreeMap<PathBuf, Configuration>,
    /// Those of before the last reload, which count as long as the newer ones are wrong.
    former: BTreeMap<PathBuf, Configuration>,
    /// What the editor holds, and no disk.
    texts: BTreeMap<PathBuf, String>,
    /// What went wrong and was not told yet.
    troubles: Vec<String>,
}

impl Checker {
    /// A linter without a file.
    pub fn new(surroundings: Arc<dyn Surroundings>) -> Self {
        Self {
            surroundings,
            project: Project::default(),
            configurations: BTreeMap::new(),
            former: BTreeMap::new(),
            texts: BTreeMap::new(),
            troubles: Vec::new(),
        }
    }

    /// Adds a file that no editor holds.
    pub fn add_file(&mut self, path: &Path) {
        self.project.add_file(path);
    }

    /// Gives a file the contents that an editor holds.
    pub fn set_text(&mut self, path: &Path, contents: String) {
        self.project.set_text(path, contents.clone());
        self.texts.insert(path.to_owned(), contents);
    }

    /// Takes a file's text from disk again.
    pub fn forget_text(&mut self, path: &Path) {
        self.project.forget_text(path);
        self.texts.remove(path);
    }

    /// Forgets what is known of the disk: files and configuration.
    pub fn reload(&mut self) {
        self.former.append(&mut self.configurations);
        self.forget_files();
    }

    /// Forgets what is known of files on disk.
    pub fn forget_files(&mut self) {
        self.project = Project::default();
        for (path, text) in &self.texts {
            self.project.set_text(path, text.clone());
        }
    }

    /// The code of a file that was looked at; of a notebook, that of its cells.
    pub fn code(&self, path: &Path) -> Option<&str> {
        self.project.code(path)
    }

    /// Where the cells of a notebook that was looked at are in its code.
    pub fn cells(&self, path: &Path) -> Option<&Cells> {
        self.project.cells(path)
    }

    /// The files on which the findings from a file on depend.
    pub fn reach(&mut self, path: &Path) -> BTreeSet<PathBuf> {
        let project = &mut self.project;
        let reach = catch_unwind(AssertUnwindSafe(|| cgsan_lint::reach(project, path)));
        reach.unwrap_or_default()
    }

    /// What the linter finds from a file on, in it and in what it imports, known or not. `None` if it failed.
    pub fn check(&mut self, path: &Path) -> Option<Outcome> {
        let settings = self.configuration(path).settings.clone();
        self.add_file(path);
        let project = &mut self.project;
        // An unforeseen program must not take the editor's other diagnostics with it.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            cgsan_lint::lint_file(project, &settings, path)
        }));
        if outcome.is_err() {
            self.forget_files();
            let path = path.display();
            self.troubles
                .push(format!("the linter failed on {path}; please report it"));
        }
        let outcome = outcome.ok()?;
        // What is known is a matter of the file in which something was found.
        for file in outcome.findings.iter().filter_map(Finding::file) {
            self.configuration(file);
        }
        Some(outcome)
    }

    /// Takes out of the findings in a file those of its baseline.
    pub fn without_known<T>(
        &self,
        path: &Path,
        findings: &mut Vec<T>,
        finding: impl Fn(&T) -> &Finding,
    ) {
        let configuration = self.configurations.get(folder_of(path));
        let Some(baseline) = configuration.and_then(|it| it.baseline.as_ref()) else {
            return;
        };
        let mut left = baseline.left_in(path);
        findings.retain(|it| !left.takes(finding(it), &mut &self.project));
    }

    /// Whether a file is the baseline of one that was looked at.
    pub fn is_baseline(&self, path: &Path) -> bool {
        let mut all = self.configurations.values();
        all.any(|it| it.baseline_path.as_deref() == Some(path))
    }

    /// What went wrong since the last call.
    pub fn take_troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    /// Whether the fix of `finding`, one of those that were found `before` from `root` on, repairs it: what `--fix` would do.
    pub fn is_repaired(&mut self, root: &Path, before: &Outcome, finding: &Finding) -> bool {
        // Its edits are for the text in which it was found.
        if !before.findings.contains(finding) {
            return false;
        }
        let settings = self.configuration(root).settings.clone();
        let project = &mut self.project;
        let helps = catch_unwind(AssertUnwindSafe(|| {
            cgsan_lint::helps(project, &settings, root, before, finding)
        }));
        if helps.is_err() {
            self.forget_files();
        }
        helps.unwrap_or_default()
    }

    /// Whether `finding`, one of those that were found `before` from `root` on, is gone if its file has other contents.
    pub fn is_gone_with(
        &mut self,
        root: &Path,
        before: &Outcome,
        finding: &Finding,
        contents: String,
    ) -> bool {
        let Some(file) = finding.file() else {
            return false;
        };
        self.project.set_text(file, contents);
        let after = self.check(root);
        match self.texts.get(file) {
            Some(text) => self.project.set_text(file, text.clone()),
            None => self.project.forget_text(file),
        }
        after.is_some_and(|after| {
            let same = |it: &&Finding| it.id == finding.id && it.file() == Some(file);
            let is_fewer = after.findings.iter().filter(same).count()
                < before.findings.iter().filter(same).count();
            is_fewer && after.errors.len() <= before.errors.len()
        })
    }

    /// The configuration for a file. While it is wrong, the one of before counts.
    fn configuration(&mut self, path: &Path) -> &Configuration {
        let folder = folder_of(path);
        if !self.configurations.contains_key(folder) {
            let configuration = match self.surroundings.configuration(folder) {
                Ok(configuration) => {
                    self.troubles.extend(configuration.trouble.clone());
                    configuration
                }
                Err(trouble) => {
                    self.troubles.push(trouble);
                    self.former.get(folder).cloned().unwrap_or_default()
                }
            };
            self.configurations.insert(folder.to_owned(), configuration);
        }
        &self.configurations[folder]
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
