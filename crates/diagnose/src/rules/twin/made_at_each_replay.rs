//! CG217: the graph makes a tensor anew that the program goes on with.

use std::borrow::Cow;

use cgsan_finding::{Confidence, Location};
use cgsan_trace::{TwinKind, TwinUse};

use super::super::{Check, Rule, Verdict, called};
use super::{captured, short};
use crate::activity::Block;
use crate::history::stack;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG217",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, does not make a tensor that the capture made and filled; and it changes the one that is
/// there, or eager code has written it since. One that is only read is the same after each replay.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    not_made_again(twin).or_else(|| made_otherwise(twin))
}

/// Other operators make the tensor than change it: `clone` of the first gradient is a momentum, which later steps go on with.
fn made_otherwise(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let (block, now) = gone_on_with(twin)?;
    let address = block.address;
    let maker = block.allocated.stack.map(|it| twin.history.trace.stack(it));
    let is_maker = |then: &Location| {
        let place = maker.as_ref().and_then(|it| stack::user_location(it));
        place.is_some_and(|it| (&it.file, it.line) == (&then.file, then.line))
    };
    let here = match captured(twin).filter(|_| twin.then().as_ref().is_some_and(is_maker)) {
        Some(name) => {
            format!("`{name}` made the tensor during the capture, and each replay runs it again")
        }
        None => "the capture made the tensor here, and each replay makes it again".to_owned(),
    };
    let verdict = Verdict::new(Confidence::Confirmed, HEADLINE, here);
    let verdict = match &maker {
        Some(frames) => verdict.at(frames.clone()),
        None => verdict,
    };
    Some(
        verdict
            .label(
                twin.now(),
                format!("eager now would change what it holds, with `{now}`"),
            )
            .label(twin.replay_location(), "this replay makes it anew")
            .note(POOL)
            .help(advice(twin, address)),
    )
}

/// The tensor that the capture made and each replay writes, where the region of now changes it with other operators: its block, and
/// the first of these.
pub(super) fn gone_on_with<'t>(twin: &Twin<'_, 't>) -> Option<(Block, Cow<'t, str>)> {
    let difference = twin.difference;
    if difference.kind != TwinKind::Operators || difference.used != Some(TwinUse::Changed) {
        return None;
    }
    let address = difference.address?;
    let block = *twin.made_in_capture(address)?;
    if !twin.is_held(&block) || !twin.writes(address) {
        return None;
    }
    Some((block, difference.now.as_ref().map(short)?))
}

/// The region does not make the tensor any more, and is the same else.
fn not_made_again(twin: &Twin<'_, '_>) -> Option<Verdict> {
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
    let is_written = writer.is_some() && twin.is_held(block) && FILLING.contains(&&*name);
    if !is_changed && !is_written {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        HEADLINE,
        format!("`{name}` made the tensor during the capture, and each replay runs it again"),
    );
    let verdict = match writer.filter(|_| !is_changed) {
        Some(writer) => verdict.label(
            twin.location_of(writer),
            format!("`{}` wrote it here since", writer.called()),
        ),
        None => verdict,
    };
    Some(
        verdict
            .label(
                twin.replay_location(),
                "eager now would go on with what the tensor holds; this replay makes it anew",
            )
            .note(POOL)
            .help(advice(twin, address)),
    )
}

fn advice(twin: &Twin<'_, '_>, address: u64) -> String {
    format!(
        "make {} before the capture, for example in a first call outside of it",
        called(twin.name_of(address), "the tensor")
    )
}

const HEADLINE: &str = "a live tensor lies in memory that the graph uses";
const POOL: &str = "memory that is allocated during a capture belongs to the graph's pool, and each replay uses it again";

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
