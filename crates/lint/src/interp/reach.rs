//! Who refers to what: needed to know what is freed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::cells::Cells;
use super::lazy::Lazy;
use super::object::Kind;
use super::reached::{Lasting, Origins, Reached};
use super::value::{CellId, Code, Function, Value};
use super::{Cell, Interp, Library, Semantics};
use crate::syntax::Names;
use crate::syntax::ast::Visitor as _;

/// How many cells cost as much to reach as a statement to follow.
const REACHED_IN_A_STEP: u32 = 32;

/// How many cells cost as much to reach as a function, whose names are looked up.
const CELLS_OF_A_FUNCTION: usize = 4;

/// How many looks at what is already reached cost as much as a cell: many may lead to the same ones.
const LOOKS_IN_A_CELL: usize = 16;

/// What is gone through on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    /// All that keeps something alive.
    Everything,
    /// Lists, dictionaries and the fields of objects only.
    Data,
    /// What the program can name: of values of extension types, those that it refers to itself.
    References,
}

/// Where the way begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At what is known to be referred to.
    Surely,
    /// Also at what unknown values may refer to.
    Possibly,
}

/// What is still to be gone through.
#[derive(Debug, Default)]
pub(crate) struct Open<'p> {
    /// Cells.
    pub(crate) cells: Vec<CellId>,
    functions: Vec<Rc<Function<'p>>>,
    /// Whether what may be a copy is taken for what it was made of.
    pub(crate) possibly: bool,
}

impl<'p> Open<'p> {
    /// Adds what a value refers to.
    pub(crate) fn push(&mut self, value: &Value<'p>) {
        match value {
            Value::Extension(cell)
            | Value::List(cell)
            | Value::Dict(cell)
            | Value::Class(cell)
            | Value::Object(cell) => self.cells.push(*cell),
            Value::Function(function) => self.functions.push(Rc::clone(function)),
            Value::Method(it) => {
                self.push(&it.0);
                self.push(&it.1);
            }
            Value::Native(it) => self.push(&it.0),
            Value::Slice(parts) => self.push_all(parts.iter()),
            _ => {}
        }
    }

    /// Adds what values refer to.
    pub(crate) fn push_all<'v>(&mut self, values: impl IntoIterator<Item = &'v Value<'p>>)
    where
        'p: 'v,
    {
        for value in values {
            self.push(value);
        }
    }

