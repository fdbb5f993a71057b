//! Traces with anything in them, through the reader, the diagnosis and the renderer.

use std::fs;
use std::path::Path;

use cgsan_diagnose::Diagnosis;
use cgsan_export::{Export, Making, TABLES, Timeline};
use cgsan_graphs::Graph;
use cgsan_render::{NamedGraph, Options, Run};
use cgsan_trace::Trace;
use cgsan_trace::format::{COMMITTED_OFFSET, HEADER_LENGTH, RECORD_HEADER_LENGTH};

use super::terminal::check;

/// A recorded trace.
const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// Bytes of the longest report of a trace of some kilobytes.
const LONGEST: usize = 4 << 20;

#[test]
fn mutated_traces_are_read_diagnosed_and_shown() {
    mutate(600);
}

#[test]
#[ignore = "takes a minute; `cargo xtask test` runs it"]
fn twenty_thousand_mutated_traces_are_read_diagnosed_and_shown() {
    mutate(20_000);
}

fn mutate(times: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let recorded = fs::read(root.join(RECORDED)).expect("a recorded trace");
    let mut diagnosed = 0;
    for number in 0..times {
        let mut random = Random(number + 1);
        diagnosed += u64::from(show(&mutated(&recorded, &mut random), number));
    }
    assert!(
        diagnosed > times / 2,
        "most mutations leave a trace: {diagnosed}"
    );
}

/// Writes a trace as tables, and as a time line.
fn export(trace: &Trace) {
    let files = [(); TABLES.len()].map(|()| Vec::new());
    let mut export = Export::begin(files).expect("memory");
    let making = Making::new().expect("the tables have columns");
    let mut rows = making.begin();
    let mut timeline = Timeline::begin(Vec::new(), str::to_owned);
    let mut diagnosis = Diagnosis::default();
    diagnosis.add_and_show(trace, &mut |_, _| None, &mut |seen| {
        let added = rows.add("run", Path::new("trace"), trace, seen);
        added.expect("every trace has rows");
        timeline.add(trace, seen).expect("memory");
    });
    let timeline = timeline.finish().expect("memory");
    let timeline: serde_json::Value = serde_json::from_slice(&timeline).expect("JSON");
    assert!(timeline["traceEvents"].is_array());
    let rows = rows.finish().expect("every trace has rows");
    export.add(rows).expect("memory");
    let tables = export.finish(&diagnosis.finish().findings);
    for table in tables.expect("every report has rows") {
        assert!(table.ends_with(b"PAR1") && table.len() < LONGEST);
    }
}

/// Draws the captured graphs of a trace, and compares each with the one before it.
fn draw(trace: &Trace, options: &Options) {
    let graphs = cgsan_diagnose::graphs(trace);
    let graphs: Vec<Graph> = graphs.into_iter().map(Graph::captured).collect();
    let named = |graph| NamedGraph {
        name: "graph",
        graph,
    };
    for (old, new) in graphs.iter().zip(graphs.iter().cycle().skip(1)) {
        let found = cgsan_graphs::difference(old, new);
        cgsan_render::difference(named(old), named(new), &found, options);
        cgsan_render::difference_json(named(old), named(new), &found);
        let picture = cgsan_render::graph_picture(named(new), options);
        roxmltree::Document::parse(&picture).expect("XML");
    }
}

/// Shows a trace in every form, if it is one.
fn show(bytes: &[u8], number: u64) -> bool {
    let Ok(trace) = Trace::parse(bytes) else {
        return false;
    };
    let report = cgsan_diagnose::diagnose(&trace);
    export(&trace);
    let options = Options {
        full: number.is_multiple_of(2),
        several_processes: number.is_multiple_of(3),
        ..Options::default()
    };
    draw(&trace, &options);
    let source = "x = 1  # \u{202e}\u{1b}[2J\n".repeat(60);
    let text = cgsan_render::terminal(&report, &options, &mut |_| Some(source.clone()));
    let json = cgsan_render::json(&report, &Run::default());
    for shown in [text, json] {
        assert!(shown.len() < LONGEST, "{number}: {} bytes", shown.len());
        check(&number.to_string(), shown.as_bytes());
    }
    true
}

/// The trace with some records changed, left out, repeated or exchanged. Checksums are right, so that the records count.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut records = payloads(seed);
    for _ in 0..=random.below(8) {
        // The first record says what process it is: without it there is no trace.
        let at = 1 + random.below(records.len() - 1);
        let other = 1 + random.below(records.len() - 1);
        match random.below(8) {
            0 => records.swap(at, other),
            1 => records.insert(at, records[other].clone()),
            2 if records.len() > 2 => {
                records.remove(at);
            }
            3 => records.truncate(at + 1),
            _ => change(&mut records[at], random),
        }
    }
    let mut bytes = seed[..HEADER_LENGTH].to_vec();
    for payload in &records {
        let length = u32::try_from(payload.len()).expect("a record is small");
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(payload);
    }
    let committed = (bytes.len() - HEADER_LENGTH) as u64;
    bytes[COMMITTED_OFFSET..COMMITTED_OFFSET + 8].copy_from_slice(&committed.to_le_bytes());
    bytes
}

fn change(payload: &mut Vec<u8>, random: &mut Random) {
    const EDGES: [u8; 8] = [0, 1, 0x1b, 0x7f, 0x80, 0x9b, 0xfe, 0xff];
    for _ in 0..=random.below(4) {
        if payload.is_empty() {
            return;
        }
        let at = random.below(payload.len());
        match random.below(5) {
            0 => payload[at] = EDGES[random.below(EDGES.len())],
            1 => payload[at] ^= 1 << random.below(8),
            2 => payload.insert(at, 0xff),
            3 => {
                payload.remove(at);
            }
            _ => payload[at] = payload[at].wrapping_add(1),
        }
    }
}

/// What the records of a file hold.
fn payloads(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut payloads = Vec::new();
    let mut rest = &bytes[HEADER_LENGTH..];
    while let Some(length) = rest.first_chunk::<4>() {
        let end = RECORD_HEADER_LENGTH + u32::from_le_bytes(*length) as usize;
        let Some(payload) = rest.get(RECORD_HEADER_LENGTH..end) else {
            break;
        };
        payloads.push(payload.to_vec());
        rest = &rest[end..];
    }
    payloads
}

/// Numbers without an order, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap_or(0)
    }
}
