//! Streams: forks and joins that a capture lacks, and streams of their own.

use super::place::{self, Spot};
use super::region::Region;
use super::{Change, changes, fresh_name, names};
use crate::finding::Edit;
use crate::interp::Interp;
use crate::interp::value::{CaptureId, Site};
use crate::syntax::Source;
use crate::syntax::ast::{Ranged as _, Stmt, TextRange};

/// Lets a stream wait for the capture before it is used, in a block of its own, and joins it again.
pub(super) fn fork(interp: &Interp<'_>, id: CaptureId, site: Site) -> Option<Change> {
    let region = Region::of(interp, id).filter(|it| names_torch(it.source))?;
    let used = region.spot(site)?;
    let [item] = used.statement().as_with_stmt()?.items.as_slice() else {
        return None;
    };
    let call = item.context_expr.as_call_expr()?;
    let [stream] = &*call.arguments.args else {
        return None;
    };
    let is_entered = region.source.slice(call.func.range()) == "torch.cuda.stream";
    if !is_entered || !names::is_dotted(stream) {
        return None;
    }
    let stream = region.source.slice(stream.range());
    let forked = used.above(&[format!("{stream}.wait_stream(torch.cuda.current_stream())")])?;
    let is_joined = used.rest().iter().any(|it| {
        let text = region.source.slice(it.range());
        text.contains(&format!("wait_stream({stream})"))
    });
    let joined = if is_joined {
        None
    } else {
        Some(joined(&region, &[stream])?)
    };
    let title = "let the stream wait for the capture";
    changes(region.file, title, true, [forked].into_iter().chain(joined))
}

/// Lets the capture wait for streams before it ends; `forks` are the calls that made these part of it.
pub(super) fn join(interp: &Interp<'_>, id: CaptureId, forks: &[Site]) -> Option<Change> {
    let region = Region::of(interp, id).filter(|it| names_torch(it.source))?;
    let mut streams = forks
        .iter()
        .map(|it| forked(&region, *it))
        .collect::<Option<Vec<_>>>()?;
    streams.dedup();
    let title = "join the streams before the capture ends";
    changes(region.file, title, true, [joined(&region, &streams)?])
}

/// The stream of `stream.wait_stream(...)`, if each way through the capture passes that.
fn forked<'p>(region: &Region<'p>, fork: Site) -> Option<&'p str> {
    let outer = region.spot(fork)?.statement();
    let always = place::around(region.source, fork.range)
        .into_iter()
        .skip_while(|it| it.statement().range() != outer.range())
        .map(|it| it.statement())
        .all(|it| matches!(it, Stmt::With(_) | Stmt::Expr(_)));
    let method = names::call_at(outer, fork.range)?
        .func
        .as_attribute_expr()?;
    let waits = method.attr.as_str().starts_with("wait_");
    let stream = &method.value;
    (always && waits && names::is_dotted(stream)).then(|| region.source.slice(stream.range()))
}

fn joined(region: &Region<'_>, streams: &[&str]) -> Option<Edit> {
    let last = Spot {
        source: region.source,
        block: region.body,
        at: region.body.len().checked_sub(1)?,
    };
    let join = |it: &&str| format!("torch.cuda.current_stream().wait_stream({it})");
    last.below(&streams.iter().map(join).collect::<Vec<_>>())
}

/// Captures on a stream of its own, not on the default one.
pub(super) fn own(interp: &Interp<'_>, site: Site) -> Option<Change> {
    let source = interp.project.source(site.file);
    let begin = place::innermost(source, site.range)?;
    let title = "capture on a stream of its own";
    let call = names::call_at(begin.statement(), site.range)?;
    if let Some(stream) = call.arguments.find_keyword("stream") {
        let edit = place::replace(stream.value.range(), "torch.cuda.Stream()");
        return names_torch(source).then(|| changes(site.file, title, true, [edit]))?;
    }
    let region = Region::between_calls(site.file, source, site.range)?;
    let context = "with torch.cuda.stream(torch.cuda.Stream()):".to_owned();
    let mut edits = vec![begin.above(&[context])?];
    edits.extend(indented(&region)?);
    names_torch(source).then(|| changes(site.file, title, true, edits))?
}

