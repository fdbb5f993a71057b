//! CG205: a number that the program would give an operator now is another one than in the graph.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict};
use super::captured;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG205",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, gives an operator another number. Of a kernel that is not PyTorch's, a smaller whole
/// number may be a length that the captured one covers.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    if difference.kind != TwinKind::Number {
        return None;
    }
    let (then, now) = (difference.captured.as_ref()?, difference.eager.as_ref()?);
    let is_of_torch = difference.then.as_ref()?.operator.starts_with("aten.");
    if let (false, Ok(then), Ok(now)) = (is_of_torch, then.parse::<i64>(), now.parse::<i64>())
        && now < then
    {
        return None;
    }
    let name = captured(twin)?;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a number that changes is frozen in the graph",
            format!("`{name}` was captured with {then}"),
        )
        .label(
            twin.replay_location(),
            format!("eager now would give it {now}; this replay uses {then}"),
        )
        .help(if SIZING.contains(&name) {
            "capture one graph for each value: the number decides the size of a result"
        } else {
            "keep the number in a tensor on the device and write into it before each replay, with `fill_()`"
        }),
    )
}

/// Operators whose numbers decide the sizes of their results (`native_functions.yaml`).
const SIZING: &[&str] = &["multinomial", "one_hot", "topk", "unfold"];
