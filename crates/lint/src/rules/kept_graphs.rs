//! CG303 where graphs are captured when they are first asked for: one for each key of a dictionary, or for each argument of
//! a cached function.

use std::collections::BTreeSet;

use super::judge::Judge;
use super::{memory, pools};
use crate::interp::value::{CellId, Code, LoopId, Value};
use crate::syntax::Names;
use crate::syntax::ast::{self, Expr, Stmt, Visitor, walk_expr, walk_stmt};
use crate::torch::Interp;
use crate::torch::state::capture::{CaptureId, CaptureKind};

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// The containers that the program has emptied.
    emptied: BTreeSet<CellId>,
}

/// `container[key] = value`, or what comes to the same: `written` is where the key stands.
pub(super) fn stored<'p>(
    judge: &mut Judge<'_, 'p>,
    container: &Value<'p>,
    key: (&Value<'p>, &'p Expr),
    value: &Value<'p>,
) {
    let kind = kind_of(judge, key.0);
    if !may_hold_many(container) || kind == Key::Fixed {
        return;
    }
    let mut graphs = captured_here(judge, std::slice::from_ref(value));
    let Some(Code::Def(function)) = judge.code().filter(|_| !graphs.is_empty()) else {
        return;
    };
    let origin = origin_of(key.1, function);
    if origin.is_empty() || is_emptied(judge, container) {
        return;
    }
    let changes = kind == Key::Unknown && origin.iter().any(|it| may_change(judge, it));
    graphs.retain(|id| is_one_of_many(judge, *id, changes));
    report(judge, &graphs);
    for id in graphs {
        memory::inputs_per_graph(judge, id);
    }
}

/// Whether a parameter may be another one at the next call: what was made before the loop is the same in each turn.
fn may_change(state: &Interp<'_>, parameter: &str) -> bool {
    let Some(innermost) = state.loops.around.last() else {
        return true;
    };
    match state.name_in_scope(parameter) {
        Some(Value::Extension(cell)) => {
            let made = state.heap.tensor(cell);
            made.is_none_or(|it| it.loops.contains(innermost))
        }
        Some(Value::Number(number)) => number.constant.is_none() || number.varies.is_some(),
        Some(Value::Text(text)) => text.is_none(),
        Some(Value::Object(_)) => false,
        _ => true,
    }
}

/// A container loses all that it holds.
pub(super) fn emptied(judge: &mut Judge<'_, '_>, container: CellId) {
    judge.notes.of_mut::<Noted>().emptied.insert(container);
}

/// A comprehension has given these, one for each turn of a loop that is not older than `inside`.
pub(super) fn collected<'p>(judge: &mut Judge<'_, 'p>, list: &Value<'p>, inside: LoopId) {
    let Value::List(cell) = list else { return };
    let Some(list) = judge.heap.list(*cell) else {
        return;
    };
    if judge.frame_graphs().is_empty() {
        return;
    }
    let (items, count) = (list.items.clone(), list.length());
    let around = judge.loops.around.len();
    let mut graphs = captured_here(judge, &items);
    graphs.retain(|id| {
        let loops = &judge.library.captures[id.0].loops;
        loops.get(around).is_some_and(|it| *it >= inside)
            && count.is_none_or(|it| !pools::are_few(judge, *id, it))
    });
    report(judge, &graphs);
}

fn report(judge: &mut Judge<'_, '_>, graphs: &[CaptureId]) {
    for id in graphs {
        pools::each_has_one(judge, *id);
    }
}

/// The captures of the function that is followed, without a pool, whose graphs these values keep.
fn captured_here<'p>(state: &Interp<'p>, values: &[Value<'p>]) -> Vec<CaptureId> {
    let mut graphs = state.frame_graphs();
    graphs.retain(|id| {
        let capture = &state.library.captures[id.0];
        capture.kind == CaptureKind::Graph && !capture.pool_given && capture.graph.is_some()
    });
    if graphs.is_empty() {
        return graphs;
    }
    let kept = state.data_of(values);
    graphs.retain(|id| {
        let graph = state.library.captures[id.0].graph;
        graph.is_some_and(|graph| kept.contains(graph))
    });
    graphs
}

