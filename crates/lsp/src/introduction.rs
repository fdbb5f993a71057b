//! What the server says of itself when a conversation begins, and what it learns of the workspace.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gen_lsp_types::{self as lsp, Notification as _, Request as _};
use lsp_server::Request;

use crate::actions;
use crate::client::Client;
use crate::text::Encoding;
use crate::uri;

/// The types of notebooks whose cells in Python are checked: files, and the window in which VS Code runs parts of a file.
const NOTEBOOKS: [&str; 2] = ["jupyter-notebook", "interactive"];

/// The files whose changes on disk matter. Baselines have any name.
const WATCHED: [&str; 5] = [
    "**/*.py",
    "**/*.pyi",
    "**/*.ipynb",
    "**/pyproject.toml",
    "**/*.json",
];

/// What the server can do.
pub fn result(client: &Client) -> lsp::InitializeResult {
    let encoding = match client.encoding {
        Encoding::Utf8 => lsp::PositionEncodingKind::UTF8,
        Encoding::Utf16 => lsp::PositionEncodingKind::UTF16,
    };
    let synchronisation = lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::Incremental),
        save: Some(true.into()),
        ..lsp::TextDocumentSyncOptions::default()
    };
    let actions = lsp::CodeActionOptions {
        code_action_kinds: Some(vec![lsp::CodeActionKind::QuickFix, actions::FIX_ALL]),
        ..lsp::CodeActionOptions::default()
    };
    let folders = lsp::WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(true.into()),
    };
    lsp::InitializeResult {
        capabilities: lsp::ServerCapabilities {
            position_encoding: Some(encoding),
            text_document_sync: Some(synchronisation.into()),
            notebook_document_sync: Some(notebooks().into()),
            hover_provider: Some(true.into()),
            code_action_provider: Some(actions.into()),
            workspace: Some(lsp::WorkspaceOptions {
                workspace_folders: Some(folders),
                ..lsp::WorkspaceOptions::default()
            }),
            ..lsp::ServerCapabilities::default()
        },
        server_info: Some(lsp::ServerInfo {
            name: "cgsan".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

fn notebooks() -> lsp::NotebookDocumentSyncOptions {
    let selector = |kind: &str| {
        lsp::NotebookSelector::from(lsp::NotebookDocumentFilterWithNotebook {
            notebook: kind.into(),
            cells: Some(vec![lsp::NotebookCellLanguage {
                language: "python".to_owned(),
            }]),
        })
    };
    lsp::NotebookDocumentSyncOptions {
        notebook_selector: NOTEBOOKS.map(selector).to_vec(),
        save: Some(true),
    }
}

/// The folders of the workspace.
#[allow(
    deprecated,
    reason = "clients that know no workspace folders give the root alone"
)]
pub fn folders(params: lsp::InitializeParams) -> BTreeSet<PathBuf> {
    match params.workspace_folders_initialize_params.workspace_folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) => folders
            .iter()
            .map(|folder| uri::to_path(&folder.uri))
            .collect(),
        _ => params.root_uri.iter().map(uri::to_path).collect(),
    }
}

/// Asks the client to tell of changed files.
pub fn watch_files() -> Request {
    let watcher = |pattern: &str| lsp::FileSystemWatcher {
        glob_pattern: pattern.to_owned().into(),
        kind: None,
    };
    let options = lsp::DidChangeWatchedFilesRegistrationOptions {
        watchers: WATCHED.map(watcher).to_vec(),
    };
    let registration = lsp::Registration {
        id: "files".to_owned(),
        method: lsp::DidChangeWatchedFilesNotification::METHOD.to_string(),
        register_options: serde_json::to_value(options).ok(),
    };
    Request::new(
        "files".to_owned().into(),
        lsp::RegistrationRequest::METHOD.to_string(),
        lsp::RegistrationParams {
            registrations: vec![registration],
        },
    )
}
