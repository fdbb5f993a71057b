//! CG204: the graph reads autocast's copy of a weight that was written since.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict, called, says};
use super::captured;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG204",
    check: Check::Twin(check),
};

/// Signal: the capture found a cast copy of a tensor in autocast's cache; the region, run again at a replay, casts the tensor, and
/// that was written since.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let now = difference.now.as_ref()?;
    if difference.kind != TwinKind::MadeNow || !now.operator.starts_with(CAST) {
        return None;
    }
    let source = difference.address_now?;
    let written = twin.written_since(source)?;
    let name = captured(twin)?;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the graph reads autocast's copy of an older weight",
            format!("`{name}` was captured with the copy that autocast had kept"),
        )
        .label(
            twin.location_of(written),
            format!(
                "{} is written here",
                called(twin.name_of(source), "the weight")
            ),
        )
        .label(
            twin.replay_location(),
            "eager now would cast it anew; this replay reads the old copy",
        )
        .help(says::cg204::CACHE_OFF),
    )
}

/// What casts (`native_functions.yaml`).
const CAST: &str = "aten._to_copy.";
