//! `cgsan lsp`: the linter in an editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cgsan_lsp::{Configuration, Surroundings};

use crate::error::Error;
use crate::exit::Exit;
use crate::lint;

/// Serves the editor that started it.
pub fn run() -> Result<Exit, Error> {
    let status = cgsan_lsp::serve(Arc::new(Disk)).map_err(Error::Editor)?;
    Ok(Exit::Status(status))
}

/// The configuration and the files that the command would find.
struct Disk;

impl Surroundings for Disk {
    fn configuration(&self, folder: &Path) -> Result<Configuration, String> {
        let found = lint::configuration_of(folder, None).map_err(|error| told(&error))?;
        let baseline = found.baseline.as_deref().map(lint::read_baseline);
        let (baseline, trouble) = match baseline.transpose() {
            Ok(baseline) => (baseline, None),
            Err(error) => (None, Some(told(&error))),
        };
        Ok(Configuration {
            settings: found.settings,
            baseline,
            baseline_path: found.baseline,
            trouble,
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
