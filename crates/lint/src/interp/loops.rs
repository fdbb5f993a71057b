//! Loops: what they go through, and their turns.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::event::Event;
use super::value::{CellId, LoopId, Number, Value};
use super::{Interp, Next, Semantics};
use crate::syntax::ast::{self, Ranged as _, Stmt};

/// How many elements of a list are followed one by one.
pub(crate) const UNROLLED: usize = 4;
/// The same for lists of objects.
const UNROLLED_OBJECTS: usize = 64;

/// How many turns a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// So many, and each is followed.
    Each(usize),
    /// So many, and what is followed stands for all.
    OneForAll(usize),
}

impl Turns {
    /// How many.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Each(count) | Self::OneForAll(count) => count,
        }
    }
}

/// The executions of loops so far.
#[derive(Debug)]
pub(crate) struct Loops {
    last: u32,
    /// Those around what is followed.
    pub(crate) around: Rc<[LoopId]>,
    /// How many turns they have, where that is known.
    lengths: FxHashMap<LoopId, Turns>,
    /// How many turns they had.
    turns: FxHashMap<LoopId, u32>,
}

impl Default for Loops {
    fn default() -> Self {
        Self {
            last: 0,
            around: Rc::from([]),
            lengths: FxHashMap::default(),
            turns: FxHashMap::default(),
        }
    }
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// How many turns a loop has, if that is known.
    pub(crate) fn turns_in(&self, id: LoopId) -> Option<Turns> {
        self.loops.lengths.get(&id).copied()
    }

    /// How many turns a loop had, with the one that is followed.
    pub(crate) fn turn_of(&self, id: LoopId) -> u32 {
        self.loops.turns.get(&id).copied().unwrap_or(0)
    }

