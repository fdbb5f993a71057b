//! Whether a file may hold something that is captured, seen from its words alone.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::packages;

/// Names of which code that captures with PyTorch alone has one.
const NAMES: [&str; 5] = [
    "CUDAGraph",
    "capture_begin",
    "cuda import graph",
    "cuda.graph",
    "graphed_callable",
];

/// The same, with any package.
fn names() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain(packages::capturing_words())
}

/// Strings with one of which a compiler is asked to capture, and a word that is on the line before them: loggers have
/// the name of the backend, too.
const MODES: [(&str, &str); 4] = [
    ("cudagraphs", "backend"),
    ("max-autotune", ""),
    ("reduce-overhead", ""),
    ("triton.cudagraphs", ""),
];

/// All words without one of which nothing is captured.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let modes = MODES.iter().map(|(mode, _)| *mode);
    // Which word is found does not matter, but only searches for the leftmost one are done many bytes at a time.
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(names().chain(modes))
        .ok()
});

/// Whether a text has one of the words of code that captures anywhere. If not, nothing in it is captured from it on.
#[must_use]
pub fn mentioned(text: &str) -> bool {
    WORDS.as_ref().is_none_or(|words| words.is_match(text))
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A comment.
    Comment,
    /// A string.
    String,
}

/// Whether the code has one of the words. `parts` are its comments and strings, in order, as offsets of bytes.
pub(crate) fn possible(text: &str, parts: &[(std::ops::Range<usize>, Part)]) -> bool {
    let part_at = |at: usize| {
        let next = parts.partition_point(|(range, _)| range.end <= at);
        parts.get(next).filter(|(range, _)| range.start <= at)
    };
    let is_code = |at: usize| part_at(at).is_none();
    let asks_for = |at: usize, mode: &str, before: &str| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        line.contains(before)
            && part_at(at).is_some_and(|(range, part)| {
                let string = text.get(range.clone()).unwrap_or_default();
                let content = string
                    .trim_start_matches(char::is_alphabetic)
                    .trim_matches(['"', '\'']);
                *part == Part::String && content == mode
            })
    };
    let has_name = names().any(|name| text.match_indices(name).any(|(at, _)| is_code(at)));
    let has_mode = || {
        MODES.iter().any(|(mode, before)| {
            text.match_indices(mode)
                .any(|(at, _)| asks_for(at, mode, before))
        })
    };
    has_name || has_mode()
}

#[cfg(test)]
mod tests {
    use crate::syntax::Source;

    fn captures(text: &str) -> bool {
        Source::parse(text.to_owned()).captures
    }

    #[test]
    fn code_captures() {
        assert!(captures("g = torch.cuda.CUDAGraph()"));
        assert!(captures("with cuda.graph(g): pass"));
        assert!(captures("from torch.cuda import graph as capture"));
        assert!(captures("f = compile(f, mode='max-autotune')"));
        assert!(captures("f = compile(f, mode=r'reduce-overhead')"));
        assert!(captures(
            "f = compile(f, options={r\"triton.cudagraphs\": True})"
        ));
        assert!(captures("f = compile(f, backend='cudagraphs')"));
        assert!(captures("x = f'{torch.cuda.CUDAGraph()}'"));
        assert!(captures("x = (torch.cuda.CUDAGraph("));
    }

    #[test]
    fn words_about_captures_do_not() {
        assert!(!captures("# with torch.cuda.graph(g):"));
        assert!(!captures("'''A wrapper of CUDAGraph.'''"));
        assert!(!captures("x = f'CUDAGraph {y}'"));
        assert!(!captures("if config.triton.cudagraphs: pass"));
        assert!(!captures("print('max-autotune is slow')"));
        assert!(!captures("log = logger(__name__, 'cudagraphs')"));
    }
}
