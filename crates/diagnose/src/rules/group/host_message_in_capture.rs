//! CG226: the host sends or receives a message in the capture, and no replay does it again.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::Message;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG226",
    check: Check::Message(check),
};

/// Signal: a collective or a message of a process group with tensors of the host alone, or a call of a pipe, a queue between processes
/// or a socket, by the thread that captures. A barrier carries no data.
fn check(message: &Message<'_, '_>) -> Option<Verdict> {
    // Until the first replay, it does no harm.
    (message.replays > 0).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "the host sends or receives a message inside the capture",
            format!("`{}` ran here once, during the capture", message.call),
        )
        .note(match message.replays {
            1 => "the graph was replayed once".to_owned(),
            many => format!("the graph was replayed {many} times"),
        })
        .note(says::cg226::NO_MESSAGE)
        .help(says::cg226::BEFORE_REPLAY)
    })
}
