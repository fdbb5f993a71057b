//! Where the program keeps numbers, truth values and texts that captured code may read.

use std::rc::Rc;

use crate::interp::value::{CellId, Value};
use crate::syntax::ast::Expr;
use crate::torch::module_tree::{self, TRAINING};
use crate::torch::{Cell, Interp};

/// Functions of Python's that pass on what they are given as a number.
const PASSES: [&str; 6] = ["abs", "float", "int", "max", "min", "range"];

/// Where a value is kept: the object, dictionary or scope, and the name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(super) holder: CellId,
    pub(super) name: Rc<str>,
    /// Whether it is a name of the program, which it may use for several things in turn.
    pub(super) is_name: bool,
}

impl Place {
    /// Where a name gets its value, if it is assigned here.
    pub(super) fn of_name(state: &Interp<'_>, name: &str) -> Option<Self> {
        Some(Self {
            holder: state.scope_to_bind(name)?,
            name: Rc::from(name),
            is_name: true,
        })
    }

    /// Where a module keeps whether it is in training mode.
    pub(super) fn training(module: CellId) -> Self {
        Self {
            holder: module,
            name: Rc::from(TRAINING),
            is_name: false,
        }
    }
}

/// A number that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Integer(i64),
    /// The bits of a fraction that is written out.
    Fraction(u64),
}

/// A value that captured code may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// A number, if it is known.
    Number(Option<Known>),
    Bool(bool),
    Text(Rc<str>),
}

impl Constant {
    /// What a value is, unless a loop has set it.
    pub(super) fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Number(number) if number.varies.is_none() => {
                let fraction = || number.fraction.map(Known::Fraction);
                Some(Self::Number(
                    number.constant.map(Known::Integer).or_else(fraction),
                ))
            }
            Value::Bool(Some(value)) => Some(Self::Bool(*value)),
            Value::Text(Some(text)) => Some(Self::Text(Rc::clone(text))),
            _ => None,
        }
    }

    /// Whether both are certainly the same.
    pub(super) fn is(&self, other: &Self) -> bool {
        self == other && *self != Self::Number(None)
    }
}

/// What is kept somewhere.
pub(super) fn constant_at(state: &Interp<'_>, place: &Place) -> Option<Constant> {
    match value_at(state, place) {
        // A new module is in training mode.
        None if &*place.name == TRAINING && module_tree::is_new_module(state, place.holder) => {
            Some(Constant::Bool(true))
        }
        value => Constant::of(value?),
    }
}

/// Whether an attribute or an entry has a number that a loop has set.
pub(super) fn varies_at(state: &Interp<'_>, place: &Place) -> bool {
    !place.is_name && value_at(state, place).is_some_and(|it| it.varies().is_some())
}

fn value_at<'s, 'p>(state: &'s Interp<'p>, place: &Place) -> Option<&'s Value<'p>> {
    match state.heap.get(place.holder) {
        Cell::Scope(names, _) => names.get(&*place.name),
        Cell::Object(object) => object.fields.get(&place.name),
        Cell::Dict(items) => items.get(&place.name),
        _ => None,
    }
}

/// The places of numbers that an expression reads by itself; where it `decides`, also those of flags that objects have.
pub(super) fn read_by<'p>(state: &Interp<'p>, expression: &'p Expr, decides: bool) -> Vec<Place> {
    let mut places = Vec::new();
    places_in(state, expression, &mut places);
    places.retain(|it| match constant_at(state, it) {
        Some(Constant::Number(_)) => true,
        Some(_) => decides && !it.is_name,
        None => varies_at(state, it),
    });
    places
}

fn places_in<'p>(state: &Interp<'p>, expression: &'p Expr, places: &mut Vec<Place>) {
    state.spend_many(1);
    match expression {
        Expr::Name(_) | Expr::Attribute(_) => {
            let given = state.slot_given(expression).map(|(holder, name)| Place {
                holder,
                name,
                is_name: false,
            });
            places.extend(given.or_else(|| place_of(state, expression)));
        }
        Expr::BinOp(it) => {
            places_in(state, &it.left, places);
            places_in(state, &it.right, places);
        }
        Expr::UnaryOp(it) => places_in(state, &it.operand, places),
        Expr::Compare(it) => {
            places_in(state, &it.left, places);
            for other in &it.comparators {
                places_in(state, other, places);
            }
        }
        Expr::BoolOp(it) => it.values.iter().for_each(|it| places_in(state, it, places)),
        Expr::Slice(it) => {
            for part in [&it.lower, &it.upper, &it.step].into_iter().flatten() {
                places_in(state, part, places);
            }
        }
        Expr::Tuple(it) => it.elts.iter().for_each(|it| places_in(state, it, places)),
        Expr::Call(it) => {
            let passes = |name: &str| PASSES.contains(&name);
            if state.peek_external(&it.func).as_deref().is_some_and(passes) {
                let given = it.arguments.args.iter();
                given.for_each(|it| places_in(state, it, places));
            }
        }
        _ => {}
    }
}

/// Where the value of a name or an attribute is kept.
pub(super) fn place_of<'p>(state: &Interp<'p>, expression: &'p Expr) -> Option<Place> {
    let (holder, name) = state.slot_of(expression)?;
    Some(Place {
        holder,
        name,
        is_name: expression.is_name_expr(),
    })
}
