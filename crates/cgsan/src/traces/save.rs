//! Where traces are kept.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use cgsan_files::{Destination, Links, Unwritten, is_being_written};
use cgsan_trace::{Kept, TracePlace, format};

use crate::output::error::Error;
use crate::output::standard::Standard;
use crate::traces::carrying::{self, Carried, Carrier};
use crate::traces::leftovers::Unclaimed;
use crate::traces::recording::Recording;

/// Where `--save` puts traces.
#[derive(Debug)]
pub enum SavePlace {
    /// Into files, which the processes themselves write from their first record of CUDA on.
    Files {
        /// As given.
        given: PathBuf,
        /// The same, absolute and without links in its last part.
        place: TracePlace,
        /// Whether another machine or a program answers for it: then processes write on this machine, and a carrier copies what they
        /// write.
        is_remote: bool,
    },
    /// Into a stream, which takes one trace when the run has ended.
    Stream {
        /// As given.
        given: PathBuf,
        /// What is there.
        stream: Destination,
    },
}

impl SavePlace {
    /// Makes sure that traces can be written there, and leaves what is there untouched.
    pub fn open(given: &Path) -> Result<Self, Error> {
        let wrong = |reason: Unwritten| Error::not_writable("--save", given, reason);
        let io_error = |reason: io::Error| wrong(reason.into());
        let given = given.to_owned();
        if given.is_dir() {
            // Closed before it is removed: what has no name any more, an object store cannot hold open.
            let probe = tempfile::NamedTempFile::new_in(&given).map_err(io_error)?;
            let probe = probe.into_temp_path().keep();
            carrying::remove_closed(&probe.map_err(|error| io_error(error.error))?);
            let place = TracePlace::Folder(given.canonicalize().map_err(io_error)?);
            return Ok(Self::files(given, place));
        }
        match Destination::open(&given, Links::Part).map_err(wrong)? {
            Destination::File(replaced) => {
                let path = std::path::absolute(replaced.path()).map_err(io_error)?;
                Ok(Self::files(given, TracePlace::Files(path)))
            }
            stream @ Destination::Stream(_) => Ok(Self::Stream { given, stream }),
        }
    }

    fn files(given: PathBuf, place: TracePlace) -> Self {
        let (TracePlace::Files(path) | TracePlace::Folder(path)) = &place;
        Self::Files {
            is_remote: carrying::is_remote(path),
            given,
            place,
        }
    }

    /// Whether traces lie on this machine before they come there.
    pub fn is_remote(&self) -> bool {
        matches!(
            self,
            Self::Files {
                is_remote: true,
                ..
            }
        )
    }

    /// Tells the processes of a run, which has this folder, to write there, or has what they write carried there; and begins to
    /// complete what they write.
    pub fn begin(self, run: &Path) -> Result<Saving, Error> {
        let mut carrier = None;
        match &self {
            Self::Files {
                place,
                is_remote: true,
                ..
            } => {
                carrier = Some(Carrier::begin(run, place).map_err(Error::Carrier)?);
            }
            Self::Files { place, .. } => {
                place.tell(run).map_err(|reason| Error::RunDirectory {
                    tried: vec![(run.to_owned(), reason.to_string())],
                })?;
            }
            Self::Stream { .. } => {}
        }
        Ok(Saving {
            place: self,
            carrier,
            run: run.to_owned(),
            kept: Vec::new(),
            not_taken: 0,
            failed: None,
        })
    }
}

/// Traces being kept, one by one.
#[derive(Debug)]
pub struct Saving {
    place: SavePlace,
    /// Who carries them there, where it is remote.
    carrier: Option<Carrier>,
    /// The folder of the run.
    run: PathBuf,
    /// Where they are, as a person would name it.
    kept: Vec<PathBuf>,
    /// Traces that a stream did not take, which takes one.
    not_taken: usize,
    /// Why the first trace could not be kept that could not be; no other is after it.
    failed: Option<Error>,
}

impl Saving {
    /// Completes a trace with what was found out about it; and puts it into its place where its process could not.
    pub fn keep(&mut self, recording: &Recording) {
        if self.failed.is_none() {
            self.failed = self.try_keep(recording).err();
        }
    }

