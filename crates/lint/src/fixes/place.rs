//! Where a change goes: statements, the blocks that they stand in, and the lines that they fill.

use std::ops::Range;

use crate::finding::Edit;
use crate::syntax::Source;
use crate::syntax::ast::{ExceptHandler, Ranged as _, Stmt, TextRange};

/// A statement in its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'p> {
    pub(super) source: &'p Source,
    pub(super) block: &'p [Stmt],
    pub(super) at: usize,
}

impl<'p> Spot<'p> {
    pub(super) fn statement(&self) -> &'p Stmt {
        &self.block[self.at]
    }

    /// The statements that follow in its block.
    pub(super) fn rest(&self) -> &'p [Stmt] {
        &self.block[self.at + 1..]
    }

    /// What stands before it on its line, if that is only its indentation.
    pub(super) fn indentation(&self) -> Option<&'p str> {
        let start = self.statement().start().to_usize();
        let line = self.source.line_start(start);
        let before = self.source.text.get(line..start)?;
        let (above, _) = self.source.text.split_at(line);
        let goes_on = above.trim_end_matches(['\r', '\n']).ends_with('\\');
        (before.trim().is_empty() && !goes_on).then_some(before)
    }

    /// Adds lines above it.
    pub(super) fn above(&self, lines: &[String]) -> Option<Edit> {
        let text = self.indented(lines)?;
        let line = self.source.line_start(self.statement().start().to_usize());
        Some(insert(line, text))
    }

    /// Adds lines below it.
    pub(super) fn below(&self, lines: &[String]) -> Option<Edit> {
        let text = self.indented(lines)?;
        let end = self.end_of_line()?;
        let is_last = !self.source.text[..end].ends_with('\n');
        let line_break = if is_last { self.line_break() } else { "" };
        Some(insert(end, format!("{line_break}{text}")))
    }

    fn indented(&self, lines: &[String]) -> Option<String> {
        let (indent, line_break) = (self.indentation()?, self.line_break());
        let lines = lines.iter().map(|it| format!("{indent}{it}{line_break}"));
        Some(lines.collect())
    }

    /// The lines that it has for itself, a comment at their end included.
    pub(super) fn lines(&self) -> Option<Range<usize>> {
        self.indentation()?;
        let start = self.source.line_start(self.statement().start().to_usize());
        Some(start..self.end_of_line()?)
    }

    /// Takes its lines away.
    pub(super) fn without(&self) -> Option<Edit> {
        let Range { start, end } = self.lines()?;
        let text = if self.block.len() == 1 {
            format!("{}pass{}", self.indentation()?, self.line_break())
        } else {
            String::new()
        };
        Some(Edit { start, end, text })
    }

    /// The end of its last line, if nothing but a comment stands behind it there.
    fn end_of_line(&self) -> Option<usize> {
        let last = self.statement().end().to_usize();
        let end = self.source.line_end(last);
        let behind = self.source.text.get(last..end)?.trim();
        let is_comment = behind.starts_with('#') && !behind.contains('\r');
        (behind.is_empty() || is_comment).then_some(end)
    }

    /// How the lines of the file end.
    pub(super) fn line_break(&self) -> &'static str {
        let first = self.source.line_end(0);
        if self.source.text[..first].ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }
}

/// The statements around a range, outermost first.
pub(super) fn around(source: &Source, range: TextRange) -> Vec<Spot<'_>> {
    let mut spots = Vec::new();
    let mut block: &[Stmt] = &source.module.body;
    loop {
        let at = block.partition_point(|it| it.end() < range.end());
        let Some(statement) = block.get(at).filter(|it| it.range().contains_range(range)) else {
            return spots;
        };
        spots.push(Spot { source, block, at });
        let holds = |it: &&[Stmt]| match (it.first(), it.last()) {
            (Some(first), Some(last)) => {
                TextRange::new(first.start(), last.end()).contains_range(range)
            }
            _ => false,
        };
        let Some(inner) = blocks(statement).into_iter().find(holds) else {
            return spots;
        };
        block = inner;
    }
}

/// The innermost statement around a range.
pub(super) fn innermost(source: &Source, range: TextRange) -> Option<Spot<'_>> {
    around(source, range).pop()
}

/// The body of the innermost function around a range, or the whole file.
pub(super) fn scope(source: &Source, range: TextRange) -> &[Stmt] {
    let function = around(source, range).into_iter().rev();
    function
        .filter_map(|it| it.statement().as_function_def_stmt())
        .find(|it| {
            it.body
                .first()
                .is_some_and(|first| first.start() <= range.start())
        })
        .map_or(&source.module.body, |it| &it.body)
}

/// What the blocks of a file are indented by.
pub(super) fn step(source: &Source) -> &str {
    let mut inner = source.module.body.iter().flat_map(blocks);
    let step = inner.find_map(|block| {
        let first = Spot {
            source,
            block,
            at: 0,
        };
        first.block.first()?;
        first.indentation().filter(|it| !it.is_empty())
    });
    step.unwrap_or("    ")
}

fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::FunctionDef(it) => vec![&it.body],
        Stmt::ClassDef(it) => vec![&it.body],
        Stmt::For(it) => vec![&it.body, &it.orelse],
        Stmt::While(it) => vec![&it.body, &it.orelse],
        Stmt::With(it) => vec![&it.body],
        Stmt::If(it) => {
            let others = it.elif_else_clauses.iter().map(|it| &*it.body);
            std::iter::once(&*it.body).chain(others).collect()
        }
        Stmt::Try(it) => {
            let handlers = it
                .handlers
                .iter()
                .map(|ExceptHandler::ExceptHandler(it)| &*it.body);
            [&*it.body, &it.orelse, &it.finalbody]
                .into_iter()
                .chain(handlers)
                .collect()
        }
        Stmt::Match(it) => it.cases.iter().map(|it| &*it.body).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit {
        start: at,
        end: at,
        text: text.into(),
    }
}

pub(super) fn replace(range: TextRange, text: impl Into<String>) -> Edit {
    Edit {
        start: range.start().to_usize(),
        end: range.end().to_usize(),
        text: text.into(),
    }
}
