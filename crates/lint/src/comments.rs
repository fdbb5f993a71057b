//! Comments that leave findings out, and the lines that these are on.

use std::path::Path;

use cgsan_finding::{Note, Reason};
use cgsan_selection::{Comment, Files, Policy, Split};

use crate::project::Project;
use crate::rules::RULES;
use crate::syntax::Source;

/// The comments in a file that leave findings out.
pub(crate) fn of_source(file: &Path, source: &Source) -> Vec<Comment> {
    if !source.text.contains(Comment::MARK) {
        return Vec::new();
    }
    let comments = source.comments.iter();
    comments
        .filter_map(|range| Comment::parse(source.slice(*range), source.location(file, *range)))
        .collect()
}

/// That some of these comments leave nothing out of what was found. An id of which the linter knows nothing is for those that run
/// the program.
pub(crate) fn unused(comments: &[&Comment], policy: &Policy, split: &Split) -> Vec<Note> {
    let is_used = |comment: &Comment, ids: &Comment| {
        split.left_out.iter().any(|it| {
            let place = it.finding.location.as_ref();
            it.by == Reason::Comment
                && ids.names(it.finding.id)
                && place.is_some_and(|place| {
                    place.file == comment.location.file
                        && (place.line..=place.end_line()).contains(&comment.location.line)
                })
        })
    };
    let is_looked_for = |ids: &Comment, file: &Path| {
        RULES
            .iter()
            .any(|rule| ids.names(rule.id) && policy.leaves_out(rule.id, Some(file)).is_none())
    };
    let mut notes = Vec::new();
    for comment in comments {
        let file = &comment.location.file;
        for part in comment.parts() {
            if is_looked_for(&part, file) && !is_used(comment, &part) {
                let what = part
                    .ids
                    .as_deref()
                    .map_or("nothing".to_owned(), |ids| format!("no {}", ids.join(", ")));
                let text = format!(
                    "`{comment}` leaves nothing out: `cgsan lint` finds {what} on this line"
                );
                notes.push(Note::new(text, Some(comment.location.clone())));
            }
        }
    }
    notes
}

impl Files for &Project {
    fn line(&mut self, file: &Path, line: u32) -> Option<String> {
        let at = (line as usize).checked_sub(1)?;
        self.code(file)?.lines().nth(at).map(str::to_owned)
    }

    fn comments(&mut self, file: &Path) -> Vec<Comment> {
        let source = self.id(file).map(|id| self.source(id));
        source.map_or_else(Vec::new, |it| of_source(file, it))
    }
}