fn may_hold_many(container: &Value<'_>) -> bool {
    matches!(
        container,
        Value::Unknown | Value::Dict(_) | Value::Object(_) | Value::List(_)
    )
}

/// What is known of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// It is one of two, or nothing that tells graphs apart.
    Fixed,
    /// It is a constant in the call that is followed.
    Known,
    /// Nothing.
    Unknown,
}

fn kind_of(state: &Interp<'_>, key: &Value<'_>) -> Key {
    let known = |it: bool| if it { Key::Known } else { Key::Unknown };
    match key {
        Value::Unknown => Key::Unknown,
        Value::Number(number) => known(number.constant.is_some()),
        Value::Text(text) => known(text.is_some()),
        Value::List(cell) => match state.heap.list(*cell) {
            Some(list) if list.exact => {
                let parts = list.items.iter().map(|it| kind_of(state, it));
                parts.max().unwrap_or(Key::Fixed)
            }
            _ => Key::Unknown,
        },
        _ => Key::Fixed,
    }
}

/// Whether more than a few graphs are captured where this one was, as far as is known; or may be, since the key changes from
/// call to call.
fn is_one_of_many(judge: &Judge<'_, '_>, id: CaptureId, key_changes: bool) -> bool {
    let capture = &judge.library.captures[id.0];
    let may_be_more = judge.is_from_nowhere() || !capture.loops.is_empty();
    let all = judge.library.captures[..=id.0].iter();
    let count = all.filter(|it| it.site == capture.site).count();
    key_changes && may_be_more || !pools::are_few(judge, id, count)
}

/// What the function is given that a key is made of.
fn origin_of<'a>(key: &'a Expr, function: &'a ast::StmtFunctionDef) -> Vec<&'a str> {
    let mut assigned = Assigned::default();
    assigned.visit_body(&function.body);
    let mut open = Names::of(key);
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        for (_, value) in assigned.0.iter().filter(|(it, _)| *it == name) {
            open.extend(Names::of(value));
        }
    }
    seen.retain(|it| is_parameter(function, it));
    seen
}

fn is_parameter(function: &ast::StmtFunctionDef, name: &str) -> bool {
    let mut all = function.parameters.iter();
    !is_itself(name) && all.any(|it| it.name().as_str() == name)
}

/// Whether a parameter is the object of a method, or its class.
fn is_itself(name: &str) -> bool {
    matches!(name, "self" | "cls")
}

/// Whether the program empties a container at times, so that it holds a few graphs at once.
fn is_emptied(judge: &Judge<'_, '_>, container: &Value<'_>) -> bool {
    match container {
        Value::Dict(cell) | Value::List(cell) => judge.notes.of::<Noted>().emptied.contains(cell),
        _ => false,
    }
}

/// The names that code gives values, and these.
#[derive(Default)]
struct Assigned<'a>(Vec<(&'a str, &'a Expr)>);

impl<'a> Assigned<'a> {
    fn add(&mut self, target: &'a Expr, value: &'a Expr) {
        let names = Names::of(target).into_iter();
        self.0.extend(names.map(|name| (name, value)));
    }
}

impl<'a> Visitor<'a> for Assigned<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(it) => {
                for target in &it.targets {
                    self.add(target, &it.value);
                }
            }
            Stmt::AnnAssign(it) => {
                if let Some(value) = &it.value {
                    self.add(&it.target, value);
                }
            }
            Stmt::For(it) => self.add(&it.target, &it.iter),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Named(it) = expression {
            self.add(&it.target, &it.value);
        }
        walk_expr(self, expression);
    }
}
