//! Statements that are recorded, and belong before the capture or behind it.

use super::place::Spot;
use super::region::Region;
use super::{Change, changes, names};
use crate::draft::Captured;
use crate::finding::Edit;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::ast::{Expr, ExprCall, Ranged as _, Stmt, TextRange};

/// Moves the statement that reads a number of the device behind the capture, and behind the replay that follows it, if
/// nothing after it needs it.
pub(super) fn behind(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let (target, value) = parts(spot.statement())?;
    // What else the statement computes belongs into the graph.
    let tells = target.is_none() && is_told(value, site.range);
    let reads = value.range().contains_range(site.range) && is_on_host(value, site.range);
    if region.body.len() < 2 || !reads && !tells {
        return None;
    }
    let mut used = names::of(value);
    used.extend(target);
    let is_needed =
        target.is_some_and(|it| names::mentioned(spot.rest(), it, spot.statement().end()));
    if is_needed || names::changed(spot.rest(), &used) {
        return None;
    }
    let line = moved(&spot)?;
    let after = behind_replay(&region, target);
    changes(
        region.file,
        "read it after the capture",
        false,
        [spot.without()?, after.below(&[line])?],
    )
}

/// Moves the statement above the capture.
pub(super) fn ahead(
    project: &Project,
    capture: Captured,
    site: Site,
    title: &'static str,
) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let (target, value) = parts(spot.statement())?;
    if target.is_some() || value.range() != site.range || region.body.len() < 2 {
        return None;
    }
    let earlier = &region.body[..spot.at];
    if names::changed(earlier, &names::of(value)) {
        return None;
    }
    let edits: [Edit; 2] = [region.begin.above(&[moved(&spot)?])?, spot.without()?];
    changes(region.file, title, false, edits)
}

/// The name that a statement gives a value, and that value.
fn parts(statement: &Stmt) -> Option<(Option<&str>, &Expr)> {
    match statement {
        Stmt::Expr(it) => Some((None, &it.value)),
        Stmt::Assign(it) => {
            let [Expr::Name(target)] = it.targets.as_slice() else {
                return None;
            };
            Some((Some(target.id.as_str()), &it.value))
        }
        _ => None,
    }
}

/// A statement's lines as one that can stand elsewhere: what follows its indentation.
fn moved(spot: &Spot<'_>) -> Option<String> {
    let lines = spot.lines()?;
    let text = spot.source.text.get(lines)?;
    Some(text.trim_start_matches([' ', '\t']).trim_end().to_owned())
}

/// The last statement that must run before a value of the graph can be read.
fn behind_replay<'p>(region: &Region<'p>, target: Option<&str>) -> Spot<'p> {
    let end = region.end;
    for (skipped, statement) in end.rest().iter().enumerate() {
        let is_replay = names::called(statement)
            .and_then(|it| it.func.as_attribute_expr())
            .is_some_and(|it| it.attr.as_str() == "replay" && names::is_dotted(&it.value));
        if is_replay {
            return Spot {
                at: end.at + 1 + skipped,
                ..end
            };
        }
        let one = std::slice::from_ref(statement);
        if target.is_some_and(|it| names::mentioned(one, it, statement.start())) {
            break;
        }
    }
    end
}

/// Whether an expression does nothing but tell what is read at `read`: `print(…)`, `values.append(…)`.
fn is_told(expression: &Expr, read: TextRange) -> bool {
    let Expr::Call(call) = expression else {
        return false;
    };
    let tells = match &*call.func {
        Expr::Name(it) => it.id.as_str() == "print",
        Expr::Attribute(it) => {
            names::is_dotted(&it.value)
                && matches!(
                    it.attr.as_str(),
                    "append" | "debug" | "info" | "warning" | "add_scalar"
                )
        }
        _ => false,
    };
    tells && has_only_host(call, read)
}

/// Whether an expression computes on the host only, from what is read at `read`.
fn is_on_host(expression: &Expr, read: TextRange) -> bool {
    let is_read = |it: &Expr| it.range().contains_range(read) && is_on_host(it, read);
    if expression.range() == read {
        return true;
    }
    match expression {
        Expr::Name(_)
        | Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::FString(it) => it
            .value
            .elements()
            .filter_map(|it| it.as_interpolation())
            .all(|it| is_on_host(&it.expression, read)),
        Expr::Attribute(it) => is_read(&it.value),
        Expr::Subscript(it) => is_read(&it.value) && is_on_host(&it.slice, read),
        Expr::Call(it) => {
            let converts = match &*it.func {
                Expr::Name(it) => {
                    matches!(it.id.as_str(), "bool" | "float" | "int" | "round" | "str")
                }
                method => is_read(method),
            };
            converts && has_only_host(it, read)
        }
        _ => false,
    }
}

fn has_only_host(call: &ExprCall, read: TextRange) -> bool {
    let named = call.arguments.keywords.iter().map(|it| &it.value);
    let mut arguments = call.arguments.args.iter().chain(named);
    arguments.all(|it| is_on_host(it, read))
}
