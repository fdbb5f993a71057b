//! The texts of every failure mode: what it means, why it happens, what to change, and what does not help.
//!
//! The data are the files `catalogue/CG*.toml`, one an id. The build script reads them, checks them and turns them into
//! static data, so that a wrong file fails the build and a program pays nothing to look an entry up.
#![forbid(unsafe_code)]

mod code;
mod entry;
mod fingerprint;
mod severity;
mod versions;

pub use code::{Counted, ErrorCode};
pub use fingerprint::fingerprint;
pub use severity::Severity;
pub use versions::{Case, End, How, InVersions, Release, Seen};

pub use entry::{
    Basis, Condition, DeadEnd, Entry, Evidence, Exception, Expression, Fix, Language, Machine,
    Mode, Pattern, Place, Probe, Product, Program, Proof, RefusedCall, Run, Source, Tally, Text,
    Thread, Version,
};

#[allow(
    clippy::unreadable_literal,
    clippy::wildcard_imports,
    missing_docs,
    reason = "nobody reads what the build script writes"
)]
mod data {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}

/// The sentences that findings of a run and of source have in common, by id: `says::cg110::OUTSIDE`.
pub use data::says;
use data::{CODES, COUNTED, ENTRIES, EXPRESSIONS, RELEASES};

/// The entry of an id (`CG101`), of a name (`host-sync-in-capture`) or of another published name.
pub fn entry(id_or_name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| {
        entry.id == id_or_name || entry.name == id_or_name || entry.aliases.contains(&id_or_name)
    })
}

/// Every entry, by ascending id.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// The entries whose ids are near a word that looks like an id, such as `cg21` or `CG999`: those that begin so, else the nearest of
/// its family. Nothing for another word.
pub fn near_ids(word: &str) -> Vec<&'static Entry> {
    const MOST: usize = 5;
    let word = word.trim().to_ascii_uppercase();
    let Some(number) = word
        .strip_prefix("CG")
        .and_then(|digits| digits.parse::<u32>().ok())
    else {
        return Vec::new();
    };
    let begins = ENTRIES.iter().filter(|entry| entry.id.starts_with(&word));
    let begins: Vec<&Entry> = begins.take(MOST).collect();
    if !begins.is_empty() {
        return begins;
    }
    let family = word.chars().nth(2);
    let mut near: Vec<(u32, &Entry)> = ENTRIES
        .iter()
        .filter(|entry| entry.id.chars().nth(2) == family)
        .filter_map(|entry| Some((entry.id[2..].parse::<u32>().ok()?.abs_diff(number), entry)))
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter()
        .take(MOST)
        .map(|(_, entry)| entry)
        .collect()
}

/// Every expression of the patterns, each once, by ascending text.
pub fn expressions() -> &'static [Expression] {
    EXPRESSIONS
}

/// Every result code of CUDA that a program with graphs meets, ascending.
pub fn codes() -> &'static [ErrorCode] {
    CODES
}

/// How much [`ErrorCode::programs`] and [`ErrorCode::calls`] were counted in.
pub fn counted() -> Counted {
    COUNTED
}

/// The versions of PyTorch in which the programs ran, ascending.
pub fn releases() -> &'static [Release] {
    RELEASES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_id_and_by_name() {
        assert_eq!(entry("CG101").map(|e| e.name), Some("host-sync-in-capture"));
        assert_eq!(entry("host-sync-in-capture").map(|e| e.id), Some("CG101"));
        assert!(entry("CG999").is_none());
    }

    #[test]
    fn what_looks_like_an_id_has_near_ones() {
        let near = |word| -> Vec<&str> { near_ids(word).iter().map(|it| it.id).collect() };
        assert_eq!(near("cg50")[..2], ["CG501", "CG502"]);
        assert_eq!(near("CG199")[0], "CG190");
        assert!(near("CG999").is_empty());
        assert!(near("graph").is_empty());
    }

    #[test]
    fn entries_are_sorted_by_id() {
        assert!(entries().is_sorted_by_key(|entry| entry.id));
    }

    #[test]
    fn titles_fit_a_narrow_terminal() {
        for entry in entries() {
            let title = entry.title.in_language(Language::English);
            assert!(title.len() <= 60, "{}: {title}", entry.id);
            assert!(!title.ends_with('.'), "{}: {title}", entry.id);
        }
    }
}
