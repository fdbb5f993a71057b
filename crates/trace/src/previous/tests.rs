use super::*;
use crate::samples;
use crate::{Ending, Record, Trace, read_records};

/// What that version of cgsan wrote of [`samples::records`].
const SAMPLES: &[u8] = include_bytes!("../../tests/recorded/format_1_samples.cgsan");

#[test]
fn every_record_of_format_1_is_read() {
    let read = read_records(SAMPLES).unwrap();
    assert_eq!(read.len(), 96);
    // In order, but without the samples that came later.
    let mut samples = samples::records().into_iter().map(|mut sample| {
        if let Record::Process(process) = &mut sample {
            process.host = None;
            process.started_ns = None;
            process.run = None;
            process.job = None;
        }
        samples::entry(sample)
    });
    for entry in read {
        assert!(samples.any(|sample| sample == entry), "{entry:?}");
    }
}

#[test]
fn a_trace_of_format_1_that_a_program_left_is_read() {
    let bytes = include_bytes!("../../tests/recorded/format_1.cgsan");
    let trace = Trace::parse(bytes).unwrap();

    assert_eq!(trace.ending(), Ending::Orderly);
    assert_eq!(trace.unknown_records(), 0);
    assert_eq!(trace.unreadable_agent_events(), 0);
    insta::assert_debug_snapshot!((
        trace.process(),
        trace.entries().last(),
        trace.entries().len()
    ));
}

#[test]
fn a_damaged_payload_of_format_1_does_no_harm() {
    let entry_of = |payload: &[u8]| entry(payload).is_ok();
    let whole = &SAMPLES[crate::format::HEADER_LENGTH..];
    let length = usize::from(whole[0]);
    let payload = &whole[crate::format::RECORD_HEADER_LENGTH..][..length];
    assert!(entry_of(payload));
    for end in 0..length {
        assert!(!entry_of(&payload[..end]));
        for bit in 0..8 {
            let mut damaged = payload.to_vec();
            damaged[end] ^= 1 << bit;
            let _ = entry_of(&damaged);
        }
    }
}
