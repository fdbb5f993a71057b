//! CG226: the host sends or receives a message in the capture, and no replay does it again.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
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
        .note(format!(
            "the graph was replayed {}, and no replay exchanges a message: what was received stays, and who waits for one waits on",
            match message.replays {
                1 => "once".to_owned(),
                many => format!("{many} times"),
            }
        ))
        .help("exchange the message before the replay, and copy what was received into a static tensor")
    })
}
