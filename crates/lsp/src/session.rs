//! A conversation with a client: what it opened, what was found, what it asks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use cgsan_lint::{Finding, Outcome};
use gen_lsp_types as lsp;

use crate::actions;
use crate::checker::{Checker, Configure};
use crate::client::Client;
use crate::diagnostics;
use crate::documents::{Document, Documents, Places};
use crate::hover;
use crate::text::Text;
use crate::uri;

/// How many syntax errors of a file are shown. A file that is no Python has one at every word.
const MOST_ERRORS: usize = 100;

/// What the server tells the client unasked.
#[derive(Debug)]
pub enum News {
    /// The diagnostics of a file.
    Diagnostics(lsp::PublishDiagnosticsParams),
    /// Something that went wrong and that the user can do something about.
    Trouble(String),
}

/// A conversation.
pub struct Session<'a> {
    client: Client,
    folders: BTreeSet<PathBuf>,
    documents: Documents,
    checker: Checker<'a>,
    /// The open documents that are to be checked, the next one first.
    due: VecDeque<PathBuf>,
    /// What was found from each open document on. It may lie in other files.
    outcomes: BTreeMap<PathBuf, Outcome>,
    /// What the client shows.
    shown: BTreeMap<PathBuf, Vec<lsp::Diagnostic>>,
    /// The last trouble that was told, so that it is not told at each key.
    trouble: Option<String>,
}

impl<'a> Session<'a> {
    /// A conversation with nothing open.
    pub fn new(client: Client, folders: BTreeSet<PathBuf>, configure: Configure<'a>) -> Self {
        Self {
            client,
            folders,
            documents: Documents::new(),
            checker: Checker::new(configure),
            due: VecDeque::new(),
            outcomes: BTreeMap::new(),
            shown: BTreeMap::new(),
            trouble: None,
        }
    }

    /// What the client can do.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A document was opened.
    pub fn open(&mut self, document: lsp::TextDocumentItem) {
        let path = uri::to_path(&document.uri);
        let is_python = path.extension().is_some_and(|it| it == "py" || it == "pyi");
        if !is_python && document.language_id != lsp::LanguageKind::Python {
            return;
        }
        self.checker.set_text(&path, &document.text);
        let opened = Document {
            uri: document.uri,
            version: document.version,
            text: Text::new(document.text),
        };
        self.documents.insert(path.clone(), opened);
        self.edited(path);
    }

    /// A document was edited.
    pub fn change(&mut self, params: lsp::DidChangeTextDocumentParams) {
        let path = uri::to_path(&params.text_document.text_document_identifier.uri);
        let Some(document) = self.documents.get_mut(&path) else {
            return;
        };
        document.version = params.text_document.version;
        for change in params.content_changes {
            let (range, text) = match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(it) => {
                    (Some(it.range), it.text)
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(it) => {
                    (None, it.text)
                }
            };
            document.text.change(range, &text, self.client.encoding);
        }
        self.checker.set_text(&path, document.text.as_str());
        self.edited(path);
    }

    /// A document was closed: what is on disk counts again.
    pub fn close(&mut self, document: &lsp::TextDocumentIdentifier) -> Vec<News> {
        let path = uri::to_path(&document.uri);
        let Some(closed) = self.documents.remove(&path) else {
            return Vec::new();
        };
        self.checker.forget_text(&path);
        self.due.retain(|it| *it != path);
        let files = self.replace_outcome(&path, None);
        self.due_all();
        let mut news = Vec::new();
        // The client knows it under its own address, and must not go on showing what was found in it.
        if self.shown.remove(&path).is_some_and(|it| !it.is_empty()) {
            news.push(News::Diagnostics(lsp::PublishDiagnosticsParams {
                uri: closed.uri,
                version: None,
                diagnostics: Vec::new(),
            }));
        }
        news.extend(self.publish(files));
        news
    }

    /// Files on disk have changed, or the configuration.
    pub fn reload(&mut self) {
        self.checker.reload();
        self.trouble = None;
        self.due_all();
    }

