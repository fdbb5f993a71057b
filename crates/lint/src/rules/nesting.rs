//! CG121, CG122, CG123: captures in the wrong place.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
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
        let draft = Draft::new(&INSIDE_CAPTURE, site, says::cg122::INSIDE_ANOTHER)
            .note("captures do not nest: what the second one records would be no part of the first")
            .help(says::cg122::END_FIRST)
            .help(says::cg122::GRAPHS_ITSELF);
        judge.report(draft);
        return;
    }
    if let Some(Meets::OtherThread(id)) = meets {
        let other = judge.library.captures[id.0].site;
        let draft = Draft::new(&INSIDE_CAPTURE, site, says::cg122::TWO_THREADS)
            .label(other, "this capture runs meanwhile")
            .note(says::cg122::WAITS_FOR_DEVICE)
            .help(says::cg122::ONE_AT_A_TIME);
        judge.report(draft);
        return;
    }
    if kind == CaptureKind::Graph && judge.is_on_default_stream() {
        let draft = Draft::new(&DEFAULT_STREAM, site, says::cg121::TITLE)
            .help(says::cg121::OWN_STREAM)
            .help(says::cg121::OTHER_STREAM)
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
    let draft =
        Draft::new(&OTHER_STREAM, site, says::cg126::OTHER_STREAM).help(says::cg126::SAME_STREAM);
    judge.report(draft);
}

/// `capture_end` is called by another thread.
pub(super) fn ended_by_other_thread(judge: &mut Judge<'_, '_>, id: CaptureId, range: TextRange) {
    if judge.library.captures[id.0].mode == Mode::Relaxed {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&OTHER_THREAD, site, says::cg125::TITLE)
        .help(says::cg125::SAME_THREAD)
        .help(says::cg125::RELAXED);
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
    .help(says::cg123::OUTSIDE)
    .help(says::cg123::CAPTURE_THE_WORK);
    judge.report(draft);
}
