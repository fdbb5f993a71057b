//! A conversation with a client: what it opened, what was found, what it is shown.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cgsan_finding::{Finding, Location};
use cgsan_lint::Outcome;
use gen_lsp_types as lsp;

use crate::checker::{Checker, Surroundings};
use crate::client::Client;
use crate::diagnostics;
use crate::documents::{Document, Documents, Places, TextDocument};
use crate::notebooks::Notebook;
use crate::scout::Scout;
use crate::uri;

/// How many syntax errors of a file are shown. A file that is not Python has one at every word.
const MOST_ERRORS: usize = 100;

/// How many files that are not open are checked for what they capture in open ones, at most.
const MOST_UNOPENED: usize = 32;

/// What the server tells the client unasked.
#[derive(Debug)]
pub enum News {
    /// The diagnostics of a text.
    Diagnostics(lsp::PublishDiagnosticsParams),
    /// Something that went wrong and that the user can do something about.
    Trouble(String),
}

/// A conversation.
pub struct Session {
    pub(crate) client: Client,
    folders: BTreeSet<PathBuf>,
    pub(crate) documents: Documents,
    pub(crate) checker: Checker,
    scout: Scout,
    /// The files that are to be checked, the next one first.
    due: VecDeque<PathBuf>,
    /// What was found from each checked file on. It may lie in other files.
    outcomes: BTreeMap<PathBuf, Outcome>,
    /// The files that this depends on.
    reaches: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Files that are not open and from which on something was found in open ones.
    unopened: BTreeSet<PathBuf>,
    /// What the client shows, by address: for which version, and what.
    shown: BTreeMap<String, (Option<i32>, Vec<lsp::Diagnostic>)>,
    /// The troubles that were told, so that they are not told at each key.
    told: BTreeSet<String>,
    /// Those that were told before the last reload.
    told_before: BTreeSet<String>,
}

impl Session {
    /// A conversation with nothing open. `found` is given files to be passed to [`Session::follow`].
    pub fn new(
        client: Client,
        folders: BTreeSet<PathBuf>,
        surroundings: Arc<dyn Surroundings>,
        found: impl Fn(PathBuf) + Send + 'static,
    ) -> Self {
        let scout = Scout::start(Arc::clone(&surroundings), found);
        scout.set_folders(folders.clone());
        Self {
            client,
            folders,
            documents: Documents::default(),
            checker: Checker::new(surroundings),
            scout,
            due: VecDeque::new(),
            outcomes: BTreeMap::new(),
            reaches: BTreeMap::new(),
            unopened: BTreeSet::new(),
            shown: BTreeMap::new(),
            told: BTreeSet::new(),
            told_before: BTreeSet::new(),
        }
    }

    /// What the client can do.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A document was opened.
    pub fn open(&mut self, document: lsp::TextDocumentItem) {
        let path = uri::to_text(&document.uri);
        let is_python = path.extension().is_some_and(|it| it == "py" || it == "pyi");
        if is_python || document.language_id == lsp::LanguageKind::Python {
            self.opened(path, Document::Text(TextDocument::new(document)));
        }
    }

    /// A document was edited.
    pub fn change(&mut self, params: lsp::DidChangeTextDocumentParams) {
        let path = uri::to_text(&params.text_document.text_document_identifier.uri);
        let version = params.text_document.version;
        let edits = params.content_changes;
        let encoding = self.client.encoding;
        let document = self.documents.change_text(&path, version, edits, encoding);
        if let Some(contents) = document.map(Document::contents) {
            self.edited(path, contents);
        }
    }

    /// A document was closed: what is on disk counts again.
    pub fn close(&mut self, document: &lsp::TextDocumentIdentifier) -> Vec<News> {
        self.closed(&uri::to_text(&document.uri))
    }

    /// A notebook was opened.
    pub fn open_notebook(&mut self, params: lsp::DidOpenNotebookDocumentParams) {
        let path = uri::to_notebook(&params.notebook_document.uri);
        let notebook = Notebook::new(params.notebook_document, params.cell_text_documents);
        self.opened(path, Document::Notebook(notebook));
    }

