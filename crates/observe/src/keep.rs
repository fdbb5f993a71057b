//! Keeping the trace where a person wants it, from the first record of CUDA on: nothing has to be copied when the run ends, and
//! whatever ends it leaves the trace in its place.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use cgsan_files::{Links, Replaced, Unwritten};
use cgsan_trace::{ProcessInfo, TracePlace};

use crate::sink::Sink;

/// What is to be done once the process uses CUDA.
pub struct Keep {
    run: PathBuf,
    place: TracePlace,
    process: ProcessInfo,
}

impl Keep {
    /// What the run of this folder asks for, if anything.
    pub fn asked(run: &Path, process: &ProcessInfo) -> Option<Keep> {
        Some(Keep {
            run: run.to_owned(),
            place: TracePlace::told(run)?,
            process: process.clone(),
        })
    }

    /// Lets the trace go on in its place, and leaves a link where it was. Where the place does not take it, the trace stays, and is
    /// copied when the run has ended.
    pub fn begin(self, sink: &mut Sink) {
        let own = sink.path().to_owned();
        let name = own.file_name().unwrap_or_default();
        for path in self.place.candidates(&self.run, name) {
            match self.try_at(&path, sink) {
                Ok(true) => {
                    link(&own, sink.path());
                    return;
                }
                Ok(false) => {}
                Err(_) => return,
            }
        }
    }

    /// Whether it goes on at this path; else the path is taken.
    fn try_at(&self, path: &Path, sink: &mut Sink) -> Result<bool, Unwritten> {
        if self.place.is_taken(path, &self.process) {
            return Ok(false);
        }
        match sink.move_to(&Replaced::open(path, Links::Part)?.private()) {
            Ok(()) => Ok(true),
            Err(Unwritten::Io(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// Replaces a file by a link.
fn link(file: &Path, to: &Path) {
    let mut link = OsString::from(file);
    link.push(".link");
    if symlink(to, &link).is_ok() && fs::rename(&link, file).is_err() {
        let _ = fs::remove_file(&link);
    }
}
