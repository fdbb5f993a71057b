//! The server: its life, and who answers what.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use gen_lsp_types::{
    self as lsp, LspNotificationMethod, LspRequestMethod, Notification as _, Request as _,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde::de::DeserializeOwned;

use crate::checker::Configure;
use crate::client::Client;
use crate::session::{News, Session};
use crate::text::Encoding;
use crate::uri;

/// The protocol's exit status of a server that was asked to shut down before it was asked to exit.
const IN_ORDER: u8 = 0;
/// The protocol's exit status of a server that was not.
const OUT_OF_ORDER: u8 = 1;

/// Serves one client on standard input and output until it says `exit` or goes away. Returns the exit status.
///
/// # Errors
///
/// If what comes in is not the protocol's framing or no JSON, or if nothing can be read or written.
pub fn serve(configure: Configure<'_>) -> io::Result<u8> {
    let (connection, threads) = Connection::stdio();
    let status = converse(&connection, configure);
    drop(connection);
    threads.join()?;
    Ok(status)
}

/// How far the conversation has come.
enum Stage<'a> {
    /// The client has not introduced itself.
    Begun,
    /// The conversation itself.
    Open(Box<Session<'a>>),
    /// The client has said `shutdown`, and may only say `exit`.
    ShutDown,
}

fn converse(connection: &Connection, configure: Configure<'_>) -> u8 {
    let mut stage = Stage::Begun;
    while let Some(message) = next_message(connection, &mut stage) {
        match message {
            Message::Notification(it) if it.method == lsp::ExitNotification::METHOD.as_str() => {
                return match stage {
                    Stage::ShutDown => IN_ORDER,
                    _ => OUT_OF_ORDER,
                };
            }
            Message::Notification(it) => {
                if let Stage::Open(session) = &mut stage {
                    notice(connection, session, it);
                }
            }
            Message::Request(it) => {
                let response = answer(connection, &mut stage, configure, it);
                send(connection, response.into());
            }
            // Of the registration of file watchers; without them files are read again when one is saved.
            Message::Response(_) => {}
        }
    }
    OUT_OF_ORDER
}

/// The next message. While none waits, documents are checked. `None` if the client has gone away.
fn next_message(connection: &Connection, stage: &mut Stage<'_>) -> Option<Message> {
    if let Stage::Open(session) = stage {
        while connection.receiver.is_empty() {
            match session.check_next() {
                Some(news) => tell(connection, news),
                None => break,
            }
        }
    }
    connection.receiver.recv().ok()
}

fn answer<'a>(
    connection: &Connection,
    stage: &mut Stage<'a>,
    configure: Configure<'a>,
    request: Request,
) -> Response {
    let method = request.method.clone();
    let refuse = |request: Request, code, message: &str| {
        Response::new_err(request.id, code as i32, message.to_owned())
    };
    match (LspRequestMethod::from(method.as_str()), &mut *stage) {
        (LspRequestMethod::Initialize, Stage::Begun) => {
            let mut opened = None;
            let response = reply::<lsp::InitializeRequest>(request, |params| {
                let client = Client::new(&params);
                let result = introduction(&client);
                opened = Some(Session::new(client, folders(params), configure));
                result
            });
            if let Some(session) = opened {
                *stage = Stage::Open(Box::new(session));
            }
            response
        }
        (_, Stage::Begun) => refuse(
            request,
            ErrorCode::ServerNotInitialized,
            "the first request must be `initialize`",
        ),
        (_, Stage::ShutDown) => refuse(
            request,
            ErrorCode::InvalidRequest,
            "the server was shut down",
        ),
        (LspRequestMethod::Initialize, Stage::Open(_)) => refuse(
            request,
            ErrorCode::InvalidRequest,
            "the server was initialized before",
        ),
        (LspRequestMethod::Shutdown, Stage::Open(_)) => {
            *stage = Stage::ShutDown;
            Response::new_ok(request.id, ())
        }
        (LspRequestMethod::TextDocumentHover, Stage::Open(session)) => {
            settle(connection, session);
            reply::<lsp::HoverRequest>(request, |params| {
                session.hover(&params.text_document_position_params)
            })
        }
        (LspRequestMethod::TextDocumentCodeAction, Stage::Open(session)) => {
            settle(connection, session);
            reply::<lsp::CodeActionRequest>(request, |params| {
                let actions = session.actions(&params);
                Some(actions.into_iter().map(Into::into).collect())
            })
        }
        (_, Stage::Open(_)) => refuse(
            request,
            ErrorCode::MethodNotFound,
            &format!("cgsan does not know the request `{method}`"),
        ),
    }
}

