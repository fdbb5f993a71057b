//! Operators by what their calls are compared by: eager calls are compared with each capture of their function, so all that is
//! found out once.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::number::{Number, numbers};
use super::region::Call;
use super::{Activity, Operation};

/// What operators have in common that are compared as one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Form<'t> {
    name: &'t str,
    sizes: Vec<u64>,
    numbers: Vec<Number>,
}

/// The forms of all operators.
pub(crate) struct Forms<'t> {
    /// By operator.
    of: Vec<usize>,
    all: Vec<Form<'t>>,
    /// By form, whether any of its operators does something: which views are taken depends on sizes, too.
    works: Vec<bool>,
    /// The names of those operators of calls that do something, once they were asked for.
    of_calls: RefCell<FxHashMap<Rc<[usize]>, Names<'t>>>,
}

/// Names of operators, in order.
pub(super) type Names<'t> = Rc<[&'t str]>;

impl<'t> Forms<'t> {
    /// Those of all operators.
    pub(crate) fn of(activity: &Activity<'t>) -> Forms<'t> {
        let mut known: FxHashMap<Form<'t>, usize> = FxHashMap::default();
        let mut forms = Forms {
            of: Vec::with_capacity(activity.operations.len()),
            all: Vec::new(),
            works: Vec::new(),
            of_calls: RefCell::default(),
        };
        for operation in &activity.operations {
            let form = form(operation);
            let next = forms.all.len();
            let at = known.get(&form).copied().unwrap_or(next);
            if at == next {
                forms.all.push(form.clone());
                forms.works.push(false);
                known.insert(form, next);
            }
            forms.works[at] |= operation.may_work();
            forms.of.push(at);
        }
        forms
    }

    /// The sizes of the tensors that an operator is given.
    pub(super) fn sizes(&self, operation: usize) -> &[u64] {
        &self.all[self.of[operation]].sizes
    }

    /// The numbers that it is given.
    pub(super) fn numbers(&self, operation: usize) -> &[Number] {
        &self.all[self.of[operation]].numbers
    }

    /// Whether two operators are of one form.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.of[one] == self.of[other]
    }

    /// Whether the operators of two calls are, one by one.
    pub(super) fn are_calls_alike(&self, one: &Call, other: &Call) -> bool {
        let pairs = one.operations.iter().zip(other.operations.iter());
        one.operations.len() == other.operations.len() && { pairs }
            .all(|(one, other)| self.are_alike(*one, *other))
    }

    /// The operators of a call that do something.
    pub(super) fn works(&self, call: &Call) -> Names<'t> {
        let mut known = self.of_calls.borrow_mut();
        let names = known.entry(Rc::clone(&call.operations));
        let names = names.or_insert_with(|| {
            let forms = call.operations.iter().map(|it| self.of[*it]);
            let work = forms.filter(|form| self.works[*form]);
            work.map(|form| self.all[form].name).collect()
        });
        Rc::clone(names)
    }
}

fn form<'t>(operation: &Operation<'t>) -> Form<'t> {
    Form {
        name: operation.name,
        sizes: operation.sizes(),
        numbers: numbers(operation.given()),
    }
}
