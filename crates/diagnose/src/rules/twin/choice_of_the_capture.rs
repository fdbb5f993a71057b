//! CG201: the program would take another way now than the one that the graph holds.

use std::borrow::Cow;

use cgsan_finding::Confidence;
use cgsan_trace::{TwinKind, TwinOperator};

use super::super::{Check, Rule, Verdict, says};
use super::made_at_each_replay::gone_on_with;
use super::tensor_of_the_capture::is_rebound;
use super::{CHOSEN, captured, overload, short};
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG201",
    check: Check::Twin(check),
};

/// Signal: the region, run again at replays, runs other operators, leaves what another one gives in a name that outlives it, or uses
/// another tensor though the names of the captured one still lead to it and nobody has written it for this replay; and not the same at
/// all replays, which may be the setting up of the capture.
/// A tensor that the capture made and the program goes on with is CG217.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let is_choice = match twin.difference.kind {
        TwinKind::Operators => true,
        TwinKind::Tensor => {
            let now = twin.difference.address_now?;
            let is_fed = twin
                .difference
                .address
                .is_some_and(|then| is_fed(twin, then, now));
            now != 0 && !is_rebound(twin) && !twin.is_of_another_graph(now) && !is_fed
        }
        _ => false,
    };
    if !is_choice || !twin.varies || gone_on_with(twin).is_some() {
        return None;
    }
    let now = twin.difference.now.as_ref().map(short);
    let output = twin
        .difference
        .name
        .as_deref()
        .filter(|_| twin.difference.kind == TwinKind::Operators);
    let (here, there) = match (twin.difference.kind, captured(twin), now) {
        (_, Some(then), now) if let Some(output) = output => of_output(output, &then, now),
        (TwinKind::Tensor, Some(then), _) => (
            format!("the capture gave `{then}` one tensor"),
            format!("eager now would give `{then}` another one"),
        ),
        (_, Some(then), Some(now)) if then == now => of_one_name(twin, &then),
        (_, Some(then), Some(now)) => (
            format!("the capture recorded `{then}`"),
            format!("eager now would run `{now}` in its place"),
        ),
        (_, Some(then), None) => (
            format!("the capture recorded `{then}`"),
            "eager now would not run it".to_owned(),
        ),
        (_, None, Some(now)) => (
            format!("eager now would run `{now}` here, the capture did not"),
            String::new(),
        ),
        (_, None, None) => return None,
    };
    let is_elsewhere = twin.difference.then.is_some() && twin.now() != twin.then();
    let place = if is_elsewhere {
        twin.now()
    } else {
        twin.replay_location()
    };
    Some(
        Verdict::new(Confidence::Confirmed, says::cg201::TITLE, here)
            .label(place.filter(|_| !there.is_empty()), there)
            .note(CHOSEN)
            .help(if twin.lasts() {
                "capture again after the change; or capture one graph for each branch"
            } else {
                says::cg201::CHOOSE
            }),
    )
}

/// Whether the program has written the tensor of the capture for this replay: then it feeds the graph, whatever holds the tensors
/// that eager code is given.
fn is_fed(twin: &Twin<'_, '_>, then: u64, now: u64) -> bool {
    twin.written_lately(then).is_some() && !twin.is_passed_by(then, now)
}

/// What is said of a name that outlives the region.
fn of_output(name: &str, then: &str, now: Option<Cow<'_, str>>) -> (String, String) {
    let there = match now {
        Some(now) => format!("eager now would leave in `{name}` what this `{now}` gives"),
        None => format!("eager now would leave in `{name}` what it is given"),
    };
    (
        format!("the capture left what this `{then}` gives in `{name}`"),
        there,
    )
}

/// What is said of two operators with one name: what else differs.
fn of_one_name(twin: &Twin<'_, '_>, name: &str) -> (String, String) {
    let difference = twin.difference;
    let full = |it: &Option<TwinOperator>| it.as_ref().map(|it| overload(it).to_owned());
    let overloads = (full(&difference.then), full(&difference.now));
    if let (Some(then), Some(now)) = (&difference.captured, &difference.eager) {
        return (
            format!("the capture gave `{name}` a tensor of {then}"),
            format!("eager now would give it one of {now}"),
        );
    }
    if let (Some(then), Some(now)) = overloads
        && then != now
    {
        return (
            format!("the capture recorded `{then}`"),
            format!("eager now would run `{now}` in its place"),
        );
    }
    let there = if twin.then() == twin.now() {
        "eager now would give it other arguments"
    } else {
        "eager now would run another one here, in its place"
    };
    (
        format!("the capture recorded this `{name}`"),
        there.to_owned(),
    )
}
