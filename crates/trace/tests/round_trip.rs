//! A trace comes back as it was written, and whatever bytes are given, reading them ends without harm.

use cgsan_model::{Call, Code, Device, FunctionId, NodeKind, Stream, ThreadId};
use cgsan_trace::{
    AgentEvent, CallRecord, CodeId, Ending, Entry, FrameId, NativeFrame, NativeStackId, ParseError,
    ProcessInfo, Record, StackFrame, StringId, Trace, format, read_records,
};
use proptest::prelude::*;

fn entry(record: Record) -> Entry {
    Entry {
        time_ns: 7,
        thread: ThreadId(42),
        record,
    }
}

fn string(id: u32, text: &str) -> Entry {
    entry(Record::String {
        id: StringId(id),
        text: text.to_owned(),
    })
}

fn frame(id: u32, parent: Option<u32>, line: u32) -> Entry {
    entry(Record::Frame {
        id: FrameId(id),
        parent: parent.map(FrameId),
        code: CodeId(0),
        line,
    })
}

fn call(stack: u32) -> Entry {
    entry(Record::Call(CallRecord {
        function: StringId(2),
        runtime: None,
        library: None,
        call: Call::Work {
            stream: Stream::Legacy(Device(0)),
            node: NodeKind::Kernel {
                function: FunctionId(5),
                grid: [1, 2, 3],
                block: [4, 5, 6],
                shared: 7,
            },
        },
        result: Code::SUCCESS,
        stack: Some(FrameId(stack)),
        native: Some(NativeStackId(0)),
        autograd_sequence: Some(9),
    }))
}

/// A small trace with one of everything that is resolved.
fn sample() -> Vec<Entry> {
    vec![
        entry(Record::Process(ProcessInfo {
            pid: 42,
            python: "3.11.7".to_owned(),
            ..ProcessInfo::default()
        })),
        string(0, "train.py"),
        string(1, "Modèle.forward"),
        string(2, "cuLaunchKernel"),
        entry(Record::Code {
            id: CodeId(0),
            file: StringId(0),
            function: StringId(1),
            first_line: 3,
        }),
        frame(0, None, 10),
        frame(1, Some(0), 4),
        entry(Record::NativeStack {
            id: NativeStackId(0),
            frames: vec![NativeFrame {
                module: Some(StringId(0)),
                address: 16,
            }],
        }),
        entry(Record::Function {
            id: FunctionId(5),
            name: StringId(1),
        }),
        entry(Record::ThreadName { name: StringId(0) }),
        call(1),
        entry(Record::ThreadName { name: StringId(1) }),
        entry(Record::Agent {
            event: AgentEvent::Autograd { nodes: vec![] },
            stack: None,
        }),
        entry(Record::UnreadableAgentEvent),
        entry(Record::Fork { child: 43 }),
        entry(Record::Watched { on: false }),
        entry(Record::End),
    ]
}

#[test]
fn a_trace_is_read_as_it_was_written() {
    let trace = Trace::parse(&format::encode_all(&sample())).unwrap();

    assert_eq!(trace.process().python, "3.11.7");
    assert!(trace.complete());
    assert_eq!(
        trace.entries(),
        [
            call(1),
            entry(Record::Agent {
                event: AgentEvent::Autograd { nodes: vec![] },
                stack: None
            }),
            entry(Record::Fork { child: 43 }),
            entry(Record::Watched { on: false }),
        ]
    );
    assert_eq!(
        trace.agent_events().collect::<Vec<_>>(),
        [(1, &AgentEvent::Autograd { nodes: vec![] })]
    );
    assert_eq!(trace.unreadable_agent_events(), 1);
    assert_eq!(trace.function_name(FunctionId(5)), Some("Modèle.forward"));
    assert_eq!(trace.native_stack(NativeStackId(0))[0].address, 16);
    let frame = |line| StackFrame {
        file: "train.py".to_owned(),
        function: "Modèle.forward".to_owned(),
        line,
    };
    assert_eq!(trace.stack(FrameId(1)), [frame(4), frame(10)]);
}

