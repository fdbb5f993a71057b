//! Process groups and the graphs that hold their collectives.

pub(super) mod graph_outlives_process_group_at_exit;
pub(super) mod host_message_in_capture;
pub(super) mod process_group_destroyed_before_graphs;

use cgsan_finding::Confidence;

use super::Verdict;
use crate::subjects::Group;

/// What the shutting down of a group waits for, and how sure that is. With one rank nothing waits, since NCCL captures copies at most
/// (H100 and H200, PyTorch 2.11, `tests/truth`); then it is said what more ranks would do.
fn wait(group: &Group<'_, '_>) -> (Confidence, &'static str) {
    if group.ranks > 1 {
        (
            Confidence::Confirmed,
            "NCCL waits here, for ever, until the graphs are destroyed",
        )
    } else {
        (
            Confidence::Possible,
            "with more than one rank, NCCL waits here for ever",
        )
    }
}

/// Adds the lines of the graphs, of what keeps them, and of the group.
fn with_places(mut verdict: Verdict, group: &Group<'_, '_>) -> Verdict {
    for graph in &group.graphs {
        let count = match graph.collectives {
            1 => "a collective".to_owned(),
            count => format!("{count} collectives"),
        };
        let text = format!("this capture holds {count} of the group");
        verdict = verdict.label(group.captured(graph), text);
        let name = graph.held.and_then(|held| held.name.as_deref());
        let Some(name) = name else { continue };
        let keeps = format!("`{name}` keeps the graph alive");
        verdict = match graph.bound() {
            Some(bound) => verdict.label(Some(bound), keeps),
            None => verdict.note(keeps),
        };
    }
    verdict.label(group.made(), "the group was made here")
}

/// The calls that give the graphs back, as the program names them.
fn resets(group: &Group<'_, '_>) -> String {
    const MOST: usize = 3;
    let names = group.graphs.iter().map(|it| it.held?.name.as_deref());
    match names.collect::<Option<Vec<&str>>>() {
        Some(names) if (1..=MOST).contains(&names.len()) => {
            let calls = names.iter().map(|name| format!("`{name}.reset()`"));
            calls.collect::<Vec<String>>().join(", ")
        }
        _ => "`reset()` of each graph".to_owned(),
    }
}
