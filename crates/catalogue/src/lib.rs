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
    reason = "nobody reads what the build script writes"
)]
mod data {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}

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
