//! CG201, CG205, CG207 of numbers, flags and modes that objects and names keep: captured as they were, and changed before
//! a replay.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::control_flow::{FROZEN_BRANCH, FROZEN_SCALAR, FROZEN_SHAPE};
use super::judge::Judge;
use super::places::{self, Constant, Place};
use crate::draft::{Draft, Report, says};
use crate::interp::choices::Phase;
use crate::interp::event::Assignment;
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};
use crate::torch::Interp;
use crate::torch::state::capture::{CaptureId, CaptureKind};

/// How many such numbers are kept in mind.
const MOST: usize = 256;

/// What the captured code did with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It decides what runs.
    Decides,
    /// A kernel gets it.
    Computes,
    /// It is a size, or an end of a slice.
    Measures,
}

impl Use {
    /// That a graph keeps what it was when it was captured.
    pub(super) fn frozen(self, site: Site) -> Draft {
        match self {
            Self::Decides => {
                Draft::new(&FROZEN_BRANCH, site, says::cg201::TITLE).help(says::cg201::CHOOSE)
            }
            Self::Computes => Draft::new(&FROZEN_SCALAR, site, says::cg205::TITLE)
                .help(says::cg205::keep_on_device("the number", "tensor")),
            Self::Measures => {
                Draft::new(&FROZEN_SHAPE, site, says::cg207::TITLE).help(says::cg207::ONE_FOR_EACH)
            }
        }
    }
}

/// A number, a truth value or a text that captured code read.
#[derive(Debug)]
struct Held {
    capture: CaptureId,
    place: Place,
    /// What it was.
    captured: Constant,
    report: Report,
    /// In which phases of the program that was.
    phases: Vec<Phase>,
    /// Where it was changed after that.
    changed: Option<Changed>,
}

/// Where something was changed.
#[derive(Clone, Debug)]
struct Changed {
    /// The loops around.
    loops: Rc<[LoopId]>,
    /// The names of the function.
    scope: Option<CellId>,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Numbers that captured code read where the program may change them.
    held: Vec<Held>,
    /// Where numbers are kept that captures change themselves.
    assigned: BTreeMap<CaptureId, Vec<Place>>,
    /// Graphs that the program has let go, and in the call of which function.
    let_go: Vec<(CellId, CellId)>,
    /// Places that keep aside what another one has, with that one.
    aside: Vec<(Place, Place)>,
}

/// Captured code uses the numbers that `expression` reads.
pub(super) fn used<'p>(
    judge: &mut Judge<'_, 'p>,
    expression: &'p Expr,
    how: Use,
    range: TextRange,
) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let capture = &judge.library.captures[id.0];
    if capture.kind != CaptureKind::Graph || capture.graph.is_none() {
        return;
    }
    let first_cell = capture.first_cell;
    for place in places::read_by(judge, expression, how == Use::Decides) {
        let made_inside = place.holder >= first_cell;
        let is_assigned = |places: &Vec<Place>| places.contains(&place);
        if !made_inside
            && !judge
                .notes
                .of::<Noted>()
                .assigned
                .get(&id)
                .is_some_and(is_assigned)
        {
            note(judge, id, place, how, range);
        }
    }
}

/// Captured code repeats its work as often as a `range` says.
pub(super) fn repeats<'p>(judge: &mut Judge<'_, 'p>, iterated: &'p Expr) {
    if iterated.is_call_expr() && judge.graph_capture().is_some() {
        used(judge, iterated, Use::Decides, iterated.range());
    }
}

/// A captured step of an optimizer computes with a number of one of its groups.
pub(super) fn used_of_group(
    judge: &mut Judge<'_, '_>,
    group: CellId,
    name: &str,
    range: TextRange,
) {
    if let Some(id) = judge.graph_capture() {
        let place = Place {
            holder: group,
            name: Rc::from(name),
            is_name: false,
        };
        note(judge, id, place, Use::Computes, range);
    }
}

