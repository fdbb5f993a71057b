//! Versions of PyTorch that a text names, beside those in which a failure mode happens.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::candidate::{Explanation, Reason, sort};

/// A version, its first two numbers.
type Version = (u32, u32);

/// A version of PyTorch as requirements, environments and people write it.
#[expect(
    clippy::expect_used,
    reason = "the expression is constant, and a test compiles it"
)]
static PYTORCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:py)?torch\b[^0-9\n]{0,24}?\bv?([12])\.(\d{1,2})(?:\.\d+)?\b")
        .expect("it compiles")
});

/// What no longer happens in the text's version is no answer while anything else may be one.
const OUT_OF_RANGE: u8 = 10;

impl Explanation {
    /// Puts candidates behind that no longer happen in any version of PyTorch that the text names.
    pub(crate) fn compare_versions(&mut self) {
        let named: Vec<Version> = PYTORCH
            .captures_iter(&self.opening)
            .filter_map(|found| Some((found[1].parse().ok()?, found[2].parse().ok()?)))
            .collect();
        if named.is_empty() {
            return;
        }
        for candidate in &mut self.candidates {
            let Some(since) = candidate.entry.gone_since else {
                continue;
            };
            let is_gone = parse(since).is_some_and(|since| named.iter().all(|it| *it >= since));
            let reason = Reason::Gone(since);
            if is_gone && !candidate.reasons.contains(&reason) {
                candidate.is_decisive = false;
                candidate.score = candidate.score.min(OUT_OF_RANGE);
                candidate.reasons.insert(0, reason);
            }
        }
        sort(&mut self.candidates);
    }
}

fn parse(version: &str) -> Option<Version> {
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for (text, version) in [
            ("PyTorch version: 2.11.0+cu130", Some((2, 11))),
            ("torch==2.6.0", Some((2, 6))),
            ("we use torch 2.12 here", Some((2, 12))),
            ("pytorch 1.13.1", Some((1, 13))),
            ("torchvision 0.26.0", None),
            ("torch/cuda/graphs.py line 231", None),
            ("torch 3.4", None),
        ] {
            let found = PYTORCH.captures(text);
            let found = found.and_then(|it| Some((it[1].parse().ok()?, it[2].parse().ok()?)));
            assert_eq!(found, version, "{text}");
        }
    }

    #[test]
    fn what_is_gone_in_the_text_is_not_decided() {
        let text = "RuntimeError: CUDA error: operation not permitted when stream is capturing\n\
                    [rank0] ProcessGroupNCCL watchdog thread terminated with exception: cudaEventQuery";
        let is_decided = |text: &str| {
            let explanation = crate::text(text).expect("it is a text");
            let ids: Vec<&str> = explanation
                .candidates
                .iter()
                .map(|it| it.entry.id)
                .collect();
            assert!(ids.contains(&"CG114"), "{text}");
            explanation.is_decided() && ids[0] == "CG114"
        };
        assert!(is_decided(text));
        assert!(!is_decided(&format!("torch==2.11.0\n{text}")));
        assert!(is_decided(&format!("torch==2.1.2\n{text}")));
    }
}
