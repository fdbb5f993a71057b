//! The programs of `examples/` that show a failure mode, and those that do not.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Result};
use crate::outcome::Outcome;
use crate::workspace;

/// A program of `examples/`.
pub struct Case {
    /// The failure mode of its folder.
    pub id: String,
    /// Its file, from the root of the repository.
    pub path: String,
    /// Its text.
    pub source: String,
    /// Whether it is to fail, and not sound.
    fails: bool,
}

impl Case {
    /// Whether it is about ranks and standing still, so that it may not end.
    pub fn may_hang(&self) -> bool {
        self.id.starts_with("CG4")
    }

    /// Whether the program did what it is to show.
    pub fn is_expected(&self, outcome: &Outcome) -> bool {
        if self.fails {
            outcome.findings.contains(&self.id)
        } else {
            outcome.succeeded() && outcome.findings.is_empty()
        }
    }
}

/// Every program, by its path. Those of fixes and dead ends are left out: the catalogue claims nothing of them in other
/// versions.
pub fn all() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for folder in files(&workspace::root().join("examples"))? {
        let Some((id, _)) = name(&folder).split_once('_') else {
            continue;
        };
        if !id.starts_with("cg") {
            continue;
        }
        for file in files(&folder)? {
            let Some(fails) = name(&file).strip_suffix(".py").and_then(fails) else {
                continue;
            };
            cases.push(Case {
                id: id.to_ascii_uppercase(),
                path: format!("examples/{}/{}", name(&folder), name(&file)),
                source: fs::read_to_string(&file)
                    .context(|| format!("cannot read {}", file.display()))?,
                fails,
            });
        }
    }
    Ok(cases)
}

/// Whether a program of this name is to fail; nothing for those that are left out.
fn fails(name: &str) -> Option<bool> {
    match name {
        "fails" => Some(true),
        "fixed" | "silent" => Some(false),
        _ if name.starts_with("variant_") => Some(true),
        _ if name.starts_with("lookalike") => Some(false),
        _ => None,
    }
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// What a folder holds, by name; nothing for a file.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = || format!("cannot read {}", folder.display());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for file in fs::read_dir(folder).context(failed)? {
        files.push(file.context(failed)?.path());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failing_program_has_a_twin_that_is_sound() {
        let cases = all().expect("the examples");
        let of = |fails: bool| cases.iter().filter(move |case| case.fails == fails);
        assert!(of(true).count() > 0);
        for case in of(true) {
            assert!(of(false).any(|other| other.id == case.id), "{}", case.path);
        }
        assert!(cases.iter().any(Case::may_hang));
    }
}
