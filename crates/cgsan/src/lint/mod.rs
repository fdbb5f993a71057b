//! `cgsan lint`: findings in the source.

mod baseline;
mod config;
mod files;
mod fix;
mod formats;
mod options;
mod report;

use std::io::Read as _;
use std::path::Path;

use cgsan_lint::{Outcome, Project, Settings};

pub use config::nearest as settings_of;
pub use options::LintOptions;

use crate::error::Error;
use crate::exit::Exit;
use crate::output::Destination;

/// The name of standard input among the paths.
const STDIN: &str = "-";
/// The name under which standard input is reported.
const STDIN_NAME: &str = "<stdin>";

/// Looks at the source, repairs what it was asked to, and writes what remains.
pub fn run(options: &LintOptions) -> Result<Exit, Error> {
    let settings = config::settings(options)?;
    let (mut project, stdin) = project(options)?;
    if project.paths().next().is_none() {
        eprintln!(
            "warning: there is no Python file or notebook here that `.gitignore` does not name"
        );
    }
    let mut outcome = cgsan_lint::lint(&mut project, &settings);
    if options.fix || options.diff {
        let changed =
            cgsan_lint::repair(&mut project, &settings, &mut outcome, options.unsafe_fixes);
        if options.diff {
            let difference = fix::difference(&changed, &project);
            destination(options)?.write(&difference)?;
            return Ok(Exit::Status(u8::from(!difference.is_empty())));
        }
        fix::write(&changed, &project, stdin)?;
        if stdin {
            // What was repaired takes the place of the report, so that an editor can read it.
            return Ok(status(&outcome));
        }
    }
    if let Some(path) = &options.write_baseline {
        baseline::write(path, &outcome, &project)?;
        return Ok(Exit::Status(0));
    }
    if let Some(path) = &options.baseline {
        baseline::read(path)?.remove_known(&mut outcome, &project);
    }
    let text = formats::write(
        options,
        &settings,
        &outcome,
        &project,
        destination(options)?.width(),
    );
    destination(options)?.write(&text)?;
    Ok(status(&outcome))
}

/// As ruff: 0 if there is nothing to say, 1 if there is.
fn status(outcome: &Outcome) -> Exit {
    Exit::Status(u8::from(
        !outcome.findings.is_empty() || !outcome.errors.is_empty(),
    ))
}

fn project(options: &LintOptions) -> Result<(Project, bool), Error> {
    let stdin = options.paths.iter().any(|path| path.as_os_str() == STDIN);
    if !stdin {
        return Ok((Project::new(files::find(&options.paths)?), false));
    }
    if options.paths.len() > 1 {
        return Err(Error::Lint {
            what: "standard input and files cannot be looked at together".to_owned(),
            help: "name `-` alone",
        });
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|reason| Error::Lint {
            what: format!("standard input cannot be read: {reason}"),
            help: "pipe Python source into cgsan",
        })?;
    let text = String::from_utf8(bytes).map_err(|_| Error::Lint {
        what: "standard input is not UTF-8".to_owned(),
        help: "pipe Python source into cgsan",
    })?;
    let name = options
        .stdin_filename
        .as_deref()
        .unwrap_or(Path::new(STDIN_NAME));
    let mut project = Project::new([]);
    project.set_text(name, text);
    Ok((project, true))
}

fn destination(options: &LintOptions) -> Result<Destination, Error> {
    options.open()
}

/// What was looked at, in words.
fn watched(outcome: &Outcome, settings: &Settings) -> String {
    let noun = if outcome.files == 1 { "file" } else { "files" };
    format!("{} {noun}, for PyTorch {}", outcome.files, settings.torch)
}
