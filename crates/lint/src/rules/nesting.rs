//! CG121, CG122, CG123: captures in the wrong place.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule};
use crate::finding::Confidence;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::{CaptureId, CaptureKind, Meets};
use crate::torch::state::object::Mode;

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
pub(super) fn capture_begins(
    judge: &mut Judge<'_, '_>,
    kind: CaptureKind,
    meets: Option<Meets>,
    range: TextRange,
) {
    if kind == CaptureKind::Compiler {
        return;
    }
    let site = judge.at(range);
    if let Some(Meets::ThisThread) = meets {
        let draft = Draft::new(
            &INSIDE_CAPTURE,
            site,
            "a capture begins while another one runs",
        )
        .note("captures do not nest: what the second one records would be no part of the first")
        .help("end the first capture before the second, or capture both as one graph");
        judge.report(draft);
        return;
    }
    if let Some(Meets::OtherThread(id)) = meets {
        let other = judge.library.captures[id.0].site;
        let draft = Draft::new(
            &INSIDE_CAPTURE,
            site,
            "a capture begins while another thread captures",
        )
        .label(other, "this capture runs meanwhile")
        .note("`torch.cuda.graph` waits for the device before it begins, which breaks the other capture")
        .help("let one thread capture at a time, under a lock");
        judge.report(draft);
        return;
    }
    if kind == CaptureKind::Graph && judge.is_on_default_stream() {
        let draft = Draft::new(
            &DEFAULT_STREAM,
            site,
            "a capture begins on the default stream, which PyTorch refuses",
        )
        .help("capture on a stream of its own: `with torch.cuda.stream(torch.cuda.Stream()):`")
        .repair(Repair::OwnStream(site));
        judge.report(draft);
    }
}

/// `capture_end` is called by the thread that captures.
pub(super) fn ended(judge: &mut Judge<'_, '_>, id: CaptureId, range: TextRange) {
    let (Some(origin), Some(current)) = (judge.library.captures[id.0].stream, judge.flow.stream)
    else {
        return;
    };
    if origin == current {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &OTHER_STREAM,
        site,
        "a capture is ended on another stream than it began on",
    )
    .help("end it under the same `with torch.cuda.stream(...)`");
    judge.report(draft);
}

/// `capture_end` is called by another thread.
pub(super) fn ended_by_other_thread(judge: &mut Judge<'_, '_>, id: CaptureId, range: TextRange) {
    if judge.library.captures[id.0].mode == Mode::Relaxed {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &OTHER_THREAD,
        site,
        "a thread ends a capture that another one began",
    )
    .note("only in mode `relaxed` may another thread end a capture")
    .help("let the thread that begins a capture end it");
    judge.report(draft);
}

/// A graph is replayed.
pub(super) fn replayed(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    if judge.graph_capture().is_none() {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(
        &REPLAY_INSIDE,
        site,
        format!("{what} launches a graph inside a capture"),
    )
    .note("a capture cannot record the launch of a graph")
    .help("replay the graphs one after the other, or capture their work as one graph");
    judge.report(draft);
}
