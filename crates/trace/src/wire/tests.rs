use std::collections::BTreeSet;
use std::fmt::Write as _;

use cgsan_model::{Call, NodeKind};
use proptest::prelude::*;

use super::*;
use crate::samples;
use crate::{AgentEvent, Argument, CallRecord, Entry, FrameId, Record};

fn bytes<T: Wire>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

fn read<T: Wire>(bytes: &[u8]) -> Result<T, Unread> {
    T::read(&mut Input::new(bytes))
}

fn tag<T: Tagged>(value: &T) -> u32 {
    let mut out = Vec::new();
    value.write_tagged(&mut out);
    read(&out).unwrap()
}

/// The tags of a table, and those that occur among values.
fn tags<T: Tagged>(values: &[T]) -> [BTreeSet<u32>; 2] {
    let known: BTreeSet<u32> = T::TAGS.iter().copied().collect();
    assert_eq!(known.len(), T::TAGS.len(), "a tag twice");
    [known, values.iter().map(tag).collect()]
}

/// What only a newer cgsan could have written.
fn newest_tag<T: Tagged>() -> u32 {
    T::TAGS.iter().max().unwrap() + 1
}

fn entries() -> impl Iterator<Item = Entry> {
    samples::records().into_iter().map(samples::entry)
}

#[test]
fn every_tag_has_a_sample() {
    let [known, used] = tags::<Record>(&samples::records());
    assert_eq!(known, used);
    let [known, used] = tags::<Call>(&samples::calls());
    assert_eq!(known, used);
    let [known, used] = tags::<NodeKind>(&samples::nodes());
    assert_eq!(known, used);
    let [known, used] = tags::<AgentEvent>(&samples::agent_events());
    assert_eq!(known, used);
    let [known, used] = tags::<Argument>(&samples::arguments());
    assert_eq!(known, used);
}

#[test]
fn every_record_comes_back() {
    for entry in entries() {
        let bytes = bytes(&entry);
        let mut input = Input::new(&bytes);
        assert_eq!(Entry::read(&mut input), Ok(entry));
        assert!(input.is_empty());
    }
}

