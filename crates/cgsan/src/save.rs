//! Where traces are kept.

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_files::{Destination, Links};
use cgsan_trace::format;

use crate::error::Error;
use crate::output::Standard;
use crate::recording::Recording;

/// Where `--save` puts traces.
#[derive(Debug)]
pub enum SavePlace {
    /// Into a folder, under the names that they have.
    Folder(PathBuf),
    /// The first into a file, the others beside it, numbered.
    File {
        /// As given.
        path: PathBuf,
        /// What is there.
        place: Destination,
    },
}

impl SavePlace {
    /// Makes sure that traces can be written there, and leaves what is there untouched.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            tempfile::tempfile_in(path)
                .map_err(|reason| Error::not_writable("--save", path, reason))?;
            return Ok(Self::Folder(path.to_owned()));
        }
        match Destination::open(path, Links::Part) {
            Ok(place) => Ok(Self::File {
                path: path.to_owned(),
                place,
            }),
            Err(reason) => Err(Error::not_writable("--save", path, reason)),
        }
    }

    /// Begins to keep traces there.
    pub fn begin(self) -> Saving {
        Saving {
            place: self,
            kept: 0,
            not_taken: 0,
            failed: None,
        }
    }
}

/// Traces being kept, one by one.
#[derive(Debug)]
pub struct Saving {
    place: SavePlace,
    kept: usize,
    /// Traces that a stream did not take, which takes one.
    not_taken: usize,
    /// Why the first trace could not be kept that could not be; no other is after it.
    failed: Option<Error>,
}

impl Saving {
    /// Copies a trace there.
    pub fn keep(&mut self, recording: &Recording) {
        if self.failed.is_none() {
            self.failed = self.copy(recording).err();
        }
    }

    fn copy(&mut self, recording: &Recording) -> Result<(), Error> {
        match &mut self.place {
            SavePlace::Folder(folder) => {
                let name = recording.path.file_name().unwrap_or_default();
                copy_whole(recording, &folder.join(name))?;
            }
            SavePlace::File { path, place } if self.kept == 0 => write(place, recording, path)?,
            SavePlace::File { place, .. } if place.stream().is_some() => {
                self.not_taken += 1;
                return Ok(());
            }
            SavePlace::File { path, .. } => copy_whole(recording, &numbered(path, self.kept))?,
        }
        self.kept += 1;
        Ok(())
    }

    /// Says whether all were kept; and so if there was none.
    pub fn finish(self) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.kept == 0 {
            let _ = Standard::Error.write("cgsan: --save: no trace was recorded\n");
        }
        if let SavePlace::File { path, .. } = &self.place
            && self.not_taken > 0
        {
            let left = format!(
                "cgsan: --save: {} takes one trace, {} more are not kept; name a folder to keep all\n",
                path.display(),
                self.not_taken
            );
            let _ = Standard::Error.write(&left);
        }
        Ok(())
    }
}

fn copy_whole(recording: &Recording, path: &Path) -> Result<(), Error> {
    let mut place = Destination::open(path, Links::Part)
        .map_err(|reason| Error::not_writable("--save", path, reason))?;
    write(&mut place, recording, path)
}

fn write(place: &mut Destination, recording: &Recording, path: &Path) -> Result<(), Error> {
    let wrong = |reason| Error::not_writable("--save", path, reason);
    let mut bytes = fs::read(&recording.path).map_err(|reason| wrong(reason.into()))?;
    format::append(&mut bytes, &recording.trace.kept().entries())
        .map_err(|reason| wrong(std::io::Error::other(reason).into()))?;
    place.write(&bytes).map_err(wrong)
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use cgsan_model::ThreadId;
    use cgsan_trace::{Entry, ProcessInfo, Record, StringId, Trace};

    use super::*;

    /// The recordings of two processes, as files in `folder`.
    fn recordings(folder: &Path) -> Vec<Recording> {
        [7, 8]
            .into_iter()
            .map(|pid| {
                let path = folder.join(format!("trace-{pid}.cgsan"));
                let process = Entry {
                    time_ns: 0,
                    thread: ThreadId(pid),
                    record: Record::Process(ProcessInfo {
                        pid,
                        ..ProcessInfo::default()
                    }),
                };
                fs::write(&path, format::encode_all(&[process])).expect("a file");
                let trace = Trace::read(&path).expect("a trace");
                Recording { path, trace }
            })
            .collect()
    }

    fn keep(place: SavePlace, recordings: &[Recording]) {
        let mut saving = place.begin();
        for recording in recordings {
            saving.keep(recording);
        }
        saving.finish().expect("room");
    }

    /// The process that a kept trace is of.
    fn pid(path: &Path) -> u32 {
        Trace::read(path).expect("a trace").process().pid
    }

    #[test]
    fn what_was_found_out_is_kept_too() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        let mut recordings = recordings(run.path());
        let names = &mut recordings[0].trace.kept_mut().native_names;
        names.insert(
            (StringId(0), 16),
            "c10::cuda::device_synchronize()".to_owned(),
        );
        let place = SavePlace::open(kept.path()).expect("a writable folder");
        keep(place, &recordings);
        let again = Trace::read(&kept.path().join("trace-7.cgsan")).expect("a trace");
        assert_eq!(again.kept(), recordings[0].trace.kept());
    }

    #[test]
    fn the_first_trace_gets_the_name_and_the_others_numbers() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        let path = kept.path().join("kept");
        fs::write(&path, "of an earlier run").expect("a file");
        let place = SavePlace::open(&path).expect("a writable folder");
        assert_eq!(
            fs::read_to_string(&path).ok().as_deref(),
            Some("of an earlier run")
        );
        keep(place, &recordings(run.path()));
        assert_eq!(pid(&path), 7);
        assert_eq!(pid(&kept.path().join("kept.1")), 8);
        assert_eq!(fs::read_dir(kept.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_folder_gets_each_trace_under_its_name() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        let place = SavePlace::open(kept.path()).expect("a writable folder");
        keep(place, &recordings(run.path()));
        assert_eq!(pid(&kept.path().join("trace-7.cgsan")), 7);
        assert_eq!(pid(&kept.path().join("trace-8.cgsan")), 8);
    }
}
