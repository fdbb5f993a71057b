//! Ids that a person wrote: on the command line, in a configuration, in a comment.

use cgsan_catalogue::{entries, entry};

/// An id, or the beginning of ids, that is not in the catalogue: it would have no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown<'a> {
    /// As it was written.
    pub id: &'a str,
    /// The id that was meant, if one is near.
    pub nearest: Option<&'static str>,
}

/// Those that no id of the catalogue begins with.
pub fn unknown<S: AsRef<str>>(ids: &[S]) -> impl Iterator<Item = Unknown<'_>> {
    let is_known = |id: &str| !id.is_empty() && entries().iter().any(|it| it.id.starts_with(id));
    ids.iter()
        .map(AsRef::as_ref)
        .filter(move |id| !is_known(id))
        .map(|id| Unknown {
            id,
            nearest: nearest(id),
        })
}

/// Whether one of some ids, or beginnings of ids, stands for `id`.
pub(crate) fn names(ids: &[String], id: &str) -> bool {
    ids.iter()
        .any(|it| !it.is_empty() && id.starts_with(it.as_str()))
}

/// The id that was meant, if one is near: the entry of that name, the same in capitals, or one that differs in a character.
fn nearest(wrong: &str) -> Option<&'static str> {
    let wrong = wrong.trim();
    if let Some(named) = entry(&wrong.to_lowercase()) {
        return Some(named.id);
    }
    let capitals = wrong.to_uppercase();
    let ids = || entries().iter().map(|entry| entry.id);
    let begins = ids().find_map(|id| {
        id.get(..capitals.len())
            .filter(|it| *it == capitals && !it.is_empty())
    });
    begins.or_else(|| ids().find(|id| differs_little(id, &capitals)))
}

/// Whether two ids differ in one character, or one has a character more.
fn differs_little(id: &str, other: &str) -> bool {
    let same_before = id
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let behind = |text: &str, skipped: usize| -> String {
        text.chars().skip(same_before + skipped).collect()
    };
    [(1, 1), (1, 0), (0, 1)]
        .into_iter()
        .any(|(of_id, of_other)| behind(id, of_id) == behind(other, of_other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_guessed() {
        assert_eq!(nearest("cg105"), Some("CG105"));
        assert_eq!(nearest("cg1"), Some("CG1"));
        assert_eq!(nearest("CG1O5"), Some("CG105"));
        assert_eq!(nearest("CG1005"), Some("CG105"));
        assert_eq!(nearest("G105"), Some("CG105"));
        assert_eq!(nearest("host-sync-in-capture"), Some("CG101"));
    }

    #[test]
    fn nothing_is_guessed_where_nothing_is_near() {
        for wrong in ["", "E501", "CG99999", "all"] {
            assert_eq!(nearest(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_id_is_known_by_its_beginning() {
        let found: Vec<_> = unknown(&["CG1", "CG101", "", "cg101", "CG999"])
            .map(|it| it.id)
            .collect();
        assert_eq!(found, ["", "cg101", "CG999"]);
    }
}
