//! What a report rests on: what was watched, and what was not.

use cgsan_model::Call;
use cgsan_trace::{Record, Trace};
use serde::Serialize;

use crate::process::numbers;

/// What was watched of a run. Where nothing was found, it says in what nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

    /// What was watched of the process that a trace is of.
    pub(crate) fn of(trace: &Trace) -> Coverage {
        let mut coverage = Coverage {
            processes: 1,
            ranks: trace.rank().map(|it| it.rank).into_iter().collect(),
            ..Coverage::default()
        };
        let mut looked_away = false;
        let mut has_calls = false;
        let mut only_counted = false;
        for entry in trace.entries() {
            has_calls |= matches!(&entry.record, Record::Call(call) if !trace.is_aside(call));
            match &entry.record {
                Record::Call(record) if record.result.is_success() => match record.call {
                    Call::StreamBeginCapture { .. } | Call::StreamBeginCaptureToGraph { .. } => {
                        coverage.captures += 1;
                    }
                    Call::GraphLaunch { .. } => coverage.replays += 1,
                    _ => {}
                },
                Record::OperatorBegin(_) | Record::Operator { .. } => {
                    *coverage.operators.get_or_insert(0) += 1;
                }
                Record::Counted(counted) => {
                    only_counted |= counted.calls > 0 || counted.blocks > 0;
                    coverage.replays += counted.replays.iter().map(|(_, times)| times).sum::<u64>();
                }
                Record::Watched { on: false } => looked_away = true,
                _ => {}
            }
        }
        if !has_calls {
            coverage.not_watched.push(Gap::new("calls to CUDA", None));
        }
        if coverage.operators.is_none() {
            coverage.not_watched.push(Gap::new(
                "operators",
                Some("so what replays compute was not judged"),
            ));
        }
        if only_counted {
            coverage.not_watched.push(Gap::new(
                "calls away from captures and sampled replays",
                Some("they were only counted"),
            ));
        }
        if looked_away {
            coverage.not_watched.push(Gap::new(
                "calls while no capture was near",
                Some("`--watch-always` watches them"),
            ));
        }
        coverage
    }

    /// Adds what was watched of another process.
    pub(crate) fn add(&mut self, other: Coverage) {
        self.captures += other.captures;
        self.replays += other.replays;
        self.operators = match (self.operators, other.operators) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        self.processes += other.processes;
        self.ranks.extend(other.ranks);
        self.ranks.sort_unstable();
        self.ranks.dedup();
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
    use cgsan_model::{ExecId, ThreadId};
    use cgsan_trace::{Counted, Entry, OperatorRecord, ProcessInfo, StringId, format};

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
    fn what_was_only_counted_is_part_of_it() {
        let entry = |record| Entry {
            time_ns: 0,
            thread: ThreadId(1),
            record,
        };
        let operator = Record::Operator {
            operator: OperatorRecord {
                name: StringId(0),
                arguments: Vec::new(),
                stack: None,
            },
            results: Vec::new(),
        };
        let counted = Record::Counted(Counted {
            calls: 5,
            blocks: 0,
            replays: vec![(ExecId(1), 7), (ExecId(2), 1)],
        });
        let entries = [
            entry(Record::Process(ProcessInfo::default())),
            entry(Record::String {
                id: StringId(0),
                text: "aten::view".to_owned(),
            }),
            entry(operator.clone()),
            entry(operator),
            entry(counted),
            entry(Record::End),
        ];
        let trace = Trace::parse(&format::encode_all(&entries)).expect("a trace");
        let coverage = Coverage::of(&trace);
        assert_eq!((coverage.operators, coverage.replays), (Some(2), 8));
        let gaps = coverage.gaps_in_words().expect("gaps");
        assert!(gaps.contains("only counted"), "{gaps}");
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