/// Moves the lines of a region one step to the right.
fn indented(region: &Region<'_>) -> Option<Vec<Edit>> {
    let (source, begin) = (region.source, region.begin);
    let start = source.line_start(begin.statement().start().to_usize());
    let end = region.end.lines()?.end;
    let text = source.text.get(start..end)?;
    // A text over several lines would change.
    if text.contains("\"\"\"") || text.contains("'''") || text.contains("\\\n") {
        return None;
    }
    let step = step(source);
    let mut at = start;
    let mut edits = Vec::new();
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            edits.push(place::insert(at, step));
        }
        at += line.len();
    }
    Some(edits)
}

/// Does on a side stream what a statement does on the default one.
pub(super) fn side(interp: &Interp<'_>, site: Site) -> Option<Change> {
    let source = interp.project.source(site.file);
    let spot = place::innermost(source, site.range)?;
    if !matches!(spot.statement(), Stmt::Assign(_) | Stmt::Expr(_)) || !names_torch(source) {
        return None;
    }
    let stream = fresh_name(&source.text, "side_stream")?;
    let above = spot.above(&[
        format!("{stream} = torch.cuda.Stream()"),
        format!("{stream}.wait_stream(torch.cuda.current_stream())"),
        format!("with torch.cuda.stream({stream}):"),
    ])?;
    let line = TextRange::empty(spot.statement().start());
    let step = place::replace(line, step(source));
    let below = spot.below(&[format!("torch.cuda.current_stream().wait_stream({stream})")])?;
    let title = "do it on a side stream";
    changes(site.file, title, true, [above, step, below])
}

/// What the blocks of a file are indented by.
fn step(source: &Source) -> &'static str {
    if source.text.contains("\n\t") {
        "\t"
    } else {
        "    "
    }
}

/// Whether a file calls PyTorch by its own name.
fn names_torch(source: &Source) -> bool {
    source.text.contains("torch.cuda.")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Project, Settings, apply, lint};

    /// The program after repairs, round by round, until none is left.
    fn repaired(text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..4 {
            let mut project = Project::new([]);
            project.set_text(Path::new("program.py"), text.clone());
            let outcome = lint(&mut project, &Settings::default());
            let fixes: Vec<_> = outcome
                .findings
                .iter()
                .filter_map(|it| it.fix.as_ref())
                .filter(|it| it.safe)
                .collect();
            let (changed, applied) = apply(&text, &fixes);
            if applied == 0 {
                assert_eq!(outcome.findings, [], "{text}");
                return text;
            }
            text = changed;
        }
        panic!("repairs do not come to an end: {text}");
    }

    const BEGIN: &str = "import torch\nx = torch.ones(8, device='cuda')\nside = torch.cuda.Stream()\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n";

    #[test]
    fn a_stream_that_was_not_forked_is_forked_and_joined() {
        let program = format!("{BEGIN}    with torch.cuda.stream(side):\n        y = x + 1\n");
        let expected = format!(
            "{BEGIN}    side.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(side):\n        y = x + 1\n    torch.cuda.current_stream().wait_stream(side)\n"
        );
        assert_eq!(repaired(&program), expected);
    }

    #[test]
    fn a_join_comes_last_also_without_a_line_break_at_the_end() {
        let body = "    side.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(side):\n        y = x + 1  # made";
        let expected =
            format!("{BEGIN}{body}\n    torch.cuda.current_stream().wait_stream(side)\n");
        assert_eq!(repaired(&format!("{BEGIN}{body}")), expected);
    }

    #[test]
    fn a_stream_that_has_no_name_is_left_alone() {
        let text = format!(
            "{BEGIN}    streams = [side]\n    streams[0].wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(streams[0]):\n        y = x + 1\n"
        );
        let mut project = Project::new([]);
        project.set_text(Path::new("program.py"), text);
        let outcome = lint(&mut project, &Settings::default());
        assert_eq!(outcome.findings.len(), 1);
        assert_eq!(outcome.findings[0].fix, None);
    }
}
