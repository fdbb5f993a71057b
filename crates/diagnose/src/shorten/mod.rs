//! Traces of programs that run for weeks: the oldest entries give way to what was found in them.
//!
//! What comes after a gap in the recording is judged as if what lay in memory before were unknown. So a trace is cut where a gap ends, and
//! what was there before the gap is one more thing that was not recorded. What lasts from before stays: living graphs, blocks in
//! use, streams, events.
//!
//! | file | what it is |
//! |---|---|
//! | `mod` | where a trace is cut, and what takes the place of its beginning |
//! | `superseded` | what of a beginning says nothing any more, since something after it does |
//! | `held` | what the allocator held, told once |

mod held;
mod superseded;

use cgsan_trace::{Fate, Record, Trace};

use crate::part;
use crate::summary::Summary;

/// A trace that was read from these bytes, as a file holds it, in which all but about the newest `newest` bytes have given way to what
/// was found in them. `None` if there is no place to cut it.
pub fn shorten(mut trace: Trace, bytes: &[u8], newest: usize) -> Option<Vec<u8>> {
    let cut = place_to_cut(&trace, bytes.len(), newest)?;
    // What comes behind is told of later, and counted then.
    let begins = trace.part_begins();
    trace.narrow(begins, |index| index < cut);
    let mut lasts = part::lasting(&trace, cut);
    let mut held = None;
    let summary = Summary::of_beginning(&trace, &lasts, &mut |pools| {
        held = held::at(&trace, &lasts, &pools.moments);
    });
    superseded::leave_out(&trace, &mut lasts);
    let gave_way = lasts.kept.iter().filter(|is_kept| !**is_kept).count() as u64;
    let record = Record::Summarized {
        entries: trace.summarized().map_or(0, |it| it.entries) + gave_way,
        summary: summary.to_line().ok()?,
    };
    let mut fate = |index: usize| match &held {
        Some((at, held)) if *at == index => Fate::Becomes(Box::new(held.clone())),
        _ if lasts.kept[index] => Fate::Stays,
        _ => Fate::Goes,
    };
    cgsan_trace::shorten(bytes, cut, &mut fate, record).ok()
}

/// The last end of a gap that leaves so many of a trace's bytes, or else the first one. Entries are taken to be of one size.
fn place_to_cut(trace: &Trace, bytes: usize, newest: usize) -> Option<usize> {
    let entries = trace.entries();
    let stay = entries.len() as u128 * newest as u128 / bytes.max(1) as u128;
    let stay = usize::try_from(stay).unwrap_or(usize::MAX);
    let wanted = entries.len().saturating_sub(stay);
    let first = trace.part_begins() + 1;
    let is_end_of_gap = |index: &usize| matches!(entries[*index].record, Record::Counted(_));
    let before = (first..wanted).rev().find(is_end_of_gap);
    before.or_else(|| (first.max(wanted)..entries.len()).find(is_end_of_gap))
}
