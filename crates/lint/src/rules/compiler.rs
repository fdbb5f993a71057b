//! CG119 and CG507: `torch.compile` and captures.

use super::{Draft, Rule};
use crate::finding::Confidence;
use crate::fixes::Repair;
use crate::interp::Interp;
use crate::interp::value::Compiled;
use crate::syntax::ast::TextRange;

/// The first call of a compiled function, which compiles it, is inside a capture.
pub(crate) static COMPILES: Rule = Rule::new("CG119", Confidence::Likely);
/// The compiler splits what should be one graph.
pub(crate) static GRAPH_BREAK: Rule = Rule::new("CG507", Confidence::Likely);

/// A compiled function is called.
pub(crate) fn called<'p>(interp: &mut Interp<'p>, compiled: &Compiled<'p>, range: TextRange) {
    let Some(id) = interp.graph_capture().filter(|_| !compiled.called) else {
        return;
    };
    let site = interp.at(range);
    let draft = Draft::new(
        &COMPILES,
        site,
        "a compiled function is called first inside a capture",
    )
    .label(compiled.site, "it is compiled at its first call")
    .help("call it once before the capture, with arguments of the same shapes")
    .repair(Repair::WarmUp(id, site));
    interp.report(draft);
}

/// Something that the compiler cannot put into a graph.
pub(crate) fn graph_break(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    if !interp.is_compiling() {
        return;
    }
    let site = interp.at(range);
    let title = format!("{what}: the compiler splits its CUDA graph here");
    let draft = Draft::new(&GRAPH_BREAK, site, title)
        .help("do it outside the compiled function; `torch.compile(..., fullgraph=True)` makes such breaks errors");
    interp.report(draft);
}

/// The host asks for a number of a tensor. The compiler may be told to keep such numbers.
pub(crate) fn read(interp: &mut Interp<'_>, what: &str, range: TextRange) {
    let file = interp.at(range).file;
    let text = &interp.project.source(file).text;
    if !text.contains("capture_scalar_outputs") {
        graph_break(
            interp,
            &format!("{what} reads a number of the device"),
            range,
        );
    }
}
