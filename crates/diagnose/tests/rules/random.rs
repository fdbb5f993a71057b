//! Random programs: whatever a program does, each capture that fails has one cause, and one that goes well has none.

use std::collections::BTreeSet;

use cgsan_finding::{Finding, Report};
use cgsan_model::{Call, CaptureMode, Code, EventId, GraphId, Restricted, Stream};
use proptest::prelude::*;

use crate::support::{DEEP, DEVICE, LEGACY, MAIN, ORIGIN, Program, SIDE, observed};

/// What a random program does next.
#[derive(Clone, Debug)]
enum Action {
    Begin(Stream, CaptureMode),
    End(Stream),
    Launch(Stream),
    Synchronize(Stream),
    SynchronizeDevice,
    Allocate,
    Record(u64, Stream),
    Wait(Stream, u64),
    Query(u64),
    Exchange(CaptureMode),
    Leave,
    SwitchThread,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let stream = prop::sample::select(vec![LEGACY, ORIGIN, SIDE, DEEP]);
    let mode = prop::sample::select(vec![
        CaptureMode::Global,
        CaptureMode::ThreadLocal,
        CaptureMode::Relaxed,
    ]);
    let event = 1..4_u64;
    let action = prop_oneof![
        3 => (stream.clone(), mode.clone()).prop_map(|(stream, mode)| Action::Begin(stream, mode)),
        3 => stream.clone().prop_map(Action::End),
        4 => stream.clone().prop_map(Action::Launch),
        1 => stream.clone().prop_map(Action::Synchronize),
        1 => Just(Action::SynchronizeDevice),
        1 => Just(Action::Allocate),
        4 => (event.clone(), stream.clone()).prop_map(|(event, stream)| Action::Record(event, stream)),
        4 => (stream, event.clone()).prop_map(|(stream, event)| Action::Wait(stream, event)),
        1 => event.prop_map(Action::Query),
        1 => mode.prop_map(Action::Exchange),
        1 => Just(Action::Leave),
        1 => Just(Action::SwitchThread),
    ];
    prop::collection::vec(action, 0..60)
}

/// Runs the actions, each on a line of its own, and counts the captures that ended without a graph.
fn run(actions: &[Action]) -> (Report, usize) {
    let mut program = Program::new();
    let mut failed = 0;
    let mut in_main = true;
    for (index, action) in actions.iter().enumerate() {
        program.at(&[&format!("train.py:{} <module>", index + 10)]);
        let call = match *action {
            Action::Begin(stream, mode) => Call::StreamBeginCapture { stream, mode },
            Action::End(stream) => Call::StreamEndCapture {
                stream,
                graph: GraphId(index as u64),
            },
            Action::Launch(stream) => {
                program.launch(stream);
                continue;
            }
            Action::Synchronize(stream) => Call::StreamSynchronize { stream },
            Action::SynchronizeDevice => Call::DeviceSynchronize { device: DEVICE },
            Action::Allocate => Call::Restricted(Restricted::Malloc),
            Action::Record(event, stream) => Call::EventRecord {
                event: EventId(event),
                stream,
                external: false,
            },
            Action::Wait(stream, event) => Call::StreamWaitEvent {
                stream,
                event: EventId(event),
                external: false,
            },
            Action::Query(event) => Call::EventQuery {
                event: EventId(event),
            },
            Action::Exchange(mode) => Call::ThreadExchangeCaptureMode { mode },
            Action::Leave => {
                program.in_flight("ValueError", "of the program itself");
                continue;
            }
            Action::SwitchThread => {
                in_main = !in_main;
                if in_main {
                    program.thread(MAIN.0, "MainThread");
                } else {
                    program.thread(101, "worker");
                }
                continue;
            }
        };
        let ends = matches!(call, Call::StreamEndCapture { .. });
        program.call(call);
        let lost = [
            Code::STREAM_CAPTURE_INVALIDATED,
            Code::STREAM_CAPTURE_UNJOINED,
        ];
        failed += usize::from(ends && lost.contains(&program.last));
    }
    (program.diagnose(), failed)
}

/// The places where the captures began that a finding explains: each line begins one at most.
fn explained(finding: &Finding) -> Vec<String> {
    let first = observed(finding).capture.as_ref().and_then(|it| it.line);
    let others = finding.notes.iter().filter_map(|note| {
        let rest = note.strip_prefix("the capture that began at ")?;
        rest.strip_suffix(" failed because of it, too")
    });
    let first = first.map(|line| format!("train.py:{line}"));
    first.into_iter().chain(others.map(str::to_owned)).collect()
}

proptest! {
    #[test]
    fn every_failed_capture_has_one_cause(actions in actions()) {
        let (report, failed) = run(&actions);
        let left = actions.iter().any(|action| matches!(action, Action::Leave));
        let explained: Vec<String> = report.findings.iter().flat_map(explained).collect();
        let different: BTreeSet<&String> = explained.iter().collect();
        prop_assert_eq!(different.len(), explained.len(), "explained twice: {:#?}", report);
        // A capture may also be broken and never ended; one that an exception of the program left needs no cause.
        prop_assert!(left || explained.len() >= failed, "{report:#?}");
    }

    #[test]
    fn no_cause_is_a_consequence(actions in actions()) {
        let (report, _) = run(&actions);
        for finding in &report.findings {
            let code = observed(finding).call.as_ref().map(|call| call.code);
            prop_assert_ne!(code, Some(Code::STREAM_CAPTURE_INVALIDATED.0), "{:#?}", finding);
        }
    }

    #[test]
    fn the_model_agrees_with_itself(actions in actions()) {
        let (report, _) = run(&actions);
        prop_assert!(report.notes.iter().all(|note| !note.text.contains("defect of cgsan")), "{report:#?}");
    }
}
