//! Comments that say what is not to be reported: `# cgsan: ignore[CG101]`.

use crate::finding::Finding;
use crate::project::Project;
use crate::syntax::{Source, bytes};

/// Whether a comment on the finding's line, or on the line of the statement's end, asks not to report it.
pub(crate) fn is_ignored(project: &Project, finding: &Finding) -> bool {
    let Some(id) = project.id(&finding.location.file) else {
        return false;
    };
    let source = project.source(id);
    let lines = finding.location.start.line..=finding.location.end.line;
    source
        .comments
        .iter()
        .filter(|range| lines.contains(&source.place(range.start()).line))
        .any(|range| ignores(source, bytes(*range), finding.id))
}

fn ignores(source: &Source, range: std::ops::Range<usize>, id: &str) -> bool {
    let Some(text) = source.text.get(range) else {
        return false;
    };
    let Some(rest) = text.split("cgsan:").nth(1).map(str::trim_start) else {
        return false;
    };
    let Some(rest) = rest.strip_prefix("ignore") else {
        return false;
    };
    match rest
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
    {
        Some(ids) => ids.split(',').any(|it| it.trim() == id),
        None => true,
    }
}
