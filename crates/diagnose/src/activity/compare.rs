//! What differs between the eager calls of a region, and which of it the capture froze.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::forms::{Forms, Names};
use super::number::Number;
use super::region::{Call, Eager, Region};
use super::{Activity, tensors};

/// Something that changes from call to call, and that the graph holds in one form only.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) kind: Kind,
    /// The captured operator that it shows in; `None` where the capture lacks it.
    pub(crate) captured: Option<usize>,
    /// An eager operator that differs from it.
    pub(crate) eager: Option<usize>,
}

/// What differs.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Which operators run.
    Operators,
    /// A number that an operator is given: by eager call, and in the capture.
    Number {
        eager: Vec<Number>,
        captured: Number,
        /// Which of the operator's numbers.
        place: usize,
    },
    /// The size of a tensor that an operator is given: by eager call, and in the capture.
    Size { eager: Vec<u64>, captured: u64 },
}

/// How often something must change to be said to change with the calls: once may be the setting up of the first call.
const CHANGES: usize = 2;

/// The first thing that differs between the calls from one place and that the capture froze.
pub(crate) fn frozen(
    activity: &Activity<'_>,
    forms: &Forms<'_>,
    region: &Region,
) -> Option<Difference> {
    let captured = region.captured.first()?;
    if region.captured.len() > 1 {
        // Which of them a call stands for is not known.
        return None;
    }
    let does_something = !forms.works(captured).is_empty();
    region.before.iter().find_map(|eager| {
        // What was the same in all calls before is taken to stay so.
        let mut calls = eager.calls.iter();
        if does_something && calls.all(|call| forms.are_calls_alike(call, captured)) {
            return None;
        }
        sequence(activity, forms, region, eager, captured)
            .or_else(|| values(activity, forms, region, eager, captured))
    })
}

/// Different operators in different calls.
fn sequence(
    activity: &Activity<'_>,
    forms: &Forms<'_>,
    region: &Region,
    eager: &Eager,
    captured: &Call,
) -> Option<Difference> {
    let frozen = forms.works(captured);
    let is_frozen = |call: &Call| forms.works(call) == frozen;
    let later = later_calls_alike(&region.after, is_frozen)?;
    let calls = &eager.calls;
    let forms_of = |calls: &[Call]| {
        let forms = calls.iter().map(|call| forms.works(call));
        // A call of views alone is a part of one.
        settled(forms.filter(|form| !form.is_empty()).collect())
    };
    let (before, after) = (forms_of(calls), forms_of(later));
    let is_known = if eager.is_of_another_state {
        calls.iter().any(is_frozen)
    } else {
        calls.iter().chain(later).any(is_frozen)
    };
    let all = calls.iter().chain(later).chain([captured]);
    if !is_known || !varies(&before, &frozen, &after) || is_decided_by_sizes(forms, all) {
        return None;
    }
    let is_other = |call: &&Call| {
        let form = forms.works(call);
        let is_form = |call: &Call| forms.works(call) == form;
        // A call that did all that another capture holds, and once more than that, has set something up.
        let is_set_up = || {
            let held = region.elsewhere.iter().map(|it| forms.works(it));
            let mut held = held.chain([frozen.clone()]);
            calls.iter().filter(|it| is_form(it)).count() == 1
                && !region.elsewhere.is_empty()
                && held.any(|held| is_part_of(&held, &form))
        };
        // A run of equal turns of a loop looks like as many calls.
        let is_turn_of = |it: &Call| is_repeated(&form, &forms.works(it));
        let is_elsewhere = region.elsewhere.iter().any(is_turn_of);
        !form.is_empty() && form != frozen && !is_elsewhere && !is_set_up()
    };
    let other = calls.iter().rfind(is_other);
    let other = other.or_else(|| later.iter().find(is_other))?;
    Some(first_difference(activity, other, captured))
}

