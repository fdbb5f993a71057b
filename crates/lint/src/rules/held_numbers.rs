//! CG201, CG205, CG207 of numbers that objects and names keep: captured as they were, and changed before a replay.

use std::rc::Rc;

use super::control_flow::{FROZEN_BRANCH, FROZEN_SCALAR, FROZEN_SHAPE};
use super::{Draft, Rule};
use crate::finding::Finding;
use crate::interp::value::{CaptureId, CellId, LoopId, Number, Site, Value};
use crate::interp::{CaptureKind, Cell, Interp};
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};

/// How many such numbers are kept in mind.
const MOST: usize = 256;

/// Where a number is kept: the object, dictionary or scope, and the name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    holder: CellId,
    name: Rc<str>,
    /// Whether it is a name of the program, which it may use for several things in turn.
    is_name: bool,
}

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

/// A number that captured code read.
#[derive(Debug)]
pub(crate) struct Held {
    capture: CaptureId,
    place: Place,
    finding: Finding,
    site: Site,
    /// The loops around the line that changed it after the capture.
    changed: Option<Rc<[LoopId]>>,
}

/// Captured code uses the numbers that `expression` reads.
pub(crate) fn used<'p>(interp: &mut Interp<'p>, expression: &'p Expr, how: Use, range: TextRange) {
    let Some(id) = interp.graph_capture() else {
        return;
    };
    let capture = &interp.captures[id.0];
    if capture.kind != CaptureKind::Graph || capture.graph.is_none() {
        return;
    }
    let first_cell = capture.first_cell;
    let mut places = Vec::new();
    places_in(interp, expression, &mut places);
    for place in places {
        let made_inside = place.holder >= first_cell;
        if !made_inside && !interp.captures[id.0].assigned.contains(&place) {
            note(interp, id, place, how, range);
        }
    }
}

/// A captured step of an optimizer computes with a number of one of its groups.
pub(crate) fn used_of_group(interp: &mut Interp<'_>, group: CellId, name: &str, range: TextRange) {
    if let Some(id) = interp.graph_capture() {
        let place = Place {
            holder: group,
            name: Rc::from(name),
            is_name: false,
        };
        note(interp, id, place, Use::Computes, range);
    }
}

fn note(interp: &mut Interp<'_>, capture: CaptureId, place: Place, how: Use, range: TextRange) {
    let site = interp.at(range);
    let known = interp
        .notes
        .held
        .iter()
        .any(|it| it.capture == capture && it.place == place && it.site == site);
    if known || interp.notes.held.len() >= MOST {
        return;
    }
    let (rule, title, help): (&'static Rule, _, _) = match how {
        Use::Decides => (
            &FROZEN_BRANCH,
            "the graph keeps the branch that was taken while it was captured",
            "capture one graph for each branch, or decide on the device with `torch.where`",
        ),
        Use::Computes => (
            &FROZEN_SCALAR,
            "the graph keeps the number that this had while it was captured",
            "keep it in a tensor, and write it there before each replay: `static.fill_(value)`",
        ),
        Use::Measures => (
            &FROZEN_SHAPE,
            "the graph keeps the size that this had while it was captured",
            "capture one graph for each size, or pad to the largest",
        ),
    };
    let note = format!(
        "the program changes `{}` after the capture, and a replay does not ask again",
        place.name
    );
    let draft = Draft::new(rule, site, title).note(&note).help(help);
    if let Some(finding) = interp.finding(draft) {
        interp.notes.held.push(Held {
            capture,
            place,
            finding,
            site,
            changed: None,
        });
    }
}

/// `target = value`.
pub(crate) fn assigned<'p>(interp: &mut Interp<'p>, target: &'p Expr, value: &Value<'p>) {
    if interp.notes.held.is_empty() && interp.graph_capture().is_none() {
        return;
    }
    let Some(place) = place_of(interp, target) else {
        return;
    };
    changed(interp, place, value);
}

/// An entry of a dictionary gets another value.
pub(crate) fn entry<'p>(
    interp: &mut Interp<'p>,
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
        changed(interp, place, value);
    }
}

fn changed<'p>(interp: &mut Interp<'p>, place: Place, value: &Value<'p>) {
    if let Some(id) = interp.graph_capture() {
        interp
            .notes
            .held
            .retain(|it| it.capture != id || it.place != place);
        interp.captures[id.0].assigned.push(place);
        return;
    }
    let is_same = match (value, number_at(interp, &place)) {
        (Value::Number(new), Some(old)) => new.constant.is_some() && new.constant == old.constant,
        (Value::Number(_), None) => false,
        _ => true,
    };
    if is_same {
        return;
    }
    let loops = Rc::clone(&interp.flow.loops);
    for held in interp.notes.held.iter_mut().filter(|it| it.place == place) {
        held.changed = Some(Rc::clone(&loops));
    }
}