/// Checks everything that is to be checked, so that an answer is about the text that the client has.
fn settle(connection: &Connection, session: &mut Session<'_>) {
    while let Some(news) = session.check_next() {
        tell(connection, news);
    }
}

fn reply<R: lsp::Request>(
    request: Request,
    result: impl FnOnce(R::Params) -> R::Result,
) -> Response {
    match serde_json::from_value(request.params) {
        Ok(params) => Response::new_ok(request.id, result(params)),
        Err(error) => Response::new_err(
            request.id,
            ErrorCode::InvalidParams as i32,
            error.to_string(),
        ),
    }
}

/// Takes a notification. One that is unknown or malformed is left alone, as the protocol has no answer to it.
fn notice(connection: &Connection, session: &mut Session<'_>, notification: Notification) {
    fn read<T: DeserializeOwned>(notification: Notification) -> Option<T> {
        serde_json::from_value(notification.params).ok()
    }
    let method = notification.method.clone();
    match LspNotificationMethod::from(method.as_str()) {
        LspNotificationMethod::Initialized if session.client().watches_files => {
            watch_files(connection);
        }
        LspNotificationMethod::TextDocumentDidOpen => {
            if let Some(params) = read::<lsp::DidOpenTextDocumentParams>(notification) {
                session.open(params.text_document);
            }
        }
        LspNotificationMethod::TextDocumentDidChange => {
            if let Some(params) = read(notification) {
                session.change(params);
            }
        }
        LspNotificationMethod::TextDocumentDidClose => {
            if let Some(params) = read::<lsp::DidCloseTextDocumentParams>(notification) {
                tell(connection, session.close(&params.text_document));
            }
        }
        LspNotificationMethod::WorkspaceDidChangeWorkspaceFolders => {
            if let Some(params) = read::<lsp::DidChangeWorkspaceFoldersParams>(notification) {
                session.change_folders(params.event);
            }
        }
        LspNotificationMethod::TextDocumentDidSave
        | LspNotificationMethod::WorkspaceDidChangeWatchedFiles
        | LspNotificationMethod::WorkspaceDidChangeConfiguration => session.reload(),
        _ => {}
    }
}

fn introduction(client: &Client) -> lsp::InitializeResult {
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
        code_action_kinds: Some(vec![lsp::CodeActionKind::QuickFix]),
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

/// The folders of the workspace.
#[allow(
    deprecated,
    reason = "clients that know no workspace folders give the root alone"
)]
fn folders(params: lsp::InitializeParams) -> BTreeSet<PathBuf> {
    match params.workspace_folders_initialize_params.workspace_folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) => folders
            .iter()
            .map(|folder| uri::to_path(&folder.uri))
            .collect(),
        _ => params.root_uri.iter().map(uri::to_path).collect(),
    }
}

/// Asks the client to tell of changed files.
fn watch_files(connection: &Connection) {
    let watcher = |pattern: &str| lsp::FileSystemWatcher {
        glob_pattern: pattern.to_owned().into(),
        kind: None,
    };
    let options = lsp::DidChangeWatchedFilesRegistrationOptions {
        watchers: vec![watcher("**/*.py"), watcher("**/pyproject.toml")],
    };
    let registration = lsp::Registration {
        id: "files".to_owned(),
        method: lsp::DidChangeWatchedFilesNotification::METHOD.to_string(),
        register_options: serde_json::to_value(options).ok(),
    };
    let request = Request::new(
        "files".to_owned().into(),
        lsp::RegistrationRequest::METHOD.to_string(),
        lsp::RegistrationParams {
            registrations: vec![registration],
        },
    );
    send(connection, request.into());
}

fn tell(connection: &Connection, news: Vec<News>) {
    for news in news {
        let notification = match news {
            News::Diagnostics(params) => Notification::new(
                lsp::PublishDiagnosticsNotification::METHOD.to_string(),
                params,
            ),
            News::Trouble(message) => {
                let params = lsp::ShowMessageParams {
                    kind: lsp::MessageType::Error,
                    message: format!("cgsan: {message}"),
                };
                Notification::new(lsp::ShowMessageNotification::METHOD.to_string(), params)
            }
        };
        send(connection, notification.into());
    }
}

/// Without a client that listens there is nothing to be done; the end of its messages ends the server.
fn send(connection: &Connection, message: Message) {
    let _ = connection.sender.send(message);
}