#[test]
fn a_thread_has_the_name_it_had_at_the_moment() {
    let trace = Trace::parse(&format::encode_all(&sample())).unwrap();

    assert_eq!(trace.thread_name_at(ThreadId(42), 0), Some("train.py"));
    assert_eq!(
        trace.thread_name_at(ThreadId(42), 1),
        Some("Modèle.forward")
    );
    assert_eq!(trace.thread_name(ThreadId(42)), Some("Modèle.forward"));
    assert_eq!(trace.thread_name(ThreadId(1)), None);
}

#[test]
fn ids_that_nothing_defines_resolve_to_nothing() {
    let trace = Trace::parse(&format::encode_all(&sample())).unwrap();

    assert_eq!(trace.string(StringId(u32::MAX)), "");
    assert_eq!(trace.stack(FrameId(u32::MAX)), []);
    assert_eq!(trace.native_stack(NativeStackId(9)), []);
    assert_eq!(trace.function_name(FunctionId(9)), None);
}

#[test]
fn a_frame_that_is_its_own_caller_ends_the_reading() {
    for parent in [0, 1, u32::MAX] {
        let entries = [
            sample().swap_remove(0),
            frame(0, Some(parent), 1),
            entry(Record::End),
        ];
        let trace = Trace::parse(&format::encode_all(&entries)).unwrap();
        assert!(matches!(trace.ending(), Ending::Damaged { .. }));
        assert_eq!(trace.stack(FrameId(0)), []);
    }
}

#[test]
fn a_trace_of_a_killed_process_is_cut_off() {
    let mut entries = sample();
    entries.pop();
    let mut bytes = format::encode_all(&entries);
    bytes.resize(bytes.len() + 4096, 0);
    let trace = Trace::parse(&bytes).unwrap();

    assert_eq!(trace.ending(), Ending::CutOff);
    assert_eq!(trace.entries().len(), 4);
}

#[test]
fn a_stopped_recording_says_so() {
    let mut bytes = format::encode_all(&sample());
    bytes[format::FLAGS_OFFSET] |= 1;

    assert_eq!(Trace::parse(&bytes).unwrap().ending(), Ending::Stopped);
}

