//! CG205: a number that the program would give an operator now is another one than in the graph.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict, says};
use super::{captured, is_kernel};
use crate::activity::Field;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG205",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, gives an operator another number. Of a kernel that is not PyTorch's, a smaller whole
/// number may be a length that the captured one covers. A number in a structure is one that the kernel is known to compute with. Or it
/// gives an operator numbers, not the same at all replays, in place of a tensor that nobody has written since the capture.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let field = match difference.kind {
        TwinKind::Number if difference.address.is_some() => return in_place_of_a_tensor(twin),
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
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg205::TITLE,
        format!("`{name}` was captured with {then}{place}"),
    )
    .label(
        twin.replay_location(),
        format!("{led}eager now would give it {now}; this replay uses {then}"),
    );
    Some(if SIZING.contains(&&*name) {
        verdict.help("capture one graph for each value: the number decides the size of a result")
    } else {
        kept_on_device(verdict, called, is_kernel(operator))
    })
}

/// Numbers that are given in place of the tensor that the graph reads.
fn in_place_of_a_tensor(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let old = twin.difference.address?;
    let now = twin.difference.eager.as_ref()?;
    let access = twin.input_at(old)?;
    let is_unchanged = twin.written_since(old).is_none() && !twin.writes(old);
    let is_there = twin.input_freed().is_none();
    if !(access.does.reads() && is_unchanged && is_there && twin.varies) {
        return None;
    }
    let name = captured(twin)?;
    let tensor = twin.name_of(old).unwrap_or("tensor");
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg205::TITLE,
            format!("`{name}` was captured with a tensor"),
        )
        .label(
            twin.replay_location(),
            format!(
                "eager now would give it {now}; this replay reads the tensor, which is as it was"
            ),
        )
        .help(format!(
            "write the number into the tensor, and leave it there: `{tensor}.fill_(…)`"
        )),
    )
}

/// How a graph gets a number that changes.
fn kept_on_device(verdict: Verdict, called: Option<&str>, is_kernel: bool) -> Verdict {
    let number = super::super::called(called, "the number");
    let tensor = called.unwrap_or("tensor");
    let verdict = verdict.help(says::cg205::keep_on_device(number, tensor));
    if is_kernel {
        verdict.help("and have the kernel load it from there")
    } else {
        verdict
    }
}

/// Operators whose numbers decide the sizes of their results (`native_functions.yaml`).
const SIZING: &[&str] = &["multinomial", "one_hot", "topk", "unfold"];
