//! What each process did, side by side.

use std::collections::BTreeMap;

use cgsan_finding::{CapturedGraph, Finding, Outcome, Process};
use maud::{Markup, html};

use crate::text;

/// How many processes are shown.
const ROWS: usize = 2_000;

/// What is known of a process.
#[derive(Default)]
struct Row {
    process: Process,
    captured: usize,
    failed: usize,
    nodes: usize,
    replays: u64,
    /// How often each id was found.
    findings: BTreeMap<&'static str, usize>,
}

/// The processes that captured or in which something was found; nothing if there is only one.
pub fn section(graphs: &[CapturedGraph], findings: &[Finding]) -> Markup {
    let rows = rows(graphs, findings);
    if rows.len() < 2 {
        return Markup::default();
    }
    let most = rows.iter().map(|it| it.captured).max().unwrap_or_default();
    let left_out = rows.len().saturating_sub(ROWS);
    html! {
        section #ranks aria-labelledby="ranks-title" {
            h2 #ranks-title { "Ranks side by side" }
            div.wide {
                table {
                    thead { tr {
                        @for name in ["Process", "Captured", "Failed", "Nodes", "Replays", "Findings"] {
                            th scope="col" { (name) }
                        }
                    } }
                    tbody {
                        @for row in rows.iter().take(ROWS) {
                            tr {
                                th scope="row" { (text::printable(&Process::names(std::slice::from_ref(&row.process)))) }
                                td.fewer[row.captured < most] { (row.captured) }
                                td.failed[row.failed > 0] { (row.failed) }
                                td { (row.nodes) }
                                td { (row.replays) }
                                td {
                                    @for (id, count) in &row.findings {
                                        code { (id) } @if *count > 1 { " × " (count) } " "
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if left_out > 0 { p { "Left out here: " (text::count(left_out, "process")) "." } }
        }
    }
}

fn rows(graphs: &[CapturedGraph], findings: &[Finding]) -> Vec<Row> {
    // Two machines may give out the same id.
    let mut rows = BTreeMap::new();
    let new = |process: &Process| Row {
        process: process.clone(),
        ..Row::default()
    };
    for graph in graphs {
        let of = &graph.process;
        let row = rows.entry(of.identity()).or_insert_with(|| new(of));
        match graph.outcome {
            Outcome::Captured => row.captured += 1,
            Outcome::Failed | Outcome::Unfinished => row.failed += 1,
        }
        row.nodes += graph.nodes.len();
        row.replays = row.replays.saturating_add(graph.replays);
    }
    for finding in findings {
        let processes = finding.observed().map_or(&[][..], |it| &it.processes);
        for of in processes {
            let row = rows.entry(of.identity()).or_insert_with(|| new(of));
            *row.findings.entry(finding.id).or_default() += of.count;
        }
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(|row| {
        (
            row.process.rank.is_none(),
            row.process.rank,
            row.process.pid,
        )
    });
    rows
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Basis, Confidence, Observed};

    use super::*;

    #[test]
    fn processes_of_two_machines_are_two_whatever_their_ids() {
        let process = |host: &str, count| Process {
            pid: 7,
            host: Some(host.to_owned()),
            count,
            ..Process::default()
        };
        let finding = Finding {
            id: "CG101",
            title: String::new(),
            confidence: Confidence::Confirmed,
            location: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            basis: Basis::Run(Box::new(Observed {
                processes: vec![process("a", 1), process("b", 2)],
                ..Observed::default()
            })),
        };
        let rows = rows(&[], &[finding]);
        let found = rows.iter().map(|row| row.findings["CG101"]);
        assert_eq!(found.collect::<Vec<_>>(), [1, 2]);
    }
}
