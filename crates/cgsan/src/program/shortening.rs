//! Keeping traces short while their programs run: a thread beside the program looks at them, and offers their writers shorter ones.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cgsan_symbols::Reach;
use cgsan_trace::{Trace, format, place};

use crate::output::error::Error;
use crate::program::run_directory::RunDirectory;
use crate::traces::recording;

/// Between two looks at the traces.
const PAUSE: Duration = Duration::from_secs(1);

/// The part of the limit at which a trace is made shorter. It grows meanwhile.
const FULL: u64 = 2;

/// The part of the limit that stays as it was recorded.
const WHOLE: u64 = 4;

/// A thread that keeps the traces of a run short; it ends when dropped.
#[derive(Debug)]
pub struct Shortening {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shortening {
    /// Keeps the traces in the folder of a run, and those that links there lead to, below so many bytes.
    ///
    /// # Errors
    ///
    /// If the processes cannot be told of the limit.
    pub fn begin(directory: &RunDirectory, limit: u64) -> Result<Shortening, Error> {
        let folder = directory.path();
        place::limit_traces(folder, limit).map_err(|reason| Error::RunDirectory {
            tried: vec![(folder.to_owned(), cgsan_files::in_words(&reason))],
        })?;
        let (end, ended) = mpsc::channel();
        let mut traces = Traces {
            folder: folder.to_owned(),
            limit,
            worth: HashMap::new(),
        };
        let work = move || {
            while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                traces.look();
            }
            traces.withdraw();
        };
        let thread = thread::Builder::new().name("cgsan-shortening".to_owned());
        Ok(Shortening {
            end: Some(end),
            thread: thread.spawn(work).ok(),
        })
    }
}

impl Drop for Shortening {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The traces of a run.
struct Traces {
    folder: PathBuf,
    limit: u64,
    /// How many bytes one must have to be worth another try: what could not be made much shorter is left alone until it is
    /// twice as long.
    worth: HashMap<PathBuf, u64>,
}

impl Traces {
    fn look(&mut self) {
        for path in self.paths() {
            if committed(&path).unwrap_or_default() >= self.least(&path)
                && !place::offer(&path).exists()
            {
                // What fails now is tried again when the trace is longer.
                let length = self.shorten(&path).unwrap_or(self.limit);
                self.worth.insert(path, length.saturating_mul(2));
            }
        }
    }

    fn least(&self, path: &Path) -> u64 {
        let worth = self.worth.get(path).copied().unwrap_or_default();
        worth.max(self.limit / FULL)
    }

    /// The traces, each where it is written.
    fn paths(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = entries
            .map(|entry| entry.path())
            .filter(|path| recording::is_named_as_trace(path));
        named
            .map(|path| fs::read_link(&path).unwrap_or(path))
            .collect()
    }

    /// Offers a shorter trace, and returns how long it is; that of the whole one if it is not worth it.
    fn shorten(&self, path: &Path) -> io::Result<u64> {
        let longer = read_committed(path)?;
        let newest = usize::try_from(self.limit / WHOLE).unwrap_or(usize::MAX);
        let length = longer.len() as u64;
        let mut trace = Trace::parse(&longer).map_err(io::Error::other)?;
        cgsan_symbols::name_callers(&mut trace, &Reach::OwnRun);
        let Some(shorter) = cgsan_diagnose::shorten(trace, &longer, newest) else {
            return Ok(length);
        };
        if shorter.len() as u64 > length / 4 * 3 {
            return Ok(length);
        }
        let offer = place::offer(path);
        let draft = offer.with_added_extension("draft");
        let options = &mut File::options();
        let options = options.write(true).create(true).truncate(true);
        let mut file = cgsan_files::private_file(&draft, options)?;
        file.write_all(&shorter)?;
        fs::rename(&draft, &offer)?;
        Ok(shorter.len() as u64)
    }

    /// Takes back what no writer took.
    fn withdraw(&self) {
        for path in self.paths() {
            let _ = fs::remove_file(place::offer(&path));
        }
    }
}

/// How many bytes a trace has, with its header.
fn committed(path: &Path) -> io::Result<u64> {
    let mut header = [0; format::HEADER_LENGTH];
    File::open(path)?.read_exact(&mut header)?;
    Ok(format::whole_length(&header))
}

/// The records of a trace that count, with its header.
fn read_committed(path: &Path) -> io::Result<Vec<u8>> {
    let length = committed(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
