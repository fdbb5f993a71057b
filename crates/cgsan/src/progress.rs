//! A line on the terminal for what takes more than a moment.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What takes less is not worth a line.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Shows what is being done, from a moment after its start until it is dropped. Says nothing where there is no terminal.
#[derive(Debug)]
pub struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins something that may take a while, named as in "reading what was recorded".
    pub fn start(what: &'static str) -> Self {
        let running = io::stderr().is_terminal().then(|| {
            let (end, ended) = mpsc::channel::<()>();
            let line = thread::spawn(move || {
                if ended.recv_timeout(A_MOMENT) == Err(RecvTimeoutError::Timeout) {
                    show(&format!("cgsan: {what} ..."));
                    let _ = ended.recv();
                    show("");
                }
            });
            (end, line)
        });
        Self { running }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, line)) = self.running.take() {
            drop(end);
            let _ = line.join();
        }
    }
}

/// Replaces the terminal's current line; without a terminal that listens any more, there is nothing to be done.
fn show(text: &str) {
    let mut terminal = io::stderr().lock();
    let _ = write!(terminal, "\r\x1b[2K{text}").and_then(|()| terminal.flush());
}
