//! A timeline with what its questions need: launches in order, each with its work and its symbol.

use std::hash::{Hash as _, Hasher as _};

use cgsan_timeline::{Call, CallKind, Timeline, Work, WorkKind};
use rustc_hash::{FxHashMap, FxHasher};

use crate::busy::Busy;

/// A timeline, and what was made of it.
#[derive(Debug)]
pub(crate) struct Indexed<'a> {
    pub(crate) timeline: &'a Timeline,
    /// The device with the most work; that of others is left aside.
    pub(crate) device: u16,
    /// How many other devices have work.
    pub(crate) other_devices: usize,
    /// The calls that enqueue work on that device, by their begin: indices into the calls.
    pub(crate) launches: Vec<u32>,
    /// Of each launch: what it is, the same number for the same kernel, copy or graph.
    pub(crate) symbols: Vec<u32>,
    /// The calls that wait for the device: indices into the calls.
    waits: Vec<u32>,
    /// The work, ordered by call: indices into the work.
    by_call: Vec<u32>,
    /// Of each call: where its work begins in `by_call`; one more for the end.
    begins: Vec<u32>,
    /// When the device has work.
    pub(crate) busy: Busy,
}

impl<'a> Indexed<'a> {
    pub(crate) fn new(timeline: &'a Timeline) -> Self {
        let (device, other_devices) = busiest(timeline);
        let (by_call, begins) = by_call(timeline, device);
        let mut indexed = Self {
            timeline,
            device,
            other_devices,
            launches: Vec::new(),
            symbols: Vec::new(),
            waits: Vec::new(),
            by_call,
            begins,
            busy: Busy::default(),
        };
        indexed.sort_calls();
        indexed.busy = indexed.busy_without(|_| false);
        indexed
    }

    fn sort_calls(&mut self) {
        let mut known: FxHashMap<(CallKind, u64), u32> = FxHashMap::default();
        for (at, call) in self.timeline.calls.iter().enumerate() {
            let index = u32::try_from(at).unwrap_or(u32::MAX);
            if self.waits_for_device(index, call) {
                self.waits.push(index);
            }
            // A launch whose work is on another device, or that did nothing, is no launch of this one.
            let is_launch = call.kind.is_launch()
                && (!self.work_of_call(index).is_empty() || self.timeline.work.is_empty());
            if is_launch {
                let what = self.what(index, call);
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                self.launches.push(index);
                self.symbols
                    .push(*known.entry((call.kind, what)).or_insert(next));
            }
        }
    }

    /// What a launch enqueued: the graph, or the names of its work.
    fn what(&self, index: u32, call: &Call) -> u64 {
        let mut hasher = FxHasher::default();
        match call.graph {
            Some(graph) => graph.hash(&mut hasher),
            None if self.work_of_call(index).is_empty() => call.name.hash(&mut hasher),
            None => {
                // Branches of a graph run in another order each time.
                let work = self.work_of_call(index).iter();
                let mut names: Vec<_> = work.map(|it| self.work(*it).name).collect();
                names.sort_unstable();
                names.hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Whether the host stands still in a call until work is done.
    fn waits_for_device(&self, index: u32, call: &Call) -> bool {
        match call.kind {
            CallKind::Wait | CallKind::BlockingCopy => true,
            CallKind::Copy => {
                let mut work = self.work_of_call(index).iter();
                work.any(|it| self.work(*it).kind == WorkKind::ToPageable)
            }
            _ => false,
        }
    }

    /// A call, by its index.
    pub(crate) fn call(&self, index: u32) -> &'a Call {
        &self.timeline.calls[index as usize]
    }

    /// A piece of work, by its index.
    pub(crate) fn work(&self, index: u32) -> &'a Work {
        &self.timeline.work[index as usize]
    }

    /// What a call enqueued: indices into the work.
    pub(crate) fn work_of_call(&self, index: u32) -> &[u32] {
        let index = index as usize;
        &self.by_call[self.begins[index] as usize..self.begins[index + 1] as usize]
    }

    /// The work of launches, by their numbers.
    pub(crate) fn work_of(
        &self,
        launches: std::ops::Range<usize>,
    ) -> impl Iterator<Item = &'a Work> + '_ {
        self.launches[launches]
            .iter()
            .flat_map(|call| self.work_of_call(*call))
            .map(|it| self.work(*it))
    }

    /// The calls that wait and return in `[begin, end)`.
    pub(crate) fn waits_between(&self, begin: u64, end: u64) -> impl Iterator<Item = u32> + '_ {
        let first = self
            .waits
            .partition_point(|it| self.call(*it).span.start < begin);
        self.waits[first..]
            .iter()
            .copied()
            .take_while(move |it| self.call(*it).span.start < end)
    }

    /// When the device has other work than some.
    pub(crate) fn busy_without(&self, is_left_out: impl Fn(&Work) -> bool) -> Busy {
        let work = self.timeline.work.iter();
        let others = work.filter(|it| it.device == self.device && !is_left_out(it));
        Busy::of(others.map(|it| it.span))
    }

    /// Where the first work of launches begins on the device.
    pub(crate) fn first_work(&self, launches: std::ops::Range<usize>) -> Option<u64> {
        self.work_of(launches).map(|it| it.span.start).min()
    }
}

/// The device with the most work, and how many others have some.
fn busiest(timeline: &Timeline) -> (u16, usize) {
    let mut counts: FxHashMap<u16, u64> = FxHashMap::default();
    for work in &timeline.work {
        *counts.entry(work.device).or_default() += 1;
    }
    let most = counts
        .iter()
        .max_by_key(|(device, count)| (**count, std::cmp::Reverse(**device)));
    (
        most.map_or(0, |(device, _)| *device),
        counts.len().saturating_sub(1),
    )
}

/// The work of a device by call: indices, and where each call's begin.
fn by_call(timeline: &Timeline, device: u16) -> (Vec<u32>, Vec<u32>) {
    let mut begins = vec![0u32; timeline.calls.len() + 1];
    let of_device = || {
        let work = timeline.work.iter().enumerate();
        work.filter(move |(_, it)| it.device == device)
            .filter_map(|(at, it)| Some((u32::try_from(at).ok()?, it.call? as usize)))
    };
    for (_, call) in of_device() {
        begins[call + 1] += 1;
    }
    for at in 1..begins.len() {
        begins[at] += begins[at - 1];
    }
    let mut next = begins.clone();
    let mut by_call = vec![0; begins.last().map_or(0, |it| *it as usize)];
    for (at, call) in of_device() {
        by_call[next[call] as usize] = at;
        next[call] += 1;
    }
    (by_call, begins)
}
