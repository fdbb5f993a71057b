//! Forks and joins that a capture lacks.

use super::{fix, indentation, insert, is_name};
use crate::finding::{Edit, Fix};
use crate::interp::Interp;
use crate::interp::value::{CaptureId, Site};
use crate::project::FileId;
use crate::syntax::Source;
use crate::syntax::ast::{Expr, Ranged as _, Stmt, StmtWith, TextRange};

/// Lets a stream wait for the capture before it is used at `range`, in a block of its own.
pub(crate) fn fork(interp: &Interp<'_>, range: TextRange) -> Option<Fix> {
    let (file, with) = captured(interp, interp.graph_capture()?)?;
    if interp.at(range).file != file {
        return None;
    }
    let source = interp.project.source(file);
    let used = with
        .body
        .iter()
        .find(|it| it.range().contains_range(range))?;
    let edit = fork_before(source, used)?;
    Some(fix(
        interp,
        file,
        "let the stream wait for the capture",
        true,
        vec![edit],
    ))
}

fn fork_before(source: &Source, used: &Stmt) -> Option<Edit> {
    let [item] = used.as_with_stmt()?.items.as_slice() else {
        return None;
    };
    let call = item.context_expr.as_call_expr()?;
    let [stream] = &*call.arguments.args else {
        return None;
    };
    let stream = source.slice(stream.range());
    if source.slice(call.func.range()) != "torch.cuda.stream" || !is_name(stream) {
        return None;
    }
    let indent = indentation(source, used)?;
    Some(insert(
        source.line_start(used.start().to_usize()),
        format!("{indent}{stream}.wait_stream(torch.cuda.current_stream())\n"),
    ))
}

/// Lets the capture wait for streams before it ends; `forks` are the calls that made these part of it.
pub(crate) fn join(interp: &Interp<'_>, id: CaptureId, forks: &[Site]) -> Option<Fix> {
    let (file, with) = captured(interp, id)?;
    let source = interp.project.source(file);
    let streams = forks
        .iter()
        .map(|fork| (fork.file == file).then(|| forked(source, with, fork.range))?)
        .collect::<Option<Vec<_>>>()?;
    let edit = join_at_end(source, with, &streams)?;
    Some(fix(
        interp,
        file,
        "join the streams before the capture ends",
        true,
        vec![edit],
    ))
}

/// The stream of `stream.wait_stream(...)`, if that is a statement of the capture's block.
fn forked<'s>(source: &'s Source, with: &StmtWith, call: TextRange) -> Option<&'s str> {
    let found = with.body.iter().find(|it| it.range() == call)?;
    let Stmt::Expr(statement) = found else {
        return None;
    };
    let Expr::Attribute(method) = &*statement.value.as_call_expr()?.func else {
        return None;
    };
    let stream = source.slice(method.value.range());
    (method.attr.as_str().starts_with("wait_") && is_name(stream)).then_some(stream)
}

fn join_at_end(source: &Source, with: &StmtWith, streams: &[&str]) -> Option<Edit> {
    let first = with.body.first()?;
    // A block on the line of its statement has no end of its own.
    let indent = indentation(source, first)?;
    let end = source.line_end(with.end().to_usize().saturating_sub(1));
    let line_break = if source.text[..end].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let joins: Vec<_> = streams
        .iter()
        .map(|it| format!("{indent}torch.cuda.current_stream().wait_stream({it})\n"))
        .collect();
    Some(insert(end, format!("{line_break}{}", joins.concat())))
}

/// The statement of a capture that calls PyTorch by its own name, and its file.
fn captured<'p>(interp: &Interp<'p>, id: CaptureId) -> Option<(FileId, &'p StmtWith)> {
    let capture = &interp.captures[id.0];
    let site = capture.site;
    let source = interp.project.source(site.file);
    source
        .slice(site.range)
        .starts_with("torch.")
        .then_some((site.file, capture.statement?))
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
