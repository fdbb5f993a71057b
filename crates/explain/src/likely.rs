//! The second stage: what a text that no pattern decides leaves open. It gets the entries of the trouble that it speaks of, in a
//! fixed order: those that a pattern names, those whose rare words it shares, and what people meet most often. Nothing of that
//! decides, and a text whose trouble is another one gets none.

use cgsan_catalogue::{Entry, entry};

use crate::candidate::{Candidate, Explanation, LEAVE_OPEN, LIKELY, Reason};
use crate::kind::Kind;
use crate::nearest::nearest;
use crate::reading::Reading;

/// Answers that a text is given, one of which may be that no graph failed.
const ANSWERS: usize = 3;

/// The score of the first entry that no pattern names, and how much less the next one has: less than a likely pattern.
const FIRST: u8 = 40;
const LESS: u8 = 8;

impl Explanation {
    /// Adds what the text leaves open, if it is not decided. It decides nothing itself, and takes the candidates away where hardly
    /// a graph failed.
    pub(crate) fn add_likely(&mut self) {
        if self.is_decided() || self.elsewhere().is_some() {
            return;
        }
        let reading = Reading::of(self);
        if !reading.names_graphs {
            self.is_of_graphs = false;
            self.beside = Some(0);
            return;
        }
        let first = self.candidates.first();
        let is_likely = first.is_some_and(|first| first.score >= LIKELY);
        if is_likely && self.candidates.len() >= ANSWERS {
            return;
        }
        let shows_failure = reading.shows_failure;
        let is_of_another =
            reading.is_of_another() || !(self.is_of_graphs || reading.blames_graphs());
        let is_beside = self.candidates.is_empty() && is_of_another;
        if !shows_failure && (reading.is_documentation || is_beside) {
            self.candidates.clear();
            self.beside = Some(0);
            return;
        }
        let open = open(&reading);
        self.is_of_graphs = true;
        self.beside = (!shows_failure).then_some(ANSWERS - 1);
        let enough = ANSWERS - usize::from(self.beside.is_some());
        for (entry, reason) in open {
            if self.candidates.len() >= enough {
                break;
            }
            if self.candidates.iter().any(|it| it.entry.id == entry.id) {
                continue;
            }
            let lowest = self.candidates.last().map_or(FIRST + LESS, |it| it.score);
            self.candidates.push(Candidate {
                entry,
                score: lowest.min(FIRST + LESS).saturating_sub(LESS).max(1),
                is_decisive: false,
                reasons: vec![reason],
                origin: None,
            });
        }
        for candidate in &mut self.candidates {
            candidate.is_decisive = false;
        }
    }
}

/// The entries that a text leaves open, with what speaks for each: first of the kind of trouble that it speaks of most.
fn open(reading: &Reading<'_>) -> Vec<(&'static Entry, Reason)> {
    let strength = |kind: &Kind| kind.of_strengths(&reading.strengths);
    let mut kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|it| strength(it) > 0.0)
        .collect();
    kinds.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let is_of_one = |entry: &Entry| Kind::of(entry).is_some_and(|kind| kinds.contains(&kind));
    // Words cannot make likely what leaves the cause open.
    let near = nearest(reading.opening).into_iter();
    let near = near.filter(|entry| !LEAVE_OPEN.contains(&entry.id) && is_of_one(entry));
    let near = near.map(|entry| (entry, Reason::Words));
    let common = kinds.iter().flat_map(|kind| {
        let known = kind.common().iter().filter_map(|id| entry(id));
        known.map(|entry| (entry, Reason::Kind(*kind)))
    });
    near.chain(common).collect()
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
