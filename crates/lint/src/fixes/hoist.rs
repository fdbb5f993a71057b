//! What is made or done inside a capture, and can be made or done before it.

use super::place::{self, Spot, insert, replace};
use super::region::Region;
use super::{Change, changes, fresh_name, names};
use crate::draft::Captured;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::ast::{Expr, ExprCall, Ranged as _, Stmt, StmtFunctionDef, TextRange};

/// Makes a constant tensor before the capture.
pub(super) fn constant(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let Some(spot) = region.spot(site) else {
        return buffer(project, site);
    };
    let call = names::call_at(spot.statement(), site.range)?;
    let is_changed = names::changed(region.body, &names::of(&call.func));
    if !has_constants(call) || is_changed || !region.is_plain() {
        return None;
    }
    let name = fresh_name(&region.source.text, "static_value")?;
    let text = region.source.slice(site.range);
    let made = region.begin.above(&[format!("{name} = {text}")])?;
    let copy = copied_if_written(&spot, site.range);
    let used = replace(site.range, format!("{name}{copy}"));
    let title = "make the tensor before the capture";
    changes(region.file, title, true, [made, used])
}

/// What makes a copy of a tensor of the device at `range`, if it is written in place there: each replay is to begin with the
/// same values.
pub(super) fn copied_if_written(spot: &Spot<'_>, range: TextRange) -> &'static str {
    if spot.source.slice(range).contains("pin_memory") {
        return "";
    }
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

/// Makes a constant tensor of a method a buffer of its module.
fn buffer(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let around = place::around(source, site.range);
    let statement = around.last()?.statement();
    let at = around
        .iter()
        .rposition(|it| it.statement().is_function_def_stmt())?;
    let method = around[at].statement().as_function_def_stmt()?;
    let class = around[at.checked_sub(1)?].statement().as_class_def_stmt()?;
    let is_module = class
        .bases()
        .iter()
        .any(|it| source.slice(it.range()).ends_with("Module"));
    let call = names::call_at(statement, site.range)?;
    let arguments = &call.arguments;
    let is_tensor = source.slice(call.func.range()) == "torch.tensor";
    if !is_module || !is_tensor || !method.decorator_list.is_empty() {
        return None;
    }
    let [value] = &*arguments.args else {
        return None;
    };
    let mut given = source.slice(value.range()).to_owned();
    for keyword in &arguments.keywords {
        let text = source.slice(keyword.range());
        match keyword.arg.as_deref()? {
            "device" if !keyword.value.is_string_literal_expr() => {}
            "device" => given = format!("{given}, {text}"),
            "dtype" if names::root(&keyword.value) == Some("torch") => {
                given = format!("{given}, {text}");
            }
            _ => return None,
        }
    }
    let made = class
        .body
        .iter()
        .filter_map(Stmt::as_function_def_stmt)
        .find(|it| it.name.as_str() == "__init__")?;
    let begun = made.body.iter().position(|it| {
        let text = names::called(it).map(|it| source.slice(it.range()));
        text.is_some_and(|it| it.starts_with("super(") && it.contains("__init__"))
    })?;
    let name = fresh_name(&source.text, "static_value")?;
    let spot = Spot {
        source,
        block: &made.body,
        at: begun,
    };
    let registered = spot.below(&[format!(
        "{}.register_buffer(\"{name}\", torch.tensor({given}), persistent=False)",
        first_parameter(made)?
    )])?;
    let used = replace(site.range, format!("{}.{name}", first_parameter(method)?));
    let is_constant = is_constant(value);
    let title = "make it a buffer of the module";
    is_constant.then(|| changes(site.file, title, false, [registered, used]))?
}

fn first_parameter(function: &StmtFunctionDef) -> Option<&str> {
    let parameters = function.parameters.args.first()?;
    Some(parameters.parameter.name.as_str())
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
    let used = names::of(expression);
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
    let group = call.arguments.find_keyword("group").map(|it| &it.value);
    let is_known =
        group.is_none_or(|it| names::is_dotted(it) && !names::changed(region.body, &names::of(it)));
    if !names::is_dotted(module) || !is_known {
        return None;
    }
    let source = region.source;
    let group = group.map(|it| format!(", group={}", source.slice(it.range())));
    let line = format!(
        "{}.all_reduce(torch.zeros(1, device=\"cuda\"){})",
        source.slice(module.range()),
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
    let callee = region.source.slice(call.func.range());
    if callee != "torch.cuda.graph" || call.arguments.args.len() != 1 {
        return None;
    }
    let name = fresh_name(&region.source.text, "shared_pool")?;
    let made = turns.above(&[format!("{name} = torch.cuda.graph_pool_handle()")])?;
    let at = call.arguments.args.first()?.end().to_usize();
    let passed = insert(at, format!(", pool={name}"));
    let title = "let the graphs share a pool";
    changes(region.file, title, false, [made, passed])
}

/// The call at a site, if it is recorded where it stands.
fn call<'p>(region: &Region<'p>, site: Site) -> Option<&'p ExprCall> {
    names::call_at(region.spot(site)?.statement(), site.range)
}

fn has_constants(call: &ExprCall) -> bool {
    let named = |it: &Expr| is_constant(it) || names::root(it) == Some("torch");
    let arguments = &call.arguments;
    arguments.args.iter().all(is_constant) && arguments.keywords.iter().all(|it| named(&it.value))
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
