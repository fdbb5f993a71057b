//! Whether a text complains about CUDA graphs: it speaks of trouble and of graphs, and of both in the same breath. A wish, a
//! question and a report of progress do not, nor does another failure whose text mentions a capture.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::expression::compiled;
use crate::kind::is_of_trouble;

/// Points from which a text complains about graphs. No single sign is enough.
const ENOUGH: i32 = 6;

/// What the signs are worth.
const TITLE_OF_GRAPHS: i32 = 4;
const TITLE_OF_TROUBLE: i32 = 2;
const SENTENCE_OF_BOTH: i32 = 2;
const BOTH_NEAR: i32 = 1;
const MANY_OF_GRAPHS: i32 = 2;
const OFTEN_OF_GRAPHS: i32 = 2;
const CONTRAST: i32 = 2;
const LIKE_AN_ENTRY: i32 = 3;
const IN_A_CAPTURE: i32 = 4;
const A_WISH: i32 = -12;
const OF_INSTALLATION: i32 = -5;

/// Sentences that name graphs and trouble, of which more say nothing new.
const MOST_OF_BOTH: i32 = 2;

/// One sentence in so many names graphs in a text that is about them.
const OFTEN: usize = 3;

/// Bytes on either side of a word of graphs in which trouble may be that of graphs.
const NEAR: usize = 160;

/// The likeness to the nearest entry, in parts of the root of the text's length, from which it says something: a long text
/// has words of every entry.
const LIKE: f32 = 1.9;

/// The length of a text below which chance words weigh as in one of this length.
const SHORTEST: u16 = 200;

/// A text speaks of graphs by these. Here they may be general, since trouble must stand beside them.
static GRAPHS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)cuda ?[-_.]?graphs?|cudagraph\w*|cu_?graph|hip ?graph|graph[ _](?:captur|replay|launch|pool|mode|runner|exec|update)\w*|\w*captur\w*|(?:in|the|a|with|of|my|one|each|per|and|del|graphs?:) graphs?\b|\bgraphs\b|_graphs?\b|\breplay(?:s|ed|ing (?:the|a|it)\b)?\b|\.replay\(|reduce-overhead|graphed|private pools?|command buffers?|record(?:ing|ed)? dies|重放|捕获|计算图|CUDA 图|录制",
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
        r"(?i)^\W*(?:(?:\[[^\]]*\]|\w+(?:\([^)]*\))?:)\W*)*(?:feature|rfc|docs?|doc|proposal|question|roadmap|prototype|support(?:ing)?|adds?|implement\w*|expose|allow|where|which|is there|how (?:do|can|to|should|does)|why (?:could|is|are)|does|do|can (?:i|we|one)|when will|please|tests?|update|enabl\w+|understanding|run|use|make|benchmark\w*|refactor|improve|automatic|introduce|reuse|remov\w+|propagate|perf)\b|^\W*(?:feature|rfc|perf|docs?|feat)\b|feature request|roadmap|引入|支持",
    )
});

/// What people say who have found that it takes graphs to fail.
static CONTRAST_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:eager|without|disabl\w+|off|=false|= ?none|no graph)\b[^.\n]{0,60}\b(?:fine|good|ok|okay|works?|correct|right|solve[sd]?|fixe[sd]|helps?|gone?|away|normal|no problem|stable|sane|improves)\b|\b(?:fine|works|good|correct|ok)\b[^.\n]{0,40}\b(?:in eager|without|eager)\b|\b(?:only|unless|once|as soon as|when|since|after)\b[^.\n]{0,40}(?:graph|captur|replay|reduce-overhead)|关闭|去掉",
    )
});

/// What people say who have found that it fails without graphs, too.
static NO_CONTRAST: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:same|also|too|even|happens|identical|fails|equally)\b[^.\n]{0,25}\b(?:in|with|under|on) (?:plain )?(?:eager|enforce[-_ ]?eager)|\b(?:eager|enforce[-_ ]?eager)(?: mode)?\b[^.\n]{0,20}\b(?:too|also|as well|the same|same)\b|(?:same|also|too|even|still|identical)\b[^.\n]{0,30}graphs (?:off|disabled)|graphs (?:off|disabled)\b[^.\n]{0,20}\b(?:too|also|as well)\b|graphs or not|with (?:and|or) without|(?:aren.t|are not|isn.t|not) (?:enabled|used|involved)|plain eager",
    )
});

/// Trouble before a program runs, or with the version of what it runs with.
static INSTALLATION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)fail\w* to build|\bninja\b|undefined symbol|compil\w+ error|\b(?:Import|Name|ModuleNotFound)Error\b|shared object file|not compiled with|pip install\w* fail|requires? [^\n]{0,30}version|please upgrade|version directory",
    )
});