fn note(judge: &mut Judge<'_, '_>, capture: CaptureId, place: Place, how: Use, range: TextRange) {
    let site = judge.at(range);
    let known = judge
        .notes
        .of::<Noted>()
        .held
        .iter()
        .any(|it| it.capture == capture && it.place == place && it.report.draft.site == site);
    let captured = match places::constant_at(judge, &place) {
        None if places::varies_at(judge, &place) => Constant::Number(None),
        None => return,
        Some(captured) => captured,
    };
    if known || judge.notes.of::<Noted>().held.len() >= MOST {
        return;
    }
    let note = format!(
        "the program changes `{}` afterwards, and a replay does not ask again",
        place.name
    );
    let draft = how.frozen(site).note(note);
    let phases = judge.phases().to_vec();
    if let Some(report) = judge.report_of(draft) {
        judge.notes.of_mut::<Noted>().held.push(Held {
            capture,
            place,
            captured,
            report,
            phases,
            changed: None,
        });
    }
}

/// `target = expression`, whose value is `value`.
pub(super) fn assigned<'p>(
    judge: &mut Judge<'_, 'p>,
    target: &'p Expr,
    expression: &'p Expr,
    value: &Value<'p>,
    how: Assignment,
) {
    if let (Expr::Tuple(targets), Expr::Tuple(expressions), Value::List(values)) =
        (target, expression, value)
    {
        let values = judge.heap.list(*values).map(|it| it.items.clone());
        let values = values.unwrap_or_default();
        if targets.elts.len() == values.len() && expressions.elts.len() == values.len() {
            let each = targets.elts.iter().zip(&expressions.elts).zip(&values);
            for ((target, expression), value) in each {
                assigned(judge, target, expression, value, how);
            }
        }
        return;
    }
    if how == Assignment::Plain {
        kept_aside(judge, target, expression);
    }
    let is_captured = judge.graph_capture().is_some();
    // What a capture sets up is the program's as if it had been there before.
    if judge.notes.of::<Noted>().held.is_empty() && !is_captured
        || is_captured && how == Assignment::SetUp
    {
        return;
    }
    if let Some(place) = places::place_of(judge, target) {
        if is_put_back(judge, &place, expression) {
            // It was chosen for the capture: what the program does with it otherwise is another matter.
            judge
                .notes
                .of_mut::<Noted>()
                .held
                .retain(|it| it.place != place);
            return;
        }
        // A flag that is set to what is written out says where the program is: around a capture, or behind it.
        let is_written_out = matches!(
            expression,
            Expr::BooleanLiteral(_) | Expr::StringLiteral(_) | Expr::NoneLiteral(_)
        );
        changed(judge, place, value, is_written_out);
    }
}

/// `kept = target`: a name or an attribute keeps aside what is here.
fn kept_aside<'p>(judge: &mut Judge<'_, 'p>, kept: &'p Expr, expression: &'p Expr) {
    let place = match kept.as_name_expr() {
        Some(name) => Place::of_name(judge, name.id.as_str()),
        None => places::place_of(judge, kept),
    };
    let Some(place) = place else { return };
    let from = places::place_of(judge, expression).filter(|it| *it != place);
    let aside = &mut judge.notes.of_mut::<Noted>().aside;
    aside.retain(|(it, _)| *it != place);
    if let Some(from) = from
        && aside.len() < MOST
    {
        aside.push((place, from));
    }
}

/// Whether an assignment puts back what was kept aside: `target = kept`.
fn is_put_back<'p>(state: &Judge<'_, 'p>, target: &Place, expression: &'p Expr) -> bool {
    let kept = places::place_of(state, expression);
    let mut aside = state.notes.of::<Noted>().aside.iter();
    kept.is_some_and(|kept| aside.any(|(name, from)| *name == kept && from == target))
}

/// A module goes to training mode, or out of it.
pub(super) fn trained(judge: &mut Judge<'_, '_>, module: CellId, on: Option<bool>) {
    if judge.notes.of::<Noted>().held.is_empty() && judge.graph_capture().is_none() {
        return;
    }
    changed(judge, Place::training(module), &Value::Bool(on), false);
}

