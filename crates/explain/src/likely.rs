//! The second stage: what is likely where the patterns decide nothing. What is learned from reports (`learned`) says how likely
//! it is that no graph failed, and how likely each entry is; together with what the patterns say, that orders the answers.

use std::collections::BTreeSet;

use cgsan_catalogue::entries;

use crate::candidate::{Candidate, Explanation, LEAVE_OPEN, LIKELY, Reason};
use crate::kind::Kind;
use crate::learned::Learned;
use crate::reading::Reading;

/// Answers that a text is given, one of which may be that no graph failed.
const ANSWERS: usize = 3;

/// What all that a pattern can say is worth, where what is learned is worth the logarithm of its share.
const OF_PATTERNS: f32 = 3.5;

/// What is added to the logarithm of how much likelier it is that no graph failed: people who ask have a reason to.
const OF_ASKING: f32 = -0.5;

/// How likely it is that no graph failed where candidates would only mislead.
const HARDLY_A_GRAPH: f32 = 0.6;

/// How likely it is where the text shows that a graph failed: the graph is then only where another failure was met.
const NO_GRAPH: f32 = 0.85;

/// The most that a score says by what is learned: less than by a likely pattern.
const MOST: f32 = 62.0;

impl Explanation {
    /// Orders the answers anew and adds what is likely, if the text is not decided. It decides nothing itself, and takes the
    /// candidates away where hardly a graph failed.
    pub(crate) fn add_likely(&mut self, learned: impl Fn(&Reading<'_>) -> Learned) {
        if self.is_decided() || self.elsewhere().is_some() {
            return;
        }
        let reading = Reading::of(self);
        if !reading.names_graphs {
            self.is_of_graphs = false;
            self.beside = Some(0);
            return;
        }
        if reading.is_documentation && !reading.shows_failure {
            self.candidates.clear();
            self.beside = Some(0);
            return;
        }
        let first = self
            .candidates
            .first()
            .filter(|first| first.score >= LIKELY);
        if first.is_some() && self.candidates.len() >= ANSWERS {
            return;
        }
        let learned = learned(&reading);
        let kinds = reading.strengths;
        let shows_failure = reading.shows_failure;
        let beside = 1.0 / (1.0 + (-learned.beside - OF_ASKING).exp());
        let hardly = if shows_failure {
            NO_GRAPH
        } else {
            HARDLY_A_GRAPH
        };
        if beside >= hardly {
            self.candidates.clear();
            self.beside = Some(0);
            return;
        }
        self.is_of_graphs = true;
        let known: BTreeSet<&str> = self.candidates.iter().map(|known| known.entry.id).collect();
        // Words cannot make likely what leaves the cause open.
        let may_be = |id: &str| !known.contains(id) && !LEAVE_OPEN.contains(&id);
        for entry in entries().iter().filter(|entry| may_be(entry.id)) {
            let kind = Kind::of(entry).filter(|kind| kind.of_strengths(&kinds) > 0.0);
            self.candidates.push(Candidate {
                entry,
                score: 0,
                is_decisive: false,
                reasons: vec![kind.map_or(Reason::Words, Reason::Kind)],
                origin: None,
            });
        }
        let shares = self.rank(&learned);
        let before = shares
            .iter()
            .filter(|share| **share * (1.0 - beside) > beside);
        // What shows that a graph failed cannot be told that none did.
        let least = usize::from(shows_failure);
        self.beside = Some(before.count().max(least)).filter(|place| *place < ANSWERS);
        let enough = ANSWERS - usize::from(self.beside.is_some());
        let mut rank = 0;
        self.candidates.retain(|candidate| {
            rank += 1;
            rank <= enough || known.contains(candidate.entry.id)
        });
    }

    /// Orders the candidates by what the patterns say and what is learned, scores them so, and says how likely each is, if one
    /// of them it is. What a pattern says is likely comes first.
    fn rank(&mut self, learned: &Learned) -> Vec<f32> {
        let first = self
            .candidates
            .first()
            .filter(|first| first.score >= LIKELY);
        let likely = first.map(|first| first.entry.id);
        let is_likely = |candidate: &Candidate| likely == Some(candidate.entry.id);
        let worth = |candidate: &Candidate| {
            let of_patterns = OF_PATTERNS * f32::from(candidate.score) / 100.0;
            learned.share(candidate.entry) * of_patterns.exp()
        };
        self.candidates.sort_by(|a, b| {
            let order = is_likely(b).cmp(&is_likely(a));
            order.then(worth(b).total_cmp(&worth(a)))
        });
        let all: f32 = self.candidates.iter().map(worth).sum();
        let shares = self
            .candidates
            .iter()
            .map(|candidate| worth(candidate) / all);
        let shares: Vec<f32> = shares.collect();
        let scores = self.candidates.iter().map(|candidate| candidate.score);
        let mut most = scores.max().unwrap_or_default().max(percent(MOST));
        for (candidate, share) in self.candidates.iter_mut().zip(&shares) {
            let by_words = percent(MOST * share.sqrt());
            let score = if likely == Some(candidate.entry.id) {
                most
            } else {
                candidate.score.max(by_words)
            };
            // The scores follow the order.
            most = score.clamp(1, most);
            candidate.score = most;
            candidate.is_decisive = false;
        }
        shares
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 100"
)]
fn percent(share: f32) -> u8 {
    share.round() as u8
}

#[cfg(test)]
mod tests {
    use super::ANSWERS;
    use crate::Explanation;

