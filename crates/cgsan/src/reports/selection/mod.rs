//! What is reported of what was found: the same options, comments, baselines and `[tool.cgsan]` for all commands.

mod baseline;
pub mod config;
mod files;

use std::path::{Path, PathBuf};

use cgsan_finding::{LeftOut, Note, Reason, Report};
use cgsan_selection::{Baseline, Policy, split};

pub use baseline::{read as read_baseline, write as write_baseline};
pub use files::FilesOfRun;

use crate::cli::SelectionOptions;
use crate::output::error::Error;

/// What is reported of what is found.
#[derive(Debug)]
pub struct Selection {
    policy: Policy,
    /// What is known, and the file that says so.
    known: Option<(PathBuf, Baseline)>,
    /// Where what is found is listed as known.
    write: Option<PathBuf>,
    /// What is wrong with the configuration.
    notes: Vec<Note>,
}

impl Selection {
    /// What the command line and the nearest `pyproject.toml` at or above this folder ask for.
    pub fn here(options: &SelectionOptions) -> Result<Self, Error> {
        let configuration = config::nearest(Path::new("."))?;
        let (common, _) = configuration.with(options)?;
        let known = match &common.baseline {
            Some(path) => Some((path.clone(), read_baseline(path)?)),
            None => None,
        };
        if let Some(path) = &options.write_baseline {
            baseline::may_be_written(path)?;
        }
        Ok(Self {
            policy: common.policy,
            known,
            write: options.write_baseline.clone(),
            notes: common.notes,
        })
    }

    /// Leaves out of a report what is not to be in it, and lists what is in it as known where that was asked for.
    pub fn apply(&self, report: &mut Report, files: &mut FilesOfRun<'_>) -> Result<(), Error> {
        let found = std::mem::take(&mut report.findings);
        let mut split = split(found, &self.policy, files);
        if let Some((path, known)) = &self.known {
            known.leave_out(&mut split, path, files);
        }
        let listed = match &self.write {
            Some(path) => write_baseline(path, &split.findings, files)
                .map(|known| known.leave_out(&mut split, path, files)),
            None => Ok(()),
        };
        report.findings = split.findings;
        report.left_out = split.left_out;
        listed
    }

    /// Remarks on what was asked for: what is no id, and what left nothing out.
    pub fn remarks(&self, report: &Report, files: &FilesOfRun<'_>) -> Vec<Note> {
        let configured = self.notes.iter().cloned();
        let in_vain = without_effect(&self.policy, &report.left_out);
        configured.chain(files.notes()).chain(in_vain).collect()
    }
}

/// That what the command line ignores was not found.
pub fn without_effect(policy: &Policy, left_out: &[LeftOut]) -> Vec<Note> {
    let options = policy.ignore.iter().filter_map(|it| match it.by {
        Reason::Option(name) => Some((name, &it.ids)),
        _ => None,
    });
    let in_vain = |(option, ids): (&'static str, &Vec<String>)| {
        let is_in_vain = |id: &&String| {
            !left_out
                .iter()
                .any(|it| it.finding.id.starts_with(id.as_str()))
        };
        let texts = ids.iter().filter(is_in_vain);
        let notes = texts.map(|id| Note::new(format!("`{option} {id}` left nothing out"), None));
        notes.collect::<Vec<_>>()
    };
    options.flat_map(in_vain).collect()
}
