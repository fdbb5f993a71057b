//! What others found in the program of a text, weighed together with what the text says.

use cgsan_catalogue::entries;

use crate::candidate::{Candidate, Explanation, Origin, Reason, sort};
use crate::line::Writer;

/// A failure mode that was found in the source of the text's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Its id, such as `CG101`.
    pub id: &'static str,
    /// The line of the text, counted from 1.
    pub line: u64,
    /// The line of source.
    pub code: String,
    /// Whether the source leaves no other explanation.
    pub is_certain: bool,
}

/// What a finding says that leaves no other explanation, and one that does.
const CERTAIN: u32 = 86;
const LIKELY: u32 = 66;

/// How much it says, in percent, if the text is about something else: a call that failed, or nothing of memory and speed.
const ASIDE: u32 = 40;

/// A score from which a candidate of the first chapter says that a call failed.
const FAILED: u8 = 30;

impl Explanation {
    /// Adds what was found in the program. Where the text says that no graph failed, only what leaves no other explanation counts.
    pub fn weigh(&mut self, evidence: &[Evidence]) {
        if evidence.iter().any(|found| found.is_certain) {
            self.beside = None;
        }
        if self.beside == Some(0) {
            return;
        }
        let failed = self
            .candidates
            .iter()
            .any(|candidate| is_failure(candidate.entry.id) && candidate.score >= FAILED);
        for found in evidence {
            let Some(entry) = entries().iter().find(|entry| entry.id == found.id) else {
                continue;
            };
            self.is_of_graphs = true;
            let known = self
                .candidates
                .iter_mut()
                .find(|candidate| candidate.entry.id == found.id);
            let weight = if found.is_certain { CERTAIN } else { LIKELY };
            let is_aside = (failed || is_of_cost(found.id)) && !is_failure(found.id);
            let percent = if is_aside && known.is_none() {
                ASIDE
            } else {
                100
            };
            let weight = weight * percent / 100;
            let origin = Origin {
                writer: Writer::Unknown,
                line: found.line,
                error: found.code.clone(),
            };
            match known {
                Some(candidate) if candidate.reasons.contains(&Reason::Source) => {}
                Some(candidate) => {
                    candidate.is_decisive |= found.is_certain;
                    candidate.score = together(candidate.score, weight);
                    candidate.reasons.insert(0, Reason::Source);
                    candidate.origin = Some(origin);
                }
                None => self.candidates.push(Candidate {
                    entry,
                    score: together(0, weight),
                    is_decisive: found.is_certain,
                    reasons: vec![Reason::Source],
                    origin: Some(origin),
                }),
            }
        }
        sort(&mut self.candidates);
        self.compare_versions();
    }
}

/// Whether an entry is about a capture that fails.
fn is_failure(id: &str) -> bool {
    id.starts_with("CG1")
}

/// Whether an entry is about memory or speed.
fn is_of_cost(id: &str) -> bool {
    id.starts_with("CG3") || id.starts_with("CG5")
}

/// Two scores together: each takes its share of the doubt that the other leaves.
fn together(score: u8, weight: u32) -> u8 {
    let doubt = (100 - u32::from(score.min(100))) * (100 - weight.min(100)) / 100;
    u8::try_from(100 - doubt).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(id: &'static str, is_certain: bool) -> Evidence {
        Evidence {
            id,
            line: 3,
            code: "y = x.item()".to_owned(),
            is_certain,
        }
    }

    fn weighed(text: &str, evidence: &[Evidence]) -> Vec<&'static str> {
        let mut explanation = crate::text(text).unwrap();
        explanation.weigh(evidence);
        explanation
            .candidates
            .iter()
            .map(|candidate| candidate.entry.id)
            .collect()
    }

    #[test]
    fn the_source_decides_what_the_error_leaves_open() {
        let text = "CUDA error: operation not permitted when stream is capturing";
        assert_eq!(weighed(text, &[found("CG120", true)])[0], "CG120");
    }

    #[test]
    fn a_failed_call_comes_before_what_the_source_would_do_wrong_later() {
        let text = "CUDA error: capturing stream has unjoined work";
        assert_eq!(weighed(text, &[found("CG211", true)]), ["CG106", "CG211"]);
    }
}