#[test]
fn what_is_not_a_trace_is_refused_with_the_reason() {
    let header = format::header();
    let mut newer = header;
    newer[8] = 9;
    let mut huge = header.to_vec();
    huge[format::COMMITTED_OFFSET..format::COMMITTED_OFFSET + 8].fill(0xff);
    huge.extend_from_slice(&[0xff; 36]);

    let cases: [(&[u8], ParseError); 6] = [
        (b"", ParseError::Foreign),
        (b"import torch\n", ParseError::Foreign),
        (&header[..20], ParseError::Truncated { length: 20 }),
        (&newer, ParseError::Version { found: 9 }),
        (&header, ParseError::NoRecord),
        (&huge, ParseError::NoRecord),
    ];
    for (bytes, error) in cases {
        assert_eq!(Trace::parse(bytes).unwrap_err(), error);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.cgsan");
    let message = Trace::read(&absent).unwrap_err().to_string();
    assert!(message.contains("absent.cgsan") && message.contains("no such file"));

    let message = Trace::read(std::path::Path::new("/dev/zero"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "cannot read /dev/zero: it is a device, not a regular file"
    );
}

/// A trace of `entries` with a record of an unknown tag at each place that `unknown` names.
fn with_unknown_records(entries: &[Entry], unknown: &[usize]) -> Vec<u8> {
    let mut bytes = format::header().to_vec();
    for (place, entry) in entries.iter().enumerate() {
        for _ in unknown.iter().filter(|it| **it == place) {
            // Time, thread, tag, and what nobody here can know.
            let payload = [7, 42, 0x7f, 1, 2, 3];
            bytes.extend_from_slice(&6_u32.to_le_bytes());
            bytes.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
            bytes.extend_from_slice(&payload);
        }
        format::encode(entry, &mut bytes);
    }
    let committed = (bytes.len() - format::HEADER_LENGTH) as u64;
    bytes[format::COMMITTED_OFFSET..format::COMMITTED_OFFSET + 8]
        .copy_from_slice(&committed.to_le_bytes());
    bytes
}

#[test]
fn records_of_a_newer_version_are_skipped_and_counted() {
    let bytes = with_unknown_records(&sample(), &[1, 5, 5, 16]);
    let trace = Trace::parse(&bytes).unwrap();

    assert_eq!(trace.unknown_records(), 4);
    assert!(trace.complete());
    let known = Trace::parse(&format::encode_all(&sample())).unwrap();
    assert_eq!(known.unknown_records(), 0);
    assert_eq!(trace.entries(), known.entries());
    assert_eq!(read_records(&bytes).unwrap(), sample());
}

#[test]
fn a_trace_that_begins_with_an_unknown_record_is_refused() {
    let bytes = with_unknown_records(&sample(), &[0]);
    assert_eq!(Trace::parse(&bytes).unwrap_err(), ParseError::NoRecord);
}

#[test]
fn places_among_entries_are_forgotten_where_entries_were_skipped() {
    let mut entries = sample();
    entries.push(entry(Record::Contradiction { calls: vec![0] }));
    let contradiction = |bytes: &[u8]| Trace::parse(bytes).unwrap().kept().contradiction.clone();

    assert_eq!(contradiction(&format::encode_all(&entries)), [0]);
    assert!(contradiction(&with_unknown_records(&entries, &[9])).is_empty());
}

#[test]
fn nothing_is_appended_to_a_trace_of_another_format() {
    let mut bytes = format::encode_all(&sample());
    bytes[format::SIGNATURE.len()] = 1;
    let before = bytes.clone();
    let refused = format::append(&mut bytes, &[entry(Record::End)]);

    assert_eq!(refused, Err(ParseError::Version { found: 1 }));
    assert_eq!(bytes, before);
}

#[test]
fn every_text_of_a_record_can_be_changed() {
    let mut records = sample();
    for entry in &mut records {
        let upper = &mut |text: &mut String| *text = text.to_uppercase();
        entry.record.change_texts(upper);
    }
    let text = format!("{records:?}");
    for changed in ["TRAIN.PY", "3.11.7", "MODÈLE.FORWARD"] {
        assert!(text.contains(changed), "{text}");
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    let id = 0..4u32;
    prop_oneof![
        (id.clone(), ".*").prop_map(|(id, text)| Record::String {
            id: StringId(id),
            text
        }),
        (id.clone(), id.clone(), id.clone(), any::<u32>()).prop_map(
            |(id, file, function, first_line)| {
                Record::Code {
                    id: CodeId(id),
                    file: StringId(file),
                    function: StringId(function),
                    first_line,
                }
            }
        ),
        (
            id.clone(),
            proptest::option::of(id.clone()),
            id.clone(),
            any::<u32>()
        )
            .prop_map(|(id, parent, code, line)| Record::Frame {
                id: FrameId(id),
                parent: parent.map(FrameId),
                code: CodeId(code),
                line,
            }),
        (".*", ".*", any::<bool>()).prop_map(|(type_name, message, uncaught)| Record::Agent {
            event: AgentEvent::Exception {
                type_name,
                message,
                traceback: Vec::new(),
                uncaught,
            },
            stack: None,
        }),
        (".*", id).prop_map(|(message, name)| Record::Exception {
            type_name: StringId(name),
            message,
            stack: None,
        }),
        any::<u32>().prop_map(|child| Record::Fork { child }),
        any::<bool>().prop_map(|on| Record::Watched { on }),
        Just(Record::End),
    ]
}

/// Looks at everything that a trace offers.
fn visit(trace: &Trace) {
    for id in 0..8 {
        let _ = (
            trace.string(StringId(id)),
            trace.stack(FrameId(id)),
            trace.native_stack(NativeStackId(id)),
        );
    }
    let _ = trace.thread_name(ThreadId(42));
}

proptest! {
    #[test]
    fn records_survive_the_file(records in prop::collection::vec(any_record(), 0..20)) {
        let mut entries = vec![sample().swap_remove(0)];
        entries.extend(records.into_iter().map(entry));
        let trace = Trace::parse(&format::encode_all(&entries)).unwrap();
        visit(&trace);

        let events: Vec<_> = entries
            .into_iter()
            .filter(|entry| {
                matches!(
                    entry.record,
                    Record::Agent { .. }
                        | Record::Exception { .. }
                        | Record::Fork { .. }
                        | Record::Watched { .. }
                )
            })
            .collect();
        // A contradictory definition ends the reading; until then every event comes back.
        prop_assert!(events.starts_with(trace.entries()));
        if !matches!(trace.ending(), Ending::Damaged { .. }) {
            prop_assert_eq!(&events, trace.entries());
        }
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut file = format::header().to_vec();
        file[format::COMMITTED_OFFSET..format::COMMITTED_OFFSET + 2].fill(0xff);
        file.extend_from_slice(&bytes);
        let _ = Trace::parse(&file);
        let _ = Trace::parse(&bytes);
    }

    #[test]
    fn an_arbitrary_payload_with_a_right_checksum_does_no_harm(
        payload in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut file = format::encode_all(&sample()[..1]);
        file.extend_from_slice(&u32::try_from(payload.len()).unwrap().to_le_bytes());
        file.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        file.extend_from_slice(&payload);
        file[format::COMMITTED_OFFSET..format::COMMITTED_OFFSET + 2].fill(0xff);
        visit(&Trace::parse(&file).unwrap());
    }

    #[test]
    fn a_torn_file_is_read_up_to_its_last_whole_record(length in 0usize..2000) {
        let whole = format::encode_all(&sample());
        let length = length.min(whole.len() - 1);
        if let Ok(trace) = Trace::parse(&whole[..length]) {
            visit(&trace);
            prop_assert!(!trace.complete());
            let whole = Trace::parse(&whole).unwrap();
            prop_assert!(whole.entries().starts_with(trace.entries()));
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed(position in 0usize..2000, bit in 0..8u32) {
        let mut bytes = format::encode_all(&sample());
        // The rest of the header is unused.
        let position = position % bytes.len();
        prop_assume!(!(24..format::HEADER_LENGTH).contains(&position));
        bytes[position] ^= 1u8 << bit;
        if let Ok(trace) = Trace::parse(&bytes) {
            visit(&trace);
            let flags = format::FLAGS_OFFSET..format::COMMITTED_OFFSET;
            prop_assert!(!trace.complete() || flags.contains(&position));
        }
    }
}

#[test]
fn what_is_appended_in_the_file_is_what_is_appended_to_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let added = [
        entry(Record::End),
        entry(Record::Tried { looks: Vec::new() }),
    ];
    for added in [&added[..], &[]] {
        let mut bytes = format::encode_all(&sample());
        // The room that its writer had left.
        bytes.resize(bytes.len() + 5000, 0);
        std::fs::write(&path, &bytes).unwrap();
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        format::append_to_file(&file, added).unwrap();
        format::append(&mut bytes, added).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn whether_cuda_was_used_is_seen_without_reading_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let process = &sample()[..1];
    let fork = entry(Record::Fork { child: 7 });
    for (records, uses) in [
        (process.to_vec(), false),
        ([process, &[fork]].concat(), false),
        (sample(), true),
    ] {
        let mut bytes = format::encode_all(&records);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(cgsan_trace::uses_cuda(&path).unwrap(), uses);
        assert_eq!(Trace::read(&path).unwrap().uses_cuda(), uses);
        bytes.truncate(format::HEADER_LENGTH + 12);
        std::fs::write(&path, &bytes).unwrap();
        assert!(!cgsan_trace::uses_cuda(&path).unwrap());
    }
}