    fn try_keep(&mut self, recording: &Recording) -> Result<(), Error> {
        let (given, place) = match &mut self.place {
            SavePlace::Files { given, place, .. } => (&*given, &*place),
            SavePlace::Stream { given, stream } if self.kept.is_empty() => {
                write(stream, recording)
                    .map_err(|reason| Error::not_writable("--save", given, reason))?;
                self.kept.push(given.clone());
                return Ok(());
            }
            SavePlace::Stream { .. } => {
                self.not_taken += 1;
                return Ok(());
            }
        };
        if self.carrier.is_some() {
            return complete(&recording.path, recording.trace.kept())
                .map_err(|reason| Error::not_writable("--save", &recording.path, reason));
        }
        let path = match fs::read_link(&recording.path) {
            Ok(path) => {
                let shown = shown(given, place, &path);
                complete(&path, recording.trace.kept())
                    .map_err(|reason| Error::not_writable("--save", &shown, reason))?;
                path
            }
            Err(_) => copy(recording, &self.run, given, place)?,
        };
        let shown = shown(given, place, &path);
        self.kept.push(shown);
        Ok(())
    }

    /// Says where they are, and what was not kept; and so if there was none.
    pub fn finish(mut self) -> Result<(), Error> {
        self.take_carried();
        if let Some(error) = self.failed {
            return Err(error);
        }
        let folder = match &self.place {
            SavePlace::Files {
                given,
                place: TracePlace::Folder(_),
                ..
            } => Some(given.as_path()),
            _ => None,
        };
        let mut text = match &self.place {
            SavePlace::Stream { .. } if !self.kept.is_empty() => String::new(),
            _ if self.kept.is_empty() => "cgsan: --save: no trace was recorded\n".to_owned(),
            _ => format!("cgsan: {}\n", told(&self.kept, folder)),
        };
        if let SavePlace::Stream { given, .. } = &self.place
            && self.not_taken > 0
        {
            let _ = writeln!(
                text,
                "cgsan: --save: {} takes one trace, {} more are not kept; name a folder to keep all",
                given.display(),
                self.not_taken
            );
        }
        // If nobody reads it, they are kept all the same.
        let _ = Standard::Error.write(&cgsan_render::shown(&text));
        Ok(())
    }
}

impl Saving {
    /// Waits for the carrier, if there is one, for some time.
    fn take_carried(&mut self) {
        let (Some(carrier), SavePlace::Files { given, place, .. }) =
            (self.carrier.take(), &self.place)
        else {
            return;
        };
        match carrier.end() {
            Carried::All(paths) => {
                let shown = paths.iter().map(|path| shown(given, place, path));
                self.kept.extend(shown);
            }
            Carried::NotAll(reason) => {
                let left = Unclaimed::of(&self.run);
                self.failed = self.failed.take().or(left.map(|left| Error::NotCarried {
                    place: given.clone(),
                    reason,
                    left: left.text(),
                }));
            }
        }
    }
}

/// Where traces are and how to see them: in one folder if one is named, which holds them all.
pub fn told(traces: &[PathBuf], folder: Option<&Path>) -> String {
    let name = |path: &Path| path.display().to_string();
    match (traces, folder) {
        ([trace], _) => {
            let trace = name(trace);
            let given = folder.map_or_else(|| trace.clone(), name);
            format!("trace: {trace}; show it with `cgsan report {given}`")
        }
        (_, Some(folder)) => {
            let folder = name(folder);
            let count = traces.len();
            format!("traces: {count} in {folder}; show them with `cgsan report {folder}`")
        }
        _ => {
            let names: Vec<String> = traces.iter().map(|trace| name(trace)).collect();
            let all = names.join(" ");
            format!(
                "traces: {}; show them with `cgsan report {all}`",
                names.join(", ")
            )
        }
    }
}

/// A path in a place as a person would name it, who gave that place a name.
fn shown(given: &Path, place: &TracePlace, path: &Path) -> PathBuf {
    match place {
        TracePlace::Folder(folder) => path
            .strip_prefix(folder)
            .map_or_else(|_| path.to_owned(), |name| given.join(name)),
        TracePlace::Files(first) => {
            let (first, whole) = (first.as_os_str(), path.as_os_str());
            let number = whole
                .as_encoded_bytes()
                .strip_prefix(first.as_encoded_bytes());
            match number.and_then(|number| std::str::from_utf8(number).ok()) {
                Some(number) => {
                    let mut name = given.as_os_str().to_owned();
                    name.push(number);
                    PathBuf::from(name)
                }
                None => path.to_owned(),
            }
        }
    }
}

