//! The statements that a capture records, where these stand in one block.

use super::imported::Imported;
use super::names;
use super::place::{self, Spot};
use crate::draft::Captured;
use crate::project::{FileId, Project};
use crate::site::Site;
use crate::syntax::Source;
use crate::syntax::ast::{ComparableExpr, Expr, Ranged as _, Stmt, TextRange};

/// Contexts around a capture that change nothing about what is done above them.
const HOLD_ABOVE: [&str; 4] = [
    "torch.cuda.stream",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.no_grad",
];

/// What stands in a `with` statement of a capture, or between `capture_begin` and `capture_end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region<'p> {
    pub(super) file: FileId,
    pub(super) source: &'p Source,
    /// What is recorded.
    pub(super) body: &'p [Stmt],
    /// The statement that begins the capture.
    pub(super) begin: Spot<'p>,
    /// The statement with which it is over.
    pub(super) end: Spot<'p>,
    /// The graph, as it is written.
    pub(super) graph: Option<&'p Expr>,
    /// The call that begins the capture.
    pub(super) call: TextRange,
}

impl<'p> Region<'p> {
    /// That of a capture.
    pub(super) fn of(project: &'p Project, capture: Captured) -> Option<Self> {
        let Site { file, range: call } = capture.site;
        let source = project.source(file);
        let Some(statement) = capture.statement else {
            return Self::between_calls(file, source, call);
        };
        let begin = place::innermost(source, statement)?;
        let with = begin.statement().as_with_stmt()?;
        let item = with
            .items
            .iter()
            .filter_map(|it| it.context_expr.as_call_expr())
            .find(|it| it.range() == call);
        let graph = item.and_then(|it| it.arguments.find_argument_value("cuda_graph", 0));
        (with.range == statement).then_some(Self {
            file,
            source,
            body: &with.body,
            begin,
            end: begin,
            graph,
            call,
        })
    }

    /// That of a capture that begins with this call of `capture_begin`.
    pub(super) fn between_calls(file: FileId, source: &'p Source, call: TextRange) -> Option<Self> {
        let begin = place::innermost(source, call)?;
        let graph = method(begin.statement(), "capture_begin")?;
        let is_it = |it: &Expr| ComparableExpr::from(it) == ComparableExpr::from(graph);
        let length = begin
            .rest()
            .iter()
            .position(|it| method(it, "capture_end").is_some_and(is_it))?;
        let end = Spot {
            at: begin.at + 1 + length,
            ..begin
        };
        Some(Self {
            file,
            source,
            body: &begin.block[begin.at + 1..end.at],
            begin,
            end,
            graph: Some(graph),
            call,
        })
    }

    /// The statement of its block around a place.
    pub(super) fn spot(&self, site: Site) -> Option<Spot<'p>> {
        let holds = |it: &Stmt| it.range().contains_range(site.range);
        let at = self.body.iter().position(holds)?;
        (site.file == self.file).then_some(Spot {
            source: self.source,
            block: self.body,
            at,
        })
    }

    /// Whether all that sets it up but for the capture itself holds above it, too.
    pub(super) fn is_plain(&self) -> bool {
        let Stmt::With(with) = self.begin.statement() else {
            return true;
        };
        let imported = Imported::at(self.source, self.call);
        with.items.iter().all(|it| {
            let call = it.context_expr.as_call_expr();
            it.context_expr.range() == self.call
                || call.is_some_and(|it| imported.is_one_of(&it.func, &HOLD_ABOVE))
        })
    }
}

/// The object of `object.name(…)`, if that is the whole statement.
fn method<'p>(statement: &'p Stmt, name: &str) -> Option<&'p Expr> {
    let method = names::called(statement)?.func.as_attribute_expr()?;
    (method.attr.as_str() == name).then_some(&*method.value)
}
