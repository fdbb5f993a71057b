//! Arguments that a call lacks, or has wrong.

use super::change::{Change, changes};
use super::names;
use super::place::{self, insert, replace};
use crate::draft::{Argument, Captured};
use crate::project::Project;
use crate::site::Site;
use crate::syntax::ast::Ranged as _;

/// Gives an argument of the call at a site its value.
pub(super) fn set(project: &Project, site: Site, argument: Argument) -> Option<Change> {
    let source = project.source(site.file);
    let statement = place::innermost(source, site.range)?.statement();
    let call = names::call_at(statement, site.range)?;
    let Argument { name, value, safe } = argument;
    let title = format!("pass `{name}={value}`");
    let keywords = &call.arguments.keywords;
    if let Some(given) = keywords.iter().find(|it| it.arg.as_deref() == Some(name)) {
        let given = given.value.range();
        return changes(site.file, title, safe, [replace(given, value)]);
    }
    // What is unpacked may hold it already.
    if keywords.iter().any(|it| it.arg.is_none()) {
        return None;
    }
    let text = source.slice(site.range);
    let inside = text.strip_suffix(')')?;
    let trimmed = inside.trim_end();
    if trimmed.lines().next_back()?.contains('#') {
        return None;
    }
    let separator = match trimmed.chars().next_back()? {
        '(' => "",
        ',' => " ",
        _ => ", ",
    };
    let at = site.range.start().to_usize() + trimmed.len();
    let edit = insert(at, format!("{separator}{name}={value}"));
    changes(site.file, title, safe, [edit])
}

/// Lets a capture mind its own thread only.
pub(super) fn thread_local(project: &Project, capture: Captured) -> Option<Change> {
    let argument = Argument::safe("capture_error_mode", "\"thread_local\"");
    let source = project.source(capture.site.file);
    let statement = place::innermost(source, capture.site.range)?.statement();
    let call = names::call_at(statement, capture.site.range)?;
    let is_positional = capture.mode_given && call.arguments.find_keyword(argument.name).is_none();
    if !capture.is_graph || is_positional {
        return None;
    }
    set(project, capture.site, argument)
}
