//! The only place that knows which parser is used: ruff's, whose crates promise no stable interface.

use std::ops::Range;
use std::panic::catch_unwind;

use ruff_python_ast::PySourceType;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_source_file::{LineIndex, OneIndexed};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::captures::{self, Part};
use crate::finding::{Cell, Location, Span};
use crate::notebook::Cells;

/// The nodes of the syntax tree.
pub(crate) mod ast {
    pub(crate) use ruff_python_ast::comparable::{ComparableArguments, ComparableExpr};
    pub(crate) use ruff_python_ast::visitor::{
        Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt,
    };
    pub(crate) use ruff_python_ast::{
        AnyParameterRef, BoolOp, CmpOp, Comprehension, ConversionFlag, ElifElseClause,
        ExceptHandler, ExceptHandlerExceptHandler, Expr, ExprBoolOp, ExprCall, ExprCompare,
        ExprDict, ExprFString, ExprGenerator, ExprIf, ExprLambda, ExprSubscript, ExprUnaryOp,
        FStringPart, Identifier, InterpolatedStringElement, MatchCase, ModModule, Number, Operator,
        Parameters, Pattern, Singleton, Stmt, StmtAssign, StmtAugAssign, StmtClassDef, StmtFor,
        StmtFunctionDef, StmtIf, StmtImport, StmtImportFrom, StmtMatch, StmtTry, StmtWhile,
        StmtWith, UnaryOp, WithItem,
    };
    pub(crate) use ruff_text_size::{Ranged, TextRange, TextSize};
}

/// A file that was parsed, as far as it could be.
#[derive(Debug)]
pub(crate) struct Source {
    /// The text, of a notebook the code of all its cells.
    pub(crate) text: String,
    /// Its syntax tree.
    pub(crate) module: ast::ModModule,
    /// What is wrong with its syntax: where, and what.
    pub(crate) errors: Vec<(TextRange, String)>,
    /// Whether it could not be read at all; the error says why.
    pub(crate) unreadable: bool,
    /// Where its comments are.
    pub(crate) comments: Vec<TextRange>,
    /// Whether it may hold something that is captured.
    pub(crate) captures: bool,
    /// Where its lines begin.
    lines: LineIndex,
    /// Of a notebook, where its cells are.
    pub(crate) cells: Option<Cells>,
}

/// A place in a text, for people: both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The line.
    pub(crate) line: u32,
    /// The column.
    pub(crate) column: u32,
}

impl Source {
    /// Parses a Python file.
    pub(crate) fn parse(text: String) -> Self {
        Self::of_kind(text, PySourceType::Python)
    }

    /// Parses the code cells of a notebook as one program. `Err` says what is wrong with the file.
    pub(crate) fn parse_notebook(text: &str) -> Result<Self, String> {
        let notebook =
            ruff_notebook::Notebook::from_source_code(text).map_err(|error| error.to_string())?;
        if !notebook.is_python_notebook() {
            return Ok(Self::parse(String::new()));
        }
        // The parser panics at some escapes of IPython that stand where an expression is expected.
        let code =
            catch_unwind(|| Self::of_kind(notebook.source_code().to_owned(), PySourceType::Ipynb))
                .map_err(|_| "the parser gives up on its code".to_owned())?;
        Ok(Self {
            cells: Some(Cells::of(&notebook)),
            ..code
        })
    }

    fn of_kind(text: String, kind: PySourceType) -> Self {
        let parsed = ruff_python_parser::parse_unchecked_source(&text, kind);
        let errors = parsed
            .errors()
            .iter()
            .map(|error| (error.location, error.error.to_string()))
            .collect();
        let comments = parsed
            .tokens()
            .iter()
            .filter(|token| token.kind().is_comment())
            .map(ruff_text_size::Ranged::range)
            .collect();
        let captures = captures::mentioned(&text) && {
            let parts: Vec<_> = parsed.tokens().iter().filter_map(part).collect();
            captures::possible(&text, &parts)
        };
        let lines = LineIndex::from_source_text(&text);
        Self {
            module: parsed.into_syntax(),
            text,
            errors,
            unreadable: false,
            comments,
            captures,
            lines,
            cells: None,
        }
    }

