//! The table of what a capture permits, in Markdown, from probes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::recording::{Header, Probe};

/// Probes, and where they were recorded.
pub struct Source {
    /// Where and how.
    pub header: Header,
    /// What.
    pub probes: Vec<Probe>,
}

/// The situation of a call besides its stream: mode of the capture, whether its own thread calls, exchanged mode.
type Situation = (i64, bool, i64);

/// What came of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    code: i64,
    end: i32,
    nodes: i64,
}

/// The outcomes of one call at one place, by the kind of the capturing stream and the situation.
type Row = BTreeMap<(String, Situation), Outcome>;

const MODES: [&str; 3] = ["global", "thread-local", "relaxed"];

/// The streams that a call can be on, with their headings.
const PLACES: [(&str, &str); 5] = [
    ("capturing", "the capturing stream"),
    ("other_nonblocking", "another, non-blocking"),
    ("other_blocking", "another, blocking"),
    ("legacy", "the legacy stream"),
    ("per_thread", "the per-thread stream"),
];

/// The whole page.
pub fn render(sources: &[Source]) -> String {
    let Merged {
        rows,
        order,
        differences,
    } = merge(sources);
    let mut page = introduction(sources);
    let (plain, on_streams): (Vec<&String>, Vec<&String>) =
        order.iter().partition(|api| !api.contains('@'));
    page += "
## Calls without a stream

Two answers: the capturing stream is non-blocking / blocking.
";
    for (row, calls) in groups(&rows, &plain) {
        page += &plain_table(row, &calls);
    }
    page += &stream_summary(&rows, &on_streams);
    page += &stream_details(&rows, &on_streams);
    page += &differences_section(&differences);
    page
}

fn introduction(sources: &[Source]) -> String {
    let mut page = "# What a capture permits

Recorded on real drivers and written by `cargo xtask conformance --table`; do not edit. One stream captures, with one node
so far. Then one call is made, by the thread that began the capture or by another, with that thread's own mode exchanged
(`cudaThreadExchangeStreamCaptureMode`) or not, on the capturing stream or another. Then the capture is ended.

| sign | meaning |
|---|---|
| yes | done; the capture is left alone |
| node | becomes a node of the graph |
| **900** ✗ | refused with this code, and the capture is broken: ending it gives 901 and no graph |
| 401 | refused with this code; the capture goes on |
| ends, 908 ends | the capture is over after the call |

The codes: 1 invalid value, 400 invalid handle, 401 illegal state, 900 not permitted while capturing, 901 broken earlier, 905
dependency on uncaptured work, 906 the legacy stream would depend on the capture, 908 ended in the wrong thread.

Recorded on:

"
    .to_owned();
    let machines: BTreeSet<String> = sources
        .iter()
        .filter(|source| !source.header.gpu.is_empty())
        .map(|source| source.header.machine())
        .collect();
    for machine in machines {
        let _ = writeln!(page, "- {machine}");
    }
    page
}

struct Merged {
    /// By call and place.
    rows: BTreeMap<String, Row>,
    /// The calls, as the recordings list them.
    order: Vec<String>,
    /// Probes that came out differently: what, and the outcome on each machine.
    differences: Vec<(String, Vec<String>)>,
}

/// One table of all recordings. Where they differ the first one counts, and the difference is told apart.
fn merge(sources: &[Source]) -> Merged {
    let mut merged = Merged {
        rows: BTreeMap::new(),
        order: Vec::new(),
        differences: Vec::new(),
    };
    let mut seen: BTreeMap<(String, String, Situation), Vec<(String, Outcome)>> = BTreeMap::new();
    for source in sources {
        for probe in &source.probes {
            let Some(code) = probe.rc.as_i64() else {
                continue;
            };
            let situation = (probe.mode, probe.thread == "own", probe.exchange);
            let outcome = Outcome {
                code,
                end: probe.end,
                nodes: probe.nodes,
            };
            if !merged.rows.contains_key(&probe.api) {
                merged.order.push(probe.api.clone());
            }
            let row = merged.rows.entry(probe.api.clone()).or_default();
            row.entry((probe.capture_stream.clone(), situation))
                .or_insert(outcome);
            seen.entry((probe.api.clone(), probe.capture_stream.clone(), situation))
                .or_default()
                .push((source.header.machine(), outcome));
        }
    }
    for ((api, stream, situation), outcomes) in seen {
        if outcomes
            .iter()
            .any(|(_, outcome)| *outcome != outcomes[0].1)
        {
            let what = format!("{api}, {stream} capture, {}", name(situation));
            let each = outcomes
                .iter()
                .map(|(machine, outcome)| format!("{machine}: {}", sign(*outcome)));
            merged.differences.push((what, each.collect()));
        }
    }
    merged
}

