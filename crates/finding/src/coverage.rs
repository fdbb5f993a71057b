//! What a report rests on: what was watched, and what was not.

use serde::{Deserialize, Serialize};

use crate::phrase::numbers;

/// What was watched of a run. Where nothing was found, it says in what nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How many captures began.
    pub captures: u64,
    /// How many launches of graphs were seen.
    pub replays: u64,
    /// How many operators of PyTorch were recorded; `None` if none were watched.
    pub operators: Option<u64>,
    /// How many processes used CUDA.
    pub processes: u64,
    /// The ranks of those that have one, ascending.
    pub ranks: Vec<u32>,
    /// What was not watched of the run, and so was not judged.
    pub not_watched: Vec<Gap>,
}

/// A part of a run that was not watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What it is, e.g. `operators`.
    pub what: String,
    /// Why it was not watched, or how it can be; `None` if there is nothing to say.
    pub why: Option<String>,
}

impl Gap {
    /// A part that was not watched, with the reason.
    pub fn new(what: impl Into<String>, why: Option<&str>) -> Gap {
        Gap {
            what: what.into(),
            why: why.map(str::to_owned),
        }
    }
}

impl Coverage {
    /// Whether there was anything that could have failed: a capture, or a replay.
    pub fn is_empty(&self) -> bool {
        self.captures == 0 && self.replays == 0
    }

    /// What was watched, e.g. `2 captures, 10 replays`.
    pub fn in_words(&self) -> String {
        if self.processes == 0 {
            return "nothing was recorded".to_owned();
        }
        let mut parts = vec![
            count(self.captures, "capture", "captures"),
            count(self.replays, "replay", "replays"),
        ];
        parts.extend(self.operators.map(|it| count(it, "operator", "operators")));
        if self.processes > 1 {
            parts.push(count(self.processes, "process", "processes"));
        }
        if self.ranks.len() > 1 {
            parts.push(format!("ranks {}", numbers(&self.ranks)));
        }
        parts.join(", ")
    }

    /// What was not watched, with the reasons; `None` if all was.
    pub fn gaps_in_words(&self) -> Option<String> {
        let gaps = self.not_watched.iter().map(|gap| match &gap.why {
            Some(why) => format!("{} ({why})", gap.what),
            None => gap.what.clone(),
        });
        let gaps: Vec<String> = gaps.collect();
        (!gaps.is_empty()).then(|| gaps.join("; "))
    }

    /// Adds what was watched of another process.
    pub fn add(&mut self, other: Coverage) {
        self.captures += other.captures;
        self.replays += other.replays;
        self.operators = match (self.operators, other.operators) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        self.processes += other.processes;
        for rank in other.ranks {
            if let Err(at) = self.ranks.binary_search(&rank) {
                self.ranks.insert(at, rank);
            }
        }
        for gap in other.not_watched {
            if !self.not_watched.contains(&gap) {
                self.not_watched.push(gap);
            }
        }
    }
}

fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_plural() {
        let one = Coverage {
            captures: 1,
            replays: 0,
            processes: 1,
            ranks: vec![0],
            ..Coverage::default()
        };
        assert_eq!(one.in_words(), "1 capture, 0 replays");
        let mut all = one.clone();
        for rank in [2, 1] {
            all.add(Coverage {
                ranks: vec![rank],
                operators: Some(40),
                ..one.clone()
            });
        }
        assert_eq!(
            all.in_words(),
            "3 captures, 0 replays, 80 operators, 3 processes, ranks 0 to 2"
        );
    }

    #[test]
    fn without_a_process_nothing_was_recorded() {
        assert_eq!(Coverage::default().in_words(), "nothing was recorded");
        assert!(Coverage::default().is_empty());
    }

    #[test]
    fn a_gap_is_told_once_with_its_reason() {
        let mut all = Coverage {
            not_watched: vec![Gap::new("operators", None)],
            ..Coverage::default()
        };
        all.add(Coverage {
            not_watched: vec![
                Gap::new("operators", None),
                Gap::new("calls to CUDA", Some("another tool watches them")),
            ],
            ..Coverage::default()
        });
        let words = "operators; calls to CUDA (another tool watches them)";
        assert_eq!(all.gaps_in_words().as_deref(), Some(words));
        assert_eq!(Coverage::default().gaps_in_words(), None);
    }
}
