//! What is looked at: files, or standard input.

use std::io::Read as _;
use std::path::Path;

use cgsan_lint::{Project, SyntaxError};

use super::{LintOptions, files};
use crate::error::Error;

/// The name of standard input among the paths.
pub const STDIN: &str = "-";

/// The name under which standard input is reported.
const STDIN_NAME: &str = "<stdin>";

/// What is looked at.
#[derive(Debug)]
pub struct Input {
    /// The files.
    pub project: Project,
    /// Folders and files that cannot be read, and why.
    pub unreadable: Vec<SyntaxError>,
    /// Whether it is standard input.
    pub is_stdin: bool,
}

/// Finds the files that are named, or reads standard input.
pub fn open(options: &LintOptions) -> Result<Input, Error> {
    if options.paths.iter().all(|path| path.as_os_str() != STDIN) {
        let found = files::find(&options.paths)?;
        return Ok(Input {
            project: Project::new(found.files),
            unreadable: found.unreadable,
            is_stdin: false,
        });
    }
    if options.paths.len() > 1 {
        return Err(Error::Lint {
            what: "standard input and files cannot be looked at together".to_owned(),
            help: "name `-` alone",
        });
    }
    let name = options
        .stdin_filename
        .as_deref()
        .unwrap_or(Path::new(STDIN_NAME));
    let mut project = Project::default();
    project.set_text(name, standard_input()?);
    Ok(Input {
        project,
        unreadable: Vec::new(),
        is_stdin: true,
    })
}

fn standard_input() -> Result<String, Error> {
    let wrong = |what: String| Error::Lint {
        what,
        help: "pipe Python source into cgsan",
    };
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|reason| wrong(format!("standard input cannot be read: {reason}")))?;
    String::from_utf8(bytes).map_err(|_| wrong("standard input is not UTF-8".to_owned()))
}