/// The same operators, with different sizes or numbers.
fn values(
    activity: &Activity<'_>,
    forms: &Forms<'_>,
    region: &Region,
    eager: &Eager,
    captured: &Call,
) -> Option<Difference> {
    let frozen = names(activity, captured);
    let is_alike = |call: &&Call| names(activity, call) == frozen;
    let alike: Vec<&Call> = eager.calls.iter().filter(is_alike).collect();
    let goes_on: Vec<&Call> = eager.later.iter().filter(is_alike).collect();
    if alike.len() < 2 {
        return None;
    }
    for (place, index) in captured.operations.iter().enumerate() {
        let at = |call: &Call| call.operations.get(place).copied();
        let mut before = alike.iter().filter_map(|call| at(call));
        if before.all(|twin| forms.are_alike(twin, *index)) {
            continue;
        }
        let after = region.after.iter();
        let twins = Twins {
            captured: *index,
            before: alike.iter().filter_map(|call| at(call)).collect(),
            is_of_another_state: eager.is_of_another_state,
            goes_on: goes_on.iter().filter_map(|call| at(call)).collect(),
            elsewhere: region.elsewhere.iter().filter_map(at).collect(),
            after: after
                .map(|calls| calls.iter().filter_map(at).collect())
                .collect(),
        };
        let kind = match size(forms, &twins) {
            Sizes::Same if makes_other_sizes(activity, &twins) => return None,
            Sizes::Same => number(forms, &twins),
            Sizes::Covered => return None,
            Sizes::Frozen(kind) => Some(kind),
        };
        if let Some(kind) = kind {
            return Some(Difference {
                kind,
                captured: Some(*index),
                eager: twins.before.last().copied(),
            });
        }
    }
    None
}

/// A captured operator, and what stands in its place in other calls.
struct Twins {
    captured: usize,
    /// In eager calls before the capture.
    before: Vec<usize>,
    /// Whether these work on another state: they only show what changes if they also did what was captured.
    is_of_another_state: bool,
    /// In eager calls after the first replay, from the place of those before the capture.
    goes_on: Vec<usize>,
    /// In other captures.
    elsewhere: Vec<usize>,
    /// In eager calls after the first replay, by the place that made them.
    after: Vec<Vec<usize>>,
}

impl Twins {
    /// Whether something that an operator has changes from call to call, and the capture froze `own`.
    fn is_frozen<T: PartialEq>(
        &self,
        seen: &[T],
        own: &T,
        at: impl Fn(&usize) -> Option<T>,
    ) -> bool {
        let Some(later) = later_calls_alike(&self.after, |index| at(index).as_ref() == Some(own))
        else {
            return false;
        };
        let later: Vec<T> = later.iter().filter_map(&at).collect();
        // A place that still calls eagerly, and not as it was captured, is none that the graph stands for.
        let goes_on = self.goes_on.iter().filter_map(&at).any(|it| it != *own);
        let is_elsewhere = self
            .elsewhere
            .iter()
            .filter_map(&at)
            .any(|value| value != *own);
        let is_known = !self.is_of_another_state || seen.contains(own);
        varies(seen, own, &later) && !is_elsewhere && !goes_on && is_known
    }

    /// Whether some sizes are larger than the captured ones, and some not: what is larger in all calls is another thing, such as a run for the
    /// largest sizes before there are graphs, unless a place that does what the graph does goes on with others.
    fn outgrow<T: PartialEq>(
        &self,
        seen: &[T],
        own: &T,
        at: impl Fn(&usize) -> Option<T>,
        is_larger: impl Fn(&T) -> bool,
    ) -> bool {
        let is_own = |index: &usize| at(index).as_ref() == Some(own);
        let later = later_calls_alike(&self.after, is_own).unwrap_or_default();
        let goes_on = later.iter().any(|index| !is_own(index));
        seen.iter().any(&is_larger) && (goes_on || !seen.iter().all(&is_larger))
    }
}

/// What the sizes of an operator's tensors are from call to call.
enum Sizes {
    /// The same.
    Same,
    /// Different, and that may be meant: numbers behind it change with it.
    Covered,
    /// Different, and the capture froze one.
    Frozen(Kind),
}

/// A size that changes from call to call. Of sizes that the capture's own covers, padding may take care.
fn size(forms: &Forms<'_>, twins: &Twins) -> Sizes {
    let frozen = forms.sizes(twins.captured);
    for (place, own) in frozen.iter().enumerate() {
        let at = |index: &usize| forms.sizes(*index).get(place).copied();
        let seen: Vec<u64> = twins.before.iter().filter_map(at).collect();
        if seen.iter().all(|size| size == own) {
            continue;
        }
        let outgrow = twins.outgrow(&seen, own, at, |size| size > own);
        if !outgrow || !twins.is_frozen(&seen, own, at) {
            return Sizes::Covered;
        }
        return Sizes::Frozen(Kind::Size {
            eager: seen,
            captured: *own,
        });
    }
    Sizes::Same
}

