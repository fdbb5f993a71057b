//! `cgsan lsp`: the linter in an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cgsan_lsp::{Configuration, Surroundings};

use crate::commands::lint;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::reports::selection;

/// Serves the editor that started it.
pub fn run() -> Result<Exit, Error> {
    let status = cgsan_lsp::serve(Arc::new(Disk)).map_err(Error::Editor)?;
    Ok(Exit::Status(status))
}

/// The configuration and the files that the command would find.
struct Disk;

impl Surroundings for Disk {
    fn configuration(&self, folder: &Path) -> Result<Configuration, String> {
        let (settings, wanted) = lint::settings_of(folder).map_err(|error| told(&error))?;
        let baseline = wanted.baseline.as_deref().map(selection::read_baseline);
        let (baseline, unread) = match baseline.transpose() {
            Ok(baseline) => (baseline, None),
            Err(error) => (None, Some(told(&error))),
        };
        let no_id = wanted.notes.into_iter().next().map(|note| note.text);
        Ok(Configuration {
            settings,
            baseline,
            baseline_path: wanted.baseline,
            trouble: unread.or(no_id),
        })
    }

    fn files(&self, folder: &Path) -> Box<dyn Iterator<Item = PathBuf>> {
        Box::new(lint::files_under(folder))
    }
}

/// An error, and what a person can do about it.
fn told(error: &Error) -> String {
    format!("{error}; {}", error.help())
}
