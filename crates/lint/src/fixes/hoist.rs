//! What is made or done inside a capture, and can be made or done before it.

use super::change::{Change, changes, fresh_name};
use super::imported::Imported;
use super::names;
use super::place::{self, Spot, insert, replace};
use super::region::Region;
use crate::draft::Captured;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::Names;
use crate::syntax::ast::{Expr, ExprCall, Ranged as _, Stmt, TextRange};

/// Makes a constant tensor before the capture.
pub(super) fn constant(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    made_above(&region, &spot, site, copied_if_written(&spot, site.range))
}

/// Allocates pinned memory before the capture.
pub(super) fn pinned(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    made_above(&region, &spot, site, "")
}

/// Makes above the capture what a call with constant arguments makes in it, and uses that, or what `copy` makes of it.
fn made_above(region: &Region<'_>, spot: &Spot<'_>, site: Site, copy: &str) -> Option<Change> {
    let call = names::call_at(spot.statement(), site.range)?;
    let is_changed = names::changed(region.body, &Names::of(&call.func));
    let imported = Imported::at(region.source, site.range);
    if !has_constants(&imported, call) || is_changed || !region.is_plain() {
        return None;
    }
    let name = fresh_name(&region.source.text, "static_value")?;
    let text = region.source.slice(site.range);
    let made = region.begin.above(&[format!("{name} = {text}")])?;
    let used = replace(site.range, format!("{name}{copy}"));
    let title = "make the tensor before the capture";
    changes(region.file, title, true, [made, used])
}

/// What makes a copy of a tensor of the device at `range`, if it is written in place there: each replay is to begin with the
/// same values.
pub(super) fn copied_if_written(spot: &Spot<'_>, range: TextRange) -> &'static str {
    let statement = spot.statement();
    let is_stored = statement.as_assign_stmt().is_some_and(|it| {
        let names: Vec<&str> = it.targets.iter().filter_map(names::root).collect();
        it.value.range() == range && names::changed(spot.rest(), &names)
    });
    let is_chained = spot.source.text[range.end().to_usize()..].starts_with('.')
        && names::calls_over(statement, range).any(names::is_in_place);
    if is_stored || is_chained {
        ".clone()"
    } else {
        ""
    }
}

/// Calls something once before the capture, so that what it does at its first call is done.
pub(super) fn warm_up(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let spot = region.spot(site)?;
    let text = region.source.slice(site.range);
    let statement = spot.statement();
    let expression = match statement {
        Stmt::Expr(it) => &it.value,
        Stmt::Assign(it) => &it.value,
        _ => return None,
    };
    let used = Names::of(expression);
    let earlier = &region.body[..spot.at];
    if expression.range() != site.range || text.contains('\n') || names::changed(earlier, &used) {
        return None;
    }
    let title = "call it once before the capture";
    let call = region.begin.above(&[text.to_owned()])?;
    changes(region.file, title, false, [call])
}

/// Runs a collective of the process group that the one at a site uses before the capture.
pub(super) fn communicate(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let call = call(&region, site)?;
    let module = &call.func.as_attribute_expr()?.value;
    let imported = Imported::at(region.source, region.call);
    let group = call.arguments.find_keyword("group").map(|it| &it.value);
    let is_known =
        group.is_none_or(|it| names::is_dotted(it) && !names::changed(region.body, &Names::of(it)));
    if !imported.is(module, "torch.distributed") || !is_known {
        return None;
    }
    let source = region.source;
    let group = group.map(|it| format!(", group={}", source.slice(it.range())));
    let line = format!(
        "{}.all_reduce({}.zeros(1, device=\"cuda\"){})",
        source.slice(module.range()),
        imported.torch()?,
        group.unwrap_or_default()
    );
    let title = "run a collective before the capture";
    changes(region.file, title, false, [region.begin.above(&[line])?])
}

/// Registers the generator that is drawn from.
pub(super) fn register(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let call = call(&region, site)?;
    let generator = &call.arguments.find_keyword("generator")?.value;
    let name = names::root(generator)?;
    // What the capture itself binds cannot be named before it.
    if !names::is_dotted(generator) || names::changed(region.body, &[name]) {
        return None;
    }
    let graph = region.graph.filter(|it| names::is_dotted(it))?;
    let (graph, generator) = (graph.range(), generator.range());
    let line = format!(
        "{}.register_generator_state({})",
        region.source.slice(graph),
        region.source.slice(generator)
    );
    let title = "register the generator with the graph";
    changes(region.file, title, true, [region.begin.above(&[line])?])
}

/// Lets the graphs of a loop share a pool that is made before it.
pub(super) fn pool(project: &Project, capture: Captured) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let around = place::around(region.source, region.call);
    let inner = around.iter().rev();
    let turns = inner
        .take_while(|it| !matches!(it.statement(), Stmt::FunctionDef(_) | Stmt::ClassDef(_)))
        .find(|it| matches!(it.statement(), Stmt::For(_) | Stmt::While(_)))?;
    let call = names::call_at(region.begin.statement(), region.call)?;
    let imported = Imported::at(region.source, turns.statement().range());
    if !imported.is(&call.func, "torch.cuda.graph") || call.arguments.args.len() != 1 {
        return None;
    }
    let name = fresh_name(&region.source.text, "shared_pool")?;
    let made = turns.above(&[format!(
        "{name} = {}.cuda.graph_pool_handle()",
        imported.torch()?
    )])?;
    let at = call.arguments.args.first()?.end().to_usize();
    let passed = insert(at, format!(", pool={name}"));
    let title = "let the graphs share a pool";
    changes(region.file, title, false, [made, passed])
}

/// The call at a site, if it is recorded where it stands.
fn call<'p>(region: &Region<'p>, site: Site) -> Option<&'p ExprCall> {
    names::call_at(region.spot(site)?.statement(), site.range)
}

/// Whether what a call is given is the same wherever it stands.
pub(super) fn has_constants(imported: &Imported<'_>, call: &ExprCall) -> bool {
    let named = |it: &Expr| is_constant(it) || is_of_torch(imported, it);
    let arguments = &call.arguments;
    arguments.args.iter().all(is_constant) && arguments.keywords.iter().all(|it| named(&it.value))
}

/// Whether an expression names something of PyTorch, such as `torch.float32`.
fn is_of_torch(imported: &Imported<'_>, value: &Expr) -> bool {
    names::is_dotted(value) && names::root(value).is_some_and(|it| imported.is_of_torch(it))
}

fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BooleanLiteral(_) => true,
        Expr::UnaryOp(it) => is_constant(&it.operand),
        Expr::List(it) => it.elts.iter().all(is_constant),
        Expr::Tuple(it) => it.elts.iter().all(is_constant),
        _ => false,
    }
}
