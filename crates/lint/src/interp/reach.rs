//! Who refers to what: needed to know what is freed.

use rustc_hash::FxHashSet;

use super::value::{CaptureId, CellId, Kind, Value};
use super::{Cell, Interp};

/// How many cells cost as much to reach as a statement to follow.
const REACHED_IN_A_STEP: u32 = 32;

impl<'p> Interp<'p> {
    /// The captures that began in the function that is followed, or in what it called.
    pub(crate) fn frame_graphs(&self) -> Vec<CaptureId> {
        self.frames
            .last()
            .map(|frame| frame.graphs.clone())
            .unwrap_or_default()
    }

    /// All cells that can be reached once the function that is followed has returned `result`.
    pub(crate) fn reachable_after_return(&self, result: &Value<'p>) -> FxHashSet<CellId> {
        let mut open: Vec<CellId> = self.modules.values().copied().collect();
        let (own, around) = match self.frames.split_last() {
            Some((own, around)) => (Some(own), around),
            None => (None, &[][..]),
        };
        open.extend(around.iter().map(|frame| frame.scope));
        push(result, &mut open);
        // Whoever called the function holds the object that it is a method of.
        if let Some(own) = own
            && let Cell::Scope(names, _) = self.heap.get(own.scope)
        {
            for name in ["self", "cls"] {
                if let Some(value) = names.get(name) {
                    push(value, &mut open);
                }
            }
        }
        self.reach(open)
    }

    fn reach(&self, mut open: Vec<CellId>) -> FxHashSet<CellId> {
        let mut reached = FxHashSet::default();
        while let Some(cell) = open.pop() {
            if reached.insert(cell) {
                self.parts(cell, &mut open);
            }
        }
        self.spend_cells(reached.len());
        reached
    }

    fn spend_cells(&self, cells: usize) {
        self.spend_many(
            u32::try_from(cells)
                .unwrap_or(u32::MAX)
                .div_ceil(REACHED_IN_A_STEP),
        );
    }

    fn parts(&self, cell: CellId, open: &mut Vec<CellId>) {
        match self.heap.get(cell) {
            Cell::Scope(names, parent) => {
                push_all(names.values(), open);
                open.extend(*parent);
            }
            Cell::Tensor(tensor) => {
                open.extend(tensor.view_of);
                open.extend(tensor.grad);
            }
            Cell::List(list) => push_all(&list.items, open),
            Cell::Dict(items) => push_all(items.values(), open),
            Cell::Class(class) => open.push(class.scope),
            Cell::Object(object) => {
                push_all(object.fields.values(), open);
                match &object.kind {
                    Kind::Instance(class) => open.push(*class),
                    Kind::Module(_, items) => push_all(items.iter(), open),
                    Kind::Ddp(value, _) | Kind::Graphed(value, _) | Kind::Queue(value) => {
                        push(value, open);
                    }
                    Kind::Compiled(compiled) => push(&compiled.function, open),
                    Kind::Thread(target, args) => {
                        push(target, open);
                        push(args, open);
                    }
                    Kind::Partial(function, args, named) => {
                        push(function, open);
                        push_all(args.iter(), open);
                        push_all(named.iter().map(|(_, value)| value), open);
                    }
                    _ => {}
                }
            }
        }
    }

    fn now_reachable(&self) -> FxHashSet<CellId> {
        let mut open: Vec<CellId> = self.modules.values().copied().collect();
        open.extend(self.frames.iter().map(|frame| frame.scope));
        self.reach(open)
    }

    /// Whether anything still refers to a tensor or an object.
    pub(crate) fn is_referred_to(&self, cell: CellId) -> bool {
        self.now_reachable().contains(&cell)
    }

    /// Whether anything still refers to one of these.
    pub(crate) fn is_one_referred_to(&self, cells: &[CellId]) -> bool {
        if cells.is_empty() {
            return false;
        }
        let reached = self.now_reachable();
        cells.iter().any(|it| reached.contains(it))
    }

    /// Whether something that grows, a list or a dictionary, leads to one of these.
    pub(crate) fn is_one_collected(&self, cells: &[CellId]) -> bool {
        if cells.is_empty() {
            return false;
        }
        let mut held = Vec::new();
        for cell in self.now_reachable() {
            match self.heap.get(cell) {
                Cell::List(list) => push_all(&list.items, &mut held),
                Cell::Dict(items) => push_all(items.get(""), &mut held),
                _ => {}
            }
        }
        let reached = self.reach(held);
        cells.iter().any(|it| reached.contains(it))
    }

    /// Whether an attribute of a class leads to an object.
    pub(crate) fn is_held_by_class(&self, object: CellId) -> bool {
        self.now_reachable().into_iter().any(|cell| {
            let Cell::Class(class) = self.heap.get(cell) else {
                return false;
            };
            match self.heap.get(class.scope) {
                Cell::Scope(names, _) => names
                    .values()
                    .any(|value| matches!(value, Value::Object(held) if *held == object)),
                _ => false,
            }
        })
    }
}

/// Adds what a value refers to.
fn push(value: &Value<'_>, open: &mut Vec<CellId>) {
    match value {
        Value::Tensor(cell)
        | Value::List(cell)
        | Value::Dict(cell)
        | Value::Class(cell)
        | Value::Object(cell) => open.push(*cell),
        Value::Function(function) => {
            open.push(function.scope);
            push_all(function.defaults.values(), open);
        }
        Value::Method(it) => {
            push(&it.0, open);
            push(&it.1, open);
        }
        Value::Native(it) => push(&it.0, open),
        Value::Slice(parts) => push_all(parts.iter(), open),
        _ => {}
    }
}

/// Adds what values refer to.
fn push_all<'v, 'p: 'v>(values: impl IntoIterator<Item = &'v Value<'p>>, open: &mut Vec<CellId>) {
    for value in values {
        push(value, open);
    }
}
