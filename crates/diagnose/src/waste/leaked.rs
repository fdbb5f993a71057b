//! The pool of a failed capture, which PyTorch neither closes nor gives back.

use super::kind::{Change, Changes, Kind, Waste};
use crate::history;
use crate::pools::Pools;
use crate::trial::{Placed, Scope, Sequence, Step};

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let captures = 0..pools.history.captures.len();
    captures.filter_map(|it| of_capture(pools, it)).collect()
}

fn of_capture(pools: &Pools<'_, '_>, capture: usize) -> Option<Waste> {
    let run = pools.run(capture);
    let pool = pools.of_capture(capture)?;
    let ended = run.ended.filter(history::Step::failed)?;
    let captures = pools.history.captures.iter().enumerate();
    let of_pool = captures.filter(|(other, _)| pools.of_capture(*other) == Some(pool));
    let is_used = of_pool
        .into_iter()
        .any(|(_, it)| it.ended.is_some_and(|it| !it.failed()));
    let last = pools.moments.iter().rev().find(|it| it.pools.is_some())?;
    let operations = &pools.activity.operations;
    let goes_on = operations
        .last()
        .is_some_and(|it| it.position > ended.position);
    if is_used || !goes_on || last.position < ended.position {
        return None;
    }
    let stays = last.free(pool);
    (stays > 0).then_some(Waste {
        estimate: stays,
        kind: Kind::Leaked { capture },
    })
}

/// The pools of failed captures are given back.
pub(super) fn changes(pools: &Pools<'_, '_>) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::Graphs)?;
    let last = sequence.steps.iter().rposition(|it| it.step == Step::Look);
    let mut steps = Vec::new();
    for (index, placed) in sequence.steps.iter().enumerate() {
        let position = placed.position;
        if Some(index) == last {
            let step = Step::EmptyCache;
            steps.push(Placed { position, step });
        }
        steps.push(placed.clone());
        if placed.step == Step::Fail {
            steps.push(Placed {
                position,
                step: Step::Release,
            });
        }
    }
    Some(Changes {
        sequence,
        changed: vec![(Change::Plain, steps)],
        at_end: true,
    })
}
