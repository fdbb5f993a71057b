//! Streams: forks and joins that a capture lacks, and streams of their own.

use super::change::{Change, changes, fresh_name};
use super::imported::Imported;
use super::names;
use super::place::{self, Spot, step};
use super::region::Region;
use crate::draft::Captured;
use crate::finding::Edit;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::Names;
use crate::syntax::ast::{ComparableExpr, Expr, Ranged as _, Stmt, StmtFor, TextRange};

/// Lets a stream wait for the capture before it is used, in a block of its own, and joins it again.
pub(super) fn fork(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let imported = Imported::at(region.source, site.range);
    let used = region.spot(site)?;
    let [item] = used.statement().as_with_stmt()?.items.as_slice() else {
        return None;
    };
    let call = item.context_expr.as_call_expr()?;
    let [stream] = &*call.arguments.args else {
        return None;
    };
    if !imported.is(&call.func, "torch.cuda.stream") || !names::is_dotted(stream) {
        return None;
    }
    let torch = imported.torch()?;
    let name = region.source.slice(stream.range());
    let forked = used.above(&[format!("{name}.wait_stream({torch}.cuda.current_stream())")])?;
    let is_join = |it: &Stmt| joins(&imported, it, stream);
    let joined = if used.rest().iter().any(is_join) {
        None
    } else {
        Some(last(&region)?.below(&[join(torch, name)])?)
    };
    let title = "let the stream wait for the capture";
    changes(region.file, title, true, [forked].into_iter().chain(joined))
}

/// Whether a statement is `torch.cuda.current_stream().wait_stream(stream)`.
fn joins(imported: &Imported<'_>, statement: &Stmt, stream: &Expr) -> bool {
    let Some(call) = names::called(statement) else {
        return false;
    };
    let Some(method) = call.func.as_attribute_expr() else {
        return false;
    };
    let waiter = method.value.as_call_expr();
    let is_current = waiter.is_some_and(|it| {
        it.arguments.is_empty() && imported.is(&it.func, "torch.cuda.current_stream")
    });
    let [awaited] = &*call.arguments.args else {
        return false;
    };
    is_current
        && method.attr.as_str() == "wait_stream"
        && ComparableExpr::from(awaited) == ComparableExpr::from(stream)
}

/// Lets the capture wait for streams before it ends; `forks` are the calls that made these part of it.
pub(super) fn join_all(project: &Project, capture: Captured, forks: &[Site]) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let imported = Imported::at(region.source, region.call);
    let mut joins: Vec<String> = Vec::new();
    for fork in forks {
        for line in join_of(&region, &imported, *fork)? {
            if !joins.contains(&line) {
                joins.push(line);
            }
        }
    }
    let title = "join the streams before the capture ends";
    changes(region.file, title, true, [last(&region)?.below(&joins)?])
}

/// What joins the stream of `stream.wait_stream(...)`, if each way through the capture passes that; of each turn, if a loop
/// over streams forks them.
fn join_of(region: &Region<'_>, imported: &Imported<'_>, fork: Site) -> Option<Vec<String>> {
    let outer = region.spot(fork)?.statement();
    let call = names::call_at(outer, fork.range)?;
    let method = call.func.as_attribute_expr()?;
    let stream = &*method.value;
    if !matches!(method.attr.as_str(), "wait_event" | "wait_stream") || !names::is_dotted(stream) {
        return None;
    }
    let join = join(imported.torch()?, region.source.slice(stream.range()));
    let mut turns = None;
    for spot in place::around(region.source, fork.range) {
        match spot.statement() {
            it if !outer.range().contains_range(it.range()) => {}
            Stmt::With(_) | Stmt::Expr(_) => {}
            Stmt::For(it) if turns.is_none() && is_again(region, imported, it) => turns = Some(it),
            _ => return None,
        }
    }
    let Some(turns) = turns else {
        return Some(vec![join]);
    };
    let head = TextRange::new(turns.start(), turns.iter.end());
    let head = format!("{}:", region.source.slice(head));
    let body = format!("{}{join}", step(region.source));
    let is_of_loop = names::root(stream).is_some_and(|it| Names::of(&turns.target).contains(&it));
    Some(if is_of_loop {
        vec![head, body]
    } else {
        vec![join]
    })
}

