//! The traces that a person names, and summaries of traces: files, and what lies in folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_symbols::Reach;
use cgsan_trace::ProcessInfo;

use crate::output::error::Error;
use crate::traces::parallel;
use crate::traces::recording::{self, Recording};
use crate::traces::summaries::{self, Place};

/// A trace that was kept, or a summary of one.
#[derive(Clone, Debug)]
pub struct KeptTrace {
    /// The file.
    pub path: PathBuf,
    /// What a person named: the file, or a folder that it lies in.
    pub named: PathBuf,
    /// Where in the file, if it holds summaries.
    pub summary: Option<Place>,
    /// The process that it is of; `None` if that cannot be read.
    pub process: Option<ProcessInfo>,
}

impl KeptTrace {
    /// A trace that a person named, or that lies in a folder that a person named.
    pub fn of(path: PathBuf, named: PathBuf, process: Option<ProcessInfo>) -> KeptTrace {
        KeptTrace {
            path,
            named,
            summary: None,
            process,
        }
    }

    /// Whether a person named the file itself.
    pub fn is_named(&self) -> bool {
        self.path == self.named
    }

    /// That it cannot be read, for which a person is told who named the folder that it lies in. What a person named is an error.
    pub fn lost(&self, error: Error) -> Result<Note, Error> {
        match error {
            Error::Trace(_) | Error::Summary { .. } if !self.is_named() => {
                Ok(recording::lost(&error))
            }
            error => Err(error),
        }
    }

    /// Reads the trace. Says whether it is wanted: in a folder, those are that used CUDA.
    pub fn read(&self, reach: &Reach) -> Result<(Recording, bool), Error> {
        let recording = Recording::read(self.path.clone(), reach).map_err(Error::Trace)?;
        let is_wanted = self.is_named() || recording.trace.uses_cuda();
        Ok((recording, is_wanted))
    }
}

/// Traces that were kept, and summaries.
#[derive(Debug, Default)]
pub struct Kept {
    /// The traces and summaries.
    pub traces: Vec<KeptTrace>,
    /// One for each folder that cannot be read.
    pub notes: Vec<Note>,
}

impl Kept {
    /// The traces that there are at these paths. A folder without traces is an error.
    pub fn find(paths: &[PathBuf]) -> Result<Kept, Error> {
        Kept::find_with(paths, false)
    }

    /// The traces and summaries that there are at these paths. Of a process that has both, the summary is left out. A folder without
    /// either is an error.
    pub fn find_all(paths: &[PathBuf]) -> Result<Kept, Error> {
        let mut kept = Kept::find_with(paths, true)?;
        kept.put_summaries_in_order();
        Ok(kept)
    }

    fn find_with(paths: &[PathBuf], summaries: bool) -> Result<Kept, Error> {
        let mut kept = Kept::default();
        for named in paths {
            if named.is_dir() {
                kept.look_into(named, summaries)?;
            } else if summaries && summaries::is_one(named) {
                kept.list(named, named)?;
            } else {
                kept.traces.push(KeptTrace::of(
                    named.clone(),
                    named.clone(),
                    cgsan_trace::read_process(named).ok(),
                ));
            }
        }
        Ok(kept)
    }

    /// The same as if all were found in a folder.
    pub fn within(mut self, folder: Option<&Path>) -> Kept {
        for trace in &mut self.traces {
            if let Some(folder) = folder {
                folder.clone_into(&mut trace.named);
            }
        }
        self
    }

    fn look_into(&mut self, named: &PathBuf, summaries: bool) -> Result<(), Error> {
        let below = recording::below(named);
        let files = if summaries {
            below.summaries
        } else {
            Vec::new()
        };
        if below.traces.is_empty() && files.is_empty() {
            let reason = below.notes.into_iter().next().map(|note| note.text);
            return Err(Error::NoTraces {
                folder: named.clone(),
                reason: reason.unwrap_or_else(|| "it holds no traces".to_owned()),
            });
        }
        self.notes.extend(below.notes);
        let traces = below.traces.into_iter();
        self.traces
            .extend(traces.map(|(path, process)| KeptTrace::of(path, named.clone(), process)));
        for file in files {
            self.list(&file, named)?;
        }
        Ok(())
    }

    /// Adds the summaries of a file.
    fn list(&mut self, file: &PathBuf, named: &PathBuf) -> Result<(), Error> {
        match summaries::list(file) {
            Ok(found) => self
                .traces
                .extend(found.into_iter().map(|(place, process)| KeptTrace {
                    summary: Some(place),
                    ..KeptTrace::of(file.clone(), named.clone(), Some(process))
                })),
            Err(bad) if file == named => return Err(Error::from(bad)),
            Err(bad) => self.notes.push(recording::lost(&bad)),
        }
        Ok(())
    }

    /// Puts summaries behind the traces, in the order in which the processes started, each process once.
    fn put_summaries_in_order(&mut self) {
        let all = std::mem::take(&mut self.traces);
        let (mut summaries, traces): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|it| it.summary.is_some());
        summaries.sort_by_key(|it| {
            let process = it.process.as_ref();
            process.map(|it| (it.started, it.rank, it.pid))
        });
        let mut known: BTreeSet<_> = traces
            .iter()
            .filter_map(|it| identity(it.process.as_ref()?))
            .collect();
        summaries.retain(|it| {
            let identity = it.process.as_ref().and_then(identity);
            identity.is_none_or(|it| known.insert(it))
        });
        self.traces = traces.into_iter().chain(summaries).collect();
    }

    /// Does `work` on each in so many threads, and gives the results to `take` in their order. Gives a note for each in a folder that
    /// cannot be read.
    pub fn for_each<T: Send>(
        &self,
        jobs: usize,
        work: &(dyn Fn(&KeptTrace) -> Result<T, Error> + Sync),
        take: &mut dyn FnMut(&KeptTrace, T) -> Result<(), Error>,
    ) -> Result<Vec<Note>, Error> {
        let mut notes = self.notes.clone();
        parallel::in_order(jobs, &self.traces, work, &mut |kept, done| match done {
            Ok(done) => take(kept, done),
            Err(error) => {
                notes.push(kept.lost(error)?);
                Ok(())
            }
        })?;
        Ok(notes)
    }
}

/// What no two processes have in common: the run, the machine, the id, and when it started.
type Identity = (String, Option<String>, u32, (u64, Option<u32>));

/// That of a process; `None` where the trace does not say which run it is of.
fn identity(process: &ProcessInfo) -> Option<Identity> {
    Some((
        process.run.clone()?,
        process.host.clone(),
        process.pid,
        (process.started, process.started_ns),
    ))
}
