//! Looks for captures in files of the workspace that are not open: from which of them on is something found in a file that
//! is?
//!
//! It works in a thread of its own, with a linter of its own, and says only which files these are. What is found from them on
//! is then looked at as if they were open, so that it always fits the newest text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use cgsan_finding::Finding;

use crate::checker::{Checker, Surroundings};

/// How long nobody types before the scout goes on.
const QUIET: Duration = Duration::from_millis(300);

/// How many files are looked through for captures, at most.
const MOST_FILES: usize = 50_000;

/// Bytes of the largest file that is looked through.
const LARGEST: u64 = 4 << 20;

/// How many files with captures are followed, at most.
const MOST_CAPTURES: usize = 1_000;

/// How many files are followed before what was read of them is forgotten, so that not the whole workspace is kept.
const KEPT: usize = 64;

/// What the scout is told.
#[derive(Debug)]
enum Order {
    /// The folders of the workspace.
    Folders(BTreeSet<PathBuf>),
    /// A file has the contents that the editor holds, or `None` if it was closed.
    Contents(PathBuf, Option<String>),
    /// Files changed on disk, or the configuration.
    Disk(Vec<PathBuf>),
}

/// The scout's other end.
pub struct Scout {
    orders: Sender<Order>,
}

impl Scout {
    /// Starts a scout that gives `found` each file from which on it finds something in an open one.
    pub fn start(
        surroundings: Arc<dyn Surroundings>,
        found: impl Fn(PathBuf) + Send + 'static,
    ) -> Self {
        let (orders, received) = channel();
        let worker = Worker {
            checker: Checker::new(Arc::clone(&surroundings)),
            surroundings,
            orders: received,
            folders: BTreeSet::new(),
            is_searched: true,
            open: BTreeSet::new(),
            captures: BTreeMap::new(),
        };
        // Without the thread nothing is looked for.
        let _ = thread::Builder::new().spawn(move || worker.run(&found));
        Self { orders }
    }

    /// The folders of the workspace are these.
    pub fn set_folders(&self, folders: BTreeSet<PathBuf>) {
        let _ = self.orders.send(Order::Folders(folders));
    }

    /// A file has the contents that the editor holds.
    pub fn set_contents(&self, path: &Path, contents: String) {
        let order = Order::Contents(path.to_owned(), Some(contents));
        let _ = self.orders.send(order);
    }

    /// A file was closed.
    pub fn forget_contents(&self, path: &Path) {
        let _ = self.orders.send(Order::Contents(path.to_owned(), None));
    }

    /// Files changed on disk, or the configuration.
    pub fn changed_on_disk(&self, paths: Vec<PathBuf>) {
        let _ = self.orders.send(Order::Disk(paths));
    }
}

/// What is known of a file with captures.
#[derive(Debug, Default)]
struct Capturing {
    /// The files that it leads to, once they were looked for.
    reach: Option<BTreeSet<PathBuf>>,
    /// Whether it was followed since one of these has changed.
    is_followed: bool,
    /// Whether something was found from it on.
    is_reported: bool,
}

struct Worker {
    surroundings: Arc<dyn Surroundings>,
    checker: Checker,
    orders: Receiver<Order>,
    folders: BTreeSet<PathBuf>,
    /// Whether the folders were looked through.
    is_searched: bool,
    open: BTreeSet<PathBuf>,
    captures: BTreeMap<PathBuf, Capturing>,
}

impl Worker {
    fn run(mut self, found: &impl Fn(PathBuf)) {
        let mut is_done = true;
        while self.take_orders(is_done).is_continue() {
            is_done = self.open.is_empty()
                || (self.search().is_continue() && self.follow(found).is_continue());
        }
    }

    /// Waits for an order if there is nothing else to do, and until there was none for a while. Breaks if there will be
    /// none any more.
    fn take_orders(&mut self, is_done: bool) -> ControlFlow<()> {
        if is_done {
            match self.orders.recv() {
                Ok(order) => self.take(order),
                Err(_) => return ControlFlow::Break(()),
            }
        }
        loop {
            match self.orders.recv_timeout(QUIET) {
                Ok(order) => self.take(order),
                Err(RecvTimeoutError::Timeout) => return ControlFlow::Continue(()),
                Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
            }
        }
    }