    /// Folders were added to the workspace or removed from it.
    pub fn change_folders(&mut self, event: lsp::WorkspaceFoldersChangeEvent) {
        for folder in event.removed {
            self.folders.remove(&uri::to_path(&folder.uri));
        }
        self.folders
            .extend(event.added.iter().map(|it| uri::to_path(&it.uri)));
        self.due_all();
    }

    /// Checks the next document that is to be checked. `None` if there is none.
    pub fn check_next(&mut self) -> Option<Vec<News>> {
        let path = self.due.pop_front()?;
        let (outcome, trouble) = match self.checker.check(&path) {
            Ok(outcome) => (Some(outcome), None),
            Err(trouble) => (None, Some(trouble)),
        };
        let mut files = self.replace_outcome(&path, outcome);
        // Its version has changed, which a client may wait for.
        self.shown.remove(&path);
        files.insert(path);
        let mut news = self.publish(files);
        if let Some(trouble) = trouble
            && self.trouble.as_ref() != Some(&trouble)
        {
            self.trouble = Some(trouble.clone());
            news.push(News::Trouble(trouble));
        }
        Some(news)
    }

    /// What the catalogue says of the findings at a place.
    pub fn hover(&self, params: &lsp::TextDocumentPositionParams) -> Option<lsp::Hover> {
        let path = uri::to_path(&params.text_document.uri);
        let document = self.documents.get(&path)?;
        let at = document.text.offset(params.position, self.client.encoding);
        let findings: Vec<&Finding> = self
            .findings_in(&path)
            .into_iter()
            .map(|(_, finding)| finding)
            .filter(|it| it.location.range.start <= at && at <= it.location.range.end)
            .collect();
        let range = &findings.first()?.location.range;
        Some(lsp::Hover {
            contents: hover::contents(&findings, &self.client).into(),
            range: Some(document.text.range(range, self.client.encoding)),
        })
    }

    /// What can be done about the findings in a range.
    pub fn actions(&mut self, params: &lsp::CodeActionParams) -> Vec<lsp::CodeAction> {
        let path = uri::to_path(&params.text_document.uri);
        let Some(document) = self.documents.get(&path) else {
            return Vec::new();
        };
        if !self.client.code_actions || !actions::are_wanted(params.context.only.as_deref()) {
            return Vec::new();
        }
        let start = document
            .text
            .offset(params.range.start, self.client.encoding);
        let end = document.text.offset(params.range.end, self.client.encoding);
        let findings: Vec<(PathBuf, Finding)> = self
            .findings_in(&path)
            .into_iter()
            .filter(|(_, it)| it.location.range.start <= end && start <= it.location.range.end)
            .map(|(root, it)| (root.to_owned(), it.clone()))
            .collect();
        let mut offered = Vec::new();
        for (root, finding) in findings {
            offered.extend(self.actions_for(&root, &finding));
        }
        offered
    }

    fn actions_for(&mut self, root: &Path, finding: &Finding) -> Vec<lsp::CodeAction> {
        let ignoring = self.ignoring_edit(root, finding);
        let mut places = Places::new(&self.documents, &self.checker, self.client.encoding);
        let diagnostic = diagnostics::of_finding(finding, &mut places, &self.client);
        let repair = finding
            .fix
            .as_ref()
            .map(|fix| actions::repair(fix, &mut places, &self.client));
        let ignore = ignoring.map(|edit| actions::ignore(finding, edit, &mut places, &self.client));
        repair
            .into_iter()
            .chain(ignore)
            .map(|action| lsp::CodeAction {
                diagnostics: Some(vec![diagnostic.clone()]),
                ..action
            })
            .collect()
    }

    /// The edit that silences a finding, tried out.
    fn ignoring_edit(&mut self, root: &Path, finding: &Finding) -> Option<cgsan_lint::Edit> {
        let text = &self.documents.get(&finding.location.file)?.text;
        actions::ignoring_edits(finding, text)
            .into_iter()
            .find(|edit| {
                self.checker
                    .is_gone_with(root, finding, actions::with(text, edit))
            })
    }