fn name((mode, own, exchange): Situation) -> String {
    let thread = if own { "own" } else { "other" };
    format!(
        "{} mode, {thread} thread, exchanged to {}",
        mode_name(mode),
        mode_name(exchange)
    )
}

/// What a capture mode is called, by its number in recordings.
pub(crate) fn mode_name(mode: i64) -> &'static str {
    usize::try_from(mode)
        .ok()
        .and_then(|index| MODES.get(index))
        .unwrap_or(&"?")
}

fn sign(outcome: Outcome) -> String {
    match outcome {
        Outcome {
            code: 0,
            end: 0,
            nodes: 2,
        } => "node".to_owned(),
        Outcome {
            code: 0, end: 0, ..
        } => "yes".to_owned(),
        Outcome {
            code: 0, end: 401, ..
        } => "ends".to_owned(),
        Outcome { code, end: 0, .. } => code.to_string(),
        Outcome { code, end: 401, .. } => format!("{code} ends"),
        Outcome { code, .. } => format!("**{code}** ✗"),
    }
}

/// The calls that share all their outcomes, in the order of their first.
fn groups<'a>(
    rows: &'a BTreeMap<String, Row>,
    calls: &[&'a String],
) -> Vec<(&'a Row, Vec<&'a str>)> {
    let mut groups: Vec<(&Row, Vec<&str>)> = Vec::new();
    for call in calls {
        let Some(row) = rows.get(*call) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == row) {
            Some((_, members)) => members.push(call),
            None => groups.push((row, vec![call])),
        }
    }
    groups
}

fn plain_table(row: &Row, calls: &[&str]) -> String {
    let names: Vec<String> = calls.iter().map(|call| format!("`{call}`")).collect();
    let mut text = format!("\n{}:\n\n", names.join(", "));
    let situations: BTreeSet<Situation> = row.keys().map(|(_, situation)| *situation).collect();
    let outcomes: BTreeSet<String> = situations.iter().map(|at| cell(row, *at)).collect();
    if let Some(only) = outcomes.first().filter(|_| outcomes.len() == 1) {
        let _ = writeln!(
            text,
            "> {only}, in every mode, from every thread, whatever its own mode."
        );
        return text;
    }
    text += "| the capture's mode | the calling thread | own mode global | own mode thread-local | own mode relaxed |\n";
    text += "|---|---|---|---|---|\n";
    for mode in 0..3 {
        for (own, thread) in [(true, "that began the capture"), (false, "another")] {
            let _ = write!(text, "| {} | {thread} |", mode_name(mode));
            for exchange in 0..3 {
                let _ = write!(text, " {} |", cell(row, (mode, own, exchange)));
            }
            text.push('\n');
        }
    }
    text
}

/// The outcome in a situation; two where the kind of the capturing stream matters: non-blocking / blocking.
fn cell(row: &Row, situation: Situation) -> String {
    let of = |stream: &str| {
        row.get(&(stream.to_owned(), situation))
            .map(|outcome| sign(*outcome))
    };
    match (of("NB"), of("BL")) {
        (Some(one), Some(other)) if one == other => one,
        (Some(one), Some(other)) => format!("{one} / {other}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => String::new(),
    }
}

/// What `cudaMalloc` gets: the mark of an unsafe call.
fn is_unsafe(rows: &BTreeMap<String, Row>, row: &Row, stream: &str) -> bool {
    let Some(malloc) = rows.get("cudaMalloc") else {
        return false;
    };
    let mut found = false;
    let same =
        row.iter()
            .filter(|((kind, _), _)| kind == stream)
            .all(|((_, situation), outcome)| {
                found = true;
                malloc.get(&("NB".to_owned(), *situation)) == Some(outcome)
            });
    same && found
}

/// One word for a row's outcomes while a stream of one kind captures.
fn summary(rows: &BTreeMap<String, Row>, row: &Row, stream: &str) -> String {
    let outcomes: BTreeSet<String> = row
        .iter()
        .filter(|((kind, _), _)| kind == stream)
        .map(|(_, outcome)| sign(*outcome))
        .collect();
    match outcomes.first() {
        Some(only) if outcomes.len() == 1 => only.clone(),
        Some(_) if is_unsafe(rows, row, stream) => "unsafe".to_owned(),
        Some(_) => outcomes.into_iter().collect::<Vec<_>>().join(" or "),
        None => String::new(),
    }
}

fn functions<'a>(calls: &[&'a String]) -> Vec<&'a str> {
    let mut functions: Vec<&str> = Vec::new();
    for call in calls {
        if let Some((function, _)) = call.split_once('@')
            && !functions.contains(&function)
        {
            functions.push(function);
        }
    }
    functions
}

