//! The memory of the interpreter: cells that can be put back as they were, so that each branch starts from the same state.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Library;
use super::object::{Kind, Object};
use super::value::{CellId, Class, Form, List, Number, Value};

/// A cell.
#[derive(Clone, Debug)]
pub(crate) enum Cell<'p, L: Library> {
    /// The names of a scope, and the scope around it.
    Scope(FxHashMap<&'p str, Value<'p>>, Option<CellId>),
    /// A value of an extension type.
    Extension(L::Extension),
    /// A list.
    List(List<'p>),
    /// A dictionary with string keys; the key `""` stands for all others.
    Dict(FxHashMap<Rc<str>, Value<'p>>),
    /// A class.
    Class(Class<'p>),
    /// An object.
    Object(Object<'p, L>),
}

/// The cells that a branch changed, as they were or as they became.
pub(crate) type Changes<'p, L> = BTreeMap<CellId, Cell<'p, L>>;

/// How deep lists are joined, element by element.
const DEEPEST_JOIN: usize = 2;
/// How long such lists are at most.
const LONGEST_JOINED: usize = 8;

/// A branch that is followed.
#[derive(Debug)]
struct Branch<'p, L: Library> {
    /// The first cell that it made itself. Those need no putting back: what is older forgets them when it is put back.
    made: CellId,
    /// The cells that it changed, as they were before it.
    before: Changes<'p, L>,
}

/// All cells.
#[derive(Debug, Default)]
pub(crate) struct Heap<'p, L: Library> {
    cells: Vec<Cell<'p, L>>,
    /// The branches that are open, outermost first.
    branches: Vec<Branch<'p, L>>,
    /// What an unknown value may refer to, since it was one of two unlike ones.
    forgotten: BTreeSet<CellId>,
}

impl<'p, L: Library> Heap<'p, L> {
    /// Makes a cell.
    pub(crate) fn add(&mut self, cell: Cell<'p, L>) -> CellId {
        let id = self.next();
        self.cells.push(cell);
        id
    }

    /// The cell that will be made next.
    pub(crate) fn next(&self) -> CellId {
        CellId(u32::try_from(self.cells.len()).unwrap_or(u32::MAX))
    }

    /// Reads a cell.
    pub(crate) fn get(&self, id: CellId) -> &Cell<'p, L> {
        &self.cells[id.0 as usize]
    }

    /// Changes a cell.
    pub(crate) fn edit(&mut self, id: CellId) -> &mut Cell<'p, L> {
        let cell = &mut self.cells[id.0 as usize];
        if let Some(branch) = self.branches.last_mut()
            && id < branch.made
        {
            branch.before.entry(id).or_insert_with(|| cell.clone());
        }
        cell
    }

    /// What a value of an extension type is.
    pub(crate) fn extension(&self, id: CellId) -> Option<&L::Extension> {
        match self.get(id) {
            Cell::Extension(value) => Some(value),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn extension_mut(&mut self, id: CellId) -> Option<&mut L::Extension> {
        match self.edit(id) {
            Cell::Extension(value) => Some(value),
            _ => None,
        }
    }

    /// The object of a cell.
    pub(crate) fn object(&self, id: CellId) -> Option<&Object<'p, L>> {
        match self.get(id) {
            Cell::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object of a cell, to be changed.
    pub(crate) fn object_mut(&mut self, id: CellId) -> Option<&mut Object<'p, L>> {
        match self.edit(id) {
            Cell::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The list of a cell.
    pub(crate) fn list(&self, id: CellId) -> Option<&List<'p>> {
        match self.get(id) {
            Cell::List(list) => Some(list),
            _ => None,
        }
    }

    /// How many entries a dictionary has, if it is one and all its keys are known.
    pub(crate) fn entries(&self, id: CellId) -> Option<usize> {
        match self.get(id) {
            Cell::Dict(items) if !items.contains_key("") => Some(items.len()),
            _ => None,
        }
    }

    /// The class of a cell.
    pub(crate) fn class(&self, id: CellId) -> Option<&Class<'p>> {
        match self.get(id) {
            Cell::Class(class) => Some(class),
            _ => None,
        }
    }

    /// The same of a cell that may have been taken back since.
    pub(crate) fn find_class(&self, id: CellId) -> Option<&Class<'p>> {
        match self.cells.get(id.0 as usize)? {
            Cell::Class(class) => Some(class),
            _ => None,
        }
    }

    /// Begins a branch.
    pub(crate) fn begin(&mut self) {
        self.branches.push(Branch {
            made: self.next(),
            before: Changes::new(),
        });
    }

    /// Ends a branch: puts everything back as it was before, and returns what the branch made of it.
    pub(crate) fn take_back(&mut self) -> Changes<'p, L> {
        let branch = self.branches.pop();
        let mut changes = branch.map(|it| it.before).unwrap_or_default();
        for (id, cell) in &mut changes {
            std::mem::swap(cell, &mut self.cells[id.0 as usize]);
        }
        changes
    }

    /// The first cell that the outermost branch made itself, if nothing that is older was changed since.
    pub(crate) fn unchanged_below(&self) -> Option<CellId> {
        let made = self.branches.first()?.made;
        let is_kept =
            |it: &Branch<'p, L>| it.before.keys().next().is_none_or(|first| *first >= made);
        self.branches.iter().all(is_kept).then_some(made)
    }

    /// Ends a branch of which nothing stands.
    pub(crate) fn discard(&mut self) {
        let made = self.branches.last().map(|it| it.made);
        self.take_back();
        if let Some(made) = made {
            drop(self.forgotten.split_off(&made));
        }
    }

    /// Lets what a branch made stand.
    pub(crate) fn apply(&mut self, changes: Changes<'p, L>) {
        for (id, cell) in changes {
            *self.edit(id) = cell;
        }
    }

    /// Goes on from both branches: what differs between them is known less well.
    pub(crate) fn merge(&mut self, first: Changes<'p, L>, mut second: Changes<'p, L>) {
        for (id, left) in first {
            let right = second.remove(&id).unwrap_or_else(|| self.get(id).clone());
            let joined = self.join_cells(left, right);
            *self.edit(id) = joined;
        }
        for (id, right) in second {
            let left = self.get(id).clone();
            let joined = self.join_cells(left, right);
            *self.edit(id) = joined;
        }
    }

    /// Adds a state that was left early to the one that is reached otherwise.
    pub(crate) fn merge_in(&mut self, changes: Changes<'p, L>) {
        self.merge(changes, Changes::new());
    }

    /// What is known of a cell that is as the one or as the other says.
    pub(crate) fn join_cells(&mut self, left: Cell<'p, L>, right: Cell<'p, L>) -> Cell<'p, L> {
        match (left, right) {
            (Cell::Scope(mut names, parent), Cell::Scope(others, _)) => {
                self.join_maps(&mut names, others);
                Cell::Scope(names, parent)
            }
            (Cell::Dict(mut names), Cell::Dict(others)) => {
                self.join_maps(&mut names, others);
                Cell::Dict(names)
            }
            (Cell::Extension(left), Cell::Extension(right)) => {
                Cell::Extension(L::join_extensions(&left, &right))
            }
            (Cell::List(mut left), Cell::List(right)) => {
                if left.form != right.form {
                    left.form = Form::Other;
                }
                left.grows |= right.grows;
                if left.exact && right.exact && left.items.len() == right.items.len() {
                    left.items = left
                        .items
                        .into_iter()
                        .zip(right.items)
                        .map(|(a, b)| self.join(a, b))
                        .collect();
                } else {
                    let all = left.items.into_iter().chain(right.items);
                    let one = all.reduce(|a, b| self.join(a, b));
                    left.items = one.into_iter().collect();
                    left.blurs();
                }
                Cell::List(left)
            }
            (Cell::Object(mut left), Cell::Object(right)) => {
                self.join_maps(&mut left.fields, right.fields);
                left.about = L::join_about(left.about, right.about);
                left.open |= right.open;
                left.kind = self.join_kinds(left.kind, right.kind);
                Cell::Object(left)
            }
            (left, _) => left,
        }
    }

    fn join_kinds(&mut self, left: Kind<'p, L>, right: Kind<'p, L>) -> Kind<'p, L> {
        match (left, right) {
            (Kind::Library(left), Kind::Library(right)) => {
                Kind::Library(L::join_objects(self, left, right))
            }
            // Where one way went through it, nothing may be left.
            (Kind::Lazy(None), _) | (_, Kind::Lazy(None)) => Kind::Lazy(None),
            (left, _) => left,
        }
    }

    fn join_maps<K: std::hash::Hash + Eq>(
        &mut self,
        names: &mut FxHashMap<K, Value<'p>>,
        others: FxHashMap<K, Value<'p>>,
    ) {
        for (name, right) in others {
            match names.get_mut(&name) {
                Some(left) => *left = self.join(left.clone(), right),
                None => {
                    names.insert(name, right);
                }
            }
        }
    }

    /// What is known of a value that is one of both. `None` beside something else is taken for "not made yet".
    pub(crate) fn join(&mut self, left: Value<'p>, right: Value<'p>) -> Value<'p> {
        self.join_within(left, right, DEEPEST_JOIN)
    }

    fn join_within(&mut self, left: Value<'p>, right: Value<'p>, depth: usize) -> Value<'p> {
        if left.same(&right) {
            return left;
        }
        if let Some(either) = L::either_context(self, &left, &right) {
            return Value::Object(self.add(Cell::Object(either)));
        }
        match (left, right) {
            (Value::None, other) | (other, Value::None) => other,
            (Value::Bool(_) | Value::Momentary(_), Value::Bool(_) | Value::Momentary(_)) => {
                Value::Bool(None)
            }
            (Value::Number(a), Value::Number(b)) => Value::Number(Number {
                constant: None,
                fraction: None,
                most: a.at_most().zip(b.at_most()).map(|(a, b)| a.max(b)),
                varies: a.varies.or(b.varies),
            }),
            (Value::Text(_), Value::Text(_)) => Value::Text(None),
            (Value::Extension(a), Value::Extension(b)) => L::join_references(self, a, b),
            (Value::Object(a), Value::Object(b)) => self.join_unlike(a, b),
            (Value::List(a), Value::List(b)) if depth > 0 => self.join_tuples(a, b, depth - 1),
            (left, right) => {
                self.lose(&left);
                self.lose(&right);
                Value::Unknown
            }
        }
    }

    /// What unknown values may refer to.
    pub(crate) fn forgotten(&self) -> impl Iterator<Item = CellId> + '_ {
        self.forgotten.iter().copied()
    }

    /// One of two lists of the same length: each element is one of two.
    fn join_tuples(&mut self, a: CellId, b: CellId, depth: usize) -> Value<'p> {
        let (Some(left), Some(right)) = (self.list(a), self.list(b)) else {
            return Value::Unknown;
        };
        let same_length = left.exact && right.exact && left.items.len() == right.items.len();
        if !same_length || left.items.len() > LONGEST_JOINED {
            self.lose(&Value::List(a));
            self.lose(&Value::List(b));
            return Value::Unknown;
        }
        let (left, right) = (left.clone(), right.clone());
        let items = left.items.into_iter().zip(right.items);
        let items = items.map(|(a, b)| self.join_within(a, b, depth)).collect();
        Value::List(self.add(Cell::List(List {
            items,
            exact: true,
            count: None,
            grows: left.grows || right.grows,
            form: left.form,
            loops: left.loops,
        })))
    }

    /// Notes that unknown values may refer to this.
    pub(crate) fn forget(&mut self, value: &Value<'p>) {
        self.forgotten.extend(value.cell());
    }

    /// Forgets what a list or a dictionary has in it: others may have put more there.
    pub(crate) fn forget_elements(&mut self, container: &Value<'p>) {
        self.forget(container);
        let Some(cell) = container.cell() else { return };
        let held: Vec<Value<'p>> = match self.edit(cell) {
            Cell::List(list) => {
                list.blurs();
                std::mem::replace(&mut list.items, vec![Value::Unknown])
            }
            Cell::Dict(items) => {
                let held = items.drain().map(|it| it.1).collect();
                items.insert(Rc::from(""), Value::Unknown);
                held
            }
            _ => return,
        };
        for value in held {
            self.forget(&value);
        }
    }

    /// Notes that what is done with objects of the library, and who refers to them, may not be seen from here on.
    pub(crate) fn lose(&mut self, value: &Value<'p>) {
        self.forget(value);
        match value {
            Value::Object(cell) => L::lose(self, *cell),
            Value::List(cell) => {
                let objects: Vec<_> = self
                    .list(*cell)
                    .into_iter()
                    .flat_map(|list| &list.items)
                    .filter_map(|item| match item {
                        Value::Object(cell) => Some(*cell),
                        _ => None,
                    })
                    .collect();
                for object in objects {
                    L::lose(self, object);
                }
            }
            _ => {}
        }
    }

    fn join_unlike(&mut self, a: CellId, b: CellId) -> Value<'p> {
        if let Some(joined) = L::join_unlike(self, a, b) {
            return joined;
        }
        self.lose(&Value::Object(a));
        self.lose(&Value::Object(b));
        Value::Unknown
    }

    /// Whether a list or a dictionary holds an object, by itself or in a tuple.
    pub(crate) fn is_in_collection(&self, object: CellId) -> bool {
        let is_it = |value: &Value<'p>| match value {
            Value::Object(cell) => *cell == object,
            Value::List(cell) => self.list(*cell).is_some_and(|list| {
                let mut objects = list.items.iter();
                objects.any(|it| matches!(it, Value::Object(cell) if *cell == object))
            }),
            _ => false,
        };
        self.cells.iter().any(|cell| match cell {
            Cell::Dict(items) => items.values().any(is_it),
            Cell::List(list) if list.form == Form::List => list.items.iter().any(is_it),
            _ => false,
        })
    }

    /// One element that stands for all of a list.
    pub(crate) fn any_item(&mut self, id: CellId) -> Option<Value<'p>> {
        let items = self.list(id)?.items.clone();
        items.into_iter().reduce(|a, b| self.join(a, b))
    }
}
