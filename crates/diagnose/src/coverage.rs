//! What a report rests on: what was watched of a process, and what was not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use cgsan_finding::{Coverage, Gap};
use cgsan_model::Call;
use cgsan_trace::{AgentEvent, Record, Trace};

/// What was watched of the process that a trace is of, in the entries that the summary is about.
pub(crate) fn of(trace: &Trace, about: &Range<usize>) -> Coverage {
    let mut coverage = Coverage {
        processes: 1,
        ranks: trace.rank().map(|it| it.rank).into_iter().collect(),
        ..Coverage::default()
    };
    let mut looked_away = false;
    let mut has_calls = false;
    let mut only_counted = false;
    for entry in &trace.entries()[about.clone()] {
        has_calls |= matches!(&entry.record, Record::Call(call) if !trace.is_aside(call));
        match &entry.record {
            Record::Call(record) if record.result.is_success() => match record.call {
                ref it if it.begins_capture() => coverage.captures += 1,
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
            // The virtual GPU counts what it does not record.
            Record::Watched { on: false } => looked_away |= !trace.process().virtual_gpu,
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
    coverage.not_watched.extend(without_twin(trace, about));
    coverage
}

/// The graphs that were not compared, wholly or in part, with what their regions would do eagerly, and those of which nobody knows what they
/// would leave if no capture ran.
fn without_twin(trace: &Trace, about: &Range<usize>) -> Vec<Gap> {
    let mut none: BTreeMap<u64, &str> = BTreeMap::new();
    let mut partly: BTreeMap<u64, &str> = BTreeMap::new();
    let mut compared: BTreeSet<u64> = BTreeSet::new();
    let mut undecided: BTreeMap<u64, &str> = BTreeMap::new();
    let mut computed: BTreeSet<u64> = BTreeSet::new();
    let events = trace.agent_events();
    for (_, event) in events.filter(|(position, _)| about.contains(position)) {
        match event {
            AgentEvent::TwinsLeftOut { graphs } => {
                none.extend(
                    graphs
                        .iter()
                        .map(|(graph, reason)| (*graph, reason.as_str())),
                );
            }
            AgentEvent::LeftCompared { graph, .. } => {
                computed.insert(*graph);
            }
            AgentEvent::TwinCompared {
                graph,
                replay: 0,
                stopped,
                ..
            } => undecided.extend(stopped.as_deref().map(|reason| (*graph, reason))),
            AgentEvent::TwinCompared {
                graph,
                operators,
                differences,
                stopped,
                ..
            } => match stopped {
                None => {
                    compared.insert(*graph);
                }
                Some(_) if !differences.is_empty() => {}
                Some(reason) if *operators == 0 => {
                    none.insert(*graph, reason);
                }
                Some(reason) => {
                    partly.insert(*graph, reason);
                }
            },
            _ => {}
        }
    }
    none.retain(|graph, _| !compared.contains(graph) && !partly.contains_key(graph));
    partly.retain(|graph, _| !compared.contains(graph));
    undecided.retain(|graph, _| !computed.contains(graph));
    let gap = |graphs: &BTreeMap<u64, &str>, how: &str, when: &str| {
        let (_, reason) = graphs.first_key_value()?;
        let count = match graphs.len() {
            1 => "1 graph".to_owned(),
            count => format!("{count} graphs"),
        };
        Some(Gap::new(
            format!("{how}what {count} would do {when}"),
            Some(reason),
        ))
    };
    let gaps = [
        gap(&none, "", "eagerly"),
        gap(&partly, "a part of ", "eagerly"),
        gap(&undecided, "", "if no capture ran"),
    ];
    gaps.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use cgsan_model::{ExecId, ThreadId};
    use cgsan_trace::{Counted, Entry, OperatorRecord, ProcessInfo, StringId, format};

    use super::*;

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
        let coverage = of(&trace, &(0..trace.entries().len()));
        assert_eq!((coverage.operators, coverage.replays), (Some(2), 8));
        let gaps = coverage.gaps_in_words().expect("gaps");
        assert!(gaps.contains("only counted"), "{gaps}");
    }

    #[test]
    fn only_where_it_can_be_followed_is_there_advice() {
        let advice = |virtual_gpu| {
            let process = ProcessInfo {
                virtual_gpu,
                ..ProcessInfo::default()
            };
            let entries =
                [Record::Process(process), Record::Watched { on: false }].map(|record| Entry {
                    time_ns: 0,
                    thread: ThreadId(1),
                    record,
                });
            let trace = Trace::parse(&format::encode_all(&entries)).expect("a trace");
            of(&trace, &(0..trace.entries().len()))
                .gaps_in_words()
                .expect("gaps")
                .contains("--watch-always")
        };
        assert!(advice(false));
        assert!(!advice(true), "`--virtual` refuses it");
    }
}
