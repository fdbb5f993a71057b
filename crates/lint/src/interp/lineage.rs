//! What classes are made from, and what they take from there.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Cell, Interp, Semantics};
use crate::syntax::ast::{self, TextRange};

/// How many bases of a class and of its bases are looked at, with those that several have in common.
const MOST_BASES: usize = 128;

/// How many classes are looked at that are made from one.
const MOST_DERIVED: usize = 256;

impl<'p, L: Semantics> Interp<'p, L> {
    /// The classes from which `class` takes its attributes, in order.
    pub(crate) fn lineage(&self, class: CellId) -> (Vec<CellId>, Vec<Rc<str>>, bool) {
        let mut all = Vec::new();
        let mut outside = Vec::new();
        let mut unknown = false;
        let mut open = vec![class];
        for _ in 0..MOST_BASES {
            let Some(next) = open.pop() else { break };
            // A base of several comes behind all of these.
            all.retain(|it| *it != next);
            all.push(next);
            let Some(class) = self.heap.class(next) else {
                continue;
            };
            for base in class.bases.iter().rev() {
                match base {
                    Value::Class(base) => open.push(*base),
                    Value::External(name) => outside.push(Rc::clone(name)),
                    _ => unknown = true,
                }
            }
        }
        (all, outside, unknown)
    }

    /// An attribute of a class, or of those that it is made from.
    pub(crate) fn class_attribute(&self, class: CellId, name: &str) -> Option<Value<'p>> {
        let (classes, ..) = self.lineage(class);
        self.attribute_in(&classes, name)
    }

    /// What the first of these classes that has an attribute says of it.
    pub(super) fn attribute_in(&self, classes: &[CellId], name: &str) -> Option<Value<'p>> {
        classes.iter().find_map(|class| {
            let scope = self.heap.class(*class)?.scope;
            match self.heap.get(scope) {
                Cell::Scope(names, _) => names.get(name).cloned(),
                _ => None,
            }
        })
    }

    /// `super().name`: looked for in the classes behind `class` of those that the object's own class is made from.
    pub(super) fn attribute_of_super(
        &mut self,
        class: CellId,
        object: Value<'p>,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        let own = match &object {
            Value::Class(own) => *own,
            Value::Object(cell) => match self.heap.object(*cell).map(|it| &it.kind) {
                Some(Kind::Instance(own)) => *own,
                _ => class,
            },
            _ => class,
        };
        let (mut classes, ..) = self.lineage(own);
        if !classes.contains(&class) {
            classes = self.lineage(class).0;
        }
        let behind = classes.iter().position(|it| *it == class);
        let behind = behind.map_or(0, |at| at + 1);
        if let Some(value) = self.attribute_in(&classes[behind..], name) {
            return self.bound(value, object, own, range);
        }
        match &object {
            Value::Object(cell) => match self.inherited(*cell) {
                Some(part) if name != "__init__" => self.object_attribute(part, name, range),
                _ => Value::Native(Rc::new((object, name.to_owned()))),
            },
            _ => Value::Unknown,
        }
    }

    /// `super()`, and `super(class, object)`.
    pub(super) fn super_object(&mut self, args: &Args<'p>) -> Value<'p> {
        let Some(frame) = self.frames.last() else {
            return Value::Unknown;
        };
        if let [Value::Class(class), object @ Value::Object(_)] = &*args.positional {
            let site = self.site(TextRange::default());
            return self.new_object(Kind::Super(*class, object.clone()), site);
        }
        let Some(class) = frame.class else {
            return Value::Unknown;
        };
        let scope = frame.scope;
        let site = self.site(TextRange::default());
        let object = match self.heap.get(scope) {
            Cell::Scope(names, _) => {
                names.get("self").or(names.get("cls")).cloned().or_else(|| {
                    names
                        .values()
                        .find(|it| matches!(it, Value::Object(_)))
                        .cloned()
                })
            }
            _ => None,
        };
        match object {
            Some(object) => self.new_object(Kind::Super(class, object), site),
            None => Value::Unknown,
        }
    }

    /// Whether a class from outside the project is among those that `class` is made from.
    pub(crate) fn is_made_from(&self, class: CellId, outside: &str) -> bool {
        self.lineage(class).1.iter().any(|name| &**name == outside)
    }

    /// Whether `class` is `base` or made from it; `None` where a base of it is not known.
    pub(crate) fn is_subclass(&self, class: CellId, base: CellId) -> Option<bool> {
        let (classes, _, unknown) = self.lineage(class);
        if classes.contains(&base) {
            Some(true)
        } else {
            (!unknown).then_some(false)
        }
    }

    /// The methods of a class that classes derived from it, at the top level of a file, have as well.
    pub(super) fn overridden(&self, class: CellId) -> Vec<&'p str> {
        let mut derived = self.made_from(class);
        derived.retain(|it| self.is_at_top_level(*it));
        derived.sort();
        let mut names = FxHashSet::default();
        derived
            .into_iter()
            .flat_map(|it| self.own_methods(it))
            .filter(|it| *it != "__init__" && names.insert(*it))
            .filter(|it| self.class_attribute(class, it).is_some())
            .collect()
    }

    /// The classes that have this one among their bases, or theirs.
    fn made_from(&self, class: CellId) -> Vec<CellId> {
        let mut derived = Vec::new();
        let mut seen = FxHashSet::from_iter([class]);
        let mut open = vec![class];
        while let Some(next) = open.pop()
            && derived.len() < MOST_DERIVED
        {
            for it in self.derived.get(&next).into_iter().flatten().copied() {
                // What was taken back left its number to another cell.
                let is_base = |base: &Value<'p>| matches!(base, Value::Class(it) if *it == next);
                let is_derived = self
                    .heap
                    .find_class(it)
                    .is_some_and(|it| it.bases.iter().any(is_base));
                if is_derived && seen.insert(it) {
                    derived.push(it);
                    open.push(it);
                }
            }
        }
        derived
    }

    /// Whether a module has a class by its name.
    fn is_at_top_level(&self, class: CellId) -> bool {
        let Some(name) = self.heap.find_class(class).map(|it| it.def.name.as_str()) else {
            return false;
        };
        self.modules
            .values()
            .any(|scope| match self.heap.get(*scope) {
                Cell::Scope(names, _) => {
                    matches!(names.get(name), Some(Value::Class(it)) if *it == class)
                }
                _ => false,
            })
    }

    /// The methods that stand in a class itself.
    fn own_methods(&self, class: CellId) -> Vec<&'p str> {
        let body = self.heap.class(class).map_or(&[][..], |it| &it.def.body);
        body.iter()
            .filter_map(|it| match it {
                ast::Stmt::FunctionDef(def) => Some(def.name.as_str()),
                _ => None,
            })
            .collect()
    }
}
