//! CG213 and CG505: hooks of graphed callables.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::class::PART;
use crate::interp::value::{CellId, Site};
use crate::syntax::ast::TextRange;

/// A hook inside a graphed callable never runs.
pub(crate) static SKIPPED: Rule = Rule::new("CG213", Confidence::Confirmed);
/// Hooks of gradients run only after the whole graphed backward.
pub(crate) static DEFERRED: Rule = Rule::new("CG505", Confidence::Likely);

/// A hook is registered on something of a graphed callable.
pub(crate) fn registered(interp: &mut Interp<'_>, object: CellId, graphed: Site, range: TextRange) {
    let part = interp
        .heap
        .object(object)
        .is_some_and(|it| it.fields.contains_key(PART));
    if !part {
        return;
    }
    let site = interp.at(range);
    let draft = Draft::new(
        &SKIPPED,
        site,
        "the graph skips hooks of the modules inside it",
    )
    .label(graphed, "it was graphed here")
    .note("a replay repeats kernels, and runs no Python")
    .help("do the hook's work in `forward`, or hook the graphed module itself");
    interp.report(draft);
}

/// A hook is registered on a tensor, which may be a parameter of a graphed callable.
pub(crate) fn on_tensor(interp: &mut Interp<'_>, tensor: CellId, range: TextRange) {
    let Some((_, graphed)) = interp
        .notes
        .graphed_parameters
        .iter()
        .find(|(it, _)| *it == tensor)
        .copied()
    else {
        return;
    };
    let site = interp.at(range);
    let draft = Draft::new(
        &DEFERRED,
        site,
        "this hook runs only after the whole graphed backward",
    )
    .label(graphed, "it was graphed here")
    .note("a graphed backward is one launch: all its gradients are there only when it has ended")
    .help("graph smaller parts, so that communication can begin earlier");
    interp.report(draft);
}
