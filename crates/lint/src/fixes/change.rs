//! What a repair is made of: the edits of one file.

use crate::finding::Edit;
use crate::project::FileId;

/// A change of one file.
pub(super) struct Change {
    pub(super) title: String,
    pub(super) safe: bool,
    pub(super) file: FileId,
    /// In order, none of which touches another.
    pub(super) edits: Vec<Edit>,
}

/// A change of these edits. `None` if two of them are about the same text.
pub(super) fn changes(
    file: FileId,
    title: impl Into<String>,
    safe: bool,
    edits: impl IntoIterator<Item = Edit>,
) -> Option<Change> {
    let mut ordered: Vec<Edit> = edits.into_iter().collect();
    // Those at one place stay in their order.
    ordered.sort_by_key(|it| (it.start, it.end));
    let mut edits: Vec<Edit> = Vec::new();
    for edit in ordered {
        match edits.last_mut() {
            Some(last) if edit.start < last.end => return None,
            Some(last) if edit.start == last.end => {
                last.text.push_str(&edit.text);
                last.end = edit.end;
            }
            _ => edits.push(edit),
        }
    }
    Some(Change {
        title: title.into(),
        safe,
        file,
        edits,
    })
}

/// A name that a text does not hold yet.
pub(super) fn fresh_name(text: &str, name: &str) -> Option<String> {
    (1u32..1_000)
        .map(|number| match number {
            1 => name.to_owned(),
            number => format!("{name}_{number}"),
        })
        .find(|name| !text.contains(name.as_str()))
}
