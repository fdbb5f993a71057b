//! The traces that a person names: files, and what lies in folders.

use std::path::{Path, PathBuf};

use cgsan_finding::Note;
use cgsan_symbols::Reach;

use crate::error::Error;
use crate::recording::{self, Recording};

/// A trace that was kept.
#[derive(Clone, Debug)]
pub struct KeptTrace {
    /// The file.
    pub path: PathBuf,
    /// What a person named: the file, or a folder that it lies in.
    pub named: PathBuf,
}

impl KeptTrace {
    fn is_named(&self) -> bool {
        self.path == self.named
    }
}

/// Traces that were kept.
#[derive(Debug, Default)]
pub struct Kept {
    /// The traces.
    pub traces: Vec<KeptTrace>,
    /// One for each folder that cannot be read.
    pub notes: Vec<Note>,
}

impl Kept {
    /// What there is at these paths. A folder without traces is an error.
    pub fn find(paths: &[PathBuf]) -> Result<Kept, Error> {
        let mut kept = Kept::default();
        for named in paths {
            if !named.is_dir() {
                kept.traces.push(KeptTrace {
                    path: named.clone(),
                    named: named.clone(),
                });
                continue;
            }
            let (found, unread) = recording::traces_below(named);
            if found.is_empty() {
                let reason = unread.into_iter().next().map(|note| note.text);
                return Err(Error::NoTraces {
                    folder: named.clone(),
                    reason: reason.unwrap_or_else(|| "it holds no traces".to_owned()),
                });
            }
            kept.notes.extend(unread);
            kept.traces.extend(found.into_iter().map(|path| KeptTrace {
                path,
                named: named.clone(),
            }));
        }
        Ok(kept)
    }

    /// Reads them, one at a time. `take` is told where one was found, and whether it is wanted: in a folder, those are that used CUDA.
    /// Gives a note for each in a folder that cannot be read.
    pub fn for_each(
        &self,
        reach: &Reach,
        take: &mut dyn FnMut(&Path, &mut Recording, bool) -> Result<(), Error>,
    ) -> Result<Vec<Note>, Error> {
        let mut notes = self.notes.clone();
        for trace in &self.traces {
            match Recording::read(trace.path.clone(), reach) {
                Ok(mut recording) => {
                    let is_wanted = trace.is_named() || recording.trace.uses_cuda();
                    take(&trace.named, &mut recording, is_wanted)?;
                }
                Err(error) if trace.is_named() => return Err(Error::Trace(error)),
                Err(error) => notes.push(recording::lost(&error)),
            }
        }
        Ok(notes)
    }
}
