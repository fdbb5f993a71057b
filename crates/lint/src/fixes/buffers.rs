//! Static buffers: what a graph reads is made before the capture, and written anew before each replay.

use super::hoist::{self, copied_if_written};
use super::imported::Imported;
use super::place::{self, Spot, replace};
use super::region::Region;
use super::{Change, changes, fresh_name, names};
use crate::draft::Captured;
use crate::finding::Edit;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::Source;
use crate::syntax::ast::{ComparableArguments, Expr, ExprCall, Ranged as _, Stmt, TextRange};

const COPY: &str = "copy it before each replay";

/// What makes a tensor of the sizes and options that it is given.
const MAKERS: [&str; 5] = [
    "torch.empty",
    "torch.ones",
    "torch.rand",
    "torch.randn",
    "torch.zeros",
];

/// Copies from the host before each replay of the graph, in place of inside it.
pub(super) fn copy(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let call = names::call_at(spot.statement(), site.range)?;
    let method = call.func.as_attribute_expr()?;
    match method.attr.as_str() {
        "copy_" => fill_ahead(&region, &spot, call),
        "to" | "cuda" => stage(&region, &spot, call, &method.value),
        _ => None,
    }
}

/// `static.copy_(source)` in the capture: the statement moves before each replay.
fn fill_ahead(region: &Region<'_>, spot: &Spot<'_>, call: &ExprCall) -> Option<Change> {
    let is_whole = names::called(spot.statement()).is_some_and(|it| it.range() == call.range());
    let used: Vec<&str> = names::of(&call.func)
        .into_iter()
        .chain(call.arguments.args.iter().flat_map(names::of))
        .collect();
    let target = names::root(&call.func)?;
    let earlier = &region.body[..spot.at];
    let others = &region.body[spot.at + 1..];
    let is_read = names::mentioned(earlier, target, region.call.start());
    let is_alone = region.body.len() == 1;
    if !is_whole
        || is_alone
        || is_read
        || names::changed(earlier, &used)
        || names::changed(others, &used)
    {
        return None;
    }
    let line = region.source.slice(call.range()).to_owned();
    let (copies, safe) = before_replays(region, &line)?;
    // Without a replay in sight, it is copied once.
    let first = copies.is_empty().then(|| region.begin.above(&[line]));
    let edits = copies.into_iter().chain(first.flatten());
    changes(region.file, COPY, safe, edits.chain([spot.without()?]))
}

/// `source.to("cuda")` in the capture: its result becomes a buffer that is made before.
fn stage(region: &Region<'_>, spot: &Spot<'_>, call: &ExprCall, from: &Expr) -> Option<Change> {
    let is_to_device = call.func.as_attribute_expr()?.attr.as_str() == "cuda"
        || call.arguments.args.first().is_some_and(is_cuda);
    let used = names::of(from);
    let imported = Imported::at(region.source, region.call);
    let is_constant = used.iter().all(|it| imported.is_of_torch(it));
    let is_known = names::is_dotted(from) || is_constant;
    if !is_to_device || !is_known || names::changed(region.body, &used) {
        return None;
    }
    let (source, range) = (region.source, call.range());
    let buffer = fresh_name(&source.text, "static_value")?;
    let made = region
        .begin
        .above(&[format!("{buffer} = {}", source.slice(range))])?;
    let line = format!("{buffer}.copy_({})", source.slice(from.range()));
    // What nobody writes any more needs no second copy.
    let scope = place::scope(source, region.call);
    let is_in_loop = place::around(source, region.call)
        .iter()
        .any(|it| matches!(it.statement(), Stmt::For(_) | Stmt::While(_)));
    let end = region.end.statement().end();
    let is_mentioned = used.iter().any(|it| names::mentioned(scope, it, end));
    let is_final = is_constant || from.is_name_expr() && !is_in_loop && !is_mentioned;
    let (copies, safe) = if is_final {
        (Vec::new(), false)
    } else {
        before_replays(region, &line)?
    };
    let title = if copies.is_empty() {
        "copy it before the capture"
    } else {
        COPY
    };
    let used = replace(range, format!("{buffer}{}", copied_if_written(spot, range)));
    changes(
        region.file,
        title,
        safe,
        copies.into_iter().chain([made, used]),
    )
}

/// Adds a line before each replay of a region's graph, and tells whether these are certainly all replays.
fn before_replays(region: &Region<'_>, line: &str) -> Option<(Vec<Edit>, bool)> {
    let replays = region.replays();
    if !replays.are_all {
        return Some((Vec::new(), false));
    }
    let edits = replays
        .statements
        .iter()
        .map(|it| place::innermost(region.source, *it)?.above(&[line.to_owned()]))
        .collect::<Option<Vec<_>>>()?;
    let safe = !edits.is_empty();
    Some((edits, safe))
}