/// Copies a trace into its place, and returns where that is.
fn copy(
    recording: &Recording,
    run: &Path,
    given: &Path,
    place: &TracePlace,
) -> Result<PathBuf, Error> {
    let name = recording.path.file_name().unwrap_or_default();
    let path = place
        .candidates(run, name)
        .find(|path| !place.is_taken(path, recording.trace.process()))
        .unwrap_or_else(|| given.to_owned());
    Destination::open(&path, Links::Part)
        .and_then(|to| write(&mut to.private(), recording))
        .map_err(|reason| Error::not_writable("--save", &shown(given, place, &path), reason))?;
    Ok(path)
}

/// Appends to a trace what was found out about it. One that a process still writes stays as it is.
fn complete(path: &Path, kept: &Kept) -> io::Result<()> {
    if is_being_written(path) {
        return Ok(());
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    format::append_to_file(&file, &kept.entries())
}

fn write(place: &mut Destination, recording: &Recording) -> Result<(), Unwritten> {
    let mut bytes = fs::read(&recording.path)?;
    format::append(&mut bytes, &recording.trace.kept().entries()).map_err(io::Error::other)?;
    place.write(&bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

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

    fn keep(place: SavePlace, run: &Path, recordings: &[Recording]) -> Vec<PathBuf> {
        let mut saving = place.begin(run).expect("a run");
        for recording in recordings {
            saving.keep(recording);
        }
        let kept = saving.kept.clone();
        saving.finish().expect("room");
        kept
    }

    /// The process that a kept trace is of.
    fn pid(path: &Path) -> u32 {
        Trace::read(path).expect("a trace").process().pid
    }

    #[test]
    fn what_was_found_out_is_kept_too_where_the_process_put_its_trace() {
        let run = tempfile::tempdir().expect("a folder");
        let kept = tempfile::tempdir().expect("a folder");
        let mut recordings = recordings(run.path());
        let names = &mut recordings[0].trace.kept_mut().native_names;
        names.insert(
            (StringId(0), 16),
            "c10::cuda::device_synchronize()".to_owned(),
        );
        // The first moved its trace itself, the second could not.
        let own = kept.path().join("trace-7-2.cgsan");
        fs::rename(&recordings[0].path, &own).expect("a file");
        symlink(&own, &recordings[0].path).expect("a link");
        let place = SavePlace::open(kept.path()).expect("a writable folder");
        let paths = keep(place, run.path(), &recordings);
        assert_eq!(paths, [own.clone(), kept.path().join("trace-8.cgsan")]);
        let again = Trace::read(&own).expect("a trace");
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
        let paths = keep(place, run.path(), &recordings(run.path()));
        assert_eq!(paths, [path.clone(), kept.path().join("kept.1")]);
        assert_eq!(pid(&path), 7);
        assert_eq!(pid(&kept.path().join("kept.1")), 8);
        assert_eq!(fs::read_dir(kept.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_folder_gets_each_trace_under_its_name_and_loses_none() {
        let kept = tempfile::tempdir().expect("a folder");
        for names in [
            ["trace-7.cgsan", "trace-8.cgsan"],
            ["trace-7-2.cgsan", "trace-8-2.cgsan"],
        ] {
            let run = tempfile::tempdir().expect("a folder");
            let place = SavePlace::open(kept.path()).expect("a writable folder");
            let paths = keep(place, run.path(), &recordings(run.path()));
            assert_eq!(paths, names.map(|name| kept.path().join(name)));
            assert_eq!(
                paths.iter().map(|path| pid(path)).collect::<Vec<_>>(),
                [7, 8]
            );
        }
    }

    #[test]
    fn where_traces_are_is_told_with_the_command_that_shows_them() {
        let paths = ["a", "a.1"].map(PathBuf::from);
        let folder = Path::new("traces");
        assert_eq!(
            [
                told(&paths[..1], None),
                told(&paths, None),
                told(&[PathBuf::from("traces/a")], Some(folder)),
                told(&paths, Some(folder)),
            ],
            [
                "trace: a; show it with `cgsan report a`",
                "traces: a, a.1; show them with `cgsan report a a.1`",
                "trace: traces/a; show it with `cgsan report traces`",
                "traces: 2 in traces; show them with `cgsan report traces`",
            ]
        );
    }
}
