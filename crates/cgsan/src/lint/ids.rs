//! Ids that a person wrote, on the command line or in a configuration.

use cgsan_catalogue::{entries, entry};

use crate::error::Error;

/// Checks that each id, or prefix of ids, is in the catalogue: a wrong one would have no effect.
pub fn check(option: &str, ids: &[String]) -> Result<(), Error> {
    let is_known = |id: &String| {
        !id.is_empty()
            && entries()
                .iter()
                .any(|entry| entry.id.starts_with(id.as_str()))
    };
    match ids.iter().find(|id| !is_known(id)) {
        None => Ok(()),
        Some(id) => Err(Error::Id {
            option: option.to_owned(),
            nearest: nearest(id),
            id: id.clone(),
        }),
    }
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
}
