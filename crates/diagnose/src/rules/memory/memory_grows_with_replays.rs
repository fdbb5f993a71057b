//! CG310: memory grows from replay to replay.

use cgsan_finding::{Confidence, Location};

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG310",
    check: Check::Pool(check),
};

/// Signal: with no capture in between, one line allocated between at least 16 pairs of replays, and in most gaps; all of it is held at the
/// last replay, and no operator is given any of it after the replay that follows; or operators are given some of it for a while, a quarter
/// of the replays at most, and none that is older, of which there is as much.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::KeptOn {
        blocks,
        replays,
        used_for,
    } = &pool.waste.kind
    else {
        return None;
    };
    let verdict = Verdict::new(
        Confidence::Likely,
        "memory grows from replay to replay",
        format!(
            "allocates anew between replays, {replays} times: {} that are kept and not used again",
            size(pool.bytes(blocks))
        ),
    )
    .label(
        replay_before(
            pool,
            blocks
                .first()
                .map(|it| pool.block(*it).allocated.position)?,
        ),
        "one of the replays",
    )
    .note("nothing was captured meanwhile: a graph needs no further memory to be replayed");
    let (verdict, change) = match used_for {
        0 => (verdict, "keeping none of it"),
        _ => (
            verdict.note(format!(
                "operators are given what it allocates until {used_for} replays later, and the program keeps it longer"
            )),
            "keeping it no longer",
        ),
    };
    Some(
        verdict
            .note(pool.saves(change))
            .help("keep the numbers on the host (`.item()`, `.cpu()`), write into one tensor made before the loop, or bound what is kept"),
    )
}

/// The line of the last replay before a place of the trace.
fn replay_before(pool: &Pool<'_, '_>, position: usize) -> Option<Location> {
    let replays = &pool.pools.activity.replays;
    let before = replays.partition_point(|it| it.position < position);
    let replay = replays.get(before.checked_sub(1)?)?;
    pool.pools.history.location_at(replay.position)
}
