//! What a step begins with.

use cgsan_diagnose::Seen;
use cgsan_model::{ExecId, ThreadId};
use cgsan_trace::{Entry, FrameId, Record, Trace};
use rustc_hash::FxHashMap;

use super::waited::{is_collective, launched, stack_of};

/// What the steps of a process begin with.
pub(super) struct Marker {
    /// The thread of the steps.
    pub(super) thread: ThreadId,
    /// How many steps there were.
    pub(super) number: u64,
    what: What,
}

enum What {
    /// Replays, by the executable graphs: a graph may be instantiated again.
    Replays { at: Vec<usize>, of: Vec<ExecId> },
    /// Collectives that one stack calls.
    Collectives { at: Vec<usize> },
}

impl Marker {
    /// What begins the steps of a process; `None` if it has none.
    pub(super) fn of(trace: &Trace, seen: &Seen<'_, '_>) -> Option<Marker> {
        most_replayed(trace, seen).or_else(|| most_called(trace))
    }

    /// Whether a step begins at an entry.
    pub(super) fn is_at(&self, index: usize) -> bool {
        let (What::Replays { at, .. } | What::Collectives { at }) = &self.what;
        at.binary_search(&index).is_ok()
    }

    /// Counts the steps that an entry says were not recorded, and gives how many.
    pub(super) fn skip(&mut self, entry: &Entry) -> u64 {
        let (Record::Counted(counted), What::Replays { of, .. }) = (&entry.record, &self.what)
        else {
            return 0;
        };
        let replays = counted.replays.iter().filter(|(exec, _)| of.contains(exec));
        let skipped = replays.map(|(_, count)| count).sum();
        self.number = self.number.saturating_add(skipped);
        skipped
    }
}

/// The graph that was replayed most often; of several, the one that was captured first.
fn most_replayed(trace: &Trace, seen: &Seen<'_, '_>) -> Option<Marker> {
    let replays: Vec<usize> = seen.captures().map(|it| it.replays).collect();
    let mut launches: FxHashMap<usize, Vec<(usize, ExecId)>> = FxHashMap::default();
    for (index, entry) in trace.entries().iter().enumerate() {
        if let Some(exec) = launched(entry)
            && let Some(capture) = seen.capture_at(index)
        {
            launches.entry(capture).or_default().push((index, exec));
        }
    }
    let recorded = |capture: usize| launches.get(&capture).map_or(0, Vec::len);
    let most = (0..replays.len())
        .filter(|capture| recorded(*capture) > 0)
        .max_by_key(|capture| {
            (
                replays[*capture].max(recorded(*capture)),
                usize::MAX - capture,
            )
        })?;
    let launches = launches.remove(&most)?;
    let mut of: Vec<ExecId> = launches.iter().map(|(_, exec)| *exec).collect();
    of.sort_unstable();
    of.dedup();
    let at = launches.into_iter().map(|(index, _)| index).collect();
    Marker::at(trace, |at| What::Replays { at, of }, at)
}

/// The collectives of the stack that calls most of them; of several, the one that came first.
fn most_called(trace: &Trace) -> Option<Marker> {
    let mut calls: Vec<(Option<FrameId>, Vec<usize>)> = Vec::new();
    let mut known: FxHashMap<Option<FrameId>, usize> = FxHashMap::default();
    for (index, entry) in trace.entries().iter().enumerate() {
        if is_collective(trace, entry) {
            let stack = stack_of(entry);
            let place = *known.entry(stack).or_insert_with(|| {
                calls.push((stack, Vec::new()));
                calls.len() - 1
            });
            calls[place].1.push(index);
        }
    }
    let first_of_most = calls.into_iter().rev().max_by_key(|(_, at)| at.len())?;
    Marker::at(trace, |at| What::Collectives { at }, first_of_most.1)
}

impl Marker {
    /// Steps that begin at these entries, of the thread of the first.
    fn at(trace: &Trace, what: impl FnOnce(Vec<usize>) -> What, at: Vec<usize>) -> Option<Marker> {
        let thread = trace.entries().get(*at.first()?)?.thread;
        Some(Marker {
            thread,
            number: 0,
            what: what(at),
        })
    }
}
