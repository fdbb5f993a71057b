//! What reads the numbers that captured code counts: what nothing reads may be counted once or a hundred times.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::judge::Judge;
use crate::draft::Report;
use crate::interp::numbers::Reading;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::CaptureId;
use crate::torch::{Interp, Kind};

/// How many counters that nothing reads are kept in mind, and how many places that read numbers of one name.
const MOST: usize = 64;

/// A number that captured code counts.
#[derive(Debug)]
pub(super) struct Counter {
    keeper: Keeper,
    name: Rc<str>,
    /// Whether it was 0, or may become it: then asking for that is a use, too.
    meets_zero: bool,
}

impl Counter {
    pub(super) fn new(state: &Interp<'_>, keeper: CellId, name: &str, meets_zero: bool) -> Self {
        Self {
            keeper: Keeper::new(state, keeper),
            name: Rc::from(name),
            meets_zero,
        }
    }

    fn is_used_by(&self, state: &Interp<'_>, keeper: Keeper, reading: Reading) -> bool {
        (reading == Reading::Value || self.meets_zero) && self.keeper.may_be(state, keeper)
    }
}

/// What keeps a number: an object, a class or a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Keeper {
    cell: CellId,
    /// The class of an object of the project.
    class: Option<CellId>,
    /// Whether it stands for any object of its class.
    is_any: bool,
}

impl Keeper {
    fn new(state: &Interp<'_>, cell: CellId) -> Self {
        let object = state.heap.object(cell);
        Self {
            cell,
            class: object.and_then(|it| match it.kind {
                Kind::Instance(class) => Some(class),
                _ => None,
            }),
            is_any: object.is_some_and(|it| it.open),
        }
    }

    /// Whether both may be the same.
    fn may_be(self, state: &Interp<'_>, other: Self) -> bool {
        let is_one_of = |one: Self, of: Self| match (one.class, of.class) {
            (Some(class), Some(base)) => of.is_any && state.is_subclass(class, base) == Some(true),
            _ => false,
        };
        self.cell == other.cell || is_one_of(self, other) || is_one_of(other, self)
    }
}

/// A number that captured code has counted, and that nothing was seen to read since.
#[derive(Debug)]
struct Unread {
    counter: Counter,
    /// Whether it belongs to the captures, as far as is known.
    of_captures: bool,
    report: Report,
}

/// What a number is read for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    keeper: Keeper,
    reading: Reading,
    site: Site,
}

/// Places that read numbers, by the numbers' names.
#[derive(Debug, Default)]
struct Reads(FxHashMap<Rc<str>, Vec<Read>>);

impl Reads {
    fn note(&mut self, name: &str, read: Read) {
        match self.0.get_mut(name) {
            Some(reads) if reads.len() >= MOST || reads.contains(&read) => {}
            Some(reads) => reads.push(read),
            None => drop(self.0.insert(Rc::from(name), vec![read])),
        }
    }

    fn of<'a>(
        &'a self,
        state: &'a Interp<'_>,
        counter: &'a Counter,
    ) -> impl Iterator<Item = &'a Read> {
        let all = self.0.get(&*counter.name).into_iter().flatten();
        all.filter(|it| counter.is_used_by(state, it.keeper, it.reading))
    }
}

/// What is noted of counters.
#[derive(Debug, Default)]
struct Noted {
    unread: Vec<Unread>,
    /// By captured code, of what was there before.
    inside: Reads,
    /// By functions that nobody was seen to call, of what others know: these may run at any time.
    at_any_time: Reads,
    /// The statements that have moved on numbers of these keepers outside captures.
    outside: FxHashSet<(Site, CellId)>,
}

/// A number is read. Returns what is to be said of it, if captured code has counted it before.
pub(super) fn read(
    judge: &mut Judge<'_, '_>,
    keeper: CellId,
    name: &str,
    reading: Reading,
    range: TextRange,
) -> Vec<Report> {
    let state = judge.state;
    let capture = state.graph_capture();
    let read = Read {
        keeper: Keeper::new(state, keeper),
        reading,
        site: state.at(range),
    };
    let counters = judge.notes.of_mut::<Noted>();
    let is_read = |it: &mut Unread| {
        *it.counter.name == *name
            && !(it.of_captures && capture.is_some())
            && it.counter.is_used_by(state, read.keeper, reading)
    };
    let reports = counters.unread.extract_if(.., is_read);
    let reports = reports.map(|it| it.report).collect();
    if capture.is_some_and(|id| keeper < state.library.captures[id.0].first_cell) {
        counters.inside.note(name, read);
    } else if state.may_be_used_at_any_time(keeper) {
        counters.at_any_time.note(name, read);
    }
    reports
}

/// A statement moves on a number outside captures.
pub(super) fn counted_outside(judge: &mut Judge<'_, '_>, keeper: CellId, site: Site) {
    // A function that nobody was seen to call may be run by captures alone.
    if !judge.is_from_nowhere() {
        judge.notes.of_mut::<Noted>().outside.insert((site, keeper));
    }
}

/// Whether a number is read that captured code counts.
pub(super) fn is_read(judge: &Judge<'_, '_>, counter: &Counter) -> bool {
    let counters = &judge.notes.of::<Noted>();
    let mut inside = counters.inside.of(judge.state, counter);
    let mut at_any_time = counters.at_any_time.of(judge.state, counter);
    inside.next().is_some() || at_any_time.next().is_some()
}

/// Whether a number belongs to the captures, as far as is known: each graph of a loop is captured once and moves it on. Nothing
/// else does, and nothing else reads it.
pub(super) fn is_of_captures(
    judge: &Judge<'_, '_>,
    id: CaptureId,
    counter: &Counter,
    site: Site,
) -> bool {
    let capture = &judge.library.captures[id.0];
    let graph = capture.graph.and_then(|it| judge.heap.object(it));
    let is_one_of_several = capture
        .loops
        .last()
        .is_some_and(|innermost| graph.is_some_and(|it| it.loops.contains(innermost)));
    let counters = &judge.notes.of::<Noted>();
    let by_captures: Vec<Site> = counters
        .inside
        .of(judge.state, counter)
        .map(|it| it.site)
        .collect();
    let mut at_any_time = counters.at_any_time.of(judge.state, counter);
    is_one_of_several
        && !counters.outside.contains(&(site, counter.keeper.cell))
        && at_any_time.all(|it| by_captures.contains(&it.site))
}

/// What is to be said of a number once something reads it.
pub(super) fn wait(judge: &mut Judge<'_, '_>, counter: Counter, of_captures: bool, report: Report) {
    let unread = &mut judge.notes.of_mut::<Noted>().unread;
    let is_it = |it: &&mut Unread| {
        it.report.draft.site == report.draft.site && it.counter.keeper == counter.keeper
    };
    if let Some(known) = unread.iter_mut().find(is_it) {
        known.counter.meets_zero |= counter.meets_zero;
        known.of_captures &= of_captures;
    } else if unread.len() < MOST {
        unread.push(Unread {
            counter,
            of_captures,
            report,
        });
    }
}
