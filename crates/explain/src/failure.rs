//! What a text shows that a graph failed, whatever its other words make likely: the frames and messages of a capture that fails,
//! and what people say who found that it takes graphs to fail. Nothing of it says why.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::expression::compiled;
use crate::sign::Sign;

/// Messages of a failing capture, and results that are right again without graphs.
static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        // What servers print whose capture fails.
        r"\b(?:capture|piecewise) cuda graph failed\b|\bfail\w* to capture (?:the |a )?(?:cuda )?graph",
        // It is right again without graphs.
        r"\bgraphs? off\b[^\n]{0,60}\b(?:stable|restored|correct|fine)\b|\brestored\b[^.\n]{0,30}\b(?:on disabl\w+|when disabled|without graphs?)",
        r"\bwith\b[^.\n]{0,60}\bgraphs?\b[^.\n]{0,20}\b(?:enabled|on)\b[^.\n]{0,60}\b(?:degrad\w+|drops?|garbage|wrong|corrupt\w*|crash\w*)",
        r"\b(?:crash\w*|fail\w*|hangs?|wrong|garbage|happens|occurs)\b[^.\n]{0,20} only (?:when|with|if)\b[^.\n]{0,50}\bgraphs?\b[^.\n]{0,30}\b(?:on|enabled|used)\b",
    ];
    compiled(&format!("(?i){}", kinds.join("|")))
});

/// Sentences that say that a capture fails, or that a graph is not found. A wish has such sentences, too.
static SAID: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"\b(?:graph|stream)[ -]captur(?:e|ing) (?:\w+ )?(?:crash\w*|fail\w*|aborts?|aborted|err(?:or)?s?)\b",
        r"\b(?:crash\w*|fail(?:s|ed|ing|ure)|abort\w*|cudaError\w+|segfaults?)\b[^.\n]{0,60}\b(?:during|in|under|while) (?:\w+ )?(?:cuda |hip )?(?:graph |stream )?captur(?:e|ing)\b",
        r"\b(?:cuda ?-?graphs?|graph) (?:cache|key|lookup|dispatch\w*)\b[^.\n]{0,24}\b(?:mis-?key\w*|mismatch\w*|wrong|collision\w*)\b",
        r"\bsilently (?:fall|falls|fell|falling) back to eager\b",
    ];
    compiled(&format!("(?i){}", kinds.join("|")))
});

/// Signs that what the text shows is something beside graphs after all.
const BESIDE: [Sign; 4] = [
    Sign::AnotherFailure,
    Sign::AnotherException,
    Sign::WorksWithGraphs,
    Sign::FailsWithoutGraphs,
];

/// Signs of a text whose sentences may speak of a failure that did not happen, or not when it ran.
const NOT_YET: [Sign; 2] = [Sign::TitleOfAWish, Sign::Installation];

/// Titles of documentation.
static DOCUMENTATION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^\W*(?:(?:\[docs?\]|docs?:)\W*)?(?:clarif(?:y|ies|ied)\b|typos?\b|update (?:the )?(?:docs?|readme|documentation)\b)",
    )
});

/// Whether a text of these signs shows that a graph failed.
pub fn shows_one(text: &str, signs: &[Sign]) -> bool {
    let has_any = |of: &[Sign]| of.iter().any(|sign| signs.contains(sign));
    if has_any(&BESIDE) {
        return false;
    }
    let is_said = SAID.is_match(text) || has_any(&[Sign::FramesOfACapture]);
    SHOWN.is_match(text) || (is_said && !has_any(&NOT_YET))
}

/// Whether a text is about documentation, by its title.
pub fn is_documentation(text: &str) -> bool {
    DOCUMENTATION.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_contrasts_show_a_failure() {
        for text in [
            "It dies at start\nCapture cuda graph failed: unknown error",
            "RuntimeError: Failed to capture graph: CUDA call failed",
            "Graph capture crashes on the new card",
            "It fails with `cudaErrorUnknown` during graph capture.",
            "prefill CUDA graph OFF: 0.965 stable, restored on disable",
            "With the prefill CUDA graph enabled, accuracy degrades",
            "It crashes only when CUDA graphs are enabled",
        ] {
            assert!(shows_one(text, &[]), "{text}");
        }
    }

    #[test]
    fn wishes_and_other_failures_do_not() {
        let wish = "[Feature]: say which graph capture fails";
        assert!(!shows_one(wish, &[Sign::TitleOfAWish]));
        for text in [
            "CUDA graphs for the encoder",
            "The tokenizer fails at start",
            "We capture CUDA graphs, and it works",
        ] {
            assert!(!shows_one(text, &[]), "{text}");
        }
    }

    #[test]
    fn titles_tell_documentation() {
        assert!(is_documentation("Clarify when a pool may be shared\n"));
        assert!(is_documentation("[Docs] Clarify CUDA graphs"));
        assert!(!is_documentation("The document server crashes"));
    }
}
