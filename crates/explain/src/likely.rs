//! The second stage: what is likely where the patterns decide nothing. A text that complains about CUDA graphs is ranked by
//! what its patterns say, by the kind of its trouble, by the words that it shares with the entries, and by what is common.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use cgsan_catalogue::{Entry, entries};

use crate::beside::is_beside_graphs;
use crate::candidate::{Candidate, Explanation, LEAVE_OPEN, LIKELY, Reason, sort};
use crate::concern::{is_complaint, names_graphs};
use crate::kind::{Kind, Strengths, strengths};
use crate::likeness::likeness;
use crate::passing::{without_messages, without_passing};
use crate::thing::names_thing_of;

/// Candidates that a text is given at least.
const ENOUGH: usize = 3;

/// Bytes of a text that are looked at: people say first what their trouble is.
const LOOKED_AT: usize = 8 << 10;

/// The most that all this says together: less than a likely pattern.
const MOST: f32 = 0.62;

/// How much of it each says. Other shares, from half to twice of these, change little.
const OF_KIND: f32 = 0.35;
const OF_COMMONNESS: f32 = 0.04;
const OF_WORDS: f32 = 1.0 - OF_KIND - OF_COMMONNESS;

/// The likeness of an entry, and the strength of a kind, from which they say all they can.
const LIKE_ENOUGH: f32 = 18.0;
const STRONG_ENOUGH: f32 = 4.0;

/// What an entry loses that is about a thing which the text does not name.
const WITHOUT_ITS_THING: f32 = 0.5;

/// The entries that ten or more of the threads of docs/measurements/explain-threads.tsv are about, most often first. CG190 and
/// CG405 leave the cause open, CG114 is of old versions only, and CG507 says so in words that patterns know.
const COMMON: [&str; 11] = [
    "CG203", "CG101", "CG301", "CG209", "CG120", "CG128", "CG211", "CG403", "CG303", "CG119",
    "CG503",
];

impl Explanation {
    /// Ranks the candidates anew and adds what is likely beside them, if the text is not decided and complains about graphs.
    /// It decides nothing itself, and takes the candidates away where the trouble is beside graphs.
    pub(crate) fn add_likely(&mut self) {
        if self.is_decided() || self.elsewhere().is_some() {
            return;
        }
        let opening = beginning(&self.opening).trim_start();
        if is_beside_graphs(opening) {
            self.candidates.clear();
            return;
        }
        let text = without_passing(opening);
        let is_whole = self.opening.len() < LOOKED_AT;
        if is_whole && !names_graphs(opening, &text) {
            self.is_of_graphs = false;
            return;
        }
        let is_full = self.candidates.len() >= ENOUGH && self.candidates[0].score >= LIKELY;
        if is_full {
            return;
        }
        let likeness = likenesses(&text);
        let nearest = likeness.iter().copied().fold(0.0, f32::max);
        let is_known = self.is_of_graphs && !self.candidates.is_empty();
        if !is_known && !is_complaint(opening, &text, nearest) {
            return;
        }
        self.is_of_graphs = true;
        let strengths = strengths(&text);
        let likely = self
            .candidates
            .first()
            .filter(|first| first.score >= LIKELY);
        let likely = likely.map(|first| first.entry.id);
        for (entry, likelihood) in likelihoods(&likeness, &strengths) {
            // Words cannot make likelier what leaves the cause open.
            if !LEAVE_OPEN.contains(&entry.id) {
                self.add(entry, likelihood, &strengths);
            }
        }
        sort(&mut self.candidates);
        // What a pattern says is likely keeps its place.
        if let Some(id) = likely {
            let candidates = &mut self.candidates;
            candidates.sort_by_key(|candidate| candidate.entry.id != id);
            let most = candidates[0].score;
            for candidate in candidates {
                candidate.score = candidate.score.min(most);
            }
        }
        let known: BTreeSet<&str> = self.by_patterns().map(|known| known.entry.id).collect();
        let mut rank = 0;
        self.candidates.retain(|candidate| {
            rank += 1;
            rank <= ENOUGH || known.contains(candidate.entry.id)
        });
        for candidate in &mut self.candidates {
            candidate.is_decisive = false;
        }
    }

    /// The candidates that something in the text names, rather than its words as a whole.
    fn by_patterns(&self) -> impl Iterator<Item = &Candidate> {
        let is_likely = |reason: &Reason| matches!(reason, Reason::Kind(_) | Reason::Words);
        let candidates = self.candidates.iter();
        candidates.filter(move |candidate| !candidate.reasons.iter().all(is_likely))
    }

    /// Adds what speaks for an entry: it takes its share of the doubt that the patterns leave.
    fn add(&mut self, entry: &'static Entry, likelihood: f32, strengths: &Strengths) {
        let mut candidates = self.candidates.iter_mut();
        if let Some(known) = candidates.find(|known| known.entry.id == entry.id) {
            let doubt = (1.0 - f32::from(known.score.min(100)) / 100.0) * (1.0 - likelihood);
            known.score = percent(1.0 - doubt);
            return;
        }
        let kind = Kind::of(entry).filter(|kind| kind.of_strengths(strengths) > 0.0);
        self.candidates.push(Candidate {
            entry,
            score: percent(likelihood).max(1),
            is_decisive: false,
            reasons: vec![kind.map_or(Reason::Words, Reason::Kind)],
            origin: None,
        });
    }
}

/// How much the text, its title twice, has in common with each entry, less what an entry loses whose thing it does not name.
fn likenesses(text: &str) -> Vec<f32> {
    let title = text.lines().next().unwrap_or_default();
    let mut likeness = likeness(&without_messages(&format!("{title}\n{text}")));
    for (entry, like) in entries().iter().zip(&mut likeness) {
        if !names_thing_of(entry, text) {
            *like *= WITHOUT_ITS_THING;
        }
    }
    likeness
}

/// How likely each entry is, from 0 to 1, by the text as a whole.
fn likelihoods(likeness: &[f32], strengths: &Strengths) -> Vec<(&'static Entry, f32)> {
    let most = likeness.iter().copied().fold(LIKE_ENOUGH, f32::max);
    let all = strengths.iter().sum::<f32>().max(STRONG_ENOUGH);
    let likelihood = |(entry, like): (&'static Entry, &f32)| {
        let kind = Kind::of(entry).map_or(0.0, |kind| kind.of_strengths(strengths));
        let is_common = COMMON.contains(&entry.id);
        let share = OF_WORDS * like / most
            + OF_KIND * kind / all
            + OF_COMMONNESS * f32::from(u8::from(is_common));
        (entry, MOST * share)
    };
    let mut likely: Vec<_> = entries().iter().zip(likeness).map(likelihood).collect();
    likely.sort_by_key(|(entry, likelihood)| (Reverse(percent(*likelihood)), entry.id));
    likely
}

/// The beginning of a text.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 1"
)]
fn percent(share: f32) -> u8 {
    (share * 100.0).round() as u8
}

#[cfg(test)]
mod tests {
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
            assert_eq!(ids.len(), 3, "{text}: {ids:?}");
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
    fn what_fails_beside_a_graph_gets_none() {
        let text = "The CUDA graph cannot be captured\nUnknown CUDA graph CaptureStatus 32767";
        assert_eq!(ids(&explained(text)), [""; 0]);
    }

    #[test]
    fn graphs_without_trouble_get_none() {
        for text in [
            "[Feature]: CUDA graphs for the audio encoder",
            "How can I draw a CUDA graph as a picture?",
        ] {
            assert_eq!(ids(&explained(text)), [""; 0], "{text}");
        }
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
