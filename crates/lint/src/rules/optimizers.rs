//! CG129: optimizers that keep their step count on the host.

use super::judge::Judge;
use crate::draft::{Argument, Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;
use crate::torch;
use crate::torch::state::object::Optimizer;

/// PyTorch refuses the step.
pub(crate) static NOT_CAPTURABLE: Rule = Rule::new("CG129", Confidence::Confirmed);

/// The optimizers that have `capturable`.
const WITH_CAPTURABLE: [&str; 9] = [
    "Adadelta", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop",
];

/// `optimizer.step()`.
pub(super) fn stepped(
    judge: &mut Judge<'_, '_>,
    cell: CellId,
    optimizer: &Optimizer,
    range: TextRange,
) {
    let name = &*optimizer.name;
    let short = name.rsplit('.').next().unwrap_or(name);
    if judge.graph_capture().is_none()
        || !WITH_CAPTURABLE.contains(&short)
        || torch::optimizers::is_capturable(judge, cell) != Some(false)
    {
        return;
    }
    let Some(made) = judge.heap.object(cell).map(|it| it.made) else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(
        &NOT_CAPTURABLE,
        site,
        says::cg129::title(format!("`{short}`")),
    )
    .label(made, "it is not made `capturable` here")
    .note(says::cg129::step_count(short))
    .help(says::cg129::construct(short))
    .repair(Repair::Pass(made, Argument::safe("capturable", "True")));
    judge.report(draft);
}
