//! CG217: the graph makes a tensor anew that the program goes on with.

use cgsan_finding::Confidence;
use cgsan_trace::{TwinKind, TwinUse};

use super::super::{Check, Rule, Verdict, called};
use super::captured;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG217",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, does not make a tensor that the capture made and filled; and it changes the one that is
/// there, or eager code has written it since. One that is only read is the same after each replay.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let name = captured(twin)?;
    if difference.kind != TwinKind::MadeOnce || name.contains("empty") {
        return None;
    }
    let is_changed = difference.used == Some(TwinUse::Changed);
    let address = match difference.address {
        Some(0) | None => twin.made_then()?,
        Some(address) => address,
    };
    let block = twin.made_in_capture(address)?;
    let writer = twin.written_since(address);
    let is_written = writer.is_some() && block.freed.is_none() && FILLING.contains(&name);
    if !is_changed && !is_written {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a live tensor lies in memory that the graph uses",
        format!("`{name}` made the tensor during the capture, and each replay runs it again"),
    );
    let verdict = match writer.filter(|_| !is_changed) {
        Some(writer) => verdict.label(
            twin.location_of(writer),
            format!("`{}` wrote it here since", writer.name),
        ),
        None => verdict,
    };
    Some(
        verdict
            .label(
                twin.replay_location(),
                "eager now would go on with what the tensor holds; this replay makes it anew",
            )
            .note("memory that is allocated during a capture belongs to the graph's pool, and each replay uses it again")
            .help(format!(
                "make {} before the capture, for example in a first call outside of it",
                called(twin.name_of(address), "the tensor")
            )),
    )
}

/// Operators that give a new tensor one number.
const FILLING: &[&str] = &[
    "full",
    "full_like",
    "new_full",
    "new_ones",
    "new_zeros",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
];
