//! The server: its life, and who responds to what.

use std::io;
use std::sync::Arc;

use gen_lsp_types::{self as lsp, LspNotificationMethod, LspRequestMethod, Notification as _};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;

use crate::checker::Surroundings;
use crate::client::Client;
use crate::inbox::{Event, Inbox};
use crate::introduction;
use crate::session::{News, Session};
use crate::transport::{Incoming, Outbox};

/// The protocol's exit status of a server that was asked to shut down before it was asked to exit.
const IN_ORDER: u8 = 0;
/// The protocol's exit status of a server that was not.
const OUT_OF_ORDER: u8 = 1;

/// Serves one client on standard input and output until it says `exit` or goes away. Returns the exit status.
///
/// # Errors
///
/// If what comes in is not the protocol's framing, or if nothing can be read or written.
pub fn serve(surroundings: Arc<dyn Surroundings>) -> io::Result<u8> {
    let mut server = Server {
        inbox: Inbox::open(),
        outbox: Outbox::open(),
        stage: Stage::Begun,
        surroundings,
    };
    let status = server.converse()?;
    server.outbox.close()?;
    Ok(status)
}

struct Server {
    inbox: Inbox,
    outbox: Outbox,
    stage: Stage,
    surroundings: Arc<dyn Surroundings>,
}

/// How far the conversation has come.
enum Stage {
    /// The client has not introduced itself.
    Begun,
    /// The conversation itself.
    Open(Box<Session>),
    /// The client has said `shutdown`, and may only say `exit`.
    ShutDown,
}

impl Server {
    fn converse(&mut self) -> io::Result<u8> {
        while let Some(event) = self.next_event() {
            match event {
                Event::Client(Incoming::Message(Message::Notification(it))) => {
                    if it.method == lsp::ExitNotification::METHOD.as_str() {
                        return Ok(match self.stage {
                            Stage::ShutDown => IN_ORDER,
                            _ => OUT_OF_ORDER,
                        });
                    }
                    self.notice(it);
                }
                Event::Client(Incoming::Message(Message::Request(it))) => {
                    let response = self.respond(it);
                    self.outbox.send(response);
                }
                // Of the registration of file watchers; without them files are read again when one is saved.
                Event::Client(Incoming::Message(Message::Response(_))) => {}
                Event::Client(Incoming::Malformed(it)) => self.outbox.refuse(&it),
                Event::Client(Incoming::End(end)) => return end.map(|()| OUT_OF_ORDER),
                Event::Found(path) => {
                    if let Stage::Open(session) = &mut self.stage {
                        session.follow(path);
                    }
                }
            }
        }
        Ok(OUT_OF_ORDER)
    }

    /// The next event. While none waits, files are checked.
    fn next_event(&mut self) -> Option<Event> {
        if let Stage::Open(session) = &mut self.stage {
            while self.inbox.is_empty() {
                match session.check_next() {
                    Some(news) => tell(&self.outbox, news),
                    None => break,
                }
            }
        }
        self.inbox.next()
    }

