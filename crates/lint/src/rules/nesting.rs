//! CG121, CG122, CG123: captures in the wrong place.

use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::object::Mode;
use crate::interp::value::CaptureId;
use crate::interp::{CaptureKind, Interp, Meets};
use crate::syntax::ast::TextRange;

/// A capture on the default stream.
pub(crate) static DEFAULT_STREAM: Rule = Rule::new("CG121", Confidence::Confirmed);
/// A capture inside another.
pub(crate) static INSIDE_CAPTURE: Rule = Rule::new("CG122", Confidence::Confirmed);
/// A replay inside a capture.
pub(crate) static REPLAY_INSIDE: Rule = Rule::new("CG123", Confidence::Confirmed);

/// A capture that another thread ends.
pub(crate) static OTHER_THREAD: Rule = Rule::new("CG125", Confidence::Likely);
/// A capture that ends on another stream.
pub(crate) static OTHER_STREAM: Rule = Rule::new("CG126", Confidence::Confirmed);

/// A capture begins.
pub(crate) fn capture_begins(
    interp: &mut Interp<'_>,
    kind: CaptureKind,
    meets: Option<Meets>,
    range: TextRange,
) {
    if kind == CaptureKind::Compiler {
        return;
    }
    let site = interp.at(range);
    if let Some(Meets::ThisThread) = meets {
        let draft = Draft::new(
            &INSIDE_CAPTURE,
            site,
            "a capture begins while another one runs",
        )
        .note("captures do not nest: what the second one records would be no part of the first")
        .help("end the first capture before the second, or capture both as one graph");
        interp.report(draft);
        return;
    }
    if let Some(Meets::OtherThread(id)) = meets {
        let other = interp.captures[id.0].site;
        let draft = Draft::new(
            &INSIDE_CAPTURE,
            site,
            "a capture begins while another thread captures",
        )
        .label(other, "this capture runs meanwhile")
        .note("`torch.cuda.graph` waits for the device before it begins, which breaks the other capture")
        .help("let one thread capture at a time, under a lock");
        interp.report(draft);
        return;
    }
    if kind == CaptureKind::Graph && interp.is_on_default_stream() {
        let draft = Draft::new(
            &DEFAULT_STREAM,
            site,
            "a capture begins on the default stream, which PyTorch refuses",
        )
        .help("capture on a stream of its own: `with torch.cuda.stream(torch.cuda.Stream()):`")
        .repair(Repair::OwnStream(site));
        interp.report(draft);
    }
}

/// `capture_end` is called by the thread that captures.
pub(crate) fn ended(interp: &mut Interp<'_>, id: CaptureId, range: TextRange) {
    let (Some(origin), Some(current)) = (interp.captures[id.0].stream, interp.flow.stream) else {
        return;
    };
    if origin == current {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &OTHER_STREAM,
        site,
        "a capture is ended on another stream than it began on",
    )
    .help("end it under the same `with torch.cuda.stream(...)`");
    interp.report(draft);
}

/// `capture_end` is called by another thread.
pub(crate) fn ended_by_other_thread(interp: &mut Interp<'_>, id: CaptureId, range: TextRange) {
    if interp.captures[id.0].mode == Mode::Relaxed {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &OTHER_THREAD,
        site,
        "a thread ends a capture that another one began",
    )
    .note("only in mode `relaxed` may another thread end a capture")
    .help("let the thread that begins a capture end it");
    interp.report(draft);
}

/// A graph is replayed.
pub(crate) fn replayed(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    if interp.graph_capture().is_none() {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &REPLAY_INSIDE,
        site,
        format!("{what} launches a graph inside a capture"),
    )
    .note("a capture cannot record the launch of a graph")
    .help("replay the graphs one after the other, or capture their work as one graph");
    interp.report(draft);
}