    fn push_kind<L: Library>(&mut self, kind: &Kind<'p, L>) {
        match kind {
            Kind::Instance(class) => self.cells.push(*class),
            Kind::Library(object) => L::parts_of_object(object, self),
            Kind::Holding(value) | Kind::Super(_, value) | Kind::Field(value, _) => {
                self.push(value);
            }
            Kind::Either(one, other) => {
                self.push(one);
                self.push(other);
            }
            Kind::Managed(function, args) => {
                self.functions.push(Rc::clone(function));
                self.push_all(args.all());
            }
            Kind::Lazy(Some(lazy)) => self.push_lazy(lazy),
            Kind::Partial(function, args, named) => {
                self.push(function);
                self.push_all(args.iter());
                self.push_all(named.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }

    fn push_lazy(&mut self, lazy: &Lazy<'p>) {
        match lazy {
            Lazy::Body(function, args, _) => {
                self.functions.push(Rc::clone(function));
                self.push_all(args.all());
            }
            Lazy::Expression(_, scope, first) => {
                self.cells.push(*scope);
                self.push(first);
            }
            Lazy::Map(function, values) => {
                self.push(function);
                self.push_all(values);
            }
            Lazy::Filter(function, value) => {
                self.push(function);
                self.push(value);
            }
        }
    }
}

/// What refers to objects beside names and other objects.
#[derive(Debug, Default)]
pub(super) struct Roots<'p> {
    /// What loops go through and what contexts are, around what is followed.
    pub(super) in_use: Vec<Value<'p>>,
    /// What was put by its key into containers of which, or of whose elements, nothing is known: these grow.
    pub(super) put_away: BTreeSet<CellId>,
    /// The names that stand in functions, by their code, once asked for.
    mentioned: RefCell<FxHashMap<usize, Rc<[&'p str]>>>,
    /// What files lead to: surely, and possibly.
    lasting: RefCell<[Option<Rc<Lasting>>; 2]>,
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// All cells that can be reached once the function that is followed has returned `result`.
    pub(crate) fn reachable_after_return(&self, result: &Value<'p>, how: Reach) -> Reached {
        let (mut open, lasting) = self.always_reachable(how);
        let (own, around) = match self.frames.split_last() {
            Some((own, around)) => (Some(own), around),
            None => (None, &[][..]),
        };
        open.cells.extend(around.iter().map(|frame| frame.scope));
        self.push_used(&mut open);
        open.push(result);
        // Whoever called the function holds the object that it is a method of.
        if let Some(own) = own
            && let Cell::Scope(names, _) = self.heap.get(own.scope)
        {
            for name in ["self", "cls"] {
                if let Some(value) = names.get(name) {
                    open.push(value);
                }
            }
        }
        self.reach_beside(lasting, open)
    }

    fn reach(&self, open: Open<'p>, through: Through) -> Cells {
        self.reach_new(None, open, through).cells
    }

    /// The same, beside what lasts.
    fn reach_beside(&self, lasting: Option<Rc<Lasting>>, open: Open<'p>) -> Reached {
        let new = self.reach_new(lasting.as_deref(), open, Through::Everything);
        Reached {
            new: new.cells,
            lasting,
        }
    }

    /// What is reached beyond `lasting`.
    fn reach_new(
        &self,
        lasting: Option<&Lasting>,
        mut open: Open<'p>,
        through: Through,
    ) -> Lasting {
        let mut reached = Lasting::default();
        let (mut count, mut looked_at) = (0, 0);
        let has_cell = |it: CellId| lasting.is_some_and(|lasting| lasting.cells.contains(it));
        let has_function =
            |it: &(usize, CellId)| lasting.is_some_and(|lasting| lasting.functions.contains(it));
        loop {
            if let Some(cell) = open.cells.pop() {
                looked_at += 1;
                if !has_cell(cell) && reached.cells.insert(cell) {
                    count += 1;
                    self.parts(cell, through, &mut open);
                }
            } else if let Some(function) = open.functions.pop() {
                let key = (function.code.address(), function.scope);
                let is_new = !has_function(&key) && reached.functions.insert(key);
                if is_new && through != Through::Data {
                    self.push_closure(&function, &mut open);
                }
            } else {
                break;
            }
        }
        let functions = reached.functions.len() * CELLS_OF_A_FUNCTION;
        self.spend_cells(count + looked_at / LOOKS_IN_A_CELL + functions);
        reached
    }

    /// The first cell of which this holds.
    pub(crate) fn find_cell(&self, wanted: impl Fn(&Cell<'p, L>) -> bool) -> Option<CellId> {
        let cells = self.heap.next().0;
        self.spend_cells(cells as usize);
        (0..cells).map(CellId).find(|it| wanted(self.heap.get(*it)))
    }

    /// Uses up the steps that reaching so many cells costs.
    pub(crate) fn spend_cells(&self, cells: usize) {
        self.spend_many(
            u32::try_from(cells)
                .unwrap_or(u32::MAX)
                .div_ceil(REACHED_IN_A_STEP),
        );
    }

    fn parts(&self, cell: CellId, through: Through, open: &mut Open<'p>) {
        match self.heap.get(cell) {
            Cell::Scope(names, parent) => {
                if through != Through::Data {
                    open.push_all(names.values());
                    open.cells.extend(*parent);
                }
            }
            Cell::Extension(_) if through == Through::References => {}
            Cell::Extension(value) => L::parts_of_extension(value, open),
            Cell::List(list) => open.push_all(&list.items),
            Cell::Dict(items) => open.push_all(items.values()),
            Cell::Class(class) => open.cells.push(class.scope),
            Cell::Object(object) => {
                open.push_all(object.fields.values());
                open.push_kind(&object.kind);
            }
        }
    }

    /// Whether the value of an expression may be used by one around it that is followed, or by an earlier part of it.
    pub(crate) fn is_in_use(&self, cell: CellId) -> bool {
        let called = self.frames.iter().skip(1).map(|frame| Some(frame.scope));
        let mut frames = self.frames.iter().zip(called.chain([None]));
        frames.any(|(frame, called)| {
            cell >= frame.statement && called.is_none_or(|called| cell < called)
        })
    }

    /// Whether a function is still followed that has these names.
    pub(crate) fn is_running(&self, scope: CellId) -> bool {
        self.frames.iter().any(|frame| frame.scope == scope)
    }

    /// The scope of the function that is followed.
    pub(crate) fn scope(&self) -> Option<CellId> {
        self.frames.last().map(|frame| frame.scope)
    }

    /// What the functions that are followed refer to, beside their names.
    fn push_used(&self, open: &mut Open<'p>) {
        open.push_all(&self.roots.in_use);
        for kept in self.cached.values().flatten() {
            open.push_all(kept.values());
        }
    }

    /// What the fields of an object lead to.
    pub(crate) fn kept_by(&self, object: CellId) -> Cells {
        let mut open = Open::default();
        if let Some(object) = self.heap.object(object) {
            open.push_all(object.fields.values());
        }
        self.reach(open, Through::Data)
    }

    /// What values lead to: themselves, what is in them, and what functions among them take from the scope around.
    pub(crate) fn data_of(&self, values: &[Value<'p>]) -> Cells {
        let mut open = Open::default();
        for value in values {
            open.push(value);
            if let Value::Function(function) = value
                && let Cell::Scope(names, _) = self.heap.get(function.scope)
            {
                let mentioned = self.mentioned(function.code);
                open.push_all(mentioned.iter().filter_map(|it| names.get(it)));
            }
        }
        self.reach(open, Through::Data)
    }

    /// Those of several cells that nothing refers to any more.
    pub(crate) fn unreferred(&self, cells: Vec<CellId>) -> Vec<CellId> {
        if cells.is_empty() {
            return cells;
        }
        let reached = self.now_reachable(Reach::Possibly);
        cells
            .into_iter()
            .filter(|it| !reached.contains(*it))
            .collect()
    }

    /// Where each way begins, and what lasts of what it leads to.
    fn always_reachable(&self, how: Reach) -> (Open<'p>, Option<Rc<Lasting>>) {
        let unchanged = self.heap.unchanged_below();
        let lasting_from = unchanged.filter(|_| self.is_from_nowhere());
        let (new, older) = match how {
            Reach::Surely => (Vec::new(), Vec::new()),
            Reach::Possibly => {
                let all = self.heap.forgotten();
                all.partition(|it| lasting_from.is_some_and(|first| *it >= first))
            }
        };
        let open = |cells: Vec<CellId>| Open {
            cells,
            possibly: how == Reach::Possibly,
            ..Open::default()
        };
        let from = Origins {
            files: self.modules.len(),
            forgotten: older.len(),
        };
        let origins = || self.modules.values().copied().chain(older).collect();
        if lasting_from.is_none() {
            return (open(origins()), None);
        }
        let known = self.roots.lasting.borrow()[how as usize].clone();
        let known = known.filter(|it| it.from == from);
        let lasting = known.unwrap_or_else(|| {
            let reached = self.reach_new(None, open(origins()), Through::Everything);
            let lasting = Rc::new(Lasting { from, ..reached });
            self.roots.lasting.borrow_mut()[how as usize] = Some(Rc::clone(&lasting));
            lasting
        });
        (open(new), Some(lasting))
    }

    fn now_reachable(&self, how: Reach) -> Reached {
        let (mut open, lasting) = self.always_reachable(how);
        open.cells
            .extend(self.frames.iter().map(|frame| frame.scope));
        self.push_used(&mut open);
        self.reach_beside(lasting, open)
    }

    /// What the program refers to, of values of extension types without those that these are made of.
    pub(crate) fn referred_to(&self) -> Cells {
        let scopes = self.frames.iter().map(|frame| frame.scope);
        let open = Open {
            cells: self.modules.values().copied().chain(scopes).collect(),
            ..Open::default()
        };
        self.reach(open, Through::References)
    }

    /// Whether anything still refers to a value.
    pub(crate) fn is_referred_to(&self, cell: CellId, how: Reach) -> bool {
        self.now_reachable(how).contains(cell)
    }

    /// Whether anything still refers to one of these.
    pub(crate) fn is_one_referred_to(&self, cells: &[CellId], how: Reach) -> bool {
        if cells.is_empty() {
            return false;
        }
        let reached = self.now_reachable(how);
        cells.iter().any(|it| reached.contains(*it))
    }

    /// Notes what is put into a container, or beside what is in one, if nothing is known of that, nor of the key.
    pub(super) fn put_away(&mut self, into: &Value<'p>, index: &Value<'p>, value: &Value<'p>) {
        let is_fixed = index.as_text().is_some() || index.as_integer().is_some();
        if let (Value::Unknown, Value::Object(cell) | Value::List(cell) | Value::Dict(cell)) =
            (into, value)
            && !is_fixed
        {
            self.roots.put_away.insert(*cell);
        }
    }

    /// Whether something that grows, a list or a dictionary, leads to one of these.
    pub(crate) fn is_one_collected(&self, cells: &[CellId]) -> bool {
        if cells.is_empty() {
            return false;
        }
        let mut held = Open {
            cells: self.roots.put_away.iter().copied().collect(),
            ..Open::default()
        };
        for cell in self.now_reachable(Reach::Surely).cells() {
            match self.heap.get(cell) {
                Cell::List(list) if list.grows || !list.exact => held.push_all(&list.items),
                Cell::Dict(items) => held.push_all(items.get("")),
                _ => {}
            }
        }
        let reached = self.reach(held, Through::Data);
        cells.iter().any(|it| reached.contains(*it))
    }

    /// Whether an attribute of a class leads to an object.
    pub(crate) fn is_held_by_class(&self, object: CellId) -> bool {
        let mut held = Open::default();
        for cell in self.now_reachable(Reach::Surely).cells() {
            if let Cell::Class(class) = self.heap.get(cell)
                && let Cell::Scope(names, _) = self.heap.get(class.scope)
            {
                let data = names
                    .values()
                    .filter(|value| !matches!(value, Value::Function(_) | Value::Class(_)));
                held.push_all(data);
            }
        }
        self.reach(held, Through::Data).contains(object)
    }

    /// Adds what a function keeps: its defaults, and of the scopes around it the names that it mentions.
    fn push_closure(&self, function: &Function<'p>, open: &mut Open<'p>) {
        open.push_all(function.defaults.values());
        for name in self.mentioned(function.code).iter() {
            let mut next = Some(function.scope);
            while let Some(scope) = next {
                let Cell::Scope(names, parent) = self.heap.get(scope) else {
                    break;
                };
                if let Some(value) = names.get(name) {
                    open.push(value);
                    break;
                }
                next = *parent;
            }
        }
    }

    /// The names that stand in the code of a function.
    fn mentioned(&self, code: Code<'p>) -> Rc<[&'p str]> {
        let known = self.roots.mentioned.borrow().get(&code.address()).cloned();
        if let Some(known) = known {
            return known;
        }
        let mut names = Names::default();
        match code {
            Code::Def(def) => names.visit_body(&def.body),
            Code::Lambda(body, ..) => names.visit_expr(body),
        }
        let mut names = names.0;
        names.sort_unstable();
        names.dedup();
        let names: Rc<[&'p str]> = names.into();
        self.roots
            .mentioned
            .borrow_mut()
            .insert(code.address(), Rc::clone(&names));
        names
    }
}
