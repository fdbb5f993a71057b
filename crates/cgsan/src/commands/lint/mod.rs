//! `cgsan lint`: findings in the source.

mod files;
mod fix;
mod formats;
mod input;
mod report;
mod settings;

use cgsan_lint::{Outcome, Project};
use cgsan_selection::Split;

pub use files::under as files_under;

pub use settings::of_folder as settings_of;

use crate::cli::{Format, LintOptions};
use crate::output::destination::Destination;
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::progress::Progress;
use crate::output::standard::Standard;
use crate::reports::selection::{self, config::Wanted};
use formats::Seen;
use input::Input;

/// Looks at the source, repairs what it was asked to, and writes what remains.
pub fn run(options: &LintOptions) -> Result<Exit, Error> {
    check(options)?;
    // Nothing is written before all files were read: one of them may be the destination.
    let output = || Destination::output(options.output.as_deref(), Standard::Output);
    let progress = Progress::start("looking at the source");
    let (settings, wanted) = settings::of_options(options)?;
    let Input {
        mut project,
        unreadable,
        is_stdin,
    } = input::open(options)?;
    if project.paths().next().is_none() && unreadable.is_empty() && !options.quiet {
        warn("no Python file or notebook was found here, apart from those that `.gitignore` names");
    }
    let mut outcome = cgsan_lint::lint(&mut project, &settings);
    drop(progress);
    let mut repaired = 0;
    if options.fix || options.diff {
        let changed =
            cgsan_lint::repair(&mut project, &settings, &mut outcome, options.unsafe_fixes);
        if options.diff {
            let difference = fix::difference(&changed, &project);
            output()?.write_source(&difference)?;
            return Ok(exit(options, !difference.is_empty()));
        }
        fix::write(&changed, &project, is_stdin)?;
        if is_stdin {
            // What was repaired takes the place of the report, so that an editor can read it.
            return Ok(exit(options, is_faulty(&outcome)));
        }
        repaired = changed.len();
    }
    if let Some(path) = &options.selection.write_baseline {
        selection::write_baseline(path, &outcome.findings, &mut &project)?;
        return Ok(Exit::Status(0));
    }
    leave_out(&wanted, &mut outcome, &project)?;
    if matches!(options.chosen_format(), Format::Shared(form) if form.applies_edits) {
        cgsan_lint::drop_useless_fixes(&mut project, &settings, &mut outcome);
    }
    outcome.errors.extend(unreadable);
    let seen = Seen {
        project: &project,
        settings: &settings,
        outcome: &outcome,
        repaired,
    };
    let mut destination = output()?;
    let text = formats::write(options, &seen, &destination);
    destination.write(&text)?;
    Ok(exit(options, is_faulty(&outcome)))
}

/// That what is asked for fits together, where the parser of the command line cannot tell.
fn check(options: &LintOptions) -> Result<(), Error> {
    match options.chosen_format() {
        Format::Shared(form) if options.statistics && !form.is_lines => Err(Error::Lint {
            what: "--statistics works with the formats text and json only".to_owned(),
            help: "use --format text or --format json",
        }),
        _ => Ok(()),
    }
}

/// Leaves out what is known, and remarks on what was asked for in vain.
fn leave_out(wanted: &Wanted, outcome: &mut Outcome, project: &Project) -> Result<(), Error> {
    let mut split = Split {
        findings: std::mem::take(&mut outcome.findings),
        left_out: std::mem::take(&mut outcome.left_out),
    };
    if let Some(path) = &wanted.baseline {
        let known = selection::read_baseline(path)?;
        known.leave_out(&mut split, path, &mut &*project);
    }
    outcome.notes.extend(wanted.notes.iter().cloned());
    let vain = selection::without_effect(&wanted.policy, &split.left_out);
    outcome.notes.extend(vain);
    outcome.findings = split.findings;
    outcome.left_out = split.left_out;
    Ok(())
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
