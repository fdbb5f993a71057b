//! What was found out of a process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cgsan_finding::{CapturedGraph, Coverage, Finding, MemoryUse, Note};

use crate::ranks::OfRank;

/// What was found out of a process that used CUDA.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The findings, in the order in which their causes happened.
    pub findings: Vec<Finding>,
    /// What limits the diagnosis, and what is not a finding.
    pub notes: Vec<Note>,
    /// What holds unless another process forked this one: by custom, such a child leaves without cleaning up.
    pub unless_forked: Option<Note>,
    /// What was watched.
    pub coverage: Coverage,
    /// Who held memory; `None` where it was not asked for. A file of summaries does not have it.
    pub memory: Option<Vec<MemoryUse>>,
    /// What the captures recorded; empty where it was not asked for. It is for who absorbs the summary to take: a [`Diagnosis`] lets
    /// it go, and a file of summaries does not have it.
    ///
    /// [`Diagnosis`]: crate::Diagnosis
    pub graphs: Vec<CapturedGraph>,
    /// What it did as a rank of a job.
    pub(crate) rank: Option<OfRank>,
    /// The code of the cells of notebooks, by name.
    pub cells: BTreeMap<String, String>,
    /// Lines of source that a report may show, by file and number, as far as they were known where the summary was made.
    pub lines: BTreeMap<PathBuf, BTreeMap<u32, String>>,
}
