//! CG205: a number of an optimizer changes, and the captured step goes on with the old one.

use cgsan_finding::Confidence;
use cgsan_trace::{OptimizerChange, StackFrame};

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Fact, Told};

/// What the agent tells of a number that was a tensor of the GPU.
const TENSOR: &str = "a tensor";

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG205",
    check: Check::Fact(check),
};

/// Signal: the graph has a step of PyTorch's own optimizer that writes parameters of a group, and a number of the group is another one
/// than at the end of the capture. A step hands numbers that are no tensors to its kernels by value (`torch/optim`, PyTorch 2.6 to 2.15).
/// Or the graph reads a tensor that was a number of an optimizer with a step of its own, several numbers took the place of that since, and
/// nobody has written it.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Number(change) = fact.told else {
        return None;
    };
    let mut parameters = change.parameters.iter();
    let step = parameters.find_map(|parameter| fact.stepped_in_graph(*parameter));
    if change.captured == TENSOR {
        let reads = || fact.reads_unchanged(*change.parameters.first()?);
        return Some(no_tensor_any_more(fact, change, step.or_else(reads)?));
    }
    let step = step?;
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a number of an optimizer is frozen in the graph",
        format!(
            "the capture recorded `{}` = {}",
            change.key, change.captured
        ),
    )
    .at(step)
    .label(
        fact.replay_location(),
        format!(
            "`{}` is {} by now, and this replay uses {}",
            change.name, change.now, change.captured
        ),
    );
    Some(if change.key == "lr" {
        verdict.help(
            "give the optimizer a tensor that schedulers write into: `lr=torch.tensor(…, device=\"cuda\")`, with `fused=True` for \
             `SGD` and `capturable=True` for `Adam` and its kin; or leave the step out of the graph, or capture it again when the number changes",
        )
    } else {
        verdict.help("leave the step out of the graph, or capture it again when the number changes")
    })
}

/// A number was given in place of the tensor that the graph reads.
fn no_tensor_any_more(
    fact: &Fact<'_, '_>,
    change: &OptimizerChange,
    step: Vec<StackFrame>,
) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "the graph reads the tensor that a number of an optimizer was",
        format!("the capture recorded `{}` as a tensor", change.key),
    )
    .at(step)
    .label(
        fact.replay_location(),
        format!(
            "`{}` is {} by now, and this replay reads the tensor",
            change.name, change.now
        ),
    )
    .help(format!(
        "write into the tensor, and leave it there: `{}.fill_(…)`",
        change.name
    ))
}
