//! CG217: a tensor that outlives the capture shares its memory with temporaries of the graph.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG217",
    check: Check::Replay(check),
};

/// Signal: something reads a tensor that was allocated during the capture, after a replay of the same graph has used its
/// memory for a temporary and not written the tensor anew.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::TemporaryOverLive { block, reader } = replay.harm() else {
        return None;
    };
    let block = replay.block(block);
    let (read, who) = replay.reader(reader);
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a tensor that lives on lies in memory that the graph uses",
            "this replay writes a temporary over the tensor",
        )
        .label(
            replay.location(block.allocated.stack),
            "the tensor was allocated here, during the capture",
        )
        .label(read, format!("{who} reads it here"))
        .note("memory that is allocated during a capture belongs to the graph's pool, and each replay uses it again")
        .help("allocate the tensor before the capture, or clone it out of the pool before the next replay"),
    )
}
