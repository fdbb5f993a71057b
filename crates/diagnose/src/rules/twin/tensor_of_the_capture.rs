//! CG203: the program would read another tensor now than the graph does.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict, says};
use super::captured;
use super::read_instead::read_instead;
use crate::activity::{Does, Operation, tensors};
use crate::subjects::{Fact, Twin};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG203",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, gives an operator another tensor of the same size: one that the capture made, or to
/// which a name of the old one leads, or one made since, or any where the old one is freed. Nobody has written the old one since the replay before, but
/// for updates of a parameter that was given other memory; or the new one has been written instead, as where two buffers take
/// turns. Or the graph uses both tensors and writes one, as where the region exchanges two names, and before some replay nobody has
/// written the old one; where it gives the old one new contents, it must go on from the other one, as where the region writes the next
/// block of a ring and reads all of them. Or the graph writes the old one, and the program reads the new one after the replay, which has
/// its name and nothing new in it. A tensor of another graph may be that one's input; but not where a graph that is gone wrote
/// the old one, and one that is there writes the new one.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let (old, new) = (difference.address?, difference.address_now?);
    if difference.kind != TwinKind::Tensor || new == 0 {
        return None;
    }
    let is_exchanged = twin.exchanges(old, new) && !twin.is_written_each_time(old);
    if !is_exchanged && !is_rebound(twin) {
        return None;
    }
    let input = twin.input_at(old).map(|it| it.does);
    let reads_old = input.is_some();
    let goes_on = is_exchanged && twin.input_at(new).is_some();
    let reader = read_instead(twin, old, new).filter(|_| !reads_old && !goes_on);
    let is_of_name = reads_old || reader.is_some();
    if !(is_of_name || goes_on) {
        return None;
    }
    // What is written where a freed one was is another tensor.
    let is_there = twin.input_freed().is_none();
    let writer = twin
        .written_lately(old)
        .filter(|_| is_there && !is_exchanged);
    let rebound = twin.rebound(old);
    let is_updated =
        |writer: &Operation<'_>| rebound.is_some_and(|it| it.same_tensor) && reads(writer, old);
    let is_fed = writer.is_some_and(|writer| !is_updated(writer)) && !twin.is_passed_by(old, new);
    let is_made_here = twin.made_in_capture(new).is_some();
    let is_of_another = twin.is_of_another_graph(new) && !twin.has_a_new_writer(old, new);
    if is_fed || is_of_another || (is_made_here && twin.is_of_loop()) {
        return None;
    }
    let name = captured(twin)?;
    let called = rebound
        .map(|it| it.name.as_str())
        .or(difference.name.as_deref())
        .or_else(|| twin.name_of(old))
        .or_else(|| twin.name_of(new));
    let then = match called {
        _ if !is_of_name => format!("the capture gave `{name}` the one whose turn it was"),
        Some(called) => format!("the capture gave `{name}` the `{called}` of that time"),
        None => format!("the capture gave `{name}` the tensor of that time"),
    };
    let place = rebound.and_then(|it| {
        let function = it.function.as_deref().unwrap_or("<module>");
        Fact::place(it.file.as_ref(), it.line, function)
    });
    let here = match rebound {
        Some(it) if place.is_some() => format!("`{}` is another tensor from here on", it.name),
        _ => then.clone(),
    };
    let now = if is_made_here {
        "the one that the captured code made"
    } else {
        "another one"
    };
    let [does, would, _] = input.unwrap_or(Does::Writes).verbs();
    let title = if is_of_name {
        format!("the graph {does} the old tensor of a name that was rebound")
    } else {
        "each replay writes the tensor of the captured turn".to_owned()
    };
    let confidence = match input {
        Some(Does::Uses) => Confidence::Likely,
        _ if reader.is_some() => Confidence::Likely,
        _ => Confidence::Confirmed,
    };
    let verdict = Verdict::new(confidence, title, here);
    let verdict = match &place {
        Some(place) => verdict.at(vec![cgsan_trace::StackFrame {
            file: place.file_name(),
            function: place.function.clone(),
            line: place.line,
        }]),
        None => verdict,
    };
    Some(
        verdict
            .label(twin.then().filter(|_| place.is_some()), then)
            .label(
                twin.replay_location(),
                format!("eager now would {would} {now}; this replay {does} the old one"),
            )
            .label(
                reader.and_then(|it| twin.location_of(it)),
                "this reads the new one, which no replay writes",
            )
            .label(twin.freed_at(), "the old one is released here")
            .note(format!(
                "the graph {does} address {old:#x}; eager now would {would} {new:#x}"
            ))
            .help(if is_of_name && twin.is_larger(new, old) {
                "make the captured tensor as large as it will have to be and write into its beginning before each replay; or capture again \
                 after the change: what is larger cannot be copied into it"
                    .to_owned()
            } else if reader.is_some() {
                "keep the captured tensor under its name, and copy out of it what is to be kept: `kept = tensor.clone()`".to_owned()
            } else if is_of_name {
                says::cg203::write_into(called.unwrap_or("tensor"))
            } else {
                "keep the tensors in one and choose the place on the device, `ring.index_copy_(0, place, value)` with `place` a tensor that the \
                 graph moves on; or capture a graph for each turn"
                    .to_owned()
            }),
    )
}

/// Whether what was given another tensor is a name, and not the choice of another name. None leads to what is freed, and there was no
/// choice of what was made since.
pub(super) fn is_rebound(twin: &Twin<'_, '_>) -> bool {
    let difference = twin.difference;
    let (Some(old), Some(new)) = (difference.address, difference.address_now) else {
        return false;
    };
    twin.is_of_capture(new)
        || difference.name.is_some()
        || twin.input_freed().is_some()
        || twin.rebound(old).is_some()
        || twin.name_of(old).is_none()
        || (twin.varies && twin.is_made_since(new))
}

/// Whether an operator is given a tensor of the storage that begins at an address.
fn reads(operation: &Operation<'_>, address: u64) -> bool {
    tensors(operation.arguments).any(|it| it.address == address)
}
