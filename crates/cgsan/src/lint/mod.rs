//! `cgsan lint`: findings in the source.

mod baseline;
mod config;
mod files;
mod fix;
mod formats;
mod ids;
mod input;
mod options;
mod report;

use cgsan_lint::Outcome;

pub use baseline::read as read_baseline;
pub use config::{Configuration, nearest as configuration_of};
pub use files::under as files_under;

pub use options::LintOptions;

use crate::error::Error;
use crate::exit::Exit;
use crate::output::Standard;
use formats::Seen;
use input::Input;
use options::Format;

/// Looks at the source, repairs what it was asked to, and writes what remains.
pub fn run(options: &LintOptions) -> Result<Exit, Error> {
    options.check()?;
    let Configuration { settings, baseline } = config::configuration(options)?;
    let Input {
        mut project,
        unreadable,
        is_stdin,
    } = input::open(options)?;
    if project.paths().next().is_none() && unreadable.is_empty() && !options.quiet {
        warn("no Python file or notebook was found here, apart from those that `.gitignore` names");
    }
    let mut outcome = cgsan_lint::lint(&mut project, &settings);
    let mut repaired = 0;
    if options.fix || options.diff {
        let changed =
            cgsan_lint::repair(&mut project, &settings, &mut outcome, options.unsafe_fixes);
        if options.diff {
            let difference = fix::difference(&changed, &project);
            options.open()?.write_source(&difference)?;
            return Ok(exit(options, !difference.is_empty()));
        }
        fix::write(&changed, &project, is_stdin)?;
        if is_stdin {
            // What was repaired takes the place of the report, so that an editor can read it.
            return Ok(exit(options, is_faulty(&outcome)));
        }
        repaired = changed.len();
    }
    if let Some(path) = &options.write_baseline {
        baseline::write(path, &outcome, &project)?;
        return Ok(Exit::Status(0));
    }
    if let Some(path) = &baseline {
        read_baseline(path)?.remove_known(&mut outcome, &project);
    }
    if options.chosen_format() == Format::Sarif {
        // Tools apply the fixes of this format without review.
        cgsan_lint::drop_useless_fixes(&mut project, &settings, &mut outcome);
    }
    outcome.errors.extend(unreadable);
    let seen = Seen {
        project: &project,
        settings: &settings,
        outcome: &outcome,
        repaired,
    };
    let mut destination = options.open()?;
    let text = formats::write(options, &seen, &destination);
    destination.write(&text)?;
    Ok(exit(options, is_faulty(&outcome)))
}

/// Whether there are findings or errors.
fn is_faulty(outcome: &Outcome) -> bool {
    !outcome.findings.is_empty() || !outcome.errors.is_empty()
}

/// As for ruff: 0 without findings and errors, else 1.
fn exit(options: &LintOptions, faulty: bool) -> Exit {
    Exit::Status(u8::from(faulty && !options.exit_zero))
}

/// Warns of what the report has no field for.
fn warn(what: &str) {
    // Nobody may be there to read it.
    let _ = Standard::Error.write(&format!("warning: {what}\n"));
}
