//! Which functions of a file its threads may run, seen from their names alone.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::syntax::ast::{self, Expr, Stmt, Visitor, walk_expr, walk_stmt};
use crate::torch::Interp;

/// How many bytes of a file cost as much to go through as a statement to follow.
const BYTES_IN_A_STEP: usize = 64;

impl Interp<'_> {
    /// Whether a thread that the file starts may run the function that is followed, or replay a graph, itself or through
    /// others of the file.
    pub(crate) fn threads_use_graphs(&self) -> bool {
        let Some(frame) = self.frames().last() else {
            return false;
        };
        let source = self.project.source(frame.file);
        self.spend_many(u32::try_from(source.text.len() / BYTES_IN_A_STEP).unwrap_or(u32::MAX));
        let mut file = Functions::default();
        file.visit_body(&source.module.body);
        file.threads_reach(&[self.function_name(), "replay"])
    }
}

/// The functions of a file.
#[derive(Default)]
struct Functions<'a> {
    /// What each calls, by name.
    calls: FxHashMap<&'a str, Vec<&'a str>>,
    /// What threads and executors are given to run.
    targets: Vec<&'a str>,
    /// Those around what is visited.
    around: Vec<&'a str>,
}

impl Functions<'_> {
    fn threads_reach(self, wanted: &[&str]) -> bool {
        let mut open = self.targets;
        let mut seen = FxHashSet::default();
        while let Some(name) = open.pop() {
            if wanted.contains(&name) {
                return true;
            }
            if seen.insert(name) {
                open.extend(self.calls.get(name).into_iter().flatten());
            }
        }
        false
    }
}

impl<'a> Visitor<'a> for Functions<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let Stmt::FunctionDef(function) = statement else {
            return walk_stmt(self, statement);
        };
        self.around.push(function.name.as_str());
        walk_stmt(self, statement);
        self.around.pop();
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression
            && let Some(called) = last_name(&call.func)
        {
            if let Some(caller) = self.around.last() {
                self.calls.entry(caller).or_default().push(called);
            }
            self.targets
                .extend(target(called, call).and_then(last_name));
        }
        walk_expr(self, expression);
    }
}

/// What a call gives to another thread to run.
fn target<'a>(called: &str, call: &'a ast::ExprCall) -> Option<&'a Expr> {
    let given = &call.arguments;
    match called {
        "Thread" => given.find_argument_value("target", 1),
        "submit" | "to_thread" => given.args.first(),
        "run_in_executor" => given.args.get(1),
        _ => None,
    }
}

/// `capture` of `self.runner.capture`.
fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}