/// The frames in which libraries capture: what a traceback shows with them failed in a capture.
static FRAMES_OF_A_CAPTURE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"torch/cuda/graphs\.py", line|in capture_(?:begin|end|model|one_batch_size|graph)\b|_initialize_cuda_graph|_capture_cuda_?graph|with torch\.cuda\.graph\("#,
    )
});

/// Whether a text complains about graphs. `without_passing` is the text without what it says of them in passing, with its
/// title in the first line; `likeness` is that to the nearest entry.
pub fn is_complaint(text: &str, without_passing: &str, likeness: f32) -> bool {
    let (title, body) = without_passing
        .split_once('\n')
        .unwrap_or((without_passing, ""));
    let title_of_graphs = GRAPHS.is_match(title);
    let sentences = sentences(body);
    let of_graphs: Vec<&&str> = sentences
        .iter()
        .filter(|sentence| GRAPHS.is_match(sentence))
        .collect();
    if !title_of_graphs && of_graphs.is_empty() || NO_CONTRAST.is_match(text) {
        return false;
    }
    let of_both = of_graphs
        .iter()
        .filter(|sentence| speaks_of_trouble(sentence))
        .count();
    let near = GRAPHS
        .find_iter(body)
        .any(|found| speaks_of_trouble(around(body, found.start(), found.end())));
    let length = u16::try_from(without_passing.len()).unwrap_or(u16::MAX);
    let like = likeness / f32::from(length.max(SHORTEST)).sqrt();
    let signs = [
        (title_of_graphs, TITLE_OF_GRAPHS),
        (speaks_of_trouble(title), TITLE_OF_TROUBLE),
        (near, BOTH_NEAR),
        (of_graphs.len() > 1, MANY_OF_GRAPHS),
        (OFTEN * of_graphs.len() > sentences.len(), OFTEN_OF_GRAPHS),
        (CONTRAST_WORDS.is_match(without_passing), CONTRAST),
        (like > LIKE, LIKE_AN_ENTRY),
        (FRAMES_OF_A_CAPTURE.is_match(without_passing), IN_A_CAPTURE),
        (INSTALLATION.is_match(without_passing), OF_INSTALLATION),
        (WISH.is_match(title) && !TROUBLE.is_match(title), A_WISH),
    ];
    let points = signs.into_iter().filter(|(holds, _)| *holds);
    let points: i32 = points.map(|(_, points)| points).sum();
    let of_both = i32::try_from(of_both).unwrap_or(MOST_OF_BOTH);
    points + SENTENCE_OF_BOTH * of_both.min(MOST_OF_BOTH) >= ENOUGH
}

/// Whether a text speaks of graphs otherwise than in passing, or says that it takes them to fail.
pub fn names_graphs(text: &str, without_passing: &str) -> bool {
    GRAPHS.is_match(without_passing)
        || without_passing.contains("max-autotune")
        || CONTRAST_WORDS.is_match(text)
}

/// The sentences of a text, and its lines of code.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' | ';' => characters
                .peek()
                .is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            sentences.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    sentences.push(&text[start..]);
    sentences.retain(|sentence| sentence.trim().len() > 3);
    sentences
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

    fn complains(text: &str) -> bool {
        is_complaint(text, text, 0.0)
    }

    #[test]
    fn complaints_name_graphs_and_trouble() {
        for text in [
            "The graph prints zeros\nBefore the capture it does not.",
            "decode is 40 % idle\nThe step is one CUDA graph, and still there are gaps of 2 ms.",
            "CUDA graph 捕获失败\n怎么办？",
        ] {
            assert!(complains(text), "{text}");
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
            assert!(!complains(text), "{text}");
        }
    }

    #[test]
    fn a_mode_of_the_compiler_names_graphs() {
        let text = "With mode=\"max-autotune\" it takes 3 GB more";
        assert!(names_graphs(text, text));
        let text = "The compiler takes 3 GB more";
        assert!(!names_graphs(text, text));
    }

    #[test]
    fn what_fails_without_graphs_too_is_no_complaint_about_them() {
        let text = "The graph prints zeros\nIt is the same in eager mode.";
        assert!(!complains(text));
    }

    #[test]
    fn sentences_end_at_stops_and_lines() {
        assert_eq!(
            sentences("It fails. Why, torch.cuda.graph?\n真的吗？不知道"),
            ["It fails", " Why, torch.cuda.graph", "真的吗", "不知道"]
        );
    }
}
