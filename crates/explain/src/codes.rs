//! Result codes that a text names: by number, by either name, or by CUDA's own words.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use cgsan_catalogue::{ErrorCode, codes};
use regex_lite::Regex;

/// A search for codes.
pub struct CodeSearch {
    names: AhoCorasick,
    numbers: OnceLock<Regex>,
}

/// A number counts only beside a word that says what it is.
const NUMBER: &str =
    r"(?i)(?:\b(?:error|code|err|rc|status|returning|returned|returns?)\b\W{1,3}|[(\[])(\d{1,3})\b";

impl CodeSearch {
    pub fn new() -> Self {
        let names = codes()
            .iter()
            .flat_map(|code| [code.runtime, code.driver, code.text]);
        CodeSearch {
            names: AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostLongest)
                .build(names)
                .expect("a few short names are no burden"),
            numbers: OnceLock::new(),
        }
    }

    /// The codes that a line names, in ascending order.
    pub fn in_line(&self, line: &str) -> Vec<&'static ErrorCode> {
        let mut found: Vec<&ErrorCode> = self
            .names
            .find_iter(line)
            .filter(|found| is_whole(line, found.start(), found.end()))
            .map(|found| &codes()[found.pattern().as_usize() / 3])
            .collect();
        if has_number(line) && is_about_cuda(line) {
            found.extend(self.numbers_in(line));
        }
        found.sort_by_key(|code| code.code);
        found.dedup();
        found
    }

    fn numbers_in(&self, line: &str) -> impl Iterator<Item = &'static ErrorCode> {
        let numbers = self
            .numbers
            .get_or_init(|| Regex::new(NUMBER).expect("it is a regular expression"));
        numbers
            .captures_iter(line)
            .filter_map(|captures| captures.get(1)?.as_str().parse().ok())
            .filter(|&number: &i32| number > 99)
            .filter_map(by_number)
    }
}

/// The code of that number.
pub fn by_number(number: i32) -> Option<&'static ErrorCode> {
    let index = codes()
        .binary_search_by_key(&number, |code| code.code)
        .ok()?;
    Some(&codes()[index])
}

/// Whether a name is not only a part of a longer one.
fn is_whole(line: &str, start: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = line[..start].chars().next_back();
    let after = line[end..].chars().next();
    !before.is_some_and(is_part) && !after.is_some_and(is_part)
}

/// Whether a number of three digits is there, as all codes beyond 99 are: a search for one costs far more.
fn has_number(line: &str) -> bool {
    let digits = line.as_bytes().split(|byte| !byte.is_ascii_digit());
    digits.into_iter().any(|digits| digits.len() == 3)
}

fn is_about_cuda(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["cu", "captur", "graph", "错误", "捕获"]
        .iter()
        .any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Vec<i32> {
        CodeSearch::new()
            .in_line(line)
            .iter()
            .map(|code| code.code)
            .collect()
    }

    #[test]
    fn codes_are_found_by_either_name_by_words_and_by_number() {
        assert_eq!(named("got cudaErrorStreamCaptureImplicit"), [906]);
        assert_eq!(named("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT again"), [906]);
        assert_eq!(
            named("CUDA error: capturing stream has unjoined work"),
            [904]
        );
        assert_eq!(named("cuda failed with error 905"), [905]);
        assert_eq!(
            named("Returning 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) from cuStreamSynchronize"),
            [900]
        );
    }

    #[test]
    fn other_numbers_are_no_codes() {
        for line in [
            "step 900",
            "cuda: 900 MB",
            "error 900 of the printer",
            "cudaErrorStreamCaptureImplicitly",
        ] {
            assert_eq!(named(line), [0; 0], "{line}");
        }
    }
}
