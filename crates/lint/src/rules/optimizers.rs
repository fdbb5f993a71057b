//! CG129: optimizers that keep their step count on the host.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::fixes;
use crate::interp::Interp;
use crate::interp::value::CellId;
use crate::syntax::ast::TextRange;

/// PyTorch refuses the step.
pub(crate) static NOT_CAPTURABLE: Rule = Rule::new("CG129", Confidence::Confirmed);

/// The optimizers that have `capturable`.
const WITH_CAPTURABLE: [&str; 9] = [
    "Adadelta", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop",
];

/// `optimizer.step()`.
pub(crate) fn stepped(
    interp: &mut Interp<'_>,
    optimizer: CellId,
    name: &str,
    capturable: Option<bool>,
    range: TextRange,
) {
    let short = name.rsplit('.').next().unwrap_or(name);
    if interp.graph_capture().is_none()
        || capturable != Some(false)
        || !WITH_CAPTURABLE.contains(&short)
    {
        return;
    }
    let Some(made) = interp.heap.object(optimizer).map(|it| it.made) else {
        return;
    };
    let site = interp.at(range);
    let fix = fixes::add_argument_at(interp, made, "capturable=True");
    let draft = Draft::new(
        &NOT_CAPTURABLE,
        site,
        format!("`{short}` keeps its step count on the host"),
    )
    .label(made, "it is made without `capturable=True` here")
    .help("make it with `capturable=True`")
    .fix(fix);
    interp.report(draft);
}
