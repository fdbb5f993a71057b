//! What the catalogue says was measured is what the recordings hold.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use cgsan_catalogue::{Mode, Thread, codes, entries};
use cgsan_model::Code;
use serde::Deserialize;

/// A line of `rules.jsonl.gz`.
#[derive(Deserialize)]
struct Rule {
    api: String,
    mode: i32,
    exchange: i32,
    thread: String,
    capture_stream: String,
    rc: i32,
    end: i32,
}

/// What was called, in which mode, by whom, what it returned, and what the capture's end returned.
type Recorded = (String, i32, bool, i32, i32);

fn recordings() -> BTreeSet<Recorded> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/truth/conformance/rules.jsonl.gz");
    let file = std::fs::File::open(path).expect("the recordings are in the repository");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut lines)
        .expect("the recordings are compressed text");
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is a rule"))
        .filter(|rule: &Rule| rule.capture_stream == "NB" && rule.exchange == rule.mode)
        .map(|rule| (rule.api, rule.mode, rule.thread == "own", rule.rc, rule.end))
        .collect()
}

#[test]
fn every_probe_was_recorded() {
    let recordings = recordings();
    for entry in entries() {
        for probe in entry.probes {
            let mode = match probe.mode {
                Mode::Global => 0,
                Mode::ThreadLocal => 1,
                Mode::Relaxed => 2,
            };
            let own = probe.thread == Thread::Capturing;
            let recorded = (probe.call.to_owned(), mode, own, probe.code, probe.end);
            assert!(recordings.contains(&recorded), "{}: {probe:?}", entry.id);
        }
    }
}

#[test]
fn every_code_has_a_name() {
    for entry in entries() {
        for &code in entry.codes {
            let is_known = codes().iter().any(|known| known.code == code);
            assert!(is_known, "{}: {code}", entry.id);
        }
    }
}

#[test]
fn codes_have_the_names_that_the_model_gives_them() {
    for known in codes() {
        if let Some(name) = Code(known.code).runtime_name() {
            assert_eq!(known.runtime, name, "{}", known.code);
        }
    }
}

#[test]
fn a_refusal_in_the_evidence_has_a_code_of_its_entry() {
    // CG190 is about what follows from the refused call of another entry. The programs about updates (`u…`) try call after
    // call, and the first that is refused speaks for one entry of several.
    for entry in entries().iter().filter(|entry| entry.id != "CG190") {
        for evidence in entry.evidence {
            if let Some(refused) = evidence.refused
                && !evidence.case.starts_with('u')
            {
                assert!(
                    entry.codes.contains(&refused.code),
                    "{}: {evidence:?}",
                    entry.id
                );
            }
        }
    }
}

#[test]
fn what_is_known_is_backed() {
    for entry in entries() {
        let backed =
            !entry.evidence.is_empty() || !entry.probes.is_empty() || !entry.versions.is_empty();
        assert!(backed, "{} has neither evidence nor versions", entry.id);
    }
}
