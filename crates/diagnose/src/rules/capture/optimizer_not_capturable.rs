//! CG129: an optimizer steps in a capture without `capturable=True`.

use cgsan_finding::Confidence;

use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, called, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG129",
    check: Check::Failure(check),
};

/// Signal: PyTorch's optimizers refuse to step.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let thrown = failure.thrown()?;
    let in_optimizer = failure
        .inside()
        .iter()
        .any(|frame| stack::is_torch_file(frame, "optim/"));
    if !in_optimizer || !thrown.message.contains("capturable") {
        return None;
    }
    let optimizer = thrown
        .headline()
        .split_once("for an instance of ")
        .and_then(|(_, rest)| rest.split_whitespace().next());
    // PyTorch names those alone that have the option.
    let (note, help) = match optimizer {
        Some(optimizer) => (
            says::cg129::step_count(optimizer),
            says::cg129::construct(optimizer),
        ),
        None => (
            "this optimizer keeps its step count on the CPU".to_owned(),
            "if it takes `capturable=True`, construct it with that; `Adafactor` does not (PyTorch 2.11): leave the step out of \
             the graph, or use one that does, such as `Adam`"
                .to_owned(),
        ),
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg129::title(called(optimizer, "the optimizer")),
            "this steps the optimizer in the captured region",
        )
        .note(note)
        .help(help),
    )
}
