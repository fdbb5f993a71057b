//! A line on the terminal for what takes more than a moment.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What takes less is not worth a line.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Between two changes of the line.
const PAUSE: Duration = Duration::from_millis(500);

/// Shows what is being done, how far it is and how long it takes, from a moment after its start until it is dropped. Says nothing where
/// there is no terminal.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicUsize>,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins something that may take a while, named as in "reading what was recorded".
    pub fn start(what: &'static str) -> Self {
        Self::start_of(what, 1)
    }

    /// The same, in so many steps.
    pub fn start_of(what: &'static str, steps: usize) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        let running = io::stderr().is_terminal().then(|| {
            let (end, ended) = mpsc::channel::<()>();
            let done = Arc::clone(&done);
            let begun = Instant::now();
            let shown = thread::spawn(move || {
                if ended.recv_timeout(A_MOMENT) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                loop {
                    let done = done.load(Ordering::Relaxed);
                    show(&line(what, done, steps, begun.elapsed()));
                    if ended.recv_timeout(PAUSE) != Err(RecvTimeoutError::Timeout) {
                        return show("");
                    }
                }
            });
            (end, shown)
        });
        Self { done, running }
    }

    /// Another step is done.
    pub fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, shown)) = self.running.take() {
            drop(end);
            let _ = shown.join();
        }
    }
}

/// What the line says. How many steps are done is worth telling where there are several.
fn line(what: &str, done: usize, steps: usize, since: Duration) -> String {
    let seconds = since.as_secs();
    if steps > 1 {
        let percent = done.min(steps) * 100 / steps;
        return format!("cgsan: {what} ... {done} of {steps}, {percent} %, {seconds} s");
    }
    format!("cgsan: {what} ... {seconds} s")
}

/// Replaces the terminal's current line; without a terminal that listens any more, there is nothing to be done.
fn show(text: &str) {
    let mut terminal = io::stderr().lock();
    let _ = write!(terminal, "\r\x1b[2K{text}").and_then(|()| terminal.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_where_there_are_several_steps() {
        let after = Duration::from_millis(2900);
        assert_eq!(line("reading", 0, 1, after), "cgsan: reading ... 2 s");
        assert_eq!(
            line("reading", 3, 8, after),
            "cgsan: reading ... 3 of 8, 37 %, 2 s"
        );
    }
}
