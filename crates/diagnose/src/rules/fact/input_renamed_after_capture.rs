//! CG203: a name that led to a tensor which the graph reads leads to another one at a replay.

use cgsan_finding::Confidence;
use cgsan_trace::{OfParameter, Rebound, StackFrame, Uses};

use super::super::{Check, Rule, Verdict, says};
use crate::history::stack;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG203",
    check: Check::Fact(check),
};

/// Signal: the name leads to a tensor of the same shape, or to another parameter of any, and nobody but the graph has written or named the old one since the replay
/// before. A tensor that the program keeps writing to, or keeps under a name of its own, is where it puts its inputs on purpose; but not
/// under a name that the captured code does not use, where it uses the one that was rebound.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Rebound {
        rebound,
        uses,
        parameter,
    } = fact.told
    else {
        return None;
    };
    let is_of_other_size = !rebound.same_shape && parameter.then && parameter.now;
    if !(rebound.same_dtype && (rebound.same_shape || is_of_other_size)) {
        return None;
    }
    let access = fact.input_at(rebound.old)?;
    let read = fact.activity.operations[access.operation].stack;
    let read = read
        .map(|frame| fact.history.trace.stack(frame))
        .unwrap_or_default();
    let has_other_name = rebound.still_held_by.iter().any(|name| !name.contains('['));
    let is_kept_on_purpose =
        has_other_name && !uses.is_some_and(|uses| is_read_by_name(uses, &read));
    let since = fact
        .last_replay()
        .or(fact.capture().ended.map(|it| it.position))?;
    let written = fact.activity.written.last(access.block);
    let is_written = written.is_some_and(|position| position > since)
        || fact.activity.others_access(fact.graph, |it| {
            it.does.may_write() && it.block == access.block
        });
    // A name may go from the input of one graph to that of the next.
    let is_of_another = fact.is_of_another_graph(rebound.new);
    if is_kept_on_purpose || is_written || is_of_another {
        return None;
    }
    let name = &rebound.name;
    let [does, _, did] = access.does.verbs();
    let here = match (rebound.same_tensor, is_of_other_size) {
        (true, false) => format!("`{name}` has other memory from here on"),
        (true, true) => format!("`{name}` has memory of another size from here on"),
        (false, false) => format!("`{name}` is another tensor from here on"),
        (false, true) => format!("`{name}` is a tensor of another size from here on"),
    };
    let freed = fact.activity.memory[access.block].freed;
    let freed = freed.filter(|it| it.position < fact.position());
    let old = match (rebound.same_tensor, freed) {
        (false, None) => "the old one, which has not changed",
        (false, Some(_)) => "the old one, whose memory was freed",
        (true, None) => "the old memory, which has not changed",
        (true, Some(_)) => "the old memory, which was freed",
    };
    // What is given up first was not replaced by an assignment.
    let taken = fact
        .taken_after(access.block, rebound.new)
        .filter(|_| rebound.same_tensor);
    Some(
        Verdict::new(
            Confidence::Likely,
            format!("the graph {does} the old tensor of a name that was rebound"),
            here,
        )
        .label(
            stack::user_location(&read),
            format!("the capture {did} the tensor that `{name}` was then"),
        )
        .label(fact.replay_location(), format!("this replay {does} {old}"))
        .label(
            fact.freed(access.block)
                .filter(|it| Some(it) != fact.own_place().as_ref()),
            "the old memory was freed here",
        )
        .label(taken.clone(), "other memory was allocated for it here")
        .note(format!(
            "the graph {does} address {:#x}; `{name}` is at {:#x}",
            rebound.old, rebound.new
        ))
        .help(help(rebound, parameter, taken.is_some())),
    )
}

fn help(rebound: &Rebound, parameter: OfParameter, is_given_up: bool) -> String {
    let name = &rebound.name;
    if !rebound.same_shape {
        "capture again after the change: what has another size cannot be copied into the tensor of the capture".to_owned()
    } else if parameter.then && !parameter.now {
        format!(
            "capture again after the change: `{name}` is no parameter any more, and what computes it is not in the graph"
        )
    } else if is_given_up {
        format!(
            "keep the memory of `{name}` as long as the graph, or capture again each time it is allocated anew"
        )
    } else if rebound.same_tensor {
        says::cg203::keep_memory(name)
    } else {
        says::cg203::write_into(name)
    }
}

/// Whether the code that read the tensor in the capture uses the name that was rebound, and none that still leads to it.
fn is_read_by_name(uses: &Uses, read: &[StackFrame]) -> bool {
    let has = |lines: &[(String, u32)]| {
        let is_there = |frame: &StackFrame| {
            lines
                .iter()
                .any(|(file, line)| *file == frame.file && *line == frame.line)
        };
        read.iter().any(is_there)
    };
    has(&uses.rebound) && !has(&uses.still_held)
}