    fn respond(&mut self, request: Request) -> Response {
        let method = request.method.clone();
        let refuse = |request: Request, code, message: &str| {
            Response::new_err(request.id, code as i32, message.to_owned())
        };
        match (LspRequestMethod::from(method.as_str()), &mut self.stage) {
            (LspRequestMethod::Initialize, Stage::Begun) => self.introduce(request),
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
                self.stage = Stage::ShutDown;
                Response::new_ok(request.id, ())
            }
            (LspRequestMethod::TextDocumentHover, Stage::Open(_)) => self
                .reply::<lsp::HoverRequest>(request, |session, params| {
                    session.hover(&params.text_document_position_params)
                }),
            (LspRequestMethod::TextDocumentCodeAction, Stage::Open(_)) => {
                self.reply::<lsp::CodeActionRequest>(request, |session, params| {
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

    /// The response to `initialize`, with which the conversation begins.
    fn introduce(&mut self, request: Request) -> Response {
        let params: lsp::InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => return malformed(request.id, &error),
        };
        let client = Client::new(&params);
        let result = introduction::result(&client);
        let session = Session::new(
            client,
            introduction::folders(params),
            Arc::clone(&self.surroundings),
            self.inbox.for_scout(),
        );
        self.stage = Stage::Open(Box::new(session));
        Response::new_ok(request.id, result)
    }

    /// The response to a request in the conversation: about the text that the client has, and so after all checks, unless
    /// the client does not want it any more.
    fn reply<R: lsp::Request>(
        &mut self,
        request: Request,
        result: impl FnOnce(&mut Session, R::Params) -> R::Result,
    ) -> Response {
        let params = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => return malformed(request.id, &error),
        };
        let Stage::Open(session) = &mut self.stage else {
            return cancelled(request.id);
        };
        loop {
            if self.inbox.is_cancelled(&request.id) {
                return cancelled(request.id);
            }
            match session.check_next() {
                Some(news) => tell(&self.outbox, news),
                None => return Response::new_ok(request.id, result(session, params)),
            }
        }
    }

    /// Takes a notification. One that is unknown or malformed is left alone, as the protocol has no response to it.
    fn notice(&mut self, notification: Notification) {
        let Stage::Open(session) = &mut self.stage else {
            return;
        };
        let method = LspNotificationMethod::from(notification.method.as_str());
        if method == LspNotificationMethod::Initialized && session.client().watches_files {
            self.outbox.send(introduction::watch_files());
            return;
        }
        if let Some(news) = noticed(session, &method, notification.params) {
            tell(&self.outbox, news);
        }
    }
}

/// What follows from a notification at once. `None` if it is unknown or malformed.
fn noticed(
    session: &mut Session,
    method: &LspNotificationMethod<'_>,
    params: serde_json::Value,
) -> Option<Vec<News>> {
    fn read<T: DeserializeOwned>(params: serde_json::Value) -> Option<T> {
        serde_json::from_value(params).ok()
    }
    match method {
        LspNotificationMethod::TextDocumentDidOpen => {
            let params: lsp::DidOpenTextDocumentParams = read(params)?;
            session.open(params.text_document);
        }
        LspNotificationMethod::TextDocumentDidChange => session.change(read(params)?),
        LspNotificationMethod::TextDocumentDidClose => {
            let params: lsp::DidCloseTextDocumentParams = read(params)?;
            return Some(session.close(&params.text_document));
        }
        LspNotificationMethod::NotebookDocumentDidOpen => session.open_notebook(read(params)?),
        LspNotificationMethod::NotebookDocumentDidChange => {
            return Some(session.change_notebook(read(params)?));
        }
        LspNotificationMethod::NotebookDocumentDidClose => {
            let params: lsp::DidCloseNotebookDocumentParams = read(params)?;
            return Some(session.close_notebook(&params.notebook_document));
        }
        LspNotificationMethod::WorkspaceDidChangeWorkspaceFolders => {
            let params: lsp::DidChangeWorkspaceFoldersParams = read(params)?;
            return Some(session.change_folders(params.event));
        }
        LspNotificationMethod::WorkspaceDidChangeWatchedFiles => {
            let params: lsp::DidChangeWatchedFilesParams = read(params)?;
            session.change_files(&params.changes);
        }
        LspNotificationMethod::TextDocumentDidSave
        | LspNotificationMethod::NotebookDocumentDidSave => {
            // A client that watches files tells of those that have changed.
            if !session.client().watches_files {
                session.reload();
            }
        }
        LspNotificationMethod::WorkspaceDidChangeConfiguration => session.reload(),
        _ => return None,
    }
    Some(Vec::new())
}

fn malformed(id: RequestId, error: &serde_json::Error) -> Response {
    Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
}

fn cancelled(id: RequestId) -> Response {
    let code = ErrorCode::RequestCanceled as i32;
    Response::new_err(id, code, "the request was cancelled".to_owned())
}

fn tell(outbox: &Outbox, news: Vec<News>) {
    for news in news {
        outbox.send(match news {
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
        });
    }
}
