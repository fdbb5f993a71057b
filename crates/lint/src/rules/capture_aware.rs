//! CG202: what asks whether it is captured, and computes something else then.

use super::judge::Judge;
use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::interp::value::Value;
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt, TextRange, Visitor, walk_expr};
use crate::torch::Interp;

/// The computation asks whether it is captured, and is another one then.
pub(crate) static CAPTURE_AWARE: Rule = Rule::new("CG202", Confidence::Likely);

/// Methods of tensors that give the same values elsewhere, or in another form, or none.
const SAME_VALUES: [&str; 13] = [
    "clone",
    "contiguous",
    "cpu",
    "cuda",
    "detach",
    "expand",
    "new_empty",
    "pin_memory",
    "requires_grad_",
    "reshape",
    "to",
    "type_as",
    "view",
];

/// Functions of PyTorch that reserve memory, without values.
const NO_VALUES: [&str; 3] = ["empty", "empty_like", "empty_strided"];

/// An `if` statement was decided by `test`.
pub(super) fn branch<'p>(
    judge: &mut Judge<'_, 'p>,
    test: &'p Expr,
    body: &'p [Stmt],
    rest: &'p [ast::ElifElseClause],
) {
    if !asks(judge, test) {
        return;
    }
    let mut bodies = std::iter::once(body).chain(rest.iter().map(|it| &*it.body));
    if let Some(changed) = bodies.find_map(|it| first_change(judge, it)) {
        differs(judge, test, changed.range());
    }
}

/// `one if test else other`: only one of them computes, and from what the other gives as it is.
pub(super) fn choice<'p>(judge: &mut Judge<'_, 'p>, it: &'p ast::ExprIf) {
    if !asks(judge, &it.test) {
        return;
    }
    let from = |computed: &'p Expr, kept: &'p Expr| {
        let name = kept.as_name_expr()?.id.as_str();
        let is_tensor = matches!(judge.name_in_scope(name), Some(Value::Extension(_)));
        (is_tensor && computes(judge, computed) && reads(computed, name))
            .then_some(computed.range())
    };
    if let Some(range) = from(&it.body, &it.orelse).or_else(|| from(&it.orelse, &it.body)) {
        differs(judge, &it.test, range);
    }
}

/// Whether the condition that was followed last asks, inside a capture, if there is one.
fn asks(state: &Interp<'_>, test: &Expr) -> bool {
    let is_answer = || matches!(state.last_condition(), Value::Momentary(_));
    state.graph_capture().is_some() && (is_answer() || calls_question(state, test))
}

/// Whether an expression calls the function that says whether a capture runs.
fn calls_question(state: &Interp<'_>, expression: &Expr) -> bool {
    struct Search<'s, 'p> {
        state: &'s Interp<'p>,
        found: bool,
    }
    impl<'a> Visitor<'a> for Search<'_, '_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.state.spend_many(1);
            let called = expression.as_call_expr().map(|it| &*it.func);
            self.found |= called
                .and_then(|it| self.state.peek_external(it))
                .is_some_and(|it| &*it == "torch.cuda.is_current_stream_capturing");
            walk_expr(self, expression);
        }
    }
    let mut search = Search {
        state,
        found: false,
    };
    search.visit_expr(expression);
    search.found
}

fn differs<'p>(judge: &mut Judge<'_, 'p>, test: &'p Expr, range: TextRange) {
    let draft = Draft::new(
        &CAPTURE_AWARE,
        judge.at(range),
        "the graph computes something else than the program does without it",
    )
    .label(
        judge.at(test.range()),
        "it depends on whether a capture runs",
    )
    .note("a replay repeats what ran while a capture did")
    .help("let both ways compute the same");
    judge.report(draft);
}

/// The first statement, also of nested blocks, that gives a tensor that is there already other values.
fn first_change<'p>(state: &Interp<'p>, body: &'p [Stmt]) -> Option<&'p Stmt> {
    body.iter().find_map(|statement| match statement {
        Stmt::AugAssign(it) => is_tensor(state, &it.target).then_some(statement),
        Stmt::Assign(it) => (computes(state, &it.value)
            && it.targets.iter().any(|it| is_tensor(state, it)))
        .then_some(statement),
        Stmt::If(it) => {
            let rest = it.elif_else_clauses.iter().map(|it| &*it.body);
            std::iter::once(&*it.body)
                .chain(rest)
                .find_map(|it| first_change(state, it))
        }
        Stmt::For(it) => first_change(state, &it.body),
        Stmt::With(it) => first_change(state, &it.body),
        _ => None,
    })
}

fn is_tensor(state: &Interp<'_>, target: &Expr) -> bool {
    target
        .as_name_expr()
        .and_then(|name| state.name_in_scope(name.id.as_str()))
        .is_some_and(|value| matches!(value, Value::Extension(_)))
}

/// Whether an expression makes new values, and does not only name, copy, move or reserve some.
fn computes<'p>(state: &Interp<'p>, value: &'p Expr) -> bool {
    match value {
        Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::Compare(_) => true,
        Expr::Call(call) => match &*call.func {
            Expr::Attribute(it) if SAME_VALUES.contains(&it.attr.as_str()) => {
                computes(state, &it.value)
            }
            Expr::Attribute(it) if is_values(state, &it.value) => true,
            function => state
                .peek_external(function)
                .as_deref()
                .and_then(|it| it.strip_prefix("torch."))
                .is_some_and(|it| !NO_VALUES.contains(&it)),
        },
        _ => false,
    }
}

/// Whether an expression is a tensor, or makes one.
fn is_values<'p>(state: &Interp<'p>, value: &'p Expr) -> bool {
    matches!(state.peek(value), Some(Value::Extension(_))) || computes(state, value)
}

/// Whether an expression reads a name.
fn reads(expression: &Expr, name: &str) -> bool {
    struct Search<'n> {
        name: &'n str,
        found: bool,
    }
    impl<'a> Visitor<'a> for Search<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.found |= expression
                .as_name_expr()
                .is_some_and(|it| it.id.as_str() == self.name);
            walk_expr(self, expression);
        }
    }
    let mut search = Search { name, found: false };
    search.visit_expr(expression);
    search.found
}
