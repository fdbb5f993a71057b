//! What the editor offers to do about a finding.

use cgsan_finding::{Edit, Finding, Fix};
use gen_lsp_types as lsp;

use crate::client::Client;
use crate::documents::Change;
use crate::text::Text;

/// The change that repairs it.
pub fn repair(fix: &Fix, changes: Vec<Change>, client: &Client) -> lsp::CodeAction {
    let remark = if fix.safe {
        ""
    } else {
        " (the program may mean something else afterwards)"
    };
    lsp::CodeAction {
        title: format!("cgsan: {}{remark}", fix.title),
        kind: Some(lsp::CodeActionKind::QuickFix),
        is_preferred: Some(fix.safe),
        edit: Some(workspace_edit(changes, client)),
        ..lsp::CodeAction::default()
    }
}

/// The comment that silences it.
pub fn ignore(finding: &Finding, changes: Vec<Change>, client: &Client) -> lsp::CodeAction {
    lsp::CodeAction {
        title: format!("cgsan: ignore {} on this line", finding.id),
        kind: Some(lsp::CodeActionKind::QuickFix),
        is_preferred: Some(false),
        edit: Some(workspace_edit(changes, client)),
        ..lsp::CodeAction::default()
    }
}

/// The fix that consists of an edit that silences a finding.
pub fn ignoring(finding: &Finding, edit: Edit) -> Option<Fix> {
    Some(Fix {
        title: String::new(),
        safe: true,
        file: finding.file()?.to_owned(),
        edits: vec![edit],
    })
}

/// All repairs of a document after which the program means the same, at once.
pub fn repair_all(changes: Vec<Change>, client: &Client) -> lsp::CodeAction {
    lsp::CodeAction {
        title: "cgsan: repair all that can be repaired safely".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(changes, client)),
        ..lsp::CodeAction::default()
    }
}

/// The kind of what an editor may do when a file is saved.
pub const FIX_ALL: lsp::CodeActionKind = lsp::CodeActionKind::new("source.fixAll.cgsan");

/// Whether the client wants quick fixes.
pub fn are_wanted(only: Option<&[lsp::CodeActionKind]>) -> bool {
    only.is_none_or(|only| includes(only, &lsp::CodeActionKind::QuickFix))
}

/// Whether the client wants all repairs at once. It has to ask: they are no answer to a finding.
pub fn is_all_wanted(only: Option<&[lsp::CodeActionKind]>) -> bool {
    only.is_some_and(|only| includes(only, &FIX_ALL))
}

/// Whether a kind is one of those that are asked for, or below one. Kinds are hierarchical: `source` includes `source.fixAll`.
fn includes(only: &[lsp::CodeActionKind], kind: &lsp::CodeActionKind) -> bool {
    only.iter().any(|asked| {
        let below = kind.as_str().strip_prefix(asked.as_str());
        below.is_some_and(|it| it.is_empty() || it.starts_with('.')) || asked.as_str().is_empty()
    })
}

/// The edits of both, in order, or `None` if they touch each other. Edits that both have are made once.
pub fn together(some: &[Edit], others: &[Edit]) -> Option<Vec<Edit>> {
    let mut all = some.to_vec();
    all.extend(others.iter().filter(|it| !some.contains(it)).cloned());
    all.sort_by_key(|edit| (edit.start, edit.end));
    let is_apart = |pair: &[Edit]| pair[0].end < pair[1].start;
    all.windows(2).all(is_apart).then_some(all)
}

/// The places at which a comment may silence a finding, best first: the ends of its first and of its last line. Inside
/// a string over several lines the end of a line is none, so the linter has to be asked.
pub fn ignoring_edits(finding: &Finding, text: &Text) -> Vec<Edit> {
    let lines = finding.location.iter();
    let mut lines: Vec<u32> = lines.flat_map(|it| [it.line, it.end_line()]).collect();
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

fn workspace_edit(changes: Vec<Change>, client: &Client) -> lsp::WorkspaceEdit {
    if !client.document_changes {
        let changes = changes.into_iter().map(|it| (it.uri, it.edits));
        return lsp::WorkspaceEdit {
            changes: Some(changes.collect()),
            ..lsp::WorkspaceEdit::default()
        };
    }
    let changes = changes.into_iter().map(|change| {
        let document = lsp::OptionalVersionedTextDocumentIdentifier {
            version: change.version,
            text_document_identifier: lsp::TextDocumentIdentifier { uri: change.uri },
        };
        let edit = lsp::TextDocumentEdit {
            text_document: document,
            edits: change.edits.into_iter().map(lsp::Edit::from).collect(),
        };
        edit.into()
    });
    lsp::WorkspaceEdit {
        document_changes: Some(changes.collect()),
        ..lsp::WorkspaceEdit::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(line: &str) -> String {
        let text = Text::new(line.to_owned());
        let edit = ignoring_edit("CG101", &text, 0);
        let mut new = line.to_owned();
        new.replace_range(edit.start..edit.end, &edit.text);
        new
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
    fn edits_go_together_unless_they_touch() {
        let edit = |start, end| Edit {
            start,
            end,
            text: "x".to_owned(),
        };
        let both = together(&[edit(5, 8)], &[edit(1, 2), edit(5, 8)]);
        assert_eq!(both, Some(vec![edit(1, 2), edit(5, 8)]));
        assert_eq!(together(&[edit(5, 8)], &[edit(8, 9)]), None);
        assert_eq!(together(&[edit(5, 8)], &[edit(6, 7)]), None);
    }

    #[test]
    fn all_repairs_at_once_are_for_who_asks() {
        let asked = |kind: &str| is_all_wanted(Some(&[kind.to_owned().into()]));
        assert!(!is_all_wanted(None));
        for kind in ["", "source", "source.fixAll", "source.fixAll.cgsan"] {
            assert!(asked(kind), "{kind}");
        }
        for kind in [
            "source.fix",
            "source.fixAll.ruff",
            "source.fixAll.cgsan.more",
            "quickfix",
        ] {
            assert!(!asked(kind), "{kind}");
        }
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
