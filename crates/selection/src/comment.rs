//! Comments that say what is not to be reported: `# cgsan: ignore[CG101]`.

use std::fmt;
use std::path::Path;

use cgsan_finding::{Location, Note};

use crate::ids::{self, names};
use crate::scan;

/// A comment that leaves findings on its line out.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// Where it stands.
    pub location: Location,
    /// The ids that it names, or beginnings of ids; `None` for all.
    pub ids: Option<Vec<String>>,
}

impl Comment {
    /// What such comments have in common.
    pub const MARK: &str = "cgsan:";

    /// Those in the text of a Python file that nobody has parsed.
    pub fn all_of(file: &Path, text: &str) -> Vec<Self> {
        if !text.contains(Self::MARK) {
            return Vec::new();
        }
        let found = scan::comments(text).into_iter();
        found
            .filter_map(|(line, comment)| {
                let location = Location {
                    file: file.to_owned(),
                    line,
                    ..Location::default()
                };
                Self::parse(comment, location)
            })
            .collect()
    }

    /// What a comment asks for, if it asks for anything; `text` is all of it, at this place.
    pub fn parse(text: &str, location: Location) -> Option<Self> {
        let rest = text
            .split(Self::MARK)
            .skip(1)
            .find_map(|rest| rest.trim_start().strip_prefix("ignore"))?;
        let listed = rest
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next());
        let ids = listed.map(|ids| ids.split(',').map(|id| id.trim().to_owned()).collect());
        Some(Self { location, ids })
    }

    /// Whether it leaves out findings of this id, on its line.
    pub fn names(&self, id: &str) -> bool {
        self.ids.as_ref().is_none_or(|ids| names(ids, id))
    }

    /// The comment once for each id that it names.
    pub fn parts(&self) -> Vec<Comment> {
        match &self.ids {
            None => vec![self.clone()],
            Some(ids) => ids
                .iter()
                .map(|id| Comment {
                    location: self.location.clone(),
                    ids: Some(vec![id.clone()]),
                })
                .collect(),
        }
    }

    /// What is wrong with it: that it names what is not an id.
    pub fn notes(&self) -> impl Iterator<Item = Note> {
        let ids = self.ids.as_deref().unwrap_or_default();
        ids::unknown(ids).map(move |unknown| {
            let meant = unknown.nearest.map(|id| format!("; did you mean `{id}`?"));
            let text = format!(
                "`{self}` leaves nothing out: no id begins with `{}`{}",
                unknown.id,
                meant.unwrap_or_default()
            );
            Note::new(text, Some(self.location.clone()))
        })
    }
}

impl fmt::Display for Comment {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ids {
            Some(ids) => write!(to, "# cgsan: ignore[{}]", ids.join(", ")),
            None => to.write_str("# cgsan: ignore"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Comment> {
        Comment::parse(text, Location::default())
    }

    #[test]
    fn a_comment_names_ids_or_all() {
        let asks = |text, id| parsed(text).is_some_and(|it| it.names(id));
        assert!(asks("# cgsan: ignore[CG101]", "CG101"));
        assert!(asks("# why not. cgsan:ignore [CG2, CG101]", "CG203"));
        assert!(asks("# cgsan: ignore", "CG101"));
        assert!(asks("# cgsan: CG101  # cgsan: ignore[CG101]", "CG101"));
        assert!(!asks("# cgsan: ignore[CG102]", "CG101"));
        assert!(!asks("# cgsan: ignore[]", "CG101"));
        for other in ["# noqa", "# cgsan: CG101", "# ignore[CG101]"] {
            assert_eq!(parsed(other), None);
        }
    }

    #[test]
    fn comments_are_told_from_strings() {
        let text = "a = '# cgsan: ignore'\nb = 1  # cgsan: ignore[CG2]\n";
        let all = Comment::all_of(Path::new("a.py"), text);
        let lines: Vec<u32> = all.iter().map(|it| it.location.line).collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn what_is_no_id_is_told() {
        let notes = |text| -> Vec<String> {
            let comment = parsed(text).expect("it asks for something");
            comment.notes().map(|it| it.text).collect()
        };
        assert_eq!(
            notes("# cgsan: ignore[CG101, cg102]"),
            [
                "`# cgsan: ignore[CG101, cg102]` leaves nothing out: no id begins with `cg102`; did you mean `CG102`?"
            ]
        );
        assert!(notes("# cgsan: ignore[CG1]").is_empty());
    }
}
