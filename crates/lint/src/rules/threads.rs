//! CG111 and CG112: what other threads do while one captures in mode `global`.

use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::{LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Kind;
use crate::torch::state::capture::CaptureKind;
use crate::torch::state::event::Wait;
use crate::torch::state::object::{Mode, Own};

/// Another thread makes a call that the capture forbids to all.
pub(crate) static OTHER_THREAD: Rule = Rule::new("CG111", Confidence::Likely);
/// The same, with pinned memory.
pub(crate) static PINNING_THREAD: Rule = Rule::new("CG112", Confidence::Likely);

/// Bytes below which memory comes from what PyTorch holds already.
const SMALL: i64 = 1 << 20;

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Loops over loaders whose thread pins memory.
    pinning_loops: Vec<(LoopId, Site)>,
}

/// The thread waits for the device.
pub(super) fn waited(judge: &mut Judge<'_, '_>, wait: Wait, range: TextRange) {
    match wait {
        Wait::Device => report(
            judge,
            &OTHER_THREAD,
            true,
            "another thread waits for the whole device during a capture",
            range,
        ),
        // PyTorch reads numbers through pinned memory.
        Wait::Read(_) | Wait::Shape(_) => {
            report(
                judge,
                &PINNING_THREAD,
                false,
                "another thread reads a value from the device during a capture",
                range,
            );
        }
        Wait::Stream(_) => report(
            judge,
            &OTHER_THREAD,
            false,
            "another thread waits for a stream during a capture",
            range,
        ),
        Wait::Copy | Wait::Check(_) => {}
    }
}

/// The thread asks whether the device is done.
pub(super) fn queried(judge: &mut Judge<'_, '_>, range: TextRange) {
    report(
        judge,
        &OTHER_THREAD,
        false,
        "another thread asks whether a stream or an event is done, during a capture",
        range,
    );
}

/// The thread allocates memory of the device.
pub(super) fn allocated(judge: &mut Judge<'_, '_>, bytes: Option<i64>, range: TextRange) {
    if judge.flow.foreign.is_some() && bytes.is_some_and(|it| it >= SMALL) {
        report(
            judge,
            &OTHER_THREAD,
            false,
            "another thread allocates memory of the device during a capture",
            range,
        );
    }
}

/// The thread allocates pinned memory.
pub(super) fn pinned(judge: &mut Judge<'_, '_>, range: TextRange) {
    report(
        judge,
        &PINNING_THREAD,
        false,
        "another thread allocates pinned memory during a capture",
        range,
    );
}

/// A loop goes through something: a `DataLoader` pins memory in a thread of its own, while the body captures.
pub(super) fn iterated<'p>(judge: &mut Judge<'_, 'p>, iterated: &Value<'p>, range: TextRange) {
    let Value::Object(cell) = iterated else {
        return;
    };
    if matches!(
        judge.heap.object(*cell).map(|it| &it.kind),
        Some(Kind::Library(Own::Loader(it))) if it.pins
    ) {
        let site = judge.at(range);
        let pinning = (judge.next_loop_id(), site);
        judge.notes.of_mut::<Noted>().pinning_loops.push(pinning);
    }
}

/// A capture ends: it may stand in a loop over such a loader.
pub(super) fn capture_ends(judge: &mut Judge<'_, '_>, id: crate::torch::state::capture::CaptureId) {
    let capture = &judge.library.captures[id.0];
    if capture.mode != Mode::Global {
        return;
    }
    let (begin, loops) = (capture.site, capture.loops.clone());
    let Some((_, site)) = judge
        .notes
        .of::<Noted>()
        .pinning_loops
        .iter()
        .find(|(id, _)| loops.contains(id))
        .copied()
    else {
        return;
    };
    let draft = Draft::new(
        &PINNING_THREAD,
        site,
        "the loader's thread pins memory while the loop's body captures",
    )
    .label(begin, CaptureKind::Graph.began())
    .note(says::cg111::GLOBAL_MODE)
    .help(says::cg111::THREAD_LOCAL)
    .help(says::cg112::BEFORE_LOOP)
    .repair(Repair::ThreadLocal(judge.shown(id)));
    judge.report(draft);
}

fn report(
    judge: &mut Judge<'_, '_>,
    rule: &'static Rule,
    always: bool,
    title: &str,
    range: TextRange,
) {
    let Some(id) = judge.flow.foreign else {
        return;
    };
    let mode = judge.library.captures[id.0].mode;
    if !always && mode != Mode::Global {
        return;
    }
    let site = judge.at(range);
    let mut draft = Draft::new(rule, site, title);
    if always {
        draft = draft
            .note(says::cg111::EVERY_MODE)
            .help(says::cg111::keep_from("the other thread"));
    } else {
        draft = draft
            .note(says::cg111::GLOBAL_MODE)
            .help(says::cg111::THREAD_LOCAL)
            .help(says::cg111::keep_idle("the other thread"))
            .repair(Repair::ThreadLocal(judge.shown(id)));
    }
    judge.report(draft);
}
