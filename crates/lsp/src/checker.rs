//! The one place that asks the linter.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use cgsan_lint::{Finding, Outcome, Project, Settings};

/// The settings for the files of a folder, or what is wrong with them.
pub type Configure<'a> = &'a dyn Fn(&Path) -> Result<Settings, String>;

/// The linter, with the texts that the editor holds.
pub struct Checker<'a> {
    configure: Configure<'a>,
    project: Project,
    /// The settings of each folder that was asked for.
    settings: BTreeMap<PathBuf, Settings>,
    /// What the editor holds, and no disk.
    texts: BTreeMap<PathBuf, String>,
}

impl<'a> Checker<'a> {
    /// A linter without a file.
    pub fn new(configure: Configure<'a>) -> Self {
        Self {
            configure,
            project: Project::default(),
            settings: BTreeMap::new(),
            texts: BTreeMap::new(),
        }
    }

    /// Gives a file the text that an editor holds.
    pub fn set_text(&mut self, path: &Path, text: &str) {
        self.project.set_text(path, text.to_owned());
        self.texts.insert(path.to_owned(), text.to_owned());
    }

    /// Takes a file's text from disk again.
    pub fn forget_text(&mut self, path: &Path) {
        self.project.forget_text(path);
        self.texts.remove(path);
    }

    /// Forgets what is known of the disk: files and settings.
    pub fn reload(&mut self) {
        self.settings.clear();
        self.project = Project::default();
        for (path, text) in &self.texts {
            self.project.set_text(path, text.clone());
        }
    }

    /// The text of a file that was looked at.
    pub fn text(&self, path: &Path) -> Option<&str> {
        match self.texts.get(path) {
            Some(text) => Some(text),
            None => self.project.code(path),
        }
    }

    /// What the linter finds from an open file on, in it and in what it imports. `Err` says what went wrong with the
    /// configuration or with the linter; the server goes on.
    pub fn check(&mut self, path: &Path) -> Result<Outcome, String> {
        let folder = path.parent().unwrap_or(path);
        let settings = match self.settings.entry(folder.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert((self.configure)(folder)?),
        };
        let project = &mut self.project;
        // An unforeseen program must not take the editor's other diagnostics with it.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            cgsan_lint::lint_file(project, settings, path)
        }));
        outcome.map_err(|_| {
            self.reload();
            format!("the linter failed on {}; please report it", path.display())
        })
    }

    /// Whether `finding`, which was found from `root` on, is gone if its file has another text.
    pub fn is_gone_with(&mut self, root: &Path, finding: &Finding, text: String) -> bool {
        let file = finding.location.file.as_path();
        let Ok(before) = self.check(root) else {
            return false;
        };
        self.project.set_text(file, text);
        let after = self.check(root);
        match self.texts.get(file) {
            Some(text) => self.project.set_text(file, text.clone()),
            None => self.project.forget_text(file),
        }
        after.is_ok_and(|after| {
            let same = |it: &&Finding| it.id == finding.id && it.location.file == file;
            let is_fewer = after.findings.iter().filter(same).count()
                < before.findings.iter().filter(same).count();
            is_fewer && after.errors.len() <= before.errors.len()
        })
    }
}