    /// A file that cannot be read, and why.
    pub(crate) fn unreadable(reason: String) -> Self {
        Self {
            errors: vec![(TextRange::default(), reason)],
            unreadable: true,
            ..Self::parse(String::new())
        }
    }

    /// A range, for people.
    pub(crate) fn location(&self, file: &std::path::Path, range: TextRange) -> Location {
        let (start, end) = (self.place(range.start()), self.place(range.end()));
        Location {
            file: file.to_owned(),
            line: start.line,
            span: Some(Span {
                column: start.column,
                end_line: end.line,
                end_column: end.column,
                bytes: bytes(range),
            }),
            cell: self.cell(start.line),
            function: String::new(),
        }
    }

    /// The place of an offset.
    pub(crate) fn place(&self, offset: TextSize) -> Place {
        let found = self.lines.line_column(offset, &self.text);
        let number = |it: ruff_source_file::OneIndexed| u32::try_from(it.get()).unwrap_or(u32::MAX);
        Place {
            line: number(found.line),
            column: number(found.column),
        }
    }

    /// The cell of a notebook's line and the line in it, both counted from 1.
    pub(crate) fn cell(&self, line: u32) -> Option<Cell> {
        let cells = self.cells.as_ref()?;
        let row = OneIndexed::new(line as usize)?;
        let offset = self.lines.line_start(row, &self.text).to_usize();
        let (number, code) = cells.at(offset)?;
        let first = self.place(TextSize::try_from(code.start).ok()?).line;
        Some(Cell {
            number: u32::try_from(number).ok()? + 1,
            line: line + 1 - first,
        })
    }

    /// The text of a range.
    pub(crate) fn slice(&self, range: TextRange) -> &str {
        self.text.get(bytes(range)).unwrap_or_default()
    }

    /// The offset at which the line of `offset` begins.
    pub(crate) fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// The offset behind the line of `offset`, its line break included.
    pub(crate) fn line_end(&self, offset: usize) -> usize {
        self.text[offset..]
            .find('\n')
            .map_or(self.text.len(), |at| offset + at + 1)
    }
}

fn part(token: &Token) -> Option<(Range<usize>, Part)> {
    let part = match token.kind() {
        TokenKind::Comment => Part::Comment,
        TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle => Part::String,
        _ => return None,
    };
    Some((bytes(token.range()), part))
}

/// A range as offsets of bytes.
pub(crate) fn bytes(range: TextRange) -> Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

/// Whether `text` is Python without a syntax error, or the code of a notebook's cells.
pub(crate) fn is_valid(text: &str, is_notebook: bool) -> bool {
    let kind = if is_notebook {
        PySourceType::Ipynb
    } else {
        PySourceType::Python
    };
    catch_unwind(|| ruff_python_parser::parse_unchecked_source(text, kind))
        .is_ok_and(|parsed| parsed.errors().is_empty())
}

/// Whether there are tests in these statements: functions that are named so, outside of other functions.
pub(crate) fn has_tests(body: &[ast::Stmt]) -> bool {
    body.iter().any(|statement| {
        let mut tests = Tests(false);
        ast::Visitor::visit_stmt(&mut tests, statement);
        tests.0
    })
}

/// Whether there is a test among the statements that were visited.
struct Tests(bool);

impl<'p> ast::Visitor<'p> for Tests {
    fn visit_stmt(&mut self, statement: &'p ast::Stmt) {
        match statement {
            ast::Stmt::FunctionDef(function) => self.0 |= function.name.starts_with("test"),
            _ if !self.0 => ast::walk_stmt(self, statement),
            _ => {}
        }
    }

    fn visit_expr(&mut self, _: &'p ast::Expr) {}
}

/// The names that code mentions, as they are found.
#[derive(Default)]
pub(crate) struct Names<'p>(pub(crate) Vec<&'p str>);

impl<'p> Names<'p> {
    /// Those that an expression mentions.
    pub(crate) fn of(expression: &'p ast::Expr) -> Vec<&'p str> {
        let mut names = Self::default();
        ast::Visitor::visit_expr(&mut names, expression);
        names.0
    }
}

impl<'p> ast::Visitor<'p> for Names<'p> {
    fn visit_expr(&mut self, expression: &'p ast::Expr) {
        if let ast::Expr::Name(name) = expression {
            self.0.push(name.id.as_str());
        }
        ast::walk_expr(self, expression);
    }
}
