//! CG401 and CG402: graphs with collectives and the process group that these use.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::fixes::Repair;
use crate::interp::value::{CaptureId, CellId, Site, Value};
use crate::interp::{Args, Interp};
use crate::syntax::ast::TextRange;

/// The process group goes first.
pub(crate) static DESTROYED_FIRST: Rule = Rule::new("CG401", Confidence::Likely);
/// The graph is still there when the program ends.
pub(crate) static OUTLIVES_GROUP: Rule = Rule::new("CG402", Confidence::Likely);

/// What the default process group communicates with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Backend {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// NCCL, whose communicators wait for the graphs that hold their collectives.
    Nccl,
    /// Another one.
    Other,
}

/// `init_process_group(...)`. Told no backend, PyTorch takes NCCL for tensors of the GPU.
pub(crate) fn begins(interp: &mut Interp<'_>, args: &Args<'_>) {
    interp.group_backend = match args.get(0, "backend") {
        None if args.open => Backend::Unknown,
        None | Some(Value::None) => Backend::Nccl,
        Some(backend) => match backend.as_text() {
            Some(name) if name.to_ascii_lowercase().contains("nccl") => Backend::Nccl,
            Some(_) => Backend::Other,
            None => Backend::Unknown,
        },
    };
}

/// A collective runs.
pub(crate) fn collective(interp: &mut Interp<'_>, range: TextRange) {
    let site = interp.at(range);
    if interp.group_backend != Backend::Other
        && let Some(id) = interp.graph_capture()
    {
        interp.captures[id.0].collective.get_or_insert(site);
    }
}

/// The captures whose graphs hold collectives and were not reset, with the graph and the collective's site.
fn alive(interp: &Interp<'_>) -> Vec<(CaptureId, CellId, Site)> {
    interp
        .captures
        .iter()
        .enumerate()
        .filter_map(|(at, capture)| {
            let graph = capture.graph?;
            let alive =
                interp.graph(graph).is_some_and(|it| !it.reset) && interp.is_referred_to(graph);
            alive.then_some((CaptureId(at), graph, capture.collective?))
        })
        .collect()
}

/// `destroy_process_group()`.
pub(crate) fn destroyed<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    interp.group_destroyed = true;
    if args.all().next().is_some() || interp.from_nowhere {
        return;
    }
    let Some((id, _, collective)) = alive(interp).first().copied() else {
        return;
    };
    let site = interp.at(range);
    let draft = Draft::new(
        &DESTROYED_FIRST,
        site,
        "the process group is destroyed while a graph holds its collectives",
    )
    .label(collective, "this collective is part of the graph")
    .note("the communicator waits for the graph to be destroyed, which may never happen")
    .help("first `graph.reset()`, or drop the last reference to the graph")
    .possible_if(interp.group_backend == Backend::Unknown)
    .repair(Repair::Reset(id, site));
    interp.report(draft);
}

/// The program ends.
pub(crate) fn program_ends(interp: &mut Interp<'_>) {
    if interp.group_destroyed {
        return;
    }
    for (_, graph, collective) in alive(interp) {
        if !interp.is_held_by_class(graph) {
            continue;
        }
        let draft = Draft::new(
            &OUTLIVES_GROUP,
            collective,
            "the graph of this collective outlives its process group",
        )
        .note("a class holds the graph until after the process group is gone")
        .help("`graph.reset()` before the program ends")
        .possible_if(interp.group_backend == Backend::Unknown);
        interp.report(draft);
    }
}
