//! Which of the files that a trace names are looked into.
//!
//! A trace may come from anybody, and name any file: what lies in it would go into a report, and with that to others.

use std::collections::BTreeSet;
use std::env;
use std::path::{Component, Path, PathBuf};

use cgsan_diagnose::Note;

use crate::error::Error;

/// Bytes of the largest source file that is shown.
const LARGEST_SOURCE: u64 = 16 << 20;

/// Where packages are installed.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// PyTorch, and the packages with NVIDIA's libraries for it.
const PYTORCH: [&str; 2] = ["torch", "nvidia"];

/// The files that are looked into.
#[derive(Debug)]
pub enum Reach {
    /// All: the program ran just now, with the rights of the one who reads the report.
    OwnRun,
    /// Those below these folders, or that are one of them, and PyTorch's.
    Below(Vec<PathBuf>),
}

impl Reach {
    /// For traces that were kept: this folder, and what a person names.
    pub fn of_kept(named: &[PathBuf]) -> Result<Self, Error> {
        let mut below = Vec::new();
        below.extend(env::current_dir().and_then(|it| it.canonicalize()));
        for path in named {
            let found = path.canonicalize();
            below.push(found.map_err(|reason| Error::NoSources {
                path: path.clone(),
                reason,
            })?);
        }
        Ok(Self::Below(below))
    }

    /// Whether a file that is there may be looked into, by where it really is.
    pub fn holds(&self, path: &Path) -> bool {
        match self {
            Self::OwnRun => true,
            Self::Below(folders) => path.canonicalize().is_ok_and(|path| {
                folders.iter().any(|folder| path.starts_with(folder)) || is_of_pytorch(&path)
            }),
        }
    }
}

fn is_of_pytorch(path: &Path) -> bool {
    let parts: Vec<_> = path.components().map(Component::as_os_str).collect();
    parts.windows(2).any(|pair| {
        PACKAGES.iter().any(|it| pair[0] == *it) && PYTORCH.iter().any(|it| pair[1] == *it)
    })
}

/// The source files of a report.
#[derive(Debug)]
pub struct Sources<'a> {
    reach: &'a Reach,
    /// Where the program ran, if it is not here that it did: a saved trace may be shown anywhere.
    directory: PathBuf,
    withheld: BTreeSet<PathBuf>,
}

impl<'a> Sources<'a> {
    /// Those of a program that ran in `directory`.
    pub fn new(reach: &'a Reach, directory: &Path) -> Self {
        Self {
            reach,
            directory: directory.to_owned(),
            withheld: BTreeSet::new(),
        }
    }

    /// The text of a source file, if it may be shown.
    pub fn text(&mut self, file: &str) -> Option<String> {
        let path = self.directory.join(file);
        if self.reach.holds(&path) {
            let text = cgsan_files::read_text(&path, LARGEST_SOURCE).ok()?;
            let is_shown = matches!(self.reach, Reach::OwnRun) || is_python(&path, &text);
            return is_shown.then_some(text);
        }
        if path.exists() {
            self.withheld.insert(path);
        }
        None
    }

    /// That files were not shown, for whom that is no harm: once, however many there are.
    pub fn note(&self) -> Option<Note> {
        let first = self.withheld.first()?;
        let others = match self.withheld.len() - 1 {
            0 => String::new(),
            1 => " and of 1 other file".to_owned(),
            others => format!(" and of {others} other files"),
        };
        let text = format!(
            "lines of {}{others} are not shown: a trace may name any file, and these are neither below this folder nor \
             PyTorch's; if you trust it, name their folder with `--sources`",
            first.display()
        );
        Some(Note::new(text, None))
    }
}

/// Whether a file says of itself that it is Python, so that a trace cannot show what merely lies beside the program.
fn is_python(path: &Path, text: &str) -> bool {
    let is_named_so = path
        .extension()
        .is_some_and(|it| it == "py" || it == "ipynb");
    let first = text.lines().next().unwrap_or_default();
    is_named_so || (first.starts_with("#!") && first.contains("python"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pytorch_is_known_by_where_packages_are() {
        for (path, expected) in [
            (
                "/venv/lib/python3.11/site-packages/torch/nn/modules/module.py",
                true,
            ),
            (
                "/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13",
                true,
            ),
            ("/usr/lib/python3/dist-packages/torch/__init__.py", true),
            ("/home/user/torch/secret.py", false),
            ("/venv/lib/python3.11/site-packages/torchtune/a.py", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(is_of_pytorch(Path::new(path)), expected, "{path}");
        }
    }
}