    /// A notebook or its cells were edited.
    pub fn change_notebook(&mut self, params: lsp::DidChangeNotebookDocumentParams) -> Vec<News> {
        let path = uri::to_notebook(&params.notebook_document.uri);
        let Some(cells) = params.change.cells else {
            return Vec::new();
        };
        let before = self.addresses(&path);
        let encoding = self.client.encoding;
        let notebook = self.documents.change_notebook(&path, cells, encoding);
        if let Some(contents) = notebook.map(Document::contents) {
            self.edited(path.clone(), contents);
        }
        let after = self.addresses(&path);
        self.clear(before.difference(&after))
    }

    /// A notebook was closed.
    pub fn close_notebook(&mut self, notebook: &lsp::NotebookDocumentIdentifier) -> Vec<News> {
        self.closed(&uri::to_notebook(&notebook.uri))
    }

    fn opened(&mut self, path: PathBuf, document: Document) {
        let contents = document.contents();
        self.documents.insert(path.clone(), document);
        self.unopened.remove(&path);
        if !path.is_file() {
            // What imports it has not found it until now.
            self.checker.forget_files();
            self.make_due(|_| true);
        }
        self.edited(path, contents);
    }

    fn closed(&mut self, path: &Path) -> Vec<News> {
        let addresses = self.addresses(path);
        if self.documents.remove(path).is_none() {
            return Vec::new();
        }
        self.checker.forget_text(path);
        self.scout.forget_contents(path);
        let mut files = self.forget(path);
        let idle: Vec<PathBuf> = self
            .unopened
            .iter()
            .filter(|root| !self.leads_to_open(root))
            .cloned()
            .collect();
        for root in idle {
            self.unopened.remove(&root);
            files.append(&mut self.forget(&root));
        }
        self.make_due(|_| true);
        // The client must not go on showing what was found in it, under its own address.
        let mut news = self.clear(&addresses);
        news.extend(self.publish(files));
        news
    }

    /// Forgets what was found from a file on. Returns the files that this is about.
    fn forget(&mut self, root: &Path) -> BTreeSet<PathBuf> {
        self.due.retain(|it| it != root);
        self.reaches.remove(root);
        self.replace_outcome(root, None)
    }

    fn leads_to_open(&self, root: &Path) -> bool {
        let reach = self.reaches.get(root);
        reach.is_none_or(|reach| reach.iter().any(|path| self.documents.contains(path)))
    }

    /// Something is found in open files from this one on, which is not open.
    pub fn follow(&mut self, path: PathBuf) {
        let is_ours = self.folders.iter().any(|folder| path.starts_with(folder));
        if !is_ours
            || self.documents.contains(&path)
            || self.unopened.contains(&path)
            || self.unopened.len() >= MOST_UNOPENED
        {
            return;
        }
        self.unopened.insert(path.clone());
        self.due.push_back(path);
    }

    /// Files on disk have changed.
    pub fn change_files(&mut self, changes: &[lsp::FileEvent]) {
        let paths: Vec<PathBuf> = changes
            .iter()
            .map(|it| uri::to_path(&it.uri))
            .filter(|path| self.matters(path))
            .collect();
        if !paths.is_empty() {
            self.reload_with(paths);
        }
    }

    /// Files on disk may have changed, or the configuration.
    pub fn reload(&mut self) {
        self.reload_with(Vec::new());
    }

    fn reload_with(&mut self, changed: Vec<PathBuf>) {
        self.checker.reload();
        self.scout.changed_on_disk(changed);
        self.told_before = std::mem::take(&mut self.told);
        self.make_due(|_| true);
    }

