//! `cgsan lsp`: the linter in an editor.

use std::path::Path;

use crate::error::Error;
use crate::exit::Exit;
use crate::lint;

/// Serves the editor that started it.
pub fn run() -> Result<Exit, Error> {
    let configure = |folder: &Path| {
        let settings = lint::settings_of(folder, None);
        settings.map_err(|error| format!("{error}; {}", error.help()))
    };
    let status = cgsan_lsp::serve(&configure).map_err(Error::Editor)?;
    Ok(Exit::Status(status))
}
