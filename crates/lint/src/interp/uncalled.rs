//! Functions that nobody calls, seen with unknown arguments.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::object::Object;
use super::value::{CellId, Code, Function, Value};
use super::{Cell, Interp, Semantics};
use crate::project::FileId;
use crate::syntax::ast::Ranged as _;

/// What is known of the program's functions.
#[derive(Debug, Default)]
pub(super) struct Functions<'p> {
    /// Those that were followed, by the addresses of their code.
    pub(super) visited: FxHashSet<usize>,
    /// Those under unknown decorators.
    pub(super) hidden: Vec<Rc<Function<'p>>>,
    /// Whether the one that is followed is one that nobody called.
    pub(super) from_nowhere: bool,
    /// The first cell that was made since the first of these was followed.
    first_cell: CellId,
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// Whether the function that is followed is one that nobody called.
    pub(crate) fn is_from_nowhere(&self) -> bool {
        self.functions.from_nowhere
    }

    /// Whether a function that nobody called is followed, and what it does with a cell may be done at any time: others know it.
    pub(crate) fn may_be_used_at_any_time(&self, cell: CellId) -> bool {
        let is_any = |it: &Object<'p, L>| it.open;
        self.functions.from_nowhere
            && (cell < self.functions.first_cell || self.heap.object(cell).is_some_and(is_any))
    }

    /// What a program that nobody called may still be held to: functions, seen with unknown arguments.
    pub(super) fn uncalled_functions(&mut self, file: FileId) {
        let Some(scope) = self.modules.get(&file).copied() else {
            return;
        };
        L::begins_anew(self);
        self.functions.from_nowhere = true;
        self.functions.first_cell = self.heap.next();
        let Cell::Scope(names, _) = self.heap.get(scope) else {
            return;
        };
        let mut values: Vec<_> = names.values().cloned().collect();
        values.extend(self.hidden_in(None, file).map(Value::Function));
        values.sort_by_key(|value| self.position(value));
        for value in values {
            match value {
                Value::Function(function) if function.file == file => self.enter(&function, None),
                Value::Class(class) => self.enter_methods(class, file),
                _ => {}
            }
        }
    }

    pub(super) fn position(&self, value: &Value<'p>) -> u32 {
        match value {
            Value::Function(function) => match function.code {
                Code::Def(def) => def.start().to_u32(),
                Code::Lambda(_, _, range) => range.start().to_u32(),
            },
            Value::Class(class) => self
                .heap
                .class(*class)
                .map_or(0, |class| class.def.start().to_u32()),
            _ => 0,
        }
    }

    /// The functions of a class, or of none, that their decorators hide.
    fn hidden_in(
        &self,
        class: Option<CellId>,
        file: FileId,
    ) -> impl Iterator<Item = Rc<Function<'p>>> + '_ {
        let scope = self.modules.get(&file).copied();
        self.functions
            .hidden
            .iter()
            .filter(move |it| it.file == file && it.class == class && Some(it.scope) == scope)
            .cloned()
    }

    fn enter_methods(&mut self, class: CellId, file: FileId) {
        let Some(found) = self.heap.class(class) else {
            return;
        };
        let Cell::Scope(names, _) = self.heap.get(found.scope) else {
            return;
        };
        let mut methods: Vec<_> = names
            .values()
            .filter_map(|value| match value {
                Value::Function(function) if function.file == file => Some(Rc::clone(function)),
                _ => None,
            })
            .chain(self.hidden_in(Some(class), file))
            .filter(|function| !self.functions.visited.contains(&function.code.address()))
            .collect();
        if methods.is_empty() {
            return;
        }
        methods.sort_by_key(|it| self.position(&Value::Function(Rc::clone(it))));
        self.heap.begin();
        let object = self.instance_from_nowhere(class);
        for method in methods {
            self.enter(&method, Some(object.clone()));
        }
        self.heap.discard();
    }

    fn enter(&mut self, function: &Rc<Function<'p>>, object: Option<Value<'p>>) {
        if self.functions.visited.contains(&function.code.address()) {
            return;
        }
        self.flow = L::begin_uncalled();
        self.budget.renew();
        self.heap.begin();
        self.call_from_nowhere(function, object);
        self.heap.discard();
        self.roots.put_away.clear();
        L::begins_anew(self);
    }
}
