//! CG203: the program uses another tensor under the name of the one that the graph reads.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use super::writer_replaced;
use crate::activity::{Access, Block, Does, Harm};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG203",
    check: Check::Replay(check),
};

/// Signal: the block that the graph reads was freed by the line that made a tensor of the same size: an assignment to the
/// name of the old one. Or a graph that alone wrote it was replaced by a new one.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block, operation, ..
    } = replay.harm()
    else {
        return writer_replaced::check(replay);
    };
    let does = if replay.only_uses(operation, block) {
        Does::Uses
    } else {
        Does::Reads
    };
    let [does, _, did] = does.verbs();
    let block = replay.block(block);
    let freed = block.freed?;
    let successor = successor(replay, &block)?;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            format!("the graph {does} the old tensor of a name that was rebound"),
            "the name gets another tensor here, and the old one is freed",
        )
        .at(replay.stack(freed.stack))
        .label(
            replay.harmful_replay(),
            format!("this replay {does} the tensor of the capture, which is gone"),
        )
        .label(
            replay.location_of(operation),
            format!("the capture {did} the old one here"),
        )
        .note(format!(
            "the graph {does} address {:#x}; the new tensor is at {:#x}",
            block.address, successor.address
        ))
        .help(says::cg203::write_into(
            replay.name_of(&block).unwrap_or("tensor"),
        )),
    )
}

/// The tensor that took the place of a freed one: made after the capture by the line that freed it, of its size, before it went.
fn successor(replay: &Replay<'_, '_>, block: &Block) -> Option<Block> {
    let freed = block.freed?;
    let captured = replay.capture().ended?.position;
    let line = replay.location(freed.stack)?;
    let blocks = &replay.activity.memory.blocks;
    let end = blocks.partition_point(|it| it.allocated.position < freed.position);
    blocks[..end]
        .iter()
        .rev()
        .take(RECENT)
        .find(|it| {
            it.bytes == block.bytes
                && it.address != block.address
                && it.allocated.position > captured
                && it.allocated.thread == freed.thread
                && it.freed.is_none_or(|it| it.position > freed.position)
                && replay.location(it.allocated.stack).as_ref() == Some(&line)
        })
        .filter(|it| {
            // A loop over captures gives the name to the input of the next graph.
            let is_it = |access: &Access| {
                replay.block(access.block).allocated.position == it.allocated.position
            };
            !replay.activity.others_access(replay.found.graph, is_it)
        })
        .copied()
}

/// How many blocks before the free are looked at: those of one line's work.
const RECENT: usize = 64;
