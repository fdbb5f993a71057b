//! What the editor offers to do about a finding.

use std::collections::HashMap;
use std::path::Path;

use cgsan_lint::{Edit, Finding, Fix};
use gen_lsp_types as lsp;

use crate::client::Client;
use crate::documents::Places;
use crate::text::Text;

/// The change that repairs it.
pub fn repair(fix: &Fix, places: &mut Places<'_>, client: &Client) -> lsp::CodeAction {
    let remark = if fix.safe {
        ""
    } else {
        " (the program may mean something else afterwards)"
    };
    lsp::CodeAction {
        title: format!("cgsan: {}{remark}", fix.title),
        kind: Some(lsp::CodeActionKind::QuickFix),
        is_preferred: Some(fix.safe),
        edit: Some(workspace_edit(&fix.file, &fix.edits, places, client)),
        ..lsp::CodeAction::default()
    }
}

/// The comment that silences it.
pub fn ignore(
    finding: &Finding,
    edit: Edit,
    places: &mut Places<'_>,
    client: &Client,
) -> lsp::CodeAction {
    let file = &finding.location.file;
    lsp::CodeAction {
        title: format!("cgsan: ignore {} on this line", finding.id),
        kind: Some(lsp::CodeActionKind::QuickFix),
        is_preferred: Some(false),
        edit: Some(workspace_edit(file, &[edit], places, client)),
        ..lsp::CodeAction::default()
    }
}

/// Whether the client wants quick fixes. Kinds are hierarchical: `quickfix` includes `quickfix.ours`.
pub fn are_wanted(only: Option<&[lsp::CodeActionKind]>) -> bool {
    let is_wanted = |kind: &lsp::CodeActionKind| {
        matches!(
            kind,
            lsp::CodeActionKind::Empty | lsp::CodeActionKind::QuickFix
        )
    };
    only.is_none_or(|only| only.iter().any(is_wanted))
}

/// The places at which a comment may silence a finding, best first: the ends of its first and of its last line. Inside
/// a string over several lines the end of a line is none, so the linter has to be asked.
pub fn ignoring_edits(finding: &Finding, text: &Text) -> Vec<Edit> {
    let location = &finding.location;
    let mut lines = vec![location.start.line, location.end.line];
    lines.dedup();
    lines
        .into_iter()
        .map(|line| ignoring_edit(finding.id, text, line.saturating_sub(1) as usize))
        .collect()
}

/// Adds the id to the line's comment that ignores others, or a comment.
fn ignoring_edit(id: &str, text: &Text, line: usize) -> Edit {
    const BEGIN: &str = "# cgsan: ignore[";
    let bytes = text.line(line);
    let content = &text.as_str()[bytes.clone()];
    let list = content.rfind(BEGIN).and_then(|at| {
        let list = at + BEGIN.len();
        Some(list + content[list..].find(']')?)
    });
    let (at, new) = match list {
        Some(end) => (end, format!(", {id}")),
        None => (content.trim_end().len(), format!("  {BEGIN}{id}]")),
    };
    Edit {
        start: bytes.start + at,
        end: bytes.start + at,
        text: new,
    }
}

/// A text with an edit made.
pub fn with(text: &Text, edit: &Edit) -> String {
    let mut text = text.as_str().to_owned();
    text.replace_range(edit.start..edit.end, &edit.text);
    text
}

fn workspace_edit(
    file: &Path,
    edits: &[Edit],
    places: &mut Places<'_>,
    client: &Client,
) -> lsp::WorkspaceEdit {
    let edits = edits.iter().map(|edit| lsp::TextEdit {
        range: places.range(file, &(edit.start..edit.end)),
        new_text: edit.text.clone(),
    });
    if !client.document_changes {
        let edits = edits.collect();
        return lsp::WorkspaceEdit {
            changes: Some(HashMap::from([(places.uri(file), edits)])),
            ..lsp::WorkspaceEdit::default()
        };
    }
    let edits = edits.map(lsp::Edit::from).collect();
    let document = lsp::OptionalVersionedTextDocumentIdentifier {
        version: places.version(file),
        text_document_identifier: lsp::TextDocumentIdentifier {
            uri: places.uri(file),
        },
    };
    let change = lsp::TextDocumentEdit {
        text_document: document,
        edits,
    };
    lsp::WorkspaceEdit {
        document_changes: Some(vec![change.into()]),
        ..lsp::WorkspaceEdit::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(line: &str) -> String {
        let text = Text::new(line.to_owned());
        with(&text, &ignoring_edit("CG101", &text, 0))
    }

    #[test]
    fn a_comment_is_added_at_the_end_of_the_line() {
        assert_eq!(
            ignored("x.item()\ny"),
            "x.item()  # cgsan: ignore[CG101]\ny"
        );
        assert_eq!(
            ignored("x.item()  \r\n"),
            "x.item()  # cgsan: ignore[CG101]  \r\n"
        );
        assert_eq!(
            ignored("x.item()  # why"),
            "x.item()  # why  # cgsan: ignore[CG101]"
        );
    }

    #[test]
    fn an_id_is_added_to_those_that_are_ignored() {
        assert_eq!(
            ignored("x.item()  # cgsan: ignore[CG205]"),
            "x.item()  # cgsan: ignore[CG205, CG101]"
        );
    }

    #[test]
    fn what_the_client_wants_is_a_kind_or_a_kind_above_it() {
        let kind = lsp::CodeActionKind::from("quickfix".to_owned());
        assert!(are_wanted(None));
        assert!(are_wanted(Some(&[kind])));
        assert!(!are_wanted(Some(&[lsp::CodeActionKind::Refactor])));
        assert!(!are_wanted(Some(&[])));
    }
}
