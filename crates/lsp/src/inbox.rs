//! What waits to be done, in the order in which it came.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use gen_lsp_types::{self as lsp, Notification as _};
use lsp_server::{Message, RequestId};

use crate::transport::{self, Incoming};

/// Something to be done.
#[derive(Debug)]
pub enum Event {
    /// The client said something.
    Client(Incoming),
    /// The scout found a file from which on something is found in open ones.
    Found(PathBuf),
}

/// What waits to be done.
pub struct Inbox {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    waiting: VecDeque<Event>,
}

impl Inbox {
    /// The messages on standard input.
    pub fn open() -> Self {
        let (sender, receiver) = channel();
        let events = sender.clone();
        transport::read_all(move |incoming| events.send(Event::Client(incoming)).is_ok());
        Self {
            sender,
            receiver,
            waiting: VecDeque::new(),
        }
    }

    /// A way in for what the scout finds.
    pub fn for_scout(&self) -> impl Fn(PathBuf) + Send + 'static {
        let sender = self.sender.clone();
        move |path| {
            // Without a server that listens nothing needs to be found.
            let _ = sender.send(Event::Found(path));
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&mut self) -> bool {
        self.waiting.extend(self.receiver.try_iter());
        self.waiting.is_empty()
    }

    /// The next event; waits for it. `None` if none will come.
    pub fn next(&mut self) -> Option<Event> {
        if self.is_empty() {
            return self.receiver.recv().ok();
        }
        self.waiting.pop_front()
    }

    /// Whether the client no longer waits for the response to a request.
    pub fn is_cancelled(&mut self, id: &RequestId) -> bool {
        self.waiting.extend(self.receiver.try_iter());
        self.waiting.iter().any(|event| match event {
            Event::Client(Incoming::Message(Message::Notification(it))) => {
                it.method == lsp::CancelNotification::METHOD.as_str()
                    && it.params.get("id") == serde_json::to_value(id).ok().as_ref()
            }
            _ => false,
        })
    }
}
