//! CG110 and CG127: questions about streams and events.

use super::judge::Judge;
use super::{threads, waits};
use crate::draft::{Argument, Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::settings::Version;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::state::event::Wait;
use crate::torch::state::object::Mode;

/// A stream or an event is asked whether it is done, inside a capture.
pub(crate) static QUERY: Rule = Rule::new("CG110", Confidence::Confirmed);
/// An event that was recorded inside a capture is used outside.
pub(crate) static FINISHED_CAPTURE: Rule = Rule::new("CG127", Confidence::Confirmed);

/// The first version of PyTorch whose events can be external.
const EXTERNAL_SINCE: Version = Version::new(2, 8);

/// `query()` of a stream or an event.
pub(super) fn asked(judge: &mut Judge<'_, '_>, object: CellId, range: TextRange) {
    if judge.flow.foreign.is_some() {
        threads::queried(judge, range);
        return;
    }
    let Some(id) = judge.graph_capture() else {
        of_finished_capture(judge, object, range);
        return;
    };
    if recorded_in_capture(judge, object).is_some_and(|(of, _)| of == id) {
        of_this_capture(judge, object, range);
        return;
    }
    // A stream that captures is refused in every mode.
    let captures = judge.capture_of(object) == Some(id);
    if !captures
        && matches!(
            judge.library.captures[id.0].mode,
            Mode::Relaxed | Mode::Unknown
        )
    {
        return;
    }
    let site = judge.at(range);
    let is_stream = judge.stream(object).is_some();
    let what = if is_stream { "a stream" } else { "an event" };
    let draft = Draft::new(
        &QUERY,
        site,
        says::cg110::title(what),
    )
    .note("what is recorded has not run, so there is no answer: the driver breaks the capture instead")
    .help(says::cg110::MOVE_OUT)
    .repair(Repair::ReadLater(judge.shown(id), site));
    judge.report(if captures {
        draft
    } else {
        draft.help(says::cg110::RELAXED)
    });
}

/// `event.synchronize()`.
pub(super) fn waited(judge: &mut Judge<'_, '_>, event: CellId, range: TextRange) {
    if judge.flow.foreign.is_some() {
        return;
    }
    let recorded = recorded_in_capture(judge, event);
    match (judge.graph_capture(), recorded) {
        (None, _) => of_finished_capture(judge, event, range),
        (Some(id), Some((of, _))) if of == id => of_this_capture(judge, event, range),
        (Some(id), _)
            if matches!(
                judge.library.captures[id.0].mode,
                Mode::Relaxed | Mode::Unknown
            ) => {}
        (Some(_), _) => waits::waits(judge, Wait::Check("`event.synchronize()`"), false, range),
    }
}

/// The host uses an event outside captures.
pub(super) fn of_finished_capture(judge: &mut Judge<'_, '_>, event: CellId, range: TextRange) {
    if judge.flow.captures.is_empty() && recorded_in_capture(judge, event).is_some() {
        of_this_capture(judge, event, range);
    }
}

fn of_this_capture(judge: &mut Judge<'_, '_>, event: CellId, range: TextRange) {
    let Some((_, recorded)) = recorded_in_capture(judge, event) else {
        return;
    };
    let site = judge.at(range);
    let name = judge.name_of(event).map(|it| format!("`{it}`"));
    let title = format!(
        "{} was recorded inside a capture, and belongs to the graph",
        name.as_deref().unwrap_or("the event")
    );
    let draft = Draft::new(&FINISHED_CAPTURE, site, title)
        .label(recorded, "it was recorded here")
        .note(says::cg127::PART_OF_GRAPH)
        .help(says::cg127::RECORD_OUTSIDE)
        .help(says::cg127::EXTERNAL)
        .repair(external(judge, event));
    judge.report(draft);
}

/// Inside the capture itself, an external event is no answer either.
fn external(state: &Interp<'_>, event: CellId) -> Option<Repair> {
    let is_known = state.settings.torch >= EXTERNAL_SINCE;
    let made = state.heap.object(event)?.made;
    let argument = Argument {
        name: "external",
        value: "True",
        safe: false,
    };
    (is_known && state.flow.captures.is_empty()).then_some(Repair::Pass(made, argument))
}

fn recorded_in_capture(
    state: &Interp<'_>,
    event: CellId,
) -> Option<(crate::torch::state::capture::CaptureId, Site)> {
    let event = state.event(event).filter(|it| !it.external)?;
    let recorded = event.recorded.as_ref()?;
    Some((recorded.capture?, recorded.site))
}
