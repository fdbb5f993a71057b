//! Outputs, inputs and graphs that are kept too long, too briefly, or written too early.

use super::change::{Change, changes, fresh_name};
use super::imported::Imported;
use super::names;
use super::place::{self, insert};
use super::region::Region;
use crate::draft::Captured;
use crate::project::Project;
use crate::site::Site;
use crate::syntax::ast::{Expr, Ranged as _, Stmt};

/// Keeps a copy of an expression's value.
pub(super) fn clone(_: &Project, site: Site) -> Option<Change> {
    let edit = insert(site.range.end().to_usize(), ".clone()");
    changes(site.file, "keep a copy", true, [edit])
}

/// Keeps a copy of what the assignment at a site stores.
pub(super) fn clone_stored(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let statement = place::innermost(source, site.range)?.statement();
    let stored = &*statement.as_assign_stmt()?.value;
    let is_held = matches!(
        stored,
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_)
    );
    let range = stored.range();
    is_held.then(|| clone(project, Site { range, ..site }))?
}

/// Leaves a name out of a `del`.
pub(super) fn keep(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let spot = place::innermost(source, site.range)?;
    let Stmt::Delete(delete) = spot.statement() else {
        return None;
    };
    let [Expr::Name(name)] = delete.targets.as_slice() else {
        return None;
    };
    let scope = place::scope(source, site.range);
    let is_used = names::mentioned(scope, name.id.as_str(), delete.range.end());
    let title = "keep it as long as the graph";
    changes(site.file, title, !is_used, [spot.without()?])
}

/// Lets the graph hold what it reads, since nothing else holds it.
pub(super) fn keep_beside(project: &Project, capture: Captured, made: Site) -> Option<Change> {
    let region = Region::of(project, capture).filter(|it| it.file == made.file)?;
    let source = region.source;
    let statement = place::innermost(source, made.range)?.statement();
    let assigned = statement.as_assign_stmt()?;
    let [Expr::Name(target)] = assigned.targets.as_slice() else {
        return None;
    };
    if assigned.value.range() != made.range {
        return None;
    }
    let scope = place::scope(source, region.call);
    let is_here = std::ptr::eq(scope, place::scope(source, made.range));
    let is_kept = names::changed(region.end.rest(), &[target.id.as_str()]);
    let graph = region
        .graph?
        .as_name_expr()
        .filter(|_| is_here && !is_kept)?;
    let attribute = fresh_name(&source.text, "static_input")?;
    let line = format!("{}.{attribute} = {}", graph.id, target.id);
    let title = "keep the input as long as the graph";
    changes(region.file, title, true, [region.end.below(&[line])?])
}

/// Waits for the device before a statement.
pub(super) fn wait(project: &Project, site: Site) -> Option<Change> {
    let source = project.source(site.file);
    let spot = place::innermost(source, site.range)?;
    let imported = Imported::at(source, site.range);
    let line = format!("{}.cuda.synchronize()", imported.torch()?);
    let title = "wait for the replay first";
    changes(site.file, title, true, [spot.above(&[line])?])
}

/// Resets the graph of a capture before a statement.
pub(super) fn reset(project: &Project, capture: Captured, site: Site) -> Option<Change> {
    let region = Region::of(project, capture)?;
    let graph = region.graph?.as_name_expr()?.id.as_str();
    let scope = place::scope(region.source, site.range);
    let is_here = region.file == site.file
        && region.call.end() < site.range.start()
        && std::ptr::eq(scope, place::scope(region.source, region.call));
    if !is_here {
        return None;
    }
    let spot = place::innermost(region.source, site.range)?;
    let is_used = names::mentioned(scope, graph, site.range.end());
    let title = "reset the graph first";
    let line = spot.above(&[format!("{graph}.reset()")])?;
    changes(site.file, title, !is_used, [line])
}