/// The bytes of the format. A line that is new is a record that is new; a line that changes is a trace of yesterday that
/// can no longer be read.
#[test]
fn a_record_has_the_bytes_that_it_always_had() {
    let mut lines = String::new();
    for record in samples::records() {
        let label = match &record {
            Record::Call(call) => format!("{:?}", call.call),
            record => format!("{record:?}"),
        };
        let label: String = label.chars().take(60).collect();
        let hex = bytes(&record).iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let _ = writeln!(lines, "{label}\n    {hex}");
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn what_a_newer_cgsan_adds_to_the_end_of_a_record_is_ignored() {
    for entry in entries() {
        let mut longer = bytes(&entry);
        longer.extend_from_slice(&[1, 2, 3]);
        assert_eq!(read(&longer), Ok(entry));
    }
}

#[test]
fn what_a_newer_cgsan_adds_to_the_end_of_a_call_or_an_event_is_ignored() {
    fn longer<T: Tagged>(value: &T) -> Vec<u8> {
        let mut out = Vec::new();
        values::write_block(&mut out, |out| {
            value.write_tagged(out);
            out.extend_from_slice(&[1, 2, 3]);
        });
        out
    }

    for call in samples::calls() {
        assert_eq!(read(&longer(&call)), Ok(call));
    }
    for event in samples::agent_events() {
        assert_eq!(read(&longer(&event)), Ok(event));
    }
}

#[test]
fn a_last_field_that_is_not_there_yet_is_none() {
    let whole = Record::ComputedValueRead {
        stack: Some(FrameId(3)),
    };
    let older = &bytes(&whole)[..1];
    assert_eq!(read(older), Ok(Record::ComputedValueRead { stack: None }));
}

#[test]
fn a_tag_that_is_not_known_is_no_damage() {
    let record = bytes(&newest_tag::<Record>());
    assert_eq!(read::<Record>(&record), Err(Unread::Unknown));

    let mut call = Vec::new();
    values::write_block(&mut call, |out| newest_tag::<Call>().write(out));
    assert_eq!(read::<Call>(&call), Err(Unread::Unknown));

    let mut event = Vec::new();
    values::write_block(&mut event, |out| newest_tag::<AgentEvent>().write(out));
    assert_eq!(read::<AgentEvent>(&event), Err(Unread::Unknown));
}

#[test]
fn a_length_that_was_made_up_costs_nothing() {
    let huge = bytes(&u64::MAX);
    assert_eq!(read::<String>(&huge), Err(Unread::Damaged));
    assert_eq!(read::<Vec<u32>>(&huge), Err(Unread::Damaged));
    assert_eq!(read::<Call>(&huge), Err(Unread::Damaged));
    assert_eq!(
        read::<Vec<u32>>(&bytes(&(1_u64 << 40))),
        Err(Unread::Damaged)
    );
}

#[test]
fn lists_in_lists_end_somewhere() {
    /// A list of itself, as an argument of an operator is.
    #[derive(Debug, PartialEq)]
    struct Nested(Vec<Nested>);
    newtypes!(Nested);

    assert_eq!(
        read(&[1, 1, 0]),
        Ok(Nested(vec![Nested(vec![Nested(vec![])])]))
    );
    assert_eq!(read::<Nested>(&vec![1; 1 << 20]), Err(Unread::Damaged));
}

#[test]
fn numbers_of_every_size_come_back() {
    for shift in 0..64 {
        for number in [1_u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
            assert_eq!(read(&bytes(&number)), Ok(number));
            let signed = number.cast_signed();
            assert_eq!(read(&bytes(&signed)), Ok(signed));
        }
    }
    assert_eq!(bytes(&-1_i32), [1]);
    // Bits that do not fit are damage, and so is a number that never ends.
    let too_large = [[0xff; 9].as_slice(), &[2]].concat();
    assert_eq!(read::<u64>(&too_large), Err(Unread::Damaged));
    assert_eq!(read::<u64>(&[0x80; 20]), Err(Unread::Damaged));
    assert_eq!(read::<u32>(&bytes(&(1_u64 << 32))), Err(Unread::Damaged));
    assert_eq!(read::<i32>(&bytes(&(1_i64 << 31))), Err(Unread::Damaged));
}

/// Whatever can be read has one meaning: written and read again, it is the same.
fn check(payload: &[u8]) {
    if let Ok(entry) = read::<Entry>(payload) {
        let once = bytes(&entry);
        assert_eq!(bytes(&read::<Entry>(&once).unwrap()), once);
    }
}

fn changed(index: prop::sample::Index, position: prop::sample::Index, byte: u8) -> Vec<u8> {
    let entries: Vec<Entry> = entries().collect();
    let mut bytes = bytes(index.get(&entries));
    let position = position.index(bytes.len());
    bytes[position] = byte;
    bytes
}

proptest! {
    #[test]
    fn a_changed_byte_does_no_harm(
        index in any::<prop::sample::Index>(),
        position in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        check(&changed(index, position, byte));
    }

    #[test]
    fn a_record_with_any_contents_comes_back(
        tag in prop::sample::select(Record::TAGS),
        contents in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        check(&[vec![7, 42], bytes(&tag), contents].concat());
    }

    #[test]
    fn a_call_with_any_contents_comes_back(
        tag in prop::sample::select(Call::TAGS),
        contents in prop::collection::vec(0..8_u8, 0..100),
    ) {
        let mut block = Vec::new();
        values::write_block(&mut block, |out| {
            tag.write(out);
            out.extend_from_slice(&contents);
        });
        if let Ok(call) = read::<Call>(&block) {
            prop_assert_eq!(read(&bytes(&call)), Ok(call));
        }
    }
}

#[test]
fn a_payload_that_ends_early_does_no_harm() {
    for entry in entries() {
        let whole = bytes(&entry);
        for end in 0..whole.len() {
            check(&whole[..end]);
        }
    }
}

#[test]
fn a_launch_is_short() {
    let launch = samples::calls().into_iter().find(|call| {
        let kernel = |node: &NodeKind| matches!(node, NodeKind::Kernel { .. });
        matches!(call, Call::Work { node, .. } if kernel(node))
    });
    let launch = samples::records().into_iter().find(
        |record| matches!(record, Record::Call(CallRecord { call, .. }) if Some(call) == launch.as_ref()),
    );
    assert!(bytes(&samples::entry(launch.unwrap())).len() < 60);
}