    /// That a document has another text: it is to be checked next, and then those that may import it.
    fn edited(&mut self, path: PathBuf) {
        self.due_all();
        self.due.retain(|it| *it != path);
        self.due.push_front(path);
    }

    /// That all documents are to be checked.
    fn due_all(&mut self) {
        for path in self.documents.keys() {
            if !self.due.contains(path) {
                self.due.push_back(path.clone());
            }
        }
    }

    /// Takes what was found from a document on. Returns the files that this is about, before or now.
    fn replace_outcome(&mut self, root: &Path, outcome: Option<Outcome>) -> BTreeSet<PathBuf> {
        let mut about: BTreeSet<PathBuf> = outcome
            .iter()
            .flat_map(files_of)
            .map(Path::to_owned)
            .collect();
        let before = match outcome {
            Some(outcome) => self.outcomes.insert(root.to_owned(), outcome),
            None => self.outcomes.remove(root),
        };
        about.extend(before.iter().flat_map(files_of).map(Path::to_owned));
        about
    }

    /// The diagnostics of those of the files whose diagnostics have changed. A file in which something was found from a
    /// document that is still to be checked has to wait for it: its text may be another one by now.
    fn publish(&mut self, files: BTreeSet<PathBuf>) -> Vec<News> {
        let mut news = Vec::new();
        for path in files {
            let mut awaited = self.due.iter().filter_map(|root| self.outcomes.get(root));
            if awaited.any(|outcome| files_of(outcome).any(|file| file == path)) {
                continue;
            }
            let diagnostics = self.diagnostics_of(&path);
            let known = self.shown.get(&path);
            let is_known = known.map_or_else(
                || diagnostics.is_empty() && !self.documents.contains_key(&path),
                |known| *known == diagnostics,
            );
            if is_known {
                continue;
            }
            let places = Places::new(&self.documents, &self.checker, self.client.encoding);
            news.push(News::Diagnostics(lsp::PublishDiagnosticsParams {
                uri: places.uri(&path),
                version: places.version(&path),
                diagnostics: diagnostics.clone(),
            }));
            self.shown.insert(path, diagnostics);
        }
        news
    }

    fn diagnostics_of(&self, path: &Path) -> Vec<lsp::Diagnostic> {
        if !self.is_shown(path) {
            return Vec::new();
        }
        let mut places = Places::new(&self.documents, &self.checker, self.client.encoding);
        let errors = self.outcomes.get(path).map_or(&[][..], |it| &it.errors[..]);
        let mut diagnostics: Vec<lsp::Diagnostic> = errors
            .iter()
            .take(MOST_ERRORS)
            .map(|error| diagnostics::of_error(error, &mut places))
            .collect();
        for (_, finding) in self.findings_in(path) {
            diagnostics.push(diagnostics::of_finding(finding, &mut places, &self.client));
        }
        diagnostics
    }

    /// Whether a file is the user's: open, or in the workspace. Findings in packages beside it are not shown.
    fn is_shown(&self, path: &Path) -> bool {
        self.documents.contains_key(path)
            || self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// The findings in a file, by place, each with the document from which it was found. What is found from several
    /// documents counts once.
    fn findings_in(&self, path: &Path) -> Vec<(&Path, &Finding)> {
        let mut findings: Vec<(&Path, &Finding)> = self
            .outcomes
            .iter()
            .flat_map(|(root, outcome)| outcome.findings.iter().map(|it| (root.as_path(), it)))
            .filter(|(_, finding)| finding.location.file == path)
            .collect();
        // What was found from the file itself on goes first: it is the newest.
        findings.sort_by_key(|(root, finding)| {
            (finding.location.range.start, finding.id, *root != path)
        });
        let mut seen = BTreeSet::new();
        findings.retain(|(_, finding)| seen.insert((finding.location.start.line, finding.id)));
        findings
    }
}

/// The files in which something was found.
fn files_of(outcome: &Outcome) -> impl Iterator<Item = &Path> {
    outcome.findings.iter().map(|it| it.location.file.as_path())
}
