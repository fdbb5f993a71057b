//! Comments that say what is not to be reported: `# cgsan: ignore[CG101]`.

use crate::finding::Location;
use crate::project::Project;
use crate::syntax::{Source, bytes};

/// Whether a comment on the lines of a place asks not to report a failure mode there.
pub(crate) fn is_ignored(project: &Project, place: &Location, failure: &str) -> bool {
    let Some(id) = project.id(&place.file) else {
        return false;
    };
    let source = project.source(id);
    let lines = place.line..=place.end_line();
    source
        .comments
        .iter()
        .filter(|range| lines.contains(&source.place(range.start()).line))
        .any(|range| ignores(source, bytes(*range), failure))
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
