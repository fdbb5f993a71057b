//! Static buffers: what a graph reads is made before the capture, or written into the tensor that was captured.

use super::change::{Change, changes, fresh_name};
use super::hoist::{self, copied_if_written};
use super::imported::Imported;
use super::names;
use super::place::{self, Spot, replace};
use super::region::Region;
use crate::draft::Captured;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::ast::{ComparableArguments, Expr, ExprCall, Ranged as _, Stmt, TextRange};
use crate::syntax::{Names, Source};

/// What makes a tensor of the sizes and options that it is given.
const MAKERS: [&str; 5] = [
    "torch.empty",
    "torch.ones",
    "torch.rand",
    "torch.randn",
    "torch.zeros",
];

/// Copies from the host before the capture, in place of inside it.
pub(super) fn copy(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let call = names::call_at(spot.statement(), site.range)?;
    let method = call.func.as_attribute_expr()?;
    match method.attr.as_str() {
        "to" | "cuda" => stage(&region, &spot, call, &method.value),
        _ => None,
    }
}

/// `source.to("cuda")` in the capture: its result becomes a buffer that is made before.
fn stage(region: &Region<'_>, spot: &Spot<'_>, call: &ExprCall, from: &Expr) -> Option<Change> {
    let is_to_device = call.func.as_attribute_expr()?.attr.as_str() == "cuda"
        || call.arguments.args.first().is_some_and(is_cuda);
    let used = Names::of(from);
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
    // What nobody writes any more needs no second copy.
    let scope = place::scope(source, region.call);
    let is_in_loop = place::around(source, region.call)
        .iter()
        .any(|it| matches!(it.statement(), Stmt::For(_) | Stmt::While(_)));
    let end = region.end.statement().end();
    let is_mentioned = used.iter().any(|it| names::mentioned(scope, it, end));
    let is_final = is_constant || from.is_name_expr() && !is_in_loop && !is_mentioned;
    if !is_final {
        return None;
    }
    let used = replace(range, format!("{buffer}{}", copied_if_written(spot, range)));
    changes(
        region.file,
        "copy it before the capture",
        false,
        [made, used],
    )
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