    /// Whether a change of a file on disk can change what is found. The text of an open one is the editor's.
    fn matters(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|it| it.to_str());
        match extension {
            Some("py" | "pyi" | "ipynb") => !self.documents.contains(path),
            _ => {
                path.file_name().is_some_and(|it| it == "pyproject.toml")
                    || self.checker.is_baseline(path)
            }
        }
    }

    /// Folders were added to the workspace or removed from it.
    pub fn change_folders(&mut self, event: lsp::WorkspaceFoldersChangeEvent) -> Vec<News> {
        for folder in event.removed {
            self.folders.remove(&uri::to_path(&folder.uri));
        }
        self.folders
            .extend(event.added.iter().map(|it| uri::to_path(&it.uri)));
        self.scout.set_folders(self.folders.clone());
        let mut files = BTreeSet::new();
        for root in std::mem::take(&mut self.unopened) {
            files.append(&mut self.forget(&root));
        }
        for outcome in self.outcomes.values() {
            files.extend(files_of(outcome).map(Path::to_owned));
        }
        self.make_due(|_| true);
        self.publish(files)
    }

    /// Checks the next file that is to be checked. `None` if there is none.
    pub fn check_next(&mut self) -> Option<Vec<News>> {
        let path = self.due.pop_front()?;
        let outcome = self.checker.check(&path);
        let reach = self.checker.reach(&path);
        self.reaches.insert(path.clone(), reach);
        let mut files = self.replace_outcome(&path, outcome);
        if self.documents.contains(&path) {
            files.insert(path);
        }
        let mut news = self.publish(files);
        for trouble in self.checker.take_troubles() {
            let is_new = self.told.insert(trouble.clone());
            if is_new && !self.told_before.contains(&trouble) {
                news.push(News::Trouble(trouble));
            }
        }
        Some(news)
    }

    /// That a document has another text: it is to be checked next, and then those that lead to it.
    fn edited(&mut self, path: PathBuf, contents: String) {
        self.scout.set_contents(&path, contents.clone());
        self.checker.set_text(&path, contents);
        self.make_due(|reach| reach.is_none_or(|reach| reach.contains(&path)));
        self.due.retain(|it| *it != path);
        self.due.push_front(path);
    }

    /// That files are to be checked: those that depend on certain others, as far as that is known.
    fn make_due(&mut self, depends: impl Fn(Option<&BTreeSet<PathBuf>>) -> bool) {
        let open = self.documents.paths();
        for root in open.chain(self.unopened.iter().map(PathBuf::as_path)) {
            let is_due = self.due.iter().any(|it| it == root);
            if !is_due && depends(self.reaches.get(root)) {
                self.due.push_back(root.to_owned());
            }
        }
    }

    /// Takes what was found from a file on. Returns the files that this is about, before or now.
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

    /// The diagnostics of those of the files whose diagnostics have changed, or whose text. A file in which something was
    /// found from one on that is still to be checked has to wait for it: its text may be another one by now.
    fn publish(&mut self, files: BTreeSet<PathBuf>) -> Vec<News> {
        let mut news = Vec::new();
        for path in files {
            let mut awaited = self.due.iter().filter_map(|root| self.outcomes.get(root));
            if awaited.any(|outcome| files_of(outcome).any(|file| file == path)) {
                continue;
            }
            for (address, now) in self.diagnostics_of(&path) {
                let is_known = match self.shown.get(&address) {
                    Some(known) => *known == now,
                    None => now == (None, Vec::new()),
                };
                if !is_known {
                    let (version, diagnostics) = now.clone();
                    self.shown.insert(address.clone(), now);
                    news.push(News::Diagnostics(lsp::PublishDiagnosticsParams {
                        uri: lsp::Uri(address),
                        version,
                        diagnostics,
                    }));
                }
            }
        }
        news
    }

    /// The diagnostics of each text of a file, by address, with its version.
    fn diagnostics_of(&self, path: &Path) -> BTreeMap<String, (Option<i32>, Vec<lsp::Diagnostic>)> {
        let document = self.documents.get(path);
        let mut texts: BTreeMap<_, _> = match document {
            Some(document) => {
                let shown = document.shown().into_iter();
                shown
                    .map(|it| (it.uri.0.clone(), (Some(it.version), Vec::new())))
                    .collect()
            }
            None => BTreeMap::from([(uri::from_path(path).0, (None, Vec::new()))]),
        };
        if !self.is_shown(path) {
            return texts;
        }
        let mut places = Places::new(&self.documents, &self.checker, self.client.encoding);
        let mut diagnostics = Vec::new();
        if let (Some(_), Some(outcome)) = (document, self.outcomes.get(path)) {
            let errors = outcome.errors.iter().take(MOST_ERRORS);
            diagnostics.extend(errors.map(|it| diagnostics::of_error(it, &mut places)));
            let unfinished = outcome.unfinished.iter();
            let unfinished = unfinished.map(|it| (it.message(), &it.location));
            let notes = outcome.notes.iter();
            let notes = notes.filter_map(|it| Some((it.text.clone(), it.location.as_ref()?)));
            diagnostics.extend(
                unfinished
                    .chain(notes)
                    .map(|(text, at)| diagnostics::of_remark(text, at, &mut places)),
            );
        }
        for (_, finding) in self.findings_in(path) {
            diagnostics.extend(diagnostics::of_finding(finding, &mut places, &self.client));
        }
        for (uri, diagnostic) in diagnostics {
            if let Some((_, list)) = texts.get_mut(&uri.0) {
                list.push(diagnostic);
            }
        }
        texts
    }

    /// The addresses under which the client shows an open file.
    fn addresses(&self, path: &Path) -> BTreeSet<String> {
        let shown = self.documents.get(path).map(Document::shown);
        let shown = shown.into_iter().flatten();
        shown.map(|it| it.uri.0.clone()).collect()
    }

    /// Takes back the diagnostics of addresses that are no more.
    fn clear<'s>(&mut self, addresses: impl IntoIterator<Item = &'s String>) -> Vec<News> {
        let mut news = Vec::new();
        for address in addresses {
            let shown = self.shown.remove(address);
            if shown.is_some_and(|(_, diagnostics)| !diagnostics.is_empty()) {
                news.push(News::Diagnostics(lsp::PublishDiagnosticsParams {
                    uri: lsp::Uri(address.clone()),
                    version: None,
                    diagnostics: Vec::new(),
                }));
            }
        }
        news
    }

    /// Whether a file is the user's: open, or in the workspace. Findings in packages beside it are not shown.
    fn is_shown(&self, path: &Path) -> bool {
        self.documents.contains(path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// The findings in a file that are not known, by place, each with the file from which on it was found. What is found
    /// from several counts once. What is found from a file on that is not open is shown in open ones.
    pub(crate) fn findings_in(&self, path: &Path) -> Vec<(&Path, &Finding)> {
        let is_open = self.documents.contains(path);
        let mut findings: Vec<(&Path, &Finding)> = self
            .outcomes
            .iter()
            .filter(|(root, _)| is_open || self.documents.contains(root))
            .flat_map(|(root, outcome)| outcome.findings.iter().map(|it| (root.as_path(), it)))
            .filter(|(_, finding)| finding.file() == Some(path))
            .collect();
        // What was found from the file itself on goes first: it is the newest.
        findings.sort_by_key(|(root, finding)| {
            let bytes = finding.location.as_ref().and_then(Location::bytes);
            (bytes.map(|it| it.start), finding.id, *root != path)
        });
        let mut seen = BTreeSet::new();
        findings.retain(|(_, finding)| {
            let line = finding.location.as_ref().map(|it| it.line);
            seen.insert((line, finding.id))
        });
        self.checker
            .without_known(path, &mut findings, |(_, finding)| finding);
        findings
    }
}

/// The files in which something was found.
fn files_of(outcome: &Outcome) -> impl Iterator<Item = &Path> {
    outcome.findings.iter().filter_map(Finding::file)
}