    /// Follows the ways of a choice, which is made anew in each turn of a loop.
    pub(super) fn in_some_turns<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let innermost = self.loops.around.last();
        if innermost.is_none_or(|it| self.turn_of(*it) > 1) {
            return follow(self);
        }
        self.emit(Event::ChoiceBegins);
        let result = follow(self);
        self.emit(Event::ChoiceEnds);
        result
    }

    pub(super) fn for_statement(&mut self, it: &'p ast::StmtFor) -> Next {
        let iterated = self.expression(&it.iter);
        self.emit(Event::Repeats { iterated: &it.iter });
        let iterated = self.iterated(&iterated, it.iter.range());
        self.emit(Event::LoopBegins {
            iterated: &iterated,
            range: it.iter.range(),
        });
        let id = self.new_loop();
        let elements = self.elements(&iterated, id);
        let unrolled = elements.len() > 1;
        if let Some(turns) = self.turns_through(&iterated, &elements) {
            self.loops.lengths.insert(id, turns);
        }
        let turns = if unrolled { 1 } else { 2 };
        let around = self.enter_loop(id);
        self.roots.in_use.push(iterated);
        let mut last = Next::Goes;
        'all: for element in elements {
            for _ in 0..turns {
                let element = L::in_turn(self, element.clone());
                self.assign(&it.target, element);
                last = self.turn(&it.body);
                if last != Next::Goes {
                    break 'all;
                }
            }
        }
        self.roots.in_use.pop();
        self.loops.around = around;
        self.after_loop(last, &it.orelse)
    }

    pub(super) fn while_statement(&mut self, it: &'p ast::StmtWhile) -> Next {
        let id = self.new_loop();
        let around = self.enter_loop(id);
        let mut last = Next::Goes;
        for _ in 0..2 {
            if self.condition(&it.test) == Some(false) {
                break;
            }
            self.emit(Event::Decides { test: &it.test });
            last = self.turn(&it.body);
            if last != Next::Goes {
                break;
            }
        }
        self.loops.around = around;
        if last == Next::Goes {
            L::polled(self, &it.test);
        }
        self.after_loop(last, &it.orelse)
    }

    fn after_loop(&mut self, last: Next, orelse: &'p [Stmt]) -> Next {
        match last {
            // A loop may have had no turn at all.
            Next::Returns | Next::Raises | Next::Leaves => Next::Goes,
            Next::Goes => self.block(orelse),
        }
    }

    /// One turn of a loop, with those that end early.
    fn turn(&mut self, body: &'p [Stmt]) -> Next {
        if let Some(id) = self.loops.around.last() {
            *self.loops.turns.entry(*id).or_default() += 1;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.loops_left.push(Vec::new());
        }
        let (around, returned) = (self.choices.doubt, self.ways_returned());
        let next = self.with_phases_of(|it| it.block(body));
        if self.ways_returned() == returned {
            self.doubt_is_again(around);
        }
        let left = self
            .frames
            .last_mut()
            .and_then(|frame| frame.loops_left.pop())
            .unwrap_or_default();
        let continued = !left.is_empty();
        for changes in left {
            self.heap.merge_in(changes);
        }
        if continued { Next::Goes } else { next }
    }

    /// The loop that will be entered next.
    pub(crate) fn next_loop_id(&self) -> LoopId {
        LoopId(self.loops.last + 1)
    }

    pub(super) fn new_loop(&mut self) -> LoopId {
        self.loops.last += 1;
        LoopId(self.loops.last)
    }

    pub(super) fn enter_loop(&mut self, id: LoopId) -> Rc<[LoopId]> {
        let around = Rc::clone(&self.loops.around);
        self.loops.around = around.iter().copied().chain([id]).collect();
        around
    }

    /// How many turns a loop has that goes through this, followed with these elements.
    fn turns_through(&self, iterated: &Value<'p>, elements: &[Value<'p>]) -> Option<Turns> {
        if elements.len() > 1 {
            return Some(Turns::Each(elements.len()));
        }
        match iterated {
            Value::List(cell) => self.heap.list(*cell)?.length().map(Turns::OneForAll),
            Value::Dict(cell) => self.heap.entries(*cell).map(Turns::OneForAll),
            other => L::length(self, other).map(Turns::OneForAll),
        }
    }

    /// The elements to follow a loop with: all, if they are few and known; otherwise one for all.
    pub(crate) fn elements(&mut self, iterated: &Value<'p>, id: LoopId) -> Vec<Value<'p>> {
        match iterated {
            Value::List(cell) => {
                let Some(list) = self.heap.list(*cell) else {
                    return vec![Value::Unknown];
                };
                let objects = list.items.iter().all(|item| self.is_object(item));
                let most = if objects { UNROLLED_OBJECTS } else { UNROLLED };
                if list.exact && list.items.len() > 1 && list.items.len() <= most {
                    return list.items.clone();
                }
                let any = self.heap.any_item(*cell).unwrap_or(Value::Unknown);
                vec![varying(any, id)]
            }
            Value::Extension(cell) => vec![L::row(self, *cell)],
            Value::Object(cell) => L::elements_of_object(self, *cell, id),
            _ => vec![Value::Unknown],
        }
    }

    /// What an object that is not the project's own gives next.
    pub(crate) fn next_of_object(&mut self, cell: CellId) -> Value<'p> {
        let next = L::next_of_object(self, cell);
        next.unwrap_or(Value::Unknown)
    }

    /// Whether a value is an object, or a tuple with one in it.
    fn is_object(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Object(_)
            | Value::Dict(_)
            | Value::Class(_)
            | Value::Function(_)
            | Value::External(_) => true,
            Value::List(cell) => self.heap.list(*cell).is_some_and(|list| {
                list.exact && list.items.iter().any(|it| matches!(it, Value::Object(_)))
            }),
            _ => false,
        }
    }
}

/// What a loop's variable is in each iteration.
fn varying(value: Value<'_>, id: LoopId) -> Value<'_> {
    match value {
        Value::Number(number) => Value::Number(Number {
            constant: None,
            fraction: None,
            most: number.at_most(),
            varies: Some(id),
        }),
        other => other,
    }
}
