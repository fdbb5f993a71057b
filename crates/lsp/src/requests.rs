//! What a client asks about a place: an explanation, or what can be done.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use cgsan_finding::{Finding, Fix, Location};
use cgsan_lint::Outcome;
use gen_lsp_types as lsp;

use crate::actions;
use crate::diagnostics;
use crate::documents::Places;
use crate::hover;
use crate::session::Session;

impl Session {
    /// What the catalogue says of the findings at a place.
    pub fn hover(&self, params: &lsp::TextDocumentPositionParams) -> Option<lsp::Hover> {
        let encoding = self.client.encoding;
        let (path, text, start) = self
            .documents
            .find(&params.text_document.uri, &self.checker)?;
        let at = start + text.text.offset(params.position, encoding);
        let mut findings = Vec::new();
        for (_, finding) in self.findings_in(path) {
            if touches(finding, at, at) {
                findings.push(finding);
            }
        }
        let place = findings.first()?.location.as_ref()?;
        let mut places = Places::new(&self.documents, &self.checker, encoding);
        Some(lsp::Hover {
            contents: hover::contents(&findings, &self.client).into(),
            range: Some(places.location(place).range),
        })
    }

    /// What can be done about the findings in a range.
    pub fn actions(&mut self, params: &lsp::CodeActionParams) -> Vec<lsp::CodeAction> {
        let only = params.context.only.as_deref();
        if !self.client.code_actions {
            return Vec::new();
        }
        let mut offered = Vec::new();
        if actions::are_wanted(only) {
            offered = self.quick_fixes(params);
        }
        if actions::is_all_wanted(only) {
            offered.extend(self.repair_all(&params.text_document.uri));
        }
        offered
    }

    /// What can be done about each finding in a range by itself.
    fn quick_fixes(&mut self, params: &lsp::CodeActionParams) -> Vec<lsp::CodeAction> {
        let encoding = self.client.encoding;
        let found = self
            .documents
            .find(&params.text_document.uri, &self.checker);
        let Some((path, text, at)) = found else {
            return Vec::new();
        };
        let start = at + text.text.offset(params.range.start, encoding);
        let end = at + text.text.offset(params.range.end, encoding);
        let findings: Vec<(PathBuf, Finding)> = self
            .findings_in(path)
            .into_iter()
            .filter(|(_, it)| touches(it, start, end))
            .map(|(root, it)| (root.to_owned(), it.clone()))
            .collect();
        let mut found: BTreeMap<PathBuf, Option<Outcome>> = BTreeMap::new();
        let mut offered = Vec::new();
        for (root, finding) in findings {
            let before = match found.entry(root.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.checker.check(&root)),
            };
            if let Some(before) = before {
                offered.extend(self.actions_for(&root, before, &finding));
            }
        }
        offered
    }

    /// The repairs of a document after which the program means the same, each tried out, as one change.
    fn repair_all(&mut self, document: &lsp::Uri) -> Option<lsp::CodeAction> {
        let (path, ..) = self.documents.find(document, &self.checker)?;
        let path = path.to_owned();
        let findings: Vec<(PathBuf, Finding)> = self
            .findings_in(&path)
            .into_iter()
            .map(|(root, it)| (root.to_owned(), it.clone()))
            .collect();
        let mut all = Fix {
            title: String::new(),
            safe: true,
            file: path,
            edits: Vec::new(),
        };
        for (root, finding) in findings {
            let own = finding.fix().filter(|fix| fix.safe && fix.file == all.file);
            let Some(edits) = own.and_then(|fix| actions::together(&all.edits, &fix.edits)) else {
                continue;
            };
            let before = self.checker.check(&root)?;
            if !self.checker.is_repaired(&root, &before, &finding) {
                continue;
            }
            let tried = Fix {
                edits,
                ..all.clone()
            };
            let places = Places::new(&self.documents, &self.checker, self.client.encoding);
            let contents = places.contents_with(&tried)?;
            if self
                .checker
                .is_gone_with(&root, &before, &finding, contents)
            {
                all = tried;
            }
        }
        if all.edits.is_empty() {
            return None;
        }
        let mut places = Places::new(&self.documents, &self.checker, self.client.encoding);
        Some(actions::repair_all(places.changes(&all)?, &self.client))
    }

    /// What can be done about one of the findings from a file on, tried out: what does not help is not offered.
    fn actions_for(
        &mut self,
        root: &Path,
        before: &Outcome,
        finding: &Finding,
    ) -> Vec<lsp::CodeAction> {
        let is_repaired =
            finding.fix().is_some() && self.checker.is_repaired(root, before, finding);
        let ignoring = self.ignoring(root, before, finding);
        let mut places = Places::new(&self.documents, &self.checker, self.client.encoding);
        let diagnostic = diagnostics::of_finding(finding, &mut places, &self.client);
        let diagnostics: Option<Vec<_>> = diagnostic.map(|(_, it)| vec![it]);
        let fix = finding.fix().filter(|_| is_repaired);
        let repair = fix.and_then(|fix| {
            let changes = places.changes(fix)?;
            Some(actions::repair(fix, changes, &self.client))
        });
        let ignore = ignoring.and_then(|fix| {
            let changes = places.changes(&fix)?;
            Some(actions::ignore(finding, changes, &self.client))
        });
        repair
            .into_iter()
            .chain(ignore)
            .map(|action| lsp::CodeAction {
                diagnostics: diagnostics.clone(),
                ..action
            })
            .collect()
    }

    /// The edit that silences a finding, tried out.
    fn ignoring(&mut self, root: &Path, before: &Outcome, finding: &Finding) -> Option<Fix> {
        let places = Places::new(&self.documents, &self.checker, self.client.encoding);
        let code = places.open_code(finding.file()?)?;
        let tries: Vec<(Fix, String)> = actions::ignoring_edits(finding, &code)
            .into_iter()
            .filter_map(|edit| {
                let fix = actions::ignoring(finding, edit)?;
                let contents = places.contents_with(&fix)?;
                Some((fix, contents))
            })
            .collect();
        tries.into_iter().find_map(|(fix, contents)| {
            self.checker
                .is_gone_with(root, before, finding, contents)
                .then_some(fix)
        })
    }
}

/// Whether a finding is at a place between two offsets.
fn touches(finding: &Finding, start: usize, end: usize) -> bool {
    let range = finding.location.as_ref().and_then(Location::bytes);
    range.is_some_and(|range| range.start <= end && start <= range.end)
}