/// The captured part of a module of PyTorch's depends on its mode.
pub(super) fn used_mode(judge: &mut Judge<'_, '_>, module: CellId, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let capture = &judge.library.captures[id.0];
    if capture.kind == CaptureKind::Graph && capture.graph.is_some() && module < capture.first_cell
    {
        note(judge, id, Place::training(module), Use::Decides, range);
    }
}

/// A module is called outside captures: its mode is for that call.
pub(super) fn called(judge: &mut Judge<'_, '_>, module: CellId) {
    if !judge.flow.captures.is_empty() {
        return;
    }
    let training = Place::training(module);
    for held in &mut judge.notes.of_mut::<Noted>().held {
        if held.place == training {
            held.changed = None;
        }
    }
}

/// An entry of a dictionary gets another value.
pub(super) fn entry<'p>(
    judge: &mut Judge<'_, 'p>,
    container: &Value<'p>,
    key: &Value<'p>,
    value: &Value<'p>,
) {
    if let (Value::Dict(holder), Some(key)) = (container, key.as_text()) {
        let place = Place {
            holder: *holder,
            name: Rc::from(key),
            is_name: false,
        };
        changed(judge, place, value, false);
    }
}

fn changed<'p>(judge: &mut Judge<'_, 'p>, place: Place, value: &Value<'p>, is_written_out: bool) {
    let here = Changed {
        loops: Rc::clone(&judge.loops.around),
        scope: judge.scope(),
    };
    if let Some(id) = judge.graph_capture() {
        let is_it = |it: &Held| it.capture == id && it.place == place;
        if matches!(value, Value::None) {
            // It is unset as soon as it was used: the next call would set it anew.
            for held in judge
                .notes
                .of_mut::<Noted>()
                .held
                .iter_mut()
                .filter(|it| is_it(it))
            {
                held.changed = Some(here.clone());
            }
        } else {
            judge.notes.of_mut::<Noted>().held.retain(|it| !is_it(it));
        }
        judge
            .notes
            .of_mut::<Noted>()
            .assigned
            .entry(id)
            .or_default()
            .push(place);
        return;
    }
    let now = places::constant_at(judge, &place);
    let new = Constant::of(value);
    let of_place = |it: &Held| it.place == place;
    let held = judge
        .notes
        .of::<Noted>()
        .held
        .iter()
        .filter(|it| of_place(it));
    let let_go: Vec<CaptureId> = held
        .map(|it| it.capture)
        .filter(|it| is_let_go(judge, *it))
        .collect();
    let phases = judge.state.phases();
    let held = judge.notes.of_mut::<Noted>().held.iter_mut();
    for held in held.filter(|it| of_place(it) && !let_go.contains(&it.capture)) {
        if is_over(phases, held) {
            continue;
        }
        let is_as_captured = new.as_ref().is_some_and(|new| new.is(&held.captured));
        let is_changed = match (&held.captured, &now) {
            _ if is_as_captured => false,
            (Constant::Number(_), Some(now)) => {
                matches!(value, Value::Number(_)) && new.as_ref().is_none_or(|new| !new.is(now))
            }
            (Constant::Number(_), None) => matches!(value, Value::Number(_)),
            _ => !is_written_out,
        };
        if is_as_captured {
            held.changed = None;
        } else if is_changed {
            held.changed = Some(here.clone());
        }
    }
}

/// Whether the program has left the phase that it is in for good when it captured.
fn is_over(phases: &[Phase], held: &Held) -> bool {
    let slot = (held.place.holder, Rc::clone(&held.place.name));
    let mut pairs = { phases.iter() }.flat_map(|now| held.phases.iter().map(move |it| (now, it)));
    pairs.any(|(now, captured)| now.is_over_in(captured, &slot))
}

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, graph: CellId, capture: CaptureId) {
    let is_told = |judge: &Judge<'_, '_>, it: &Held| {
        it.capture == capture && is_changed_for_replay(judge, it)
    };
    if !judge
        .notes
        .of::<Noted>()
        .held
        .iter()
        .any(|it| is_told(judge, it))
        || is_one_of_many(judge, graph)
    {
        return;
    }
    let held = std::mem::take(&mut judge.notes.of_mut::<Noted>().held);
    let (told, rest): (Vec<_>, Vec<_>) = held.into_iter().partition(|it| is_told(judge, it));
    judge.notes.of_mut::<Noted>().held = rest;
    for it in told {
        judge.add(it.report);
    }
}

