//! What a single word names.

use cgsan_catalogue::{Entry, ErrorCode, codes, entries};

use crate::codes::by_number;

/// What a word names.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// A failure mode, by its id, its name or another published name.
    Entry(&'static Entry),
    /// A result code of CUDA, by its number or one of its names.
    Code(&'static ErrorCode),
}

/// What a word names, in any case; `None` if it is no name of the catalogue's.
pub fn look_up(word: &str) -> Option<Subject> {
    let word = word.trim();
    let entry = entries().iter().find(|entry| {
        let mut names = [entry.id, entry.name]
            .into_iter()
            .chain(entry.aliases.iter().copied());
        names.any(|name| name.eq_ignore_ascii_case(word))
    });
    if let Some(entry) = entry {
        return Some(Subject::Entry(entry));
    }
    let named = codes().iter().find(|code| {
        code.runtime.eq_ignore_ascii_case(word) || code.driver.eq_ignore_ascii_case(word)
    });
    named
        .or_else(|| by_number(word.parse().ok()?))
        .map(Subject::Code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(word: &str) -> &'static str {
        match look_up(word) {
            Some(Subject::Entry(entry)) => entry.id,
            other => panic!("{word}: {other:?}"),
        }
    }

    fn code(word: &str) -> i32 {
        match look_up(word) {
            Some(Subject::Code(code)) => code.code,
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn entries_are_named_by_id_and_by_name() {
        assert_eq!(entry(" cg106 "), "CG106");
        assert_eq!(entry("Stream-Not-Rejoined"), "CG106");
    }

    #[test]
    fn codes_are_named_by_number_and_by_either_name() {
        assert_eq!(code("906"), 906);
        assert_eq!(code("cudaErrorStreamCaptureImplicit"), 906);
        assert_eq!(code("cuda_error_stream_capture_implicit"), 906);
    }

    #[test]
    fn other_words_name_nothing() {
        for word in ["", "CG999", "9060", "capture", "99999999999999"] {
            assert!(look_up(word).is_none(), "{word}");
        }
    }
}
