//! CG401 and CG402: graphs with collectives and the process group that these use.

use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::object::{Backend, Kind, ProcessGroup};
use crate::interp::value::{CaptureId, CellId, Value};
use crate::interp::{Args, Interp, Reach};
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// The process group goes first.
pub(crate) static DESTROYED_FIRST: Rule = Rule::new("CG401", Confidence::Likely);
/// The graph is still there when the program ends.
pub(crate) static OUTLIVES_GROUP: Rule = Rule::new("CG402", Confidence::Likely);

/// `init_process_group(...)`. Told no backend, PyTorch takes NCCL for tensors of the GPU.
pub(crate) fn begins<'p>(interp: &mut Interp<'p>, args: &Args<'p>) {
    if !interp.is_doubtful() {
        interp.groups.life = GroupLife::Begun;
    }
    let named = args.get(0, "backend");
    interp.groups.default = ProcessGroup {
        is_new: is_lazy(args) && named.and_then(Value::as_text) == Some("nccl"),
        backend: match named {
            None if args.open => Backend::Unknown,
            None | Some(Value::None) => Backend::Nccl,
            Some(named) => backend(named),
        },
    };
}

/// `new_group(...)`. Told no backend, it has that of the default group.
pub(crate) fn new_group<'p>(interp: &Interp<'p>, args: &Args<'p>) -> ProcessGroup {
    let backend = match args.get(2, "backend") {
        None | Some(Value::None) => interp.groups.default.backend,
        Some(named) => backend(named),
    };
    ProcessGroup {
        is_new: is_lazy(args) && !matches!(backend, Backend::Host | Backend::Other),
        backend,
    }
}

fn backend(named: &Value<'_>) -> Backend {
    match named.as_text().map(str::to_ascii_lowercase).as_deref() {
        None => Backend::Unknown,
        Some("gloo" | "cpu:gloo") => Backend::Host,
        Some(name) if name.contains("nccl") => Backend::Nccl,
        Some(_) => Backend::Other,
    }
}

/// Whether a group makes its communicator at its first collective only: it was told no device.
fn is_lazy(args: &Args<'_>) -> bool {
    !args.open
        && args
            .name("device_id")
            .is_none_or(|it| matches!(it, Value::None))
}

/// The group that a collective is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    /// None: it takes the default one.
    Default,
    /// This one.
    One(CellId, ProcessGroup),
    /// One of which nothing is known.
    Unknown,
}

/// The group among the arguments of a collective.
pub(crate) fn given<'p>(interp: &Interp<'p>, args: &Args<'p>) -> Given {
    // Collectives have at least two other arguments before the group; `barrier` has none.
    const OTHERS: usize = 2;
    let group = |value: &Value<'p>| match value {
        Value::Object(cell) => match interp.heap.object(*cell).map(|it| &it.kind) {
            Some(Kind::ProcessGroup(group)) => Some(Given::One(*cell, *group)),
            _ => None,
        },
        _ => None,
    };
    match args.name("group") {
        Some(Value::None) => Given::Default,
        Some(named) => group(named).unwrap_or(Given::Unknown),
        None => match args.positional.iter().find_map(group) {
            Some(group) => group,
            None if args.open || args.positional.len() > OTHERS => Given::Unknown,
            None => Given::Default,
        },
    }
}

/// What a collective communicates with.
pub(crate) fn backend_of<'p>(interp: &Interp<'p>, args: &Args<'p>) -> Backend {
    match given(interp, args) {
        Given::Default => interp.groups.default.backend,
        Given::One(_, group) => group.backend,
        Given::Unknown => Backend::Unknown,
    }
}

/// What is known of the default process group.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Whether it is there.
    pub(crate) life: GroupLife,
    /// What it is.
    pub(crate) default: ProcessGroup,
    /// Whether what `atexit` calls is followed.
    pub(crate) is_exiting: bool,
}

/// What is known of the default process group's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GroupLife {
    /// Nobody was seen to make it.
    #[default]
    NotSeen,
    /// It was made.
    Begun,
    /// It was destroyed, perhaps on one of several ways.
    Destroyed,
}

impl GroupLife {
    /// What `is_initialized()` answers, if that is known.
    pub(crate) fn is_there(self) -> Option<bool> {
        (self == Self::Begun).then_some(true)
    }
}

/// A collective runs.
pub(crate) fn collective<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    let site = interp.at(range);
    if !matches!(backend_of(interp, args), Backend::Host | Backend::Other)
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
            let alive = interp.graph(graph).is_some_and(|it| !it.reset)
                && interp.is_referred_to(graph, Reach::Surely);
            alive.then_some((CaptureId(at), graph, capture.collective?))
        })
        .collect()
}

/// `destroy_process_group()`.
pub(crate) fn destroyed<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    interp.groups.life = GroupLife::Destroyed;
    if args.all().next().is_some() || interp.from_nowhere {
        return;
    }
    let Some((id, _, collective)) = alive(interp).first().copied() else {
        return;
    };
    let site = interp.at(range);
    let rule = if interp.groups.is_exiting {
        &OUTLIVES_GROUP
    } else {
        &DESTROYED_FIRST
    };
    let draft = Draft::new(
        rule,
        site,
        "the process group is destroyed while a graph holds its collectives",
    )
    .label(collective, "this collective is part of the graph")
    .note("the communicator waits for the graph to be destroyed, which may never happen")
    .help("first `graph.reset()`, or drop the last reference to the graph")
    .possible_if(is_perhaps_other(interp, collective))
    .repair(Repair::Reset(interp.shown(id), site));
    interp.report(draft);
}

/// The program ends.
pub(crate) fn program_ends(interp: &mut Interp<'_>) {
    if interp.groups.life == GroupLife::Destroyed {
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
        .possible_if(is_perhaps_other(interp, collective));
        interp.report(draft);
    }
}

/// Whether another library may communicate than NCCL: the group's backend is not known, or the file says how to load
/// something in NCCL's place.
fn is_perhaps_other(interp: &Interp<'_>, collective: Site) -> bool {
    let source = interp.project.source(collective.file);
    interp.groups.default.backend == Backend::Unknown || source.text.contains("LD_PRELOAD")
}
