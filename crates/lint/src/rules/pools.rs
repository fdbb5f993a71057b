//! CG303: the pools of graphs that run one after the other.

use super::judge::Judge;
use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Stmt, Visitor, walk_expr, walk_stmt};
use crate::torch::Interp;
use crate::torch::state::capture::CaptureId;

/// Each graph has a pool of its own.
pub(crate) static POOL_PER_GRAPH: Rule = Rule::new("CG303", Confidence::Likely);

/// How many bytes of a file cost as much to go through as a statement to follow.
const BYTES_IN_A_STEP: usize = 64;

/// A graph is one of several, each of which has a pool of its own.
pub(super) fn each_has_one(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let site = judge.library.captures[id.0].site;
    if judge.has_reported(&POOL_PER_GRAPH, site) {
        return;
    }
    // A pool from which nothing was asked holds nothing.
    let is_empty = !judge.library.captures[id.0].makes;
    // Threads and streams may replay the graphs at once, and then each needs its own.
    let at_once = judge.threads_use_graphs() || replayed_on_streams(judge, site);
    let draft = Draft::new(&POOL_PER_GRAPH, site, "each graph gets a memory pool of its own")
        .possible_if(at_once || is_empty)
        .note("what one graph has free, the others cannot use")
        .help("if the graphs never run at once and are replayed in the order of their captures, share one: `pool=first.pool()`")
        .repair(Repair::SharePool(judge.shown(id)));
    judge.report(draft);
}

/// Whether the file of a site replays graphs on streams that it names.
fn replayed_on_streams(state: &Interp<'_>, site: Site) -> bool {
    let source = state.project.source(site.file);
    let steps = source.text.len() / BYTES_IN_A_STEP;
    state.spend_many(u32::try_from(steps).unwrap_or(u32::MAX));
    let mut replays = ReplaysOnStreams::default();
    replays.visit_body(&source.module.body);
    replays.found
}

/// Looks for `with torch.cuda.stream(stream): graph.replay()`.
#[derive(Default)]
struct ReplaysOnStreams {
    streams: usize,
    found: bool,
}

impl<'a> Visitor<'a> for ReplaysOnStreams {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let sets_stream = |it: &ast::WithItem| {
            let call = it.context_expr.as_call_expr();
            call.is_some_and(|call| called(call) == Some("stream"))
        };
        let is_inside = matches!(statement, Stmt::With(it) if it.items.iter().any(sets_stream));
        self.streams += usize::from(is_inside);
        walk_stmt(self, statement);
        self.streams -= usize::from(is_inside);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.found |= self.streams > 0 && called(call) == Some("replay");
        }
        walk_expr(self, expression);
    }
}

/// The last name of what is called.
fn called(call: &ast::ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}
