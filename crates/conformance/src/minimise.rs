//! The shortest part of a program that still shows a disagreement.
//!
//! Only the model can be asked again: the driver's answers are those of the whole program. So calls are left out as long
//! as the model gives the recorded answer to every call that remains but the last, and gives the last the same wrong one.
//! Calls with an event, a graph, an executable or an address of the last call stay: what the driver made of them may be
//! just what the model does not know.

use crate::player::Player;
use crate::programs::{Comparison, Step, step};
use crate::recording::{Header, Op, Program};
use crate::report::Subject;

/// The operations that are needed for the disagreement at `position`, which is the last of them.
pub fn shortest<'a>(
    program: &'a Program,
    header: &Header,
    position: usize,
    wanted: &Comparison,
) -> Vec<&'a Op> {
    let ops: Vec<&Op> = program.ops[..=position].iter().collect();
    let budget = disagreements(&ops, header, wanted).map_or(0, |found| found.earlier);
    let shows = |ops: &[&Op]| {
        disagreements(ops, header, wanted).is_some_and(|found| found.earlier <= budget)
    };
    let objects = objects(&program.ops[position]);
    let may_go = |op: &&Op| {
        self::objects(op)
            .iter()
            .all(|object| !objects.contains(object))
    };
    cgsan_model::shortest(&ops, may_go, shows)
}

/// What an operation works with besides streams: the kind, and the index of the variable.
fn objects(op: &Op) -> Vec<(&'static str, i64)> {
    match op.name.as_str() {
        "end" | "end_by_driver" => vec![("graph", op.a1)],
        "instantiate" => vec![("graph", op.a0), ("exec", op.a0)],
        "begin_to_graph" => vec![("graph", op.a1 % 4)],
        "insert" if op.a1 % 4 == 1 => vec![("graph", op.a1 / 4)],
        "graph_create" | "graph_destroy" | "graph_look" | "user_object" | "graph_link"
        | "graph_unlink" | "graph_remove_node" => vec![("graph", op.a0)],
        "graph_clone" => vec![("graph", op.a0), ("graph", op.a1)],
        "graph_add" | "graph_body" => match op.a1 % 16 {
            5 => vec![("graph", op.a0), ("graph", op.a1 / 64)],
            6 | 7 => vec![("graph", op.a0), ("event", op.a1 / 64)],
            8 | 9 => vec![("graph", op.a0), ("address", op.a1 / 64)],
            _ => vec![("graph", op.a0)],
        },
        "exec_update" => vec![("exec", op.a0), ("graph", op.a1)],
        "exec_destroy" => vec![("exec", op.a0)],
        "launch" | "upload" => vec![("exec", op.a1)],
        "malloc_async" | "free_async" | "free_allocated" => vec![("address", op.a1)],
        "event_query" | "event_sync" | "event_replace" => vec![("event", op.a0)],
        "event_elapsed" => vec![("event", op.a0), ("event", op.a1)],
        "event_record" | "event_record_ext" | "wait_event" | "wait_event_ext" => {
            vec![("event", op.a1)]
        }
        _ => Vec::new(),
    }
}

struct Found {
    /// How many calls before the last got another answer than recorded.
    earlier: usize,
}

/// Replay operations. `None` if the last does not show the wanted difference.
fn disagreements(ops: &[&Op], header: &Header, wanted: &Comparison) -> Option<Found> {
    let mut player = Player::new(header);
    let mut found = Found { earlier: 0 };
    let (last, before) = ops.split_last()?;
    for op in before {
        let Step::Compared(comparisons) = step(&mut player, op) else {
            continue;
        };
        found.earlier += comparisons
            .iter()
            .filter(|seen| counts(seen, wanted))
            .count();
    }
    let Step::Compared(comparisons) = step(&mut player, last) else {
        return None;
    };
    let shows = |seen: &Comparison| {
        seen.subject == wanted.subject
            && seen.stream == wanted.stream
            && seen.difference == wanted.difference
    };
    comparisons.iter().any(shows).then_some(found)
}

/// Whether a difference makes the shorter program another one. The states of streams that are not at stake may differ,
/// or no other stream's capture could be left out.
fn counts(seen: &Comparison, wanted: &Comparison) -> bool {
    let is_at_stake = seen.subject != Subject::States || seen.stream == wanted.stream;
    seen.difference.is_some() && is_at_stake
}
