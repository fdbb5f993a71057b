//! What `cgsan explain` says of the traceback that a program of `examples/` prints on a real GPU.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// What real GPUs did.
pub(super) const HARDWARE: &str = "examples/hardware.toml";

/// The first exception of programs that raise one: of a `fails.py` by its folder, of another by its path without the ending.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Raised(BTreeMap<String, Exception>);

#[derive(Deserialize)]
struct Exception {
    error: String,
    /// The program's lines in the traceback, outermost first.
    lines: Vec<usize>,
}

impl Raised {
    /// Where one of `ids` stands in the answer to what a program prints; `None` if it ends well, or nobody recorded it.
    pub(super) fn answer(&self, program: &str, ids: &[String]) -> Result<Option<&'static str>> {
        let name = program.trim_end_matches(".py");
        let Some(exception) = self.0.get(name.trim_end_matches("/fails")) else {
            return Ok(None);
        };
        let text = traceback(program, exception)?;
        let explanation = cgsan_explain::text(&text)
            .map_err(|_| Failure::new(format!("what {program} prints is no text")))?;
        let mut candidates = explanation.candidates.iter();
        let place = candidates.position(|it| ids.iter().any(|id| id == it.entry.id));
        Ok(Some(match place {
            Some(0) if explanation.is_decided() => "decided",
            Some(0) => "first",
            Some(1 | 2) => "in three",
            _ => "no",
        }))
    }
}

/// The traceback as Python prints it, with the program's own frames.
fn traceback(program: &str, exception: &Exception) -> Result<String> {
    let path = format!("examples/{program}");
    let source = fs::read_to_string(workspace::root().join(&path))
        .context(|| format!("cannot read {path}"))?;
    let source: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    let outermost = exception.lines.first().map(|line| function(&source, *line));
    if let Some(function) = outermost.filter(|it| *it != MODULE) {
        // The first thread begins in the module.
        let _ = writeln!(text, "Exception in thread Thread-1 ({function}):");
    }
    text += "Traceback (most recent call last):\n";
    for line in &exception.lines {
        let code = source.get(line.saturating_sub(1)).unwrap_or(&"");
        // The marks of the examples are no part of a user's program.
        let code = code.split("  # cgsan:").next().unwrap_or_default().trim();
        let function = function(&source, *line);
        let _ = writeln!(
            text,
            "  File \"{path}\", line {line}, in {function}\n    {code}"
        );
    }
    text += &exception.error;
    text += "\n";
    Ok(text)
}

/// What Python calls the code outside of all functions.
const MODULE: &str = "<module>";

/// The function that a line is in, by how far it is indented.
fn function<'s>(source: &[&'s str], line: usize) -> &'s str {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let above = source.get(..line).unwrap_or_default();
    let mut lines = above.iter().rev().filter(|line| !line.trim().is_empty());
    let mut depth = lines.next().map_or(0, |line| indentation(line));
    for outer in lines {
        if indentation(outer) >= depth {
            continue;
        }
        depth = indentation(outer);
        if let Some(named) = outer.trim_start().strip_prefix("def ") {
            return named.split('(').next().unwrap_or_default();
        }
    }
    MODULE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_in_the_function_around_it() {
        let source = [
            "class Model:",
            "    def forward(self, x):",
            "        for _ in range(2):",
            "            x = x.cos()",
            "",
            "        return x",
            "with torch.cuda.graph(graph):",
            "    y = model(x)",
        ];
        let functions = [1, 2, 4, 6, 8].map(|line| function(&source, line));
        assert_eq!(functions, [MODULE, MODULE, "forward", "forward", MODULE]);
    }
}
