//! How much a text has in common with each entry of the catalogue: BM25 over all that an entry says.

use std::collections::HashMap;
use std::sync::LazyLock;

use cgsan_catalogue::{Entry, Language, Text, entries};

use crate::terms::terms;

/// How often a term of an entry counts until more of it says nothing new.
const SATURATION: f32 = 1.2;

/// How much a long entry is charged for its length.
const LENGTH: f32 = 0.6;

/// How often a term of the text counts at most: a log repeats its words.
const MOST_REPEATED: f32 = 3.0;

/// How often the parts of an entry count: people write as its words and its title do, rather than as its causes.
const TITLE: u16 = 3;
const SUMMARY: u16 = 2;
const WORDS: u16 = 3;

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// How much a text has in common with each entry, in their order; 0 if nothing.
pub fn likeness(text: &str) -> Vec<f32> {
    INDEX.scores(text)
}

/// Which entries have a term, and how often.
struct Index {
    holders: HashMap<String, Vec<(usize, f32)>>,
    /// The number of terms of each entry, in parts of the average.
    lengths: Vec<f32>,
}

impl Index {
    fn new() -> Self {
        let mut holders: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
        let mut totals = Vec::new();
        for (number, entry) in entries().iter().enumerate() {
            let counts = counts(entry);
            totals.push(counts.values().copied().map(f32::from).sum::<f32>());
            for (term, count) in counts {
                let holders = holders.entry(term).or_default();
                holders.push((number, f32::from(count)));
            }
        }
        let average = totals.iter().sum::<f32>() / count(totals.len());
        Index {
            holders,
            lengths: totals.iter().map(|total| total / average).collect(),
        }
    }

    fn scores(&self, text: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mut wanted: HashMap<String, f32> = HashMap::new();
        let mut order = Vec::new();
        for term in terms(text) {
            if self.holders.contains_key(&term) {
                let times = wanted.entry(term.clone()).or_insert(0.0);
                if *times == 0.0 {
                    order.push(term);
                }
                *times += 1.0;
            }
        }
        // In the order of the text, so that the sums are the same each time.
        for term in order {
            let holders = &self.holders[&term];
            let (with, all) = (count(holders.len()), count(self.lengths.len()));
            let worth = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            let times = wanted[&term].min(MOST_REPEATED).sqrt();
            for &(number, held) in holders {
                let charge = SATURATION * (1.0 - LENGTH + LENGTH * self.lengths[number]);
                scores[number] += times * worth * held * (SATURATION + 1.0) / (held + charge);
            }
        }
        scores
    }
}

/// The terms of an entry, and how often each counts.
fn counts(entry: &Entry) -> HashMap<String, u16> {
    let mut counts = HashMap::new();
    let mut add = |text: &str, times: u16| {
        for term in terms(text) {
            *counts.entry(term).or_insert(0) += times;
        }
    };
    let mut add_text = |text: Text, times| {
        add(text.in_language(Language::English), times);
        add(text.in_language(Language::Chinese), times);
    };
    add_text(entry.title, TITLE);
    add_text(entry.summary, SUMMARY);
    for text in [entry.cause, entry.signal, entry.question] {
        add_text(text, 1);
    }
    for fix in entry.fixes {
        add_text(fix.title, 1);
        add_text(fix.explanation, 1);
        add_text(fix.cost, 1);
    }
    for dead_end in entry.dead_ends {
        add_text(dead_end.attempt, 1);
        add_text(dead_end.reason, 1);
    }
    for pattern in entry.patterns {
        add_text(pattern.reason, 1);
    }
    for pattern in entry.patterns {
        let conditions = pattern.with.iter().map(|condition| condition.matches);
        for expression in conditions.chain([pattern.matches]) {
            add(&plain(expression), 1);
        }
    }
    add(entry.name, 1);
    add(entry.words, WORDS);
    counts
}

/// The words of an expression.
fn plain(expression: &str) -> String {
    let mut plain = String::new();
    let mut characters = expression.chars();
    while let Some(c) = characters.next() {
        if c == '\\' {
            characters.next();
            plain.push(' ');
        } else {
            plain.push(c);
        }
    }
    plain
}

/// A small number as a float.
#[allow(
    clippy::cast_precision_loss,
    reason = "there are less than a million entries and terms"
)]
fn count(number: usize) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(text: &str) -> &'static str {
        let scores = likeness(text);
        let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        entries()[best.unwrap()].id
    }

    #[test]
    fn everyday_words_find_their_entry() {
        assert_eq!(
            nearest("the forked side stream is never joined again"),
            "CG106"
        );
        assert_eq!(nearest("forward hooks are not called any more"), "CG213");
        assert_eq!(
            nearest("all-reduce overlap with the backward is lost"),
            "CG505"
        );
        assert_eq!(nearest("优化器的学习率一直不变"), "CG205");
    }

    #[test]
    fn words_of_no_entry_are_like_none() {
        assert!(likeness("xkcd qwer").iter().all(|score| *score == 0.0));
    }
}
