//! CG201, CG205, CG207: what the host decides at each turn, and a graph decides once.

use super::held_numbers::{self, Use};
use super::judge::Judge;
use crate::draft::{Draft, Report, Rule};
use crate::finding::Confidence;
use crate::interp::value::{CellId, LoopId, Value};
use crate::syntax::ast::{CmpOp, Expr, Ranged as _, TextRange, UnaryOp};
use crate::torch::Interp;
use crate::torch::state::capture::CaptureId;

/// A branch that the host takes anew at each turn.
pub(crate) static FROZEN_BRANCH: Rule = Rule::new("CG201", Confidence::Likely);
/// A number that the host changes at each turn.
pub(crate) static FROZEN_SCALAR: Rule = Rule::new("CG205", Confidence::Likely);
/// A size that it changes.
pub(crate) static FROZEN_SHAPE: Rule = Rule::new("CG207", Confidence::Likely);

/// A finding about a capture that is made once, in a loop whose later turns may replay it.
#[derive(Debug)]
struct Frozen {
    capture: CaptureId,
    varies: LoopId,
    turn: u32,
    report: Report,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// What is to be said of captures, should a later turn of a loop replay them.
    frozen: Vec<Frozen>,
}

/// What changes in a loop around a capture is captured once for several turns: at once, where all turns have one graph; otherwise
/// if a later turn replays it.
fn report_if_frozen(judge: &mut Judge<'_, '_>, varies: LoopId, draft: Draft) {
    let Some(capture) = judge.graph_capture() else {
        return;
    };
    let captured = &judge.library.captures[capture.0];
    let Some(graph) = captured.graph else { return };
    if varies != LoopId::EVERY_TIME && !captured.loops.contains(&varies) {
        return;
    }
    // What an attribute keeps changes where that is assigned, which is known there.
    if held_numbers::is_of_attribute(judge, capture, draft.site) {
        return;
    }
    if is_one_for_all_turns(judge, graph, varies) {
        judge.report(draft);
        return;
    }
    let turn = judge.turn_of(varies);
    if let Some(report) = judge.report_of(draft) {
        judge.notes.of_mut::<Noted>().frozen.push(Frozen {
            capture,
            varies,
            turn,
            report,
        });
    }
}

/// Whether all turns of a loop capture this graph: it was made before the loop, is not reset for each capture, and is not one of
/// several, of which each turn may take another.
fn is_one_for_all_turns(state: &Interp<'_>, graph: CellId, varies: LoopId) -> bool {
    let made = state.heap.object(graph);
    let was_reset = state.graph(graph).is_some_and(|it| it.reset);
    made.is_some_and(|it| !it.loops.contains(&varies))
        && !was_reset
        && !held_numbers::is_one_of_many(state, graph)
}

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, capture: CaptureId) {
    let again = |judge: &Interp<'_>, it: &Frozen| {
        it.capture == capture
            && judge.loops.around.contains(&it.varies)
            && judge.turn_of(it.varies) != it.turn
    };
    let frozen = std::mem::take(&mut judge.notes.of_mut::<Noted>().frozen);
    let (told, rest): (Vec<_>, Vec<_>) = frozen.into_iter().partition(|it| again(judge, it));
    judge.notes.of_mut::<Noted>().frozen = rest;
    for it in told {
        judge.add(it.report);
    }
}

/// A condition was followed; `test` is its expression.
pub(super) fn depends_on<'p>(judge: &mut Judge<'_, 'p>, test: &'p Expr) {
    held_numbers::used(judge, test, Use::Decides, test.range());
    let Some(varies) = judge.last_condition().varies() else {
        return;
    };
    let site = judge.at(test.range());
    let draft = Use::Decides.frozen(site)
        // A turn that captures is seldom the one turn that is asked for, and no later one is that, either.
        .possible_if(asks_for_one_turn(test) && is_one_turn_captured(judge, varies))
        .note("the condition depends on a number that changes with each iteration, and a replay does not ask again");
    report_if_frozen(judge, varies, draft);
}

/// `step == 0`, `step != 10`, `not step`: all turns but one answer alike.
fn asks_for_one_turn(test: &Expr) -> bool {
    match test {
        Expr::UnaryOp(it) => it.op == UnaryOp::Not && it.operand.is_name_expr(),
        Expr::Compare(it) => match (&*it.left, &*it.ops, &*it.comparators) {
            (Expr::Name(_), [CmpOp::Eq | CmpOp::NotEq], [other]) => other.is_number_literal_expr(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a graph that was made before a loop is captured in it: a graph is captured once, so in one of the turns.
fn is_one_turn_captured(state: &Interp<'_>, varies: LoopId) -> bool {
    let Some(capture) = state
        .graph_capture()
        .map(|id| &state.library.captures[id.0])
    else {
        return false;
    };
    let graph = capture.graph.and_then(|it| state.heap.object(it));
    let is_made_before = graph.is_some_and(|it| !it.loops.contains(&varies));
    is_made_before && capture.loops.contains(&varies)
}

/// An operation of tensors has these operands.
pub(super) fn scalars<'p>(judge: &mut Judge<'_, 'p>, values: &[Value<'p>], range: TextRange) {
    let tensors = values.iter().any(|it| matches!(it, Value::Extension(_)));
    let Some(varies) = values.iter().find_map(Value::varies).filter(|_| tensors) else {
        return;
    };
    let site = judge.at(range);
    let draft = Use::Computes
        .frozen(site)
        .note("Python's numbers are passed to kernels by value, and a replay passes the same");
    report_if_frozen(judge, varies, draft);
}

/// These are sizes.
pub(super) fn sizes<'p>(judge: &mut Judge<'_, 'p>, values: &[Value<'p>], range: TextRange) {
    let mut all: Vec<Value<'p>> = Vec::new();
    for value in values {
        match value {
            Value::List(cell) => all.extend(
                judge
                    .heap
                    .list(*cell)
                    .into_iter()
                    .flat_map(|it| it.items.iter().cloned()),
            ),
            other => all.push(other.clone()),
        }
    }
    let Some(varies) = all.iter().find_map(Value::varies) else {
        return;
    };
    let site = judge.at(range);
    let draft = Use::Measures
        .frozen(site)
        .note("sizes are part of the recorded work, and a replay repeats them");
    report_if_frozen(judge, varies, draft);
}
