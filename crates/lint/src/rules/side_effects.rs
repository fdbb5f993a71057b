//! CG212: Python state that changes inside a captured region changes once, not at each replay.

use super::{Draft, Rule, counters};
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::value::{CaptureId, Value};
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};

/// A counter of the host is counted inside a capture.
pub(crate) static SKIPPED: Rule = Rule::new("CG212", Confidence::Likely);

/// `target += number`, where the target is a number.
pub(crate) fn counted<'p>(interp: &mut Interp<'p>, it: &'p ast::StmtAugAssign) {
    changes(interp, &it.target, it.range());
}

/// `target = value`: a number that is made of what the target was is counted, too.
pub(crate) fn assigned<'p>(interp: &mut Interp<'p>, it: &'p ast::StmtAssign, value: &Value<'p>) {
    let ([target], Expr::BinOp(operation), Value::Number(_)) =
        (it.targets.as_slice(), &*it.value, value)
    else {
        return;
    };
    let source = interp.project.source(interp.at(it.range()).file);
    let counts = [&operation.left, &operation.right]
        .iter()
        .any(|operand| source.slice(operand.range()) == source.slice(target.range()));
    if counts {
        changes(interp, target, it.range());
    }
}

fn changes<'p>(interp: &mut Interp<'p>, target: &'p Expr, range: TextRange) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    let outlives = match target {
        Expr::Name(name) => !interp.is_local(name.id.as_str()),
        Expr::Attribute(_) => true,
        Expr::Subscript(subscript) => {
            let container = interp.expression(&subscript.value);
            made_before(interp, &container, id)
        }
        _ => false,
    };
    if !outlives {
        return;
    }
    let site = interp.at(range);
    let from_zero = interp.expression(target).as_integer() == Some(0);
    let draft = Draft::new(
        &SKIPPED,
        site,
        "a number of Python's is changed inside a capture",
    )
    .possible_if(!counters::is_read(interp, target, site, from_zero))
    .note("it changes once, while the graph is captured, and not at each replay")
    .help("count where the graph is replayed, or keep the number in a tensor");
    interp.report(draft);
}

fn made_before<'p>(interp: &Interp<'p>, container: &Value<'p>, id: CaptureId) -> bool {
    match container {
        Value::List(cell) | Value::Dict(cell) => interp.captures[id.0].first_cell.0 > cell.0,
        _ => false,
    }
}
