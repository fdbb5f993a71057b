//! What the program calls the tensors that its captures read or left alive.

use cgsan_trace::{AgentEvent, StorageName};
use rustc_hash::FxHashMap;

use super::History;

/// Where the nearest name of each storage was told: the entry, and its place among the entry's names. By the capture that it was
/// told of, as an index into [`History::captures`], and the storage's address.
pub(super) struct Names(FxHashMap<(usize, u64), (usize, usize)>);

impl Names {
    pub(super) fn of(history: &History<'_>) -> Names {
        let mut all = FxHashMap::default();
        for (position, event) in history.trace.agent_events() {
            let names = names(event);
            if names.is_empty() {
                continue;
            }
            let Some(capture) = history.captured_before(position) else {
                continue;
            };
            for (place, it) in names.iter().enumerate() {
                all.entry((capture, it.address))
                    .or_insert((position, place));
            }
        }
        Names(all)
    }

    pub(super) fn get<'t>(
        &self,
        history: &History<'t>,
        capture: usize,
        address: u64,
    ) -> Option<&'t StorageName> {
        let (position, place) = *self.0.get(&(capture, address))?;
        let event = history.trace.agent_event(position)?;
        names(event).get(place)
    }

    /// All names of one storage.
    pub(super) fn all<'t>(
        &self,
        history: &History<'t>,
        capture: usize,
        address: u64,
    ) -> impl Iterator<Item = &'t StorageName> {
        let found = self.0.get(&(capture, address));
        let event = found.and_then(|(position, _)| history.trace.agent_event(*position));
        let names = event.map(names).unwrap_or_default();
        names.iter().filter(move |it| it.address == address)
    }
}

fn names(event: &AgentEvent) -> &[StorageName] {
    match event {
        AgentEvent::GraphCaptured { names, .. } => names,
        _ => &[],
    }
}
