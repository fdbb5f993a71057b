//! Which ids are reported, and in which files.

use std::path::Path;

use cgsan_finding::Reason;

use crate::ids::names;
use crate::pattern;

/// Ids, or beginnings of ids, and who listed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The ids.
    pub ids: Vec<String>,
    /// Who.
    pub by: Reason,
}

/// What is reported, by id and file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The ids that alone are reported; `None` for all.
    pub select: Option<Listed>,
    /// Ids that are not reported.
    pub ignore: Vec<Listed>,
    /// Files, by pattern, in which further ids are not reported.
    pub per_file_ignores: Vec<(String, Listed)>,
}

impl Policy {
    /// Why a finding of this id, in this file, is left out; `None` if it is not.
    pub fn leaves_out(&self, id: &str, file: Option<&Path>) -> Option<&Reason> {
        let not_selected = self.select.iter().filter(|it| !names(&it.ids, id));
        let ignored = self.ignore.iter().filter(|it| names(&it.ids, id));
        let in_file = file.into_iter().flat_map(|file| {
            let fits = move |(pattern, listed): &&(String, Listed)| {
                names(&listed.ids, id) && pattern::matches(pattern, file)
            };
            self.per_file_ignores
                .iter()
                .filter(fits)
                .map(|(_, listed)| listed)
        });
        not_selected
            .chain(ignored)
            .chain(in_file)
            .map(|it| &it.by)
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(ids: &[&str], by: &'static str) -> Listed {
        Listed {
            ids: ids.iter().map(|it| (*it).to_owned()).collect(),
            by: Reason::Option(by),
        }
    }

    #[test]
    fn ids_are_selected_then_ignored_everywhere_then_in_files() {
        let policy = Policy {
            select: Some(listed(&["CG1", "CG203"], "--select")),
            ignore: vec![listed(&["CG101"], "--ignore")],
            per_file_ignores: vec![("tests/*".to_owned(), listed(&["CG102"], "file"))],
        };
        let why = |id, file: &str| match policy.leaves_out(id, Some(Path::new(file))) {
            Some(Reason::Option(name)) => *name,
            _ => "",
        };
        assert_eq!(why("CG201", "a.py"), "--select");
        assert_eq!(why("CG101", "a.py"), "--ignore");
        assert_eq!(why("CG102", "tests/a.py"), "file");
        assert_eq!(why("CG102", "a.py"), "");
        assert_eq!(why("CG203", "a.py"), "");
        assert_eq!(Policy::default().leaves_out("CG101", None), None);
    }
}