    fn explained(text: &str) -> Explanation {
        crate::text(text).unwrap()
    }

    fn ids(explanation: &Explanation) -> Vec<&'static str> {
        let candidates = explanation.candidates.iter();
        candidates.map(|candidate| candidate.entry.id).collect()
    }

    #[test]
    fn a_symptom_without_a_cause_gets_the_likely_entries_of_its_kind_and_no_decision() {
        for (text, chapter) in [
            (
                "Our engine crashes as soon as it captures its graph.\nThe message is cut.",
                "CG1",
            ),
            (
                "The graph's numbers are garbage, eager ones are fine.",
                "CG2",
            ),
            ("CUDA 图重放之后结果全是乱码，关闭图就正常。", "CG2"),
            (
                "With CUDA graphs on, every request is slower: 9 ms rather than 7 ms.",
                "CG5",
            ),
        ] {
            let explanation = explained(text);
            let ids = ids(&explanation);
            assert!(ids[0].starts_with(chapter), "{text}: {ids:?}");
            assert_ne!(explanation.beside, Some(0), "{text}");
            let answers = ids.len() + usize::from(explanation.beside.is_some());
            assert_eq!(answers, ANSWERS, "{text}: {ids:?}");
            assert!(!explanation.is_decided());
        }
    }

    #[test]
    fn the_same_trouble_without_graphs_gets_none() {
        for text in [
            "Our engine crashes as soon as it starts.\nThe message is cut.",
            "The model's numbers are garbage.",
            "Every request is slower: 9 ms rather than 7 ms.\nWe run with --enforce-eager.",
        ] {
            assert_eq!(ids(&explained(text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_text_that_names_graphs_in_passing_is_not_of_them() {
        let text = "OutOfMemoryError: CUDA out of memory\nWe serve with --disable-cuda-graph.";
        assert!(!explained(text).is_of_graphs);
        let text = "OutOfMemoryError: CUDA out of memory\nWith --disable-cuda-graph it works.";
        assert!(explained(text).is_of_graphs);
    }

    #[test]
    fn where_hardly_a_graph_failed_that_is_the_first_answer() {
        for text in [
            "The CUDA graph cannot be captured\nUnknown CUDA graph CaptureStatus 32767",
            "[Feature]: CUDA graphs for the audio encoder",
            "How can I draw a CUDA graph as a picture?",
        ] {
            let explanation = explained(text);
            assert_eq!(
                explanation.beside,
                Some(0),
                "{text}: {:?}",
                ids(&explanation)
            );
        }
    }

    #[test]
    fn a_text_that_shows_a_failure_is_not_told_that_none_happened() {
        for text in [
            "WSL2: graph capture works again\nBefore, it failed with cudaErrorUnknown during graph capture.",
            "Failed to capture graph\nvmmCreate failed: CUDA_ERROR_INVALID_DEVICE",
        ] {
            let explanation = explained(text);
            assert_ne!(explanation.beside, Some(0), "{text}");
            assert!(!explanation.is_decided(), "{text}");
        }
    }

    #[test]
    fn documentation_is_no_failure() {
        let explanation = explained("Clarify that graphs may share a memory pool\nThis is safe.");
        assert_eq!(explanation.beside, Some(0));
        assert_eq!(ids(&explanation), [""; 0]);
    }

    #[test]
    fn a_likely_candidate_keeps_its_place_and_the_highest_score() {
        let explanation = explained(
            "RuntimeError: CUDA error: capturing stream has unjoined work\nIt is stuck with garbage in the graph's pool.",
        );
        assert_eq!(explanation.candidates[0].entry.id, "CG106");
        let scores = explanation.candidates.iter().map(|known| known.score);
        assert!(scores.is_sorted_by(|a, b| a >= b));
    }
}