/// A graph is replayed.
pub(crate) fn replays(interp: &mut Interp<'_>, graph: CellId, capture: CaptureId) {
    let in_one_loop = |interp: &Interp<'_>, loops: &[LoopId]| {
        loops
            .last()
            .is_some_and(|it| interp.flow.loops.contains(it))
    };
    let is_told = |interp: &Interp<'_>, it: &Held| {
        it.capture == capture
            && it
                .changed
                .as_ref()
                .is_some_and(|loops| !it.place.is_name || in_one_loop(interp, loops))
    };
    if !interp.notes.held.iter().any(|it| is_told(interp, it)) || is_one_of_many(interp, graph) {
        return;
    }
    let held = std::mem::take(&mut interp.notes.held);
    let (told, rest): (Vec<_>, Vec<_>) = held.into_iter().partition(|it| is_told(interp, it));
    interp.notes.held = rest;
    for it in told {
        interp.add(it.finding, it.site);
    }
}

/// Whether a graph may be one of several, each for other numbers: in a list or a dictionary.
fn is_one_of_many(interp: &Interp<'_>, graph: CellId) -> bool {
    interp.graph(graph).is_none_or(|it| !it.one_of.is_empty())
        || interp.heap.is_in_collection(graph)
}

/// The number that is kept somewhere, unless a loop has set it.
fn number_at(interp: &Interp<'_>, place: &Place) -> Option<Number> {
    let value = match interp.heap.get(place.holder) {
        Cell::Scope(names, _) => names.get(&*place.name),
        Cell::Object(object) => object.fields.get(&place.name),
        Cell::Dict(items) => items.get(&place.name),
        _ => None,
    };
    match value {
        Some(Value::Number(number)) if number.varies.is_none() => Some(*number),
        _ => None,
    }
}

/// The places of numbers that an expression reads by itself.
fn places_in<'p>(interp: &Interp<'p>, expression: &'p Expr, places: &mut Vec<Place>) {
    interp.spend_many(1);
    match expression {
        Expr::Name(_) | Expr::Attribute(_) => {
            let place = place_of(interp, expression);
            places.extend(place.filter(|it| number_at(interp, it).is_some()));
        }
        Expr::BinOp(it) => {
            places_in(interp, &it.left, places);
            places_in(interp, &it.right, places);
        }
        Expr::UnaryOp(it) => places_in(interp, &it.operand, places),
        Expr::Compare(it) => {
            places_in(interp, &it.left, places);
            for other in &it.comparators {
                places_in(interp, other, places);
            }
        }
        Expr::BoolOp(it) => it
            .values
            .iter()
            .for_each(|it| places_in(interp, it, places)),
        Expr::Slice(it) => {
            for part in [&it.lower, &it.upper, &it.step].into_iter().flatten() {
                places_in(interp, part, places);
            }
        }
        Expr::Tuple(it) => it.elts.iter().for_each(|it| places_in(interp, it, places)),
        _ => {}
    }
}

/// Where the value of a name or an attribute is kept.
fn place_of<'p>(interp: &Interp<'p>, expression: &'p Expr) -> Option<Place> {
    match expression {
        Expr::Name(name) => Some(Place {
            holder: interp.scope_of(name.id.as_str())?,
            name: Rc::from(name.id.as_str()),
            is_name: true,
        }),
        Expr::Attribute(attribute) => match interp.peek(&attribute.value)? {
            Value::Object(holder) => Some(Place {
                holder,
                name: Rc::from(attribute.attr.as_str()),
                is_name: false,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// A tensor and the other operand of an operation, or an argument of an operator.
pub(crate) fn operands<'p>(
    interp: &mut Interp<'p>,
    call: Option<&'p ast::ExprCall>,
    range: TextRange,
) {
    let Some(call) = call.filter(|_| interp.graph_capture().is_some()) else {
        return;
    };
    let keywords = call.arguments.keywords.iter().map(|it| &it.value);
    for argument in call.arguments.args.iter().chain(keywords) {
        used(interp, argument, Use::Computes, range);
    }
}

/// A slice or an index of a tensor.
pub(crate) fn sliced<'p>(interp: &mut Interp<'p>, index: &'p Expr) {
    let has_slice = |it: &Expr| it.is_slice_expr();
    let is_slice = match index {
        Expr::Tuple(tuple) => tuple.elts.iter().any(has_slice),
        index => has_slice(index),
    };
    if is_slice && interp.graph_capture().is_some() {
        used(interp, index, Use::Measures, index.range());
    }
}
