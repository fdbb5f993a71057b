//! Changes of the source that repair what was found.

pub(crate) mod hoist;
pub(crate) mod streams;

use crate::finding::{Edit, Fix};
use crate::interp::Interp;
use crate::interp::value::{CaptureId, Site};
use crate::project::FileId;
use crate::syntax::Source;
use crate::syntax::ast::{self, Expr, Ranged, Stmt, TextRange};

fn fix(interp: &Interp<'_>, file: FileId, title: &str, safe: bool, edits: Vec<Edit>) -> Fix {
    Fix {
        title: title.to_owned(),
        safe,
        file: interp.project.path(file).to_owned(),
        edits,
    }
}

fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit {
        start: at,
        end: at,
        text: text.into(),
    }
}

/// What stands before a statement on its line, if that is only its indentation.
fn indentation<'s>(source: &'s Source, statement: &impl Ranged) -> Option<&'s str> {
    let start = statement.start().to_usize();
    let before = source.text.get(source.line_start(start)..start)?;
    before.trim().is_empty().then_some(before)
}

/// Moves the statement at `range` behind the `with` statement of the capture, if nothing after it needs it.
pub(crate) fn move_after_capture(
    interp: &Interp<'_>,
    id: CaptureId,
    range: TextRange,
) -> Option<Fix> {
    let capture = &interp.captures[id.0];
    let with = capture.statement?;
    let file = interp.at(range).file;
    if capture.site.file != file || with.body.len() < 2 {
        return None;
    }
    let at = with
        .body
        .iter()
        .position(|it| it.range().contains_range(range))?;
    let statement = &with.body[at];
    let source = interp.project.source(file);
    let value = match statement {
        Stmt::Assign(it) => it.value.range(),
        _ => statement.range(),
    };
    // What else the statement computes belongs into the graph.
    if value != range {
        return None;
    }
    let target = match statement {
        Stmt::Assign(it) => Some(
            it.targets
                .first()?
                .as_name_expr()
                .filter(|_| it.targets.len() == 1)?
                .id
                .as_str(),
        ),
        Stmt::Expr(_) => None,
        _ => return None,
    };
    let later = with.body.get(at + 1..)?;
    let rest = later.first().map_or("", |first| {
        source.slice(TextRange::new(first.start(), with.end()))
    });
    if target.is_some_and(|name| has_word(rest, name)) {
        return None;
    }
    // A line of its own, whole, and a block that is indented below its statement.
    let start = source.line_start(statement.start().to_usize());
    let end = source.line_end(statement.end().to_usize().saturating_sub(1).max(start));
    let text = source.slice(statement.range());
    let alone = source
        .text
        .get(start..end)?
        .trim()
        .split('#')
        .next()?
        .trim()
        == text;
    if !alone || text.contains('\n') || source.line_start(with.start().to_usize()) == start {
        return None;
    }
    let indent = indentation(source, with)?;
    let after = source.line_end(with.end().to_usize().saturating_sub(1));
    // The value is there once the graph has run.
    let after = after + length_of_replay(&source.text[after..], indent);
    let line_break = if source.text[..after].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let mut edits = vec![
        Edit {
            start,
            end,
            text: String::new(),
        },
        insert(after, format!("{line_break}{indent}{text}\n")),
    ];
    if after == end {
        edits = vec![Edit {
            start,
            end,
            text: format!("{indent}{text}\n"),
        }];
    }
    Some(fix(interp, file, "read it after the capture", false, edits))
}

/// How long the lines are up to a replay that comes first in the text, in a block of this indentation; 0 without one.
fn length_of_replay(text: &str, indent: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        let statement = line.trim_end();
        if statement.trim_start().is_empty() {
            continue;
        }
        let graph = statement
            .strip_prefix(indent)
            .and_then(|statement| statement.strip_suffix(".replay()"));
        return if graph.is_some_and(is_name) {
            length
        } else {
            0
        };
    }
    0
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

/// Whether a text is a name, or names with dots between them.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|it| it.is_alphanumeric() || it == '_' || it == '.')
}

/// Lets a capture mind its own thread only.
pub(crate) fn thread_local(interp: &Interp<'_>, id: CaptureId) -> Option<Fix> {
    let capture = &interp.captures[id.0];
    let site = capture.site;
    let text = interp.project.source(site.file).slice(site.range);
    if capture.mode_given {
        let start = text.find("\"global\"").or_else(|| text.find("'global'"))?;
        let start = site.range.start().to_usize() + start;
        let edits = vec![Edit {
            start,
            end: start + "\"global\"".len(),
            text: "\"thread_local\"".to_owned(),
        }];
        return Some(fix(
            interp,
            site.file,
            "let the capture mind its own thread only",
            true,
            edits,
        ));
    }
    add_argument_at(interp, site, "capture_error_mode=\"thread_local\"")
}

