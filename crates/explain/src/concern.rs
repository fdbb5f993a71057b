//! Signs that a text complains about CUDA graphs: it speaks of trouble and of graphs, and of both in the same breath. A wish, a
//! question and a report of progress do not, nor does another failure whose text mentions a capture.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::expression::compiled;
use crate::kind::is_of_trouble;
use crate::sign::{Sign, holding};

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

/// The signs of a text that speak for a complaint about graphs, or against one. `without_passing` is the text without what it says
/// of them in passing, with its title in the first line.
pub fn signs(text: &str, without_passing: &str) -> impl Iterator<Item = Sign> {
    let title = without_passing.lines().next().unwrap_or_default();
    let signs = [
        (
            Sign::TitleBlamesGraphs,
            GRAPHS.is_match(title) && speaks_of_trouble(title),
        ),
        (
            Sign::TitleOfAWish,
            WISH.is_match(title) && !TROUBLE.is_match(title),
        ),
        (Sign::InPassingOnly, !names_graphs(text, without_passing)),
        (
            Sign::FineWithoutGraphs,
            CONTRAST_WORDS.is_match(without_passing),
        ),
        (Sign::FailsWithoutGraphs, NO_CONTRAST.is_match(text)),
        (
            Sign::FramesOfACapture,
            FRAMES_OF_A_CAPTURE.is_match(without_passing),
        ),
        (Sign::Installation, INSTALLATION.is_match(without_passing)),
    ];
    holding(signs)
}

/// Whether a text speaks of graphs otherwise than in passing, or says that it takes them to fail.
fn names_graphs(text: &str, without_passing: &str) -> bool {
    GRAPHS.is_match(without_passing)
        || without_passing.contains("max-autotune")
        || CONTRAST_WORDS.is_match(text)
}

fn speaks_of_trouble(passage: &str) -> bool {
    TROUBLE.is_match(passage) || is_of_trouble(passage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, sign: Sign) -> bool {
        signs(text, text).any(|known| known == sign)
    }

    #[test]
    fn complaints_name_graphs_and_trouble() {
        assert!(has("The graph prints zeros\n", Sign::TitleBlamesGraphs));
        let text = "Zeros\nBefore the capture it is fine, since then only with the graph off.";
        assert!(has(text, Sign::FineWithoutGraphs));
        assert!(has(
            "CUDA graph 捕获失败\n怎么办？",
            Sign::TitleBlamesGraphs
        ));
    }

    #[test]
    fn wishes_and_other_troubles_do_not() {
        assert!(has(
            "[Feature]: CUDA graphs for the encoder\n",
            Sign::TitleOfAWish
        ));
        assert!(!has(
            "The tokenizer crashes\nIt has no token.",
            Sign::TitleBlamesGraphs
        ));
        assert!(has("pip fails\nninja: cannot", Sign::Installation));
    }

    #[test]
    fn a_mode_of_the_compiler_names_graphs() {
        let text = "With mode=\"max-autotune\" it takes 3 GB more";
        assert!(!has(text, Sign::InPassingOnly));
        let text = "The compiler takes 3 GB more";
        assert!(has(text, Sign::InPassingOnly));
    }

    #[test]
    fn what_fails_without_graphs_too_says_so() {
        let text = "The graph prints zeros\nIt is the same in eager mode.";
        assert!(has(text, Sign::FailsWithoutGraphs));
    }
}