/// Whether an operator is given no tensor, and makes one whose sizes change from call to call as they may where a graph has one of them.
fn makes_other_sizes(activity: &Activity<'_>, twins: &Twins) -> bool {
    let made = |index: &usize| {
        let mut results = tensors(activity.operations[*index].results);
        results.next().map(|it| it.sizes.as_slice())
    };
    let Some(own) = made(&twins.captured) else {
        return false;
    };
    let given = activity.operations[twins.captured].arguments;
    let seen: Vec<&[u64]> = twins.before.iter().filter_map(made).collect();
    let is_larger = |sizes: &&[u64]| {
        sizes.len() != own.len() || sizes.iter().zip(own).any(|(one, own)| one > own)
    };
    let varies = tensors(given).next().is_none() && seen.iter().any(|it| *it != own);
    varies && !twins.outgrow(&seen, &own, made, is_larger)
}

/// A number that changes from call to call.
fn number(forms: &Forms<'_>, twins: &Twins) -> Option<Kind> {
    let frozen = forms.numbers(twins.captured);
    frozen.iter().enumerate().find_map(|(place, own)| {
        let at = |index: &usize| forms.numbers(*index).get(place).copied();
        let seen: Vec<Number> = twins.before.iter().filter_map(at).collect();
        twins.is_frozen(&seen, own, at).then_some(Kind::Number {
            eager: seen,
            captured: *own,
            place,
        })
    })
}

/// Of the eager calls after the first replay, those from a place that also does what the graph does; none where there are no
/// such calls at all. `None` where there are some and none of them does it: then the program runs eagerly what the graph
/// cannot do.
fn later_calls_alike<T>(after: &[Vec<T>], is_frozen: impl Fn(&T) -> bool) -> Option<&[T]> {
    if after.iter().all(Vec::is_empty) {
        return Some(&[]);
    }
    let alike = after.iter().find(|calls| calls.iter().any(&is_frozen));
    alike.map(Vec::as_slice)
}

/// Whether calls that begin with tensors of the same sizes do the same, and others do not: then the sizes decide what is done, and a
/// replay has those of the capture.
fn is_decided_by_sizes<'c>(forms: &Forms<'_>, calls: impl Iterator<Item = &'c Call>) -> bool {
    let mut by_sizes: FxHashMap<&[u64], Names<'_>> = FxHashMap::default();
    for call in calls {
        let Some(first) = call.operations.first() else {
            continue;
        };
        let form = forms.works(call);
        let known = by_sizes.entry(forms.sizes(*first));
        if *known.or_insert_with(|| Rc::clone(&form)) != form {
            return false;
        }
    }
    by_sizes.len() > 1
}

/// Whether all operators of one form come in another one, in their order.
fn is_part_of(part: &[&str], form: &[&str]) -> bool {
    let mut form = form.iter();
    part.iter().all(|own| form.any(|it| it == own))
}

/// Whether a form consists of another one, once or several times.
fn is_repeated(part: &[&str], form: &[&str]) -> bool {
    !part.is_empty()
        && form.len().is_multiple_of(part.len())
        && form.chunks(part.len()).all(|it| it == part)
}

/// The forms of calls from one place, without a first one that no second one is like: it may have set something up.
fn settled(mut forms: Vec<Names<'_>>) -> Vec<Names<'_>> {
    if forms.get(1) != forms.first() && !forms.is_empty() {
        forms.remove(0);
    }
    forms
}

/// Whether something varies from call to call: it changes often enough up to the capture, or some changes come after it. What
/// was the same in all calls before is taken to stay so.
fn varies<T: PartialEq>(before: &[T], captured: &T, after: &[T]) -> bool {
    let first: Vec<&T> = before.iter().chain([captured]).collect();
    let all: Vec<&T> = first.iter().copied().chain(after).collect();
    let changes = |values: &[&T]| values.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (before.is_empty() || changes(&first) > 0) && changes(&all) >= CHANGES
}

fn names<'t>(activity: &Activity<'t>, call: &Call) -> Vec<&'t str> {
    call.operations
        .iter()
        .map(|index| activity.operations[*index].name)
        .collect()
}

/// Where two calls part: the operators that differ, or the one that only one of the calls has.
fn first_difference(activity: &Activity<'_>, eager: &Call, captured: &Call) -> Difference {
    let (one, other) = (names(activity, eager), names(activity, captured));
    let alike = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[alike..], &other[alike..]);
    let only_captured = other.len() > 1 && other.get(1) == one.first();
    let only_eager = one.len() > 1 && one.get(1) == other.first();
    Difference {
        kind: Kind::Operators,
        captured: captured
            .operations
            .get(alike)
            .copied()
            .filter(|_| !only_eager || only_captured),
        eager: eager
            .operations
            .get(alike)
            .copied()
            .filter(|_| !only_captured),
    }
}