/// Registers the generator that is drawn from.
pub(crate) fn register_generator(
    interp: &Interp<'_>,
    id: CaptureId,
    range: TextRange,
) -> Option<Fix> {
    let with = interp.captures[id.0].statement?;
    let file = interp.at(range).file;
    if interp.captures[id.0].site.file != file || !with.range().contains_range(range) {
        return None;
    }
    let source = interp.project.source(file);
    let name = argument_name(source.slice(range), "generator=")?;
    // What the capture itself binds cannot be named before it.
    let body = TextRange::new(with.body.first()?.start(), range.start());
    if is_assigned(source.slice(body), name) {
        return None;
    }
    let call = with.items.first()?.context_expr.as_call_expr()?;
    let graph = call.arguments.args.first()?.as_name_expr()?.id.as_str();
    let line = source.line_start(with.start().to_usize());
    let indent = indentation(source, with)?;
    let edits = vec![insert(
        line,
        format!("{indent}{graph}.register_generator_state({name})\n"),
    )];
    Some(fix(
        interp,
        file,
        "register the generator with the graph",
        true,
        edits,
    ))
}

/// Whether a text may bind a name: it stands before an equals sign, a comma or a colon.
fn is_assigned(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        rest.starts_with([',', ':']) || rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// The name that is given as an argument.
fn argument_name<'a>(text: &'a str, argument: &str) -> Option<&'a str> {
    let start = text.find(argument)? + argument.len();
    let rest = &text[start..];
    let end = rest
        .find(|it: char| !it.is_alphanumeric() && it != '_' && it != '.')
        .unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// Gives an argument of a call another value, or adds it.
pub(crate) fn set_argument(
    interp: &Interp<'_>,
    call: &ast::ExprCall,
    name: &str,
    value: &str,
    safe: bool,
) -> Option<Fix> {
    let file = interp.at(call.range()).file;
    let given = call
        .arguments
        .keywords
        .iter()
        .find(|it| it.arg.as_deref() == Some(name));
    if let Some(given) = given {
        let edits = vec![Edit {
            start: given.value.start().to_usize(),
            end: given.value.end().to_usize(),
            text: value.to_owned(),
        }];
        return Some(fix(
            interp,
            file,
            &format!("pass `{name}={value}`"),
            safe,
            edits,
        ));
    }
    let site = interp.at(call.range());
    add_argument_at(interp, site, &format!("{name}={value}"))
}

/// Adds an argument to the call at a site.
pub(crate) fn add_argument_at(interp: &Interp<'_>, site: Site, argument: &str) -> Option<Fix> {
    let source = interp.project.source(site.file);
    let text = source.slice(site.range);
    let inside = text.strip_suffix(')')?;
    let name = argument.split('=').next()?;
    if inside.contains(name) || inside.contains("**") || inside.contains('#') {
        return None;
    }
    let trimmed = inside.trim_end();
    let comma = match trimmed.chars().next_back()? {
        '(' => "",
        ',' => " ",
        _ => ", ",
    };
    let at = site.range.start().to_usize() + trimmed.len();
    let edits = vec![insert(at, format!("{comma}{argument}"))];
    Some(fix(
        interp,
        site.file,
        &format!("pass `{argument}`"),
        true,
        edits,
    ))
}

/// Keeps a copy of an expression's value.
pub(crate) fn clone(interp: &Interp<'_>, kept: &Expr) -> Option<Fix> {
    if !matches!(
        kept,
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_)
    ) {
        return None;
    }
    let file = interp.at(kept.range()).file;
    let edits = vec![insert(kept.end().to_usize(), ".clone()")];
    Some(fix(interp, file, "keep a copy", true, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_is_seen_where_it_comes_first() {
        let replayed = "\n    self.graph.replay()\n";
        assert_eq!(length_of_replay(replayed, "    "), replayed.len());
        assert_eq!(
            length_of_replay("g.replay()\nx = 1\n", ""),
            "g.replay()\n".len()
        );
        for text in [
            "",
            "x = 1\ng.replay()\n",
            "    g.replay()\n",
            "if g: g.replay()\n",
        ] {
            assert_eq!(length_of_replay(text, ""), 0, "{text:?}");
        }
    }
}
