//! CG117 and CG118: activation checkpointing that cannot be captured.

use super::judge::Judge;
use crate::draft::{Argument, Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::interp::Args;
use crate::interp::value::Value;
use crate::settings::Version;
use crate::syntax::ast::{Ranged as _, TextRange};
use crate::torch::state::capture::CaptureKind;

/// It keeps the random state: no longer refused since 2.10.
pub(crate) static PRESERVES_RNG: Rule =
    Rule::new("CG117", Confidence::Confirmed).until(Version::new(2, 10));
/// It is reentrant, and `make_graphed_callables` asks for gradients of given inputs.
pub(crate) static REENTRANT: Rule = Rule::new("CG118", Confidence::Confirmed);

/// `torch.utils.checkpoint.checkpoint` is called.
pub(super) fn called<'p>(judge: &mut Judge<'_, 'p>, args: &Args<'p>, range: TextRange) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let site = judge.at(range);
    let call = args.node.map(|it| judge.at(it.range()));
    let truth = |name: &str| args.name(name).map(Value::truth);
    if truth("preserve_rng_state").is_none_or(|it| it == Some(true)) && !args.open {
        let draft = Draft::new(&PRESERVES_RNG, site, says::cg117::TITLE)
            .note(says::cg117::REFUSED)
            .help(says::cg117::LEAVE_STATE)
            .repair(call.map(|it| Repair::Pass(it, Argument::safe("preserve_rng_state", "False"))));
        judge.report(draft);
    }
    if judge.library.captures[id.0].kind == CaptureKind::Callable
        && truth("use_reentrant") == Some(Some(true))
    {
        let begin = judge.library.captures[id.0].site;
        let draft = Draft::new(&REENTRANT, begin, says::cg118::TITLE)
            .label(site, "`use_reentrant=True` is set here")
            .note(says::cg118::REFUSED)
            .help(says::cg118::NOT_REENTRANT)
            .repair(call.map(|it| Repair::Pass(it, Argument::safe("use_reentrant", "False"))));
        judge.report(draft);
    }
}