/// Keeps a number that the host changes in a tensor, and writes it there before each replay.
pub(super) fn fill(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let number = number_at(spot.statement(), site.range, &turned(&region))?;
    if names::changed(region.body, &names::of(number)) {
        return None;
    }
    let source = region.source;
    let text = source.slice(number.range());
    let buffer = fresh_name(&source.text, "static_number")?;
    let (fills, is_all) = before_replays(&region, &format!("{buffer}.fill_({text})"))?;
    if !is_all {
        return None;
    }
    let imported = Imported::at(source, region.call);
    let made = format!(
        "{buffer} = {}.full((), {text}, device=\"cuda\")",
        imported.torch()?
    );
    let made = region.begin.above(&[made])?;
    let edits = fills
        .into_iter()
        .chain([made, replace(number.range(), buffer)]);
    changes(
        region.file,
        "keep it in a tensor, and fill that before each replay",
        false,
        edits,
    )
}

/// The names that the loops around a capture give another value at each turn.
fn turned<'p>(region: &Region<'p>) -> Vec<&'p str> {
    place::around(region.source, region.call)
        .into_iter()
        .filter_map(|it| it.statement().as_for_stmt())
        .flat_map(|it| names::of(&it.target))
        .collect()
}

/// The operand of the operation at `range` that is a number of the host, and changes with one of these names.
fn number_at<'p>(statement: &'p Stmt, range: TextRange, turned: &[&str]) -> Option<&'p Expr> {
    let operation = names::operation_at(statement, range)?;
    let is_number = |it: &&Expr| {
        is_arithmetic(it, turned) && names::of(it).iter().any(|name| turned.contains(name))
    };
    [&*operation.left, &*operation.right]
        .into_iter()
        .find(is_number)
}

/// Whether an expression computes with numbers and these names only.
fn is_arithmetic(expression: &Expr, turned: &[&str]) -> bool {
    match expression {
        Expr::Name(it) => turned.contains(&it.id.as_str()),
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(it) => is_arithmetic(&it.operand, turned),
        Expr::BinOp(it) => is_arithmetic(&it.left, turned) && is_arithmetic(&it.right, turned),
        _ => false,
    }
}

/// Writes into the captured tensor, in place of rebinding its name.
pub(super) fn refill(project: &Project, site: Site, made: Site) -> Option<Change> {
    let source = project.source(site.file);
    let spot = place::innermost(source, site.range)?;
    let assignment = spot.statement().as_assign_stmt()?;
    let [target] = assignment.targets.as_slice() else {
        return None;
    };
    // Only what was bound above is there to be written.
    let is_below = made.file == site.file && made.range.end() < assignment.start();
    if target.range() != site.range || !names::is_dotted(target) || !is_below {
        return None;
    }
    let given = &*assignment.value;
    let written = match moved_to_device(given) {
        Some((from, rest)) => format!("{}{rest}", source.slice(from.range())),
        None => source.slice(given.range()).to_owned(),
    };
    let text = format!("{}.copy_({written})", source.slice(target.range()));
    let safe = is_made_alike(source, made.range, given);
    let edit = replace(assignment.range, text);
    changes(site.file, "write into the captured tensor", safe, [edit])
}

/// The tensor that `tensor.to("cuda")` copies, and what its copy is to be told beside it.
fn moved_to_device(given: &Expr) -> Option<(&Expr, &'static str)> {
    let call = given.as_call_expr()?;
    let method = call.func.as_attribute_expr()?;
    let is_device = match method.attr.as_str() {
        "cuda" => call.arguments.args.is_empty(),
        "to" => call.arguments.args.len() == 1 && call.arguments.args.iter().all(is_cuda),
        _ => false,
    };
    let rest = match &*call.arguments.keywords {
        [] => "",
        [it] if it.arg.as_deref() == Some("non_blocking") && is_true(&it.value) => {
            ", non_blocking=True"
        }
        _ => return None,
    };
    is_device.then_some((&*method.value, rest))
}

/// Whether both tensors are made by functions of PyTorch with the same sizes and options.
fn is_made_alike(source: &Source, made: TextRange, given: &Expr) -> bool {
    let first = place::innermost(source, made).and_then(|it| names::call_at(it.statement(), made));
    let (Some(first), Some(second)) = (first, given.as_call_expr()) else {
        return false;
    };
    let imported = Imported::at(source, made);
    let makes = |it: &ExprCall| imported.is_one_of(&it.func, &MAKERS);
    makes(first)
        && makes(second)
        && hoist::has_constants(&imported, first)
        && ComparableArguments::from(&first.arguments)
            == ComparableArguments::from(&second.arguments)
}

fn is_cuda(argument: &Expr) -> bool {
    argument
        .as_string_literal_expr()
        .is_some_and(|it| it.value.to_str().starts_with("cuda"))
}

fn is_true(value: &Expr) -> bool {
    value.as_boolean_literal_expr().is_some_and(|it| it.value)
}
