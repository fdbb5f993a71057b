//! Process groups: how they are made, and what uses them.

use super::state::event::Event;
use super::state::groups::GroupLife;
use super::state::object::{Backend, Own, ProcessGroup};
use super::{Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// `init_process_group(...)`. Told no backend, PyTorch takes NCCL for tensors of the GPU.
pub(super) fn begins<'p>(interp: &mut Interp<'p>, args: &Args<'p>) {
    if !interp.is_doubtful() {
        interp.library.groups.life = GroupLife::Begun;
    }
    let named = args.get(0, "backend");
    interp.library.groups.default = ProcessGroup {
        is_new: is_lazy(args) && named.and_then(Value::as_text) == Some("nccl"),
        backend: match named {
            None if args.open => Backend::Unknown,
            None | Some(Value::None) => Backend::Nccl,
            Some(named) => backend(named),
        },
    };
}

/// `new_group(...)`. Told no backend, it has that of the default group.
pub(super) fn new_group<'p>(interp: &Interp<'p>, args: &Args<'p>) -> ProcessGroup {
    let backend = match args.get(2, "backend") {
        None | Some(Value::None) => interp.library.groups.default.backend,
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
enum Given {
    /// None: it takes the default one.
    Default,
    /// This one.
    One(CellId, ProcessGroup),
    /// An unknown one.
    Unknown,
}

/// The group among the arguments of a collective.
fn given<'p>(interp: &Interp<'p>, args: &Args<'p>) -> Given {
    // Collectives have at least two other arguments before the group; `barrier` has none.
    const OTHERS: usize = 2;
    let group = |value: &Value<'p>| match value {
        Value::Object(cell) => match interp.heap.object(*cell).map(|it| &it.kind) {
            Some(Kind::Library(Own::ProcessGroup(group))) => Some(Given::One(*cell, *group)),
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
pub(super) fn backend_of<'p>(interp: &Interp<'p>, args: &Args<'p>) -> Backend {
    match given(interp, args) {
        Given::Default => interp.library.groups.default.backend,
        Given::One(_, group) => group.backend,
        Given::Unknown => Backend::Unknown,
    }
}

/// A group is used: it makes its communicator, unless it has one.
pub(super) fn used<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    let given = given(interp, args);
    let group = match given {
        Given::One(cell, _) => Some(cell),
        _ => None,
    };
    let is_new = match given {
        Given::Default => std::mem::take(&mut interp.library.groups.default.is_new),
        Given::One(cell, group) => {
            if let Some(Kind::Library(Own::ProcessGroup(group))) =
                interp.heap.object_mut(cell).map(|it| &mut it.kind)
            {
                group.is_new = false;
            }
            group.is_new
        }
        Given::Unknown => {
            interp.library.groups.default.is_new = false;
            false
        }
    };
    interp.emit(Event::Collective {
        group,
        is_new,
        range,
    });
}

/// A collective runs.
pub(super) fn collective<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    let site = interp.at(range);
    if !matches!(backend_of(interp, args), Backend::Host | Backend::Other)
        && let Some(id) = interp.graph_capture()
    {
        interp.library.captures[id.0].collective.get_or_insert(site);
    }
}

/// `destroy_process_group()`.
pub(super) fn destroyed<'p>(interp: &mut Interp<'p>, args: &Args<'p>, range: TextRange) {
    interp.library.groups.life = GroupLife::Destroyed;
    if args.all().next().is_none() {
        interp.emit(Event::GroupsDestroyed { range });
    }
}
