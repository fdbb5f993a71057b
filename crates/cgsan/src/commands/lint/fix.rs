//! `--fix` and `--diff`.

use std::path::Path;

use cgsan_files::{Destination as Place, Links};
use cgsan_lint::{Changed, Project};
use similar::TextDiff;

use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::standard::Standard;

/// The changes as a patch.
pub fn difference(changed: &Changed, project: &Project) -> String {
    changed
        .iter()
        .filter_map(|(path, before)| {
            let after = project.contents(path)?;
            let name = path.display().to_string();
            let diff = TextDiff::from_lines(before.as_str(), after.as_str());
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
            .and_then(|path| project.contents(path))
            .unwrap_or_default();
        return Destination::Standard(Standard::Output).write_source(&text);
    }
    for (path, before) in changed {
        if let Some(after) = project.contents(path) {
            replace(path, before, &after)?;
        }
    }
    Ok(())
}

/// Puts a new file in the place of one, whole or not at all, unless somebody else has written it in the meantime. A file with
/// several hard links is refused: replacing it would separate them, or change code elsewhere, such as a package cache.
fn replace(path: &Path, before: &str, after: &str) -> Result<(), Error> {
    let wrong = |reason| Error::not_writable("--fix", path, reason);
    let mut destination = Place::open(path, Links::Refuse).map_err(wrong)?;
    let now = cgsan_files::read(path, Project::LARGEST);
    if !now.is_ok_and(|now| now == before.as_bytes()) {
        return Err(Error::Lint {
            what: format!("{} was changed while it was checked", path.display()),
            help: "the file was not written: run the command again",
        });
    }
    destination.write(after.as_bytes()).map_err(wrong)
}
