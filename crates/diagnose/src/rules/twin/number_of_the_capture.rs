//! CG205: a number that the program would give an operator now is another one than in the graph.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict};
use super::{captured, is_kernel};
use crate::activity::Field;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG205",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, gives an operator another number. Of a kernel that is not PyTorch's, a smaller whole
/// number may be a length that the captured one covers. A number in a structure is one that the kernel is known to compute with.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let field = match difference.kind {
        TwinKind::Number => None,
        TwinKind::Field => Some(Field {
            parameter: usize::try_from(difference.address_now?).ok()?,
            offset: difference.address?,
        }),
        _ => return None,
    };
    let (then, now) = (difference.captured.as_ref()?, difference.eager.as_ref()?);
    let operator = difference.then.as_ref()?;
    let is_of_torch = operator.operator.starts_with("aten.");
    if let (false, Ok(then), Ok(now)) = (is_of_torch, then.parse::<i64>(), now.parse::<i64>())
        && now < then
    {
        return None;
    }
    let name = captured(twin)?;
    let place = field.map(|it| format!(" at {it}")).unwrap_or_default();
    let called = difference.name.as_deref();
    let led = called
        .map(|it| format!("`{it}` has changed: "))
        .unwrap_or_default();
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a number that changes is frozen in the graph",
            format!("`{name}` was captured with {then}{place}"),
        )
        .label(
            twin.replay_location(),
            format!("{led}eager now would give it {now}; this replay uses {then}"),
        )
        .help(if SIZING.contains(&&*name) {
            "capture one graph for each value: the number decides the size of a result".to_owned()
        } else {
            kept_on_device(called, is_kernel(operator))
        }),
    )
}

/// How a graph gets a number that changes.
fn kept_on_device(called: Option<&str>, is_kernel: bool) -> String {
    let (kept, filled) = match called {
        Some(name) => (format!("`{name}`"), format!("`{name}.fill_(…)`")),
        None => ("the number".to_owned(), "`fill_()`".to_owned()),
    };
    let loaded = if is_kernel {
        ", have the kernel load it from there,"
    } else {
        ""
    };
    format!(
        "keep {kept} in a tensor on the device{loaded} and write into it before each replay, with {filled}"
    )
}

/// Operators whose numbers decide the sizes of their results (`native_functions.yaml`).
const SIZING: &[&str] = &["multinomial", "one_hot", "topk", "unfold"];
