//! Nodes and changes in words.

use cgsan_finding::{Direction, GraphNode};
use cgsan_graphs::Change;

use crate::kernel;

/// What a node is: its kernel, or what is copied or filled, and the operator that enqueued it.
pub(super) fn node(node: &GraphNode) -> String {
    let what = match &node.name {
        Some(name) if node.kind == "kernel" => format!("kernel `{}`", kernel::short(name)),
        Some(name) => format!("{} of {name}", node.kind),
        None => node.kind.to_owned(),
    };
    let operator = node.operator.as_ref();
    what + &operator.map(|it| format!(" of `{it}`")).unwrap_or_default()
}

/// What has changed, and from what to what.
pub(super) fn change(change: &Change) -> String {
    let (what, old, new) = match change {
        Change::Kind { old, new } => ("kind", (*old).to_owned(), (*new).to_owned()),
        Change::Kernel { old, new } => {
            let (old, new) = names(old.as_deref(), new.as_deref());
            ("kernel", old, new)
        }
        Change::Grid { old, new } => ("grid", dimensions(*old), dimensions(*new)),
        Change::Block { old, new } => ("block", dimensions(*old), dimensions(*new)),
        Change::Shared { old, new } => ("shared memory", bytes(*old), bytes(*new)),
        Change::Direction { old, new } => ("direction", direction(*old), direction(*new)),
        Change::Bytes { old, new } => ("size", bytes(*old), bytes(*new)),
        Change::Value { old, new } => ("value", old.to_string(), new.to_string()),
        Change::Rows { old, new } => ("rows", old.to_string(), new.to_string()),
    };
    format!("{what}: {old} → {new}")
}

/// Two kernels: short if that tells them apart.
fn names(old: Option<&str>, new: Option<&str>) -> (String, String) {
    let quoted = |name: Option<&str>, shown: &dyn Fn(&str) -> String| {
        name.map_or_else(|| "unknown".to_owned(), |name| format!("`{}`", shown(name)))
    };
    let short = (quoted(old, &kernel::short), quoted(new, &kernel::short));
    if short.0 != short.1 {
        return short;
    }
    let full = |name| quoted(name, &str::to_owned);
    (full(old), full(new))
}

fn direction(direction: Direction) -> String {
    direction.words().to_owned()
}

fn bytes(bytes: impl std::fmt::Display) -> String {
    format!("{bytes} bytes")
}

/// Dimensions without the last ones that are 1.
pub(crate) fn dimensions([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}×{y}"),
        _ => format!("{x}×{y}×{z}"),
    }
}