    /// Takes the orders that have come. Breaks if there was one: what is being done may be in vain.
    fn is_interrupted(&mut self) -> ControlFlow<()> {
        match self.orders.try_recv() {
            Ok(order) => {
                self.take(order);
                ControlFlow::Break(())
            }
            Err(TryRecvError::Empty) => ControlFlow::Continue(()),
            Err(TryRecvError::Disconnected) => ControlFlow::Break(()),
        }
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Folders(folders) => {
                self.folders = folders;
                self.is_searched = false;
            }
            Order::Contents(path, Some(contents)) => {
                self.checker.set_text(&path, contents);
                if self.open.insert(path.clone()) {
                    self.captures.remove(&path);
                    self.doubt_all();
                }
                self.doubt(&path);
            }
            Order::Contents(path, None) => {
                self.checker.forget_text(&path);
                self.open.remove(&path);
                self.look_through(&path);
                self.doubt_all();
            }
            Order::Disk(paths) => {
                self.checker.reload();
                for path in &paths {
                    self.captures.remove(path);
                    self.look_through(path);
                }
                for capturing in self.captures.values_mut() {
                    *capturing = Capturing::default();
                }
            }
        }
    }

    /// That another text of `path` may change what is found.
    fn doubt(&mut self, path: &Path) {
        for capturing in self.captures.values_mut() {
            let reach = capturing.reach.as_ref();
            if reach.is_none_or(|reach| reach.contains(path)) && !capturing.is_reported {
                capturing.is_followed = false;
            }
        }
    }

    /// That other files are open than before.
    fn doubt_all(&mut self) {
        for capturing in self.captures.values_mut() {
            capturing.is_followed = false;
            capturing.is_reported = false;
        }
    }

    /// Looks through the folders of the workspace for captures, if that is to be done.
    fn search(&mut self) -> ControlFlow<()> {
        if self.is_searched {
            return ControlFlow::Continue(());
        }
        self.captures.clear();
        let folders = self.folders.clone();
        let surroundings = Arc::clone(&self.surroundings);
        let files = folders.iter().flat_map(|it| surroundings.files(it));
        for path in files.take(MOST_FILES) {
            self.look_through(&path);
            // An edit changes nothing here, other folders do.
            if self.is_interrupted().is_break() && self.folders != folders {
                return ControlFlow::Break(());
            }
        }
        self.is_searched = true;
        ControlFlow::Continue(())
    }

    /// Adds a file if code in it may capture.
    fn look_through(&mut self, path: &Path) {
        let is_ours = self.folders.iter().any(|folder| path.starts_with(folder));
        if !is_ours || self.open.contains(path) || self.captures.len() >= MOST_CAPTURES {
            return;
        }
        let text = cgsan_files::read_text(path, LARGEST);
        if text.is_ok_and(|text| cgsan_lint::mentions_captures(&text)) {
            self.captures.insert(path.to_owned(), Capturing::default());
        }
    }

    /// Follows the captures from which something may be found in an open file.
    fn follow(&mut self, found: &impl Fn(PathBuf)) -> ControlFlow<()> {
        let paths: Vec<PathBuf> = self.captures.keys().cloned().collect();
        let mut kept = 0;
        for path in paths {
            self.is_interrupted()?;
            let Some(capturing) = self.captures.get_mut(&path) else {
                continue;
            };
            if capturing.is_followed {
                continue;
            }
            let checker = &mut self.checker;
            checker.add_file(&path);
            kept += 1;
            let reach = capturing.reach.get_or_insert_with(|| checker.reach(&path));
            capturing.is_followed = true;
            if !reach.is_disjoint(&self.open) {
                let outcome = self.checker.check(&path);
                let findings = outcome.iter().flat_map(|it| &it.findings);
                let mut files = findings.filter_map(Finding::file);
                capturing.is_reported = files.any(|file| self.open.contains(file));
                if capturing.is_reported {
                    found(path);
                }
            }
            if kept == KEPT {
                self.checker.forget_files();
                kept = 0;
            }
        }
        self.checker.forget_files();
        ControlFlow::Continue(())
    }
}
