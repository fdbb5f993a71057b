//! Probes: one call while a stream captures, replayed and compared.

use cgsan_model::{
    Answer, Call, CaptureMode, CaptureStatus, Code, Model, NodeKind, Stream, ThreadId, Value,
};

use crate::operations::mode;
use crate::probed_calls::{self, BLOCKING, CAPTURED, NON_BLOCKING};
use crate::recording::Probe;
use crate::report::{Disagreement, Report, Subject};
use crate::table::mode_name;

const OWN: ThreadId = ThreadId(1);
const OTHER: ThreadId = ThreadId(2);

/// Re-runs a probe and counts how far the model agrees.
pub fn check(probe: &Probe, report: &mut Report) {
    report.programs += 1;
    let is_on_blocking = probe.capture_stream == "BL";
    let stream = if is_on_blocking {
        BLOCKING
    } else {
        NON_BLOCKING
    };
    let thread = if probe.thread == "own" { OWN } else { OTHER };
    let (Some(call), Some(mode), Some(exchanged), Some(code)) = (
        probed_calls::call_of(&probe.api, stream),
        mode(probe.mode),
        mode(probe.exchange),
        probe.rc.as_i64(),
    ) else {
        report.skip(&probe.api);
        return;
    };
    report.calls += 1;

    let mut model = prepared();
    let opening = Call::StreamBeginCapture { stream, mode };
    let began = model.call(OWN, &opening).code;
    work(&mut model, stream);
    exchange(&mut model, thread, exchanged);
    let answer = model.call(thread, &call);
    exchange(&mut model, thread, CaptureMode::Global);
    let graph = CAPTURED;
    let end = model
        .call(OWN, &Call::StreamEndCapture { stream, graph })
        .code;
    let nodes = if end.is_success() {
        model
            .graph(graph)
            .and_then(|graph| i64::try_from(graph.nodes().len()).ok())
    } else {
        None
    };

    let mut compare = |subject, what: &str, model: String, recorded: String| {
        if report.count(subject, model == recorded) {
            report.keep(Disagreement {
                subject,
                place: format!("{what} of {}", probe.api),
                model,
                recorded,
                program: program(probe),
            });
        }
    };
    let coded = |code: Code| format!("{code:?}");
    let recorded = |code: i64| coded(Code(i32::try_from(code).unwrap_or(i32::MAX)));
    compare(
        Subject::Codes,
        "the begin",
        coded(began),
        recorded(probe.begin.into()),
    );
    compare(
        Subject::Codes,
        "the code",
        coded(answer.code),
        recorded(code),
    );
    if let Some(name) = &probe.val {
        compare(
            Subject::Codes,
            "the status",
            status_name(&answer),
            name.clone(),
        );
    }
    compare(
        Subject::States,
        "the end",
        coded(end),
        recorded(probe.end.into()),
    );
    // A graph of -1 nodes is none.
    let nodes = nodes.unwrap_or(-1);
    compare(
        Subject::Graphs,
        "the nodes",
        nodes.to_string(),
        probe.nodes.to_string(),
    );
}

/// The probe as a program, for a person.
fn program(probe: &Probe) -> Vec<String> {
    let kind = match probe.capture_stream.as_str() {
        "BL" => "blocking",
        _ => "non-blocking",
    };
    let mut lines = vec![
        format!(
            "own thread: begin a capture in {} mode on a {kind} stream",
            mode_name(probe.mode)
        ),
        "own thread: memset on that stream".to_owned(),
    ];
    if probe.exchange != 0 {
        lines.push(format!(
            "{} thread: exchange the mode to {}",
            probe.thread,
            mode_name(probe.exchange)
        ));
    }
    lines.push(format!(
        "{} thread: {} = {}",
        probe.thread, probe.api, probe.rc
    ));
    lines.push(format!(
        "own thread: end the capture = {}, {} nodes",
        probe.end, probe.nodes
    ));
    lines
}

/// A device with the objects that the probes use.
fn prepared() -> Model {
    let mut model = Model::new();
    for call in probed_calls::preparation() {
        let _ = model.call(OWN, &call);
    }
    model
}

fn work(model: &mut Model, stream: Stream) {
    let node = NodeKind::Memset {
        dst: 1,
        value: 0,
        bytes: 64,
    };
    let _ = model.call(OWN, &Call::Work { stream, node });
}

fn exchange(model: &mut Model, thread: ThreadId, mode: CaptureMode) {
    let _ = model.call(thread, &Call::ThreadExchangeCaptureMode { mode });
}

fn status_name(answer: &Answer) -> String {
    let name = match answer.value {
        Value::CaptureStatus(CaptureStatus::None) => "cudaStreamCaptureStatusNone",
        Value::CaptureStatus(CaptureStatus::Active) => "cudaStreamCaptureStatusActive",
        Value::CaptureStatus(CaptureStatus::Invalidated) => "cudaStreamCaptureStatusInvalidated",
        _ => "no status",
    };
    name.to_owned()
}
