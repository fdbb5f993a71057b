//! What is made inside a capture, and can be made before it.

use super::{fix, indentation, insert, is_assigned, is_name};
use crate::finding::{Edit, Fix};
use crate::interp::Interp;
use crate::syntax::ast::{self, Expr, Ranged as _, TextRange};

/// Makes a constant tensor before the capture.
pub(crate) fn constant(interp: &Interp<'_>, call: &ast::ExprCall) -> Option<Fix> {
    let id = interp.graph_capture()?;
    let with = interp.captures[id.0].statement?;
    let file = interp.at(call.range()).file;
    if interp.captures[id.0].site.file != file || !with.range().contains_range(call.range()) {
        return None;
    }
    let constant = call.arguments.args.iter().all(is_constant)
        && call
            .arguments
            .keywords
            .iter()
            .all(|it| is_constant(&it.value) || is_dotted(&it.value));
    if !constant {
        return None;
    }
    let source = interp.project.source(file);
    let line = source.line_start(with.start().to_usize());
    let indent = indentation(source, with)?;
    let name = fresh_name(&source.text);
    let text = source.slice(call.range());
    let edits = vec![
        insert(line, format!("{indent}{name} = {text}\n")),
        Edit {
            start: call.start().to_usize(),
            end: call.end().to_usize(),
            text: name,
        },
    ];
    Some(fix(
        interp,
        file,
        "make the tensor before the capture",
        true,
        edits,
    ))
}

/// Copies a tensor of the host to the device before the capture: what it holds later, the program has to copy anew.
pub(crate) fn copy(interp: &Interp<'_>, range: TextRange) -> Option<Fix> {
    let id = interp.graph_capture()?;
    let with = interp.captures[id.0].statement?;
    let file = interp.at(range).file;
    let source = interp.project.source(file);
    let inside = interp.captures[id.0].site.file == file && with.range().contains_range(range);
    let (name, rest) = source.slice(range).split_once('.')?;
    let moves = ["cuda(", "to('cuda", "to(\"cuda"]
        .iter()
        .any(|it| rest.starts_with(it));
    let body = TextRange::new(with.body.first()?.start(), with.end());
    if !inside || !moves || !is_name(name) || is_assigned(source.slice(body), name) {
        return None;
    }
    let indent = indentation(source, with)?;
    let fresh = fresh_name(&source.text);
    let edits = vec![
        insert(
            source.line_start(with.start().to_usize()),
            format!("{indent}{fresh} = {}\n", source.slice(range)),
        ),
        Edit {
            start: range.start().to_usize(),
            end: range.end().to_usize(),
            text: fresh,
        },
    ];
    Some(fix(
        interp,
        file,
        "copy it before the capture",
        false,
        edits,
    ))
}

fn fresh_name(text: &str) -> String {
    (0u32..10_000)
        .map(|number| match number {
            0 => "static_value".to_owned(),
            number => format!("static_value_{number}"),
        })
        .find(|name| !text.contains(name.as_str()))
        .unwrap_or_default()
}

fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BooleanLiteral(_) => true,
        Expr::UnaryOp(it) => is_constant(&it.operand),
        Expr::List(it) => it.elts.iter().all(is_constant),
        Expr::Tuple(it) => it.elts.iter().all(is_constant),
        _ => false,
    }
}

fn is_dotted(value: &Expr) -> bool {
    match value {
        Expr::Attribute(it) => is_dotted(&it.value),
        Expr::Name(it) => it.id.as_str() == "torch",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Project, Settings, apply, lint};

    /// The program with all its repairs, and whether these were safe.
    fn repaired(text: &str) -> (String, bool) {
        let mut project = Project::new([]);
        project.set_text(Path::new("program.py"), text.to_owned());
        let outcome = lint(&mut project, &Settings::default());
        let fixes: Vec<_> = outcome
            .findings
            .iter()
            .filter_map(|it| it.fix.as_ref())
            .collect();
        let safe = fixes.iter().all(|it| it.safe);
        (apply(text, &fixes).0, safe)
    }

    const BEFORE: &str = "import torch\nx = torch.ones(8)\n";
    const WITH: &str = "with torch.cuda.graph(torch.cuda.CUDAGraph()):\n";

    #[test]
    fn a_tensor_of_the_host_is_copied_before_the_capture() {
        let (text, safe) = repaired(&format!("{BEFORE}{WITH}    y = x.to(\"cuda\") + 1\n"));
        let expected =
            format!("{BEFORE}static_value = x.to(\"cuda\")\n{WITH}    y = static_value + 1\n");
        assert_eq!((text.as_str(), safe), (expected.as_str(), false));
        assert_eq!(repaired(&text).0, text);
    }

    #[test]
    fn what_the_capture_makes_itself_stays_there() {
        let text = format!("{BEFORE}{WITH}    x = torch.ones(8)\n    y = x.cuda()\n");
        assert_eq!(repaired(&text).0, text);
    }
}
