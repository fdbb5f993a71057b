//! CG119 and CG507: `torch.compile` and captures.

use super::first_uses::{self, What};
use super::judge::Judge;
use super::{Draft, Rule};
use crate::draft::Repair;
use crate::finding::Confidence;
use crate::interp::Interp;
use crate::interp::object::Compiled;
use crate::project::FileId;
use crate::syntax::ast::TextRange;

/// The first call of a compiled function, which compiles it, is inside a capture.
pub(crate) static COMPILES: Rule = Rule::new("CG119", Confidence::Likely);
/// The compiler splits what should be one graph.
pub(crate) static GRAPH_BREAK: Rule = Rule::new("CG507", Confidence::Likely);

/// A compiled function is called.
pub(super) fn called<'p>(judge: &mut Judge<'_, 'p>, compiled: &Compiled<'p>, range: TextRange) {
    let what = What::Compiled(compiled.site);
    first_uses::used(judge, what);
    let Some(id) = judge.graph_capture().filter(|_| !compiled.called) else {
        return;
    };
    let site = judge.at(range);
    let sources = [site.file, compiled.site.file];
    if sources.iter().any(|file| may_switch_off(judge, *file)) {
        return;
    }
    let draft = Draft::new(
        &COMPILES,
        site,
        "a compiled function is called first inside a capture",
    )
    .label(compiled.site, "it is compiled at its first call")
    .note(
        "compiling makes constants, loads modules and may time kernels, which the capture refuses",
    )
    .help("call it once before the capture, with arguments of the same shapes")
    .repair(Repair::WarmUp(judge.shown(id), site));
    first_uses::report(judge, what, draft);
}

/// Whether a file may keep the compiler from compiling. Where it does is not followed.
fn may_switch_off(state: &Interp<'_>, file: FileId) -> bool {
    const SWITCHES: [&str; 4] = [
        "TORCHDYNAMO_DISABLE",
        "TORCH_COMPILE_DISABLE",
        "_dynamo.config.disable",
        "set_stance",
    ];
    let text = &state.project.source(file).text;
    SWITCHES.iter().any(|switch| text.contains(switch))
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
    let file = judge.at(range).file;
    let text = &judge.project.source(file).text;
    if !text.contains("capture_scalar_outputs") {
        graph_break(
            judge,
            &format!("{what} reads a number of the device"),
            range,
        );
    }
}