fn stream_summary(rows: &BTreeMap<String, Row>, calls: &[&String]) -> String {
    let mut text = "\n## Calls on a stream, in short

`unsafe`: as `cudaMalloc` above, by mode and thread. Two answers: the capturing stream is non-blocking / blocking. Two answers
with `or`: by mode and thread; see the next table.

| call |"
    .to_owned();
    for (_, heading) in PLACES {
        let _ = write!(text, " {heading} |");
    }
    text += "\n|---|---|---|---|---|---|\n";
    for function in functions(calls) {
        let _ = write!(text, "| `{function}` |");
        for (place, _) in PLACES {
            let row = rows.get(&format!("{function}@{place}"));
            let of = |stream| {
                row.map(|row| summary(rows, row, stream))
                    .unwrap_or_default()
            };
            let (one, other) = (of("NB"), of("BL"));
            let both = if one == other {
                one
            } else {
                format!("{one} / {other}")
            };
            let _ = write!(text, " {both} |");
        }
        text.push('\n');
    }
    text
}

/// The situations that were probed on streams, with their headings.
const DETAILS: [(Situation, &str); 8] = [
    ((0, true, 0), "global, own"),
    ((0, true, 2), "…own mode relaxed"),
    ((0, false, 0), "global, other"),
    ((0, false, 2), "…own mode relaxed"),
    ((1, true, 0), "thread-local, own"),
    ((1, false, 0), "thread-local, other"),
    ((2, true, 0), "relaxed, own"),
    ((2, false, 0), "relaxed, other"),
];

fn stream_details(rows: &BTreeMap<String, Row>, calls: &[&String]) -> String {
    let mut text = "\n## Calls on a stream, by mode and thread

The capture's mode, and whether its own thread calls or another; two answers: the capturing stream is non-blocking / blocking.

| call | on |"
        .to_owned();
    for (_, heading) in DETAILS {
        let _ = write!(text, " {heading} |");
    }
    text += "\n|---|---|---|---|---|---|---|---|---|---|\n";
    for function in functions(calls) {
        for (place, heading) in PLACES {
            let Some(row) = rows.get(&format!("{function}@{place}")) else {
                continue;
            };
            let _ = write!(text, "| `{function}` | {heading} |");
            for (situation, _) in DETAILS {
                let _ = write!(text, " {} |", cell(row, situation));
            }
            text.push('\n');
        }
    }
    text
}

fn differences_section(differences: &[(String, Vec<String>)]) -> String {
    let mut text = "\n## Differences between drivers and GPUs\n\n".to_owned();
    if differences.is_empty() {
        text += "None: every probe came out the same on every machine it was recorded on.\n";
    }
    for (what, each) in differences {
        let _ = writeln!(text, "- {what}: {}", each.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(gpu: &str, code: i64) -> Source {
        let probe = |api: &str, code: i64| Probe {
            api: api.to_owned(),
            mode: 0,
            thread: "own".to_owned(),
            exchange: 0,
            capture_stream: "NB".to_owned(),
            begin: 0,
            rc: code.into(),
            end: if code == 0 { 0 } else { 901 },
            nodes: if code == 0 { 1 } else { -1 },
            val: None,
        };
        Source {
            header: Header {
                gpu: gpu.to_owned(),
                driver: "1.2".to_owned(),
                cuda_driver: 13000,
                ..Header::default()
            },
            probes: vec![
                probe("cudaMalloc", code),
                probe("cudaMallocAsync@legacy", code),
            ],
        }
    }

    #[test]
    fn a_difference_between_machines_is_told() {
        let page = render(&[source("Old", 900), source("New", 0)]);
        let line = "- cudaMalloc, NB capture, global mode, own thread, exchanged to global: \
                    Old, driver 1.2, CUDA 13.0: **900** ✗; New, driver 1.2, CUDA 13.0: yes";
        assert!(page.contains(line), "{page}");
        let same = render(&[source("Old", 900), source("New", 900)]);
        assert!(same.contains("None: every probe"), "{same}");
    }

    #[test]
    fn outcomes_have_signs() {
        let sign = |code, end, nodes| sign(Outcome { code, end, nodes });
        assert_eq!(sign(0, 0, 1), "yes");
        assert_eq!(sign(0, 0, 2), "node");
        assert_eq!(sign(900, 901, -1), "**900** ✗");
        assert_eq!(sign(401, 0, 1), "401");
        assert_eq!(sign(908, 401, -1), "908 ends");
    }
}