/// Whether what captured code uses at a site is kept in an attribute, an entry, or the like.
pub(super) fn is_of_attribute(judge: &Judge<'_, '_>, capture: CaptureId, site: Site) -> bool {
    let is_there = |it: &Site| it.file == site.file && site.range.contains_range(it.range);
    let mut held = judge.notes.of::<Noted>().held.iter();
    held.any(|it| it.capture == capture && !it.place.is_name && is_there(&it.report.draft.site))
}

/// A name or an attribute that led to a graph leads to nothing now: what the same function changes with it is for the next capture.
pub(super) fn rebound<'p>(judge: &mut Judge<'_, 'p>, old: Option<&Value<'p>>, new: &Value<'p>) {
    let (Some(Value::Object(graph)), Value::None, Some(scope)) = (old, new, judge.scope()) else {
        return;
    };
    for graph in judge.may_be(*graph) {
        let of_graph: Vec<CaptureId> = { judge.library.captures.iter().enumerate() }
            .filter(|(_, it)| it.graph == Some(graph))
            .map(|(id, _)| CaptureId(id))
            .collect();
        let noted = judge.notes.of_mut::<Noted>();
        if noted.let_go.len() < MOST {
            noted.let_go.push((graph, scope));
        }
        for held in &mut noted.held {
            let is_changed_here =
                { held.changed.as_ref() }.is_some_and(|it| it.scope == Some(scope));
            if is_changed_here && of_graph.contains(&held.capture) {
                held.changed = None;
            }
        }
    }
}

/// Whether the function that runs has let the graph of a capture go.
fn is_let_go(judge: &Judge<'_, '_>, capture: CaptureId) -> bool {
    let graph = judge.library.captures[capture.0].graph;
    let Some(it) = graph.zip(judge.scope()) else {
        return false;
    };
    judge.notes.of::<Noted>().let_go.contains(&it)
}

/// Whether something is changed where that is for the replay that is followed.
fn is_changed_for_replay(judge: &Judge<'_, '_>, held: &Held) -> bool {
    let Some(changed) = &held.changed else {
        return false;
    };
    let in_one_loop = changed
        .loops
        .last()
        .is_some_and(|it| judge.loops.around.contains(it));
    let is_number = matches!(held.captured, Constant::Number(_));
    if is_number {
        return !held.place.is_name || in_one_loop;
    }
    let is_for_another = |it: &Held| it.place == held.place && !it.captured.is(&held.captured);
    (in_one_loop || changed.scope.is_some_and(|it| judge.is_running(it)))
        && !judge.notes.of::<Noted>().held.iter().any(is_for_another)
}

/// Whether a graph may be one of several, each for other numbers: in a list or a dictionary.
pub(super) fn is_one_of_many(state: &Interp<'_>, graph: CellId) -> bool {
    state.graph(graph).is_none_or(|it| !it.one_of.is_empty()) || state.heap.is_in_collection(graph)
}

/// A tensor and the other operand of an operation, or an argument of an operator.
pub(super) fn operands<'p>(
    judge: &mut Judge<'_, 'p>,
    call: Option<&'p ast::ExprCall>,
    range: TextRange,
) {
    let Some(call) = call.filter(|_| judge.graph_capture().is_some()) else {
        return;
    };
    let keywords = call.arguments.keywords.iter().map(|it| &it.value);
    for argument in call.arguments.args.iter().chain(keywords) {
        used(judge, argument, Use::Computes, range);
    }
}

/// A slice or an index of a tensor.
pub(super) fn sliced<'p>(judge: &mut Judge<'_, 'p>, index: &'p Expr) {
    let has_slice = |it: &Expr| it.is_slice_expr();
    let is_slice = match index {
        Expr::Tuple(tuple) => tuple.elts.iter().any(has_slice),
        index => has_slice(index),
    };
    if is_slice && judge.graph_capture().is_some() {
        used(judge, index, Use::Measures, index.range());
    }
}
