//! A tensor that took the place of one which the graph writes, and that the program reads as if replays wrote it.

use crate::activity::{BlockId, Operation};
use crate::subjects::Twin;

/// The eager operator that reads the new tensor first after the replay. A name of the old one leads to it, nobody reads the old one any
/// more, and nothing has written the new one in between.
pub(super) fn read_instead<'h, 't>(
    twin: &Twin<'h, 't>,
    old: u64,
    new: u64,
) -> Option<&'h Operation<'t>> {
    let is_in_its_place = twin.rebound(old).is_some_and(|it| it.new == new)
        && twin.is_made_since(new)
        && twin.writes(old)
        && !twin.is_of_capture(old)
        && !twin.is_of_another_graph(old);
    if !is_in_its_place {
        return None;
    }
    let (old, new) = (block_at(twin, old)?, block_at(twin, new)?);
    let since = twin.activity.operations.iter();
    let mut since = since.filter(|it| it.position > twin.position() && it.capture.is_none());
    let touches = |it: &Operation<'_>, block, writes| it.touched.contains(&(block, writes));
    if since.clone().any(|it| touches(it, old, false)) {
        return None;
    }
    since
        .find(|it| touches(it, new, false) || touches(it, new, true))
        .filter(|it| !touches(it, new, true))
}

/// The block at an address that the program holds at the replay.
fn block_at(twin: &Twin<'_, '_>, address: u64) -> Option<BlockId> {
    let memory = &twin.activity.memory;
    let mut blocks = memory.ids().filter(|it| twin.is_held(&memory[*it]));
    blocks.find(|it| memory[*it].overlaps(address, 1))
}
