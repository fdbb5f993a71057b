//! CG119 and CG507: `torch.compile` and captures.

use super::first_uses::{self, What};
use super::judge::Judge;
use crate::draft::{Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::syntax::ast::TextRange;
use crate::torch::state::object::Compiled;
use crate::torch::state::switches::Switch;

/// The first call of a compiled function, which compiles it, is inside a capture.
pub(crate) static COMPILES: Rule = Rule::new("CG119", Confidence::Likely);
/// The compiler splits what should be one graph.
pub(crate) static GRAPH_BREAK: Rule = Rule::new("CG507", Confidence::Likely);

/// A compiled function is called.
pub(super) fn called<'p>(judge: &mut Judge<'_, 'p>, compiled: &Compiled<'p>, range: TextRange) {
    let what = What::Compiled(compiled.site);
    first_uses::used(judge, what);
    let is_compiled = !compiled.called && !judge.may_have_switched(Switch::Compiler);
    let Some(id) = judge.graph_capture().filter(|_| is_compiled) else {
        return;
    };
    let site = judge.at(range);
    let draft = Draft::new(&COMPILES, site, says::cg119::TITLE)
        .label(compiled.site, "it is compiled at its first call")
        .note(says::cg119::COMPILING)
        .help(says::cg119::CALL_BEFORE)
        .help(says::cg119::BACKWARD_TOO)
        .repair(Repair::WarmUp(judge.shown(id), site));
    first_uses::report(judge, what, draft);
}

/// Something that the compiler cannot put into a graph.
pub(super) fn graph_break(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    if !judge.is_compiling() {
        return;
    }
    let site = judge.at(range);
    let title = format!("{what}: the compiler splits its CUDA graph here");
    let draft = Draft::new(&GRAPH_BREAK, site, title)
        .help("do it outside the compiled function; `torch.compile(..., fullgraph=True)` makes such breaks errors");
    judge.report(draft);
}

/// The host asks for a number of a tensor. The compiler may be told to keep such numbers.
pub(super) fn read(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    if !judge.may_have_switched(Switch::CompiledScalars) {
        graph_break(
            judge,
            &format!("{what} reads a value from the device"),
            range,
        );
    }
}