/// Whether another loop over the same goes through the same.
fn is_again(region: &Region<'_>, imported: &Imported<'_>, turns: &StmtFor) -> bool {
    let is_kept = |it: &Expr| names::is_dotted(it);
    let is_same = match &*turns.iter {
        Expr::Call(call) => {
            imported.is_one_of(&call.func, &["builtins.enumerate", "builtins.zip"])
                && call.arguments.args.iter().all(is_kept)
        }
        Expr::Tuple(it) => it.elts.iter().all(is_kept),
        Expr::List(it) => it.elts.iter().all(is_kept),
        other => is_kept(other),
    };
    is_same && !names::changed(region.body, &Names::of(&turns.iter))
}

fn join(torch: &str, stream: &str) -> String {
    format!("{torch}.cuda.current_stream().wait_stream({stream})")
}

/// The last statement that is recorded.
fn last<'p>(region: &Region<'p>) -> Option<Spot<'p>> {
    Some(Spot {
        source: region.source,
        block: region.body,
        at: region.body.len().checked_sub(1)?,
    })
}

/// Captures on a stream of its own, not on the default one.
pub(super) fn own(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let begin = place::innermost(source, site.range)?;
    let title = "capture on a stream of its own";
    let call = names::call_at(begin.statement(), site.range)?;
    let imported = Imported::at(source, site.range);
    let torch = imported.torch()?;
    if let Some(stream) = call.arguments.find_keyword("stream") {
        let edit = place::replace(stream.value.range(), format!("{torch}.cuda.Stream()"));
        return changes(site.file, title, true, [edit]);
    }
    let region = Region::between_calls(site.file, source, site.range)?;
    let context = format!("with {torch}.cuda.stream({torch}.cuda.Stream()):");
    let mut edits = vec![begin.above(&[context])?];
    edits.extend(indented(&region)?);
    changes(site.file, title, true, edits)
}

/// Moves the lines of a region one step to the right.
fn indented(region: &Region<'_>) -> Option<Vec<Edit>> {
    let (source, begin) = (region.source, region.begin);
    let start = source.line_start(begin.statement().start().to_usize());
    let end = region.end.lines()?.end;
    let text = source.text.get(start..end)?;
    // A string over several lines would change.
    if names::have_long_string(source, region.body) {
        return None;
    }
    let step = step(source);
    let mut at = start;
    let mut edits = Vec::new();
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            edits.push(place::insert(at, step));
        }
        at += line.len();
    }
    Some(edits)
}

/// Does on a side stream what a statement does on the default one.
pub(super) fn side(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let spot = place::innermost(source, site.range)?;
    if !matches!(spot.statement(), Stmt::Assign(_) | Stmt::Expr(_)) {
        return None;
    }
    let imported = Imported::at(source, site.range);
    let torch = imported.torch()?;
    let stream = fresh_name(&source.text, "side_stream")?;
    let above = spot.above(&[
        format!("{stream} = {torch}.cuda.Stream()"),
        format!("{stream}.wait_stream({torch}.cuda.current_stream())"),
        format!("with {torch}.cuda.stream({stream}):"),
    ])?;
    let line = TextRange::empty(spot.statement().start());
    let step = place::replace(line, step(source));
    let below = spot.below(&[join(torch, &stream)])?;
    let title = "do it on a side stream";
    changes(site.file, title, true, [above, step, below])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Project, Settings, apply, lint};

    #[test]
    fn a_join_comes_last_also_without_a_line_break_at_the_end() {
        let program = "import torch\nx = torch.ones(8, device='cuda')\nside = torch.cuda.Stream()\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    side.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(side):\n        y = x + 1  # made";
        let mut project = Project::new([]);
        project.set_text(Path::new("program.py"), program.to_owned());
        let outcome = lint(&mut project, &Settings::default());
        let fixes: Vec<_> = outcome
            .findings
            .iter()
            .filter_map(crate::finding::Finding::fix)
            .collect();
        let expected = format!("{program}\n    torch.cuda.current_stream().wait_stream(side)\n");
        assert_eq!(apply(program, &fixes), (expected, 1));
    }
}
