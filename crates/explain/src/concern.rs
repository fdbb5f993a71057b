//! Whether a text complains about CUDA graphs: it speaks of trouble and of graphs, and of both in the same breath. A wish, a
//! question and a report of progress do not, nor does a log of another failure that mentions a capture.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::kind::is_of_trouble;

/// Bytes on either side of a word of graphs in which trouble is that of graphs.
const NEAR: usize = 160;

/// Bytes of a text that has no room for other matters.
const SHORT: usize = 700;

/// A text speaks of graphs by these. Here they may be general, since trouble must stand beside them.
static GRAPHS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)cuda ?[-_.]?graphs?|cudagraph\w*|cu_?graph|hip ?graph|graph[ _](?:captur|replay|launch|pool|mode|runner|exec|update)\w*|\w*captur\w*|(?:in|the|a|with|of|my|one|each|per|and|graphs?:) graphs?\b|\bgraphs\b|_graphs?\b|replay\w*|reduce-overhead|graphed|command buffers?|max-autotune|record(?:ing|ed)? dies|重放|捕获|计算图|CUDA 图|录制",
    )
});

static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:fail|error|crash|abort|refus|broke|exception|assert|segfault|panic)|\bdies?\b|(?:can(?:no|.)t|unable to|won.t|cannot) (?:be )?(?:captur|record|run|use|start)|not permitted|not (?:be )?captured|nothing captured|\b(?:bug|problem|trouble|issue|regression|unexpected|incompatible|conflict|dangerous)|(?:does|do|did|is|are|was)(?:n.t| not)\b|no longer|\bnever\b|without effect|no effect|ignored|\blost\b|missing\b|失败|报错|错误|崩溃|问题|冲突|异常",
    )
});

/// What people begin with who ask for something, or say what they have made.
static WISH: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^\W*(?:(?:\[[^\]]*\]|\w+(?:\([^)]*\))?:)\W*)*(?:feature|rfc|docs?|doc|proposal|question|roadmap|prototype|support(?:ing)?|adds?|implement\w*|expose|allow|where|which|is there|how (?:do|can|to|should|does)|why (?:could|is|are)|does|do|can (?:i|we|one)|when will|please|tests?|update|enabl\w+|understanding|run|use|make|refactor|improve|automatic|introduce|reuse|remov\w+|propagate|perf)\b|^\W*(?:feature|rfc|perf|docs?|feat)\b|feature request|roadmap|引入|支持",
    )
});

fn compiled(expression: &str) -> Regex {
    Regex::new(expression).expect("the expressions are compiled by each test")
}

/// Whether the text, without what it says of graphs in passing, complains about them. Its first line is its title.
pub fn is_complaint(text: &str) -> bool {
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    let title_of_graphs = GRAPHS.is_match(title);
    let title_of_trouble = speaks_of_trouble(title);
    let body_of_both = GRAPHS
        .find_iter(body)
        .any(|found| speaks_of_trouble(around(body, found.start(), found.end())));
    if !title_of_graphs && !GRAPHS.is_match(body) {
        return false;
    }
    let signs = [title_of_graphs, title_of_trouble, body_of_both];
    let signs = signs.into_iter().filter(|holds| *holds).count();
    let is_wish = WISH.is_match(title) && !TROUBLE.is_match(title);
    match signs {
        3 => true,
        2 => !is_wish,
        1 => !is_wish && text.len() < SHORT,
        _ => false,
    }
}

fn speaks_of_trouble(passage: &str) -> bool {
    TROUBLE.is_match(passage) || is_of_trouble(passage)
}

/// The part of a text around a place.
fn around(text: &str, start: usize, end: usize) -> &str {
    let mut from = start.saturating_sub(NEAR);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (end + NEAR).min(text.len());
    while !text.is_char_boundary(to) {
        to += 1;
    }
    &text[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_graphs_and_trouble() {
        for text in [
            "The graph prints zeros\nBefore the capture it does not.",
            "decode is 40 % idle\nThe step is one CUDA graph, and still there are gaps of 2 ms.",
            "CUDA graph 捕获失败\n怎么办？",
        ] {
            assert!(is_complaint(text), "{text}");
        }
    }

    #[test]
    fn wishes_and_other_troubles_are_none() {
        for text in [
            "[Feature]: CUDA graphs for the vision encoder\nIt would be faster.",
            "How do I draw a CUDA graph?\n",
            "The tokenizer crashes\nIt has no padding token.",
            "pip fails\nIt finds no wheel.",
        ] {
            assert!(!is_complaint(text), "{text}");
        }
    }
}
