//! Traces that are kept on a network or in an object store. A mount of these may not answer for hours, and whoever writes there waits
//! with it. So processes write their traces on this machine, and a process of its own, the carrier, copies them: whatever the mount
//! does, neither the program nor `cgsan run` waits for it.
//!
//! | file | what it is |
//! |---|---|
//! | `mod` | the carrier as `cgsan run` has it: started, and waited for at the end |
//! | `carrier` | what the carrier does |
//! | `remote` | which places are of this kind, and what they need |

mod carrier;
mod remote;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cgsan_trace::TracePlace;
use rustix::process::{Pid, Signal, kill_process};

pub use carrier::run;
pub use remote::{is_remote, remove_closed};

/// How long the place has to take the rest when the run has ended.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long a trace may become that lies on this machine meanwhile, where no option says it, in bytes.
pub const SPOOL: u64 = 1 << 30;

/// The process that copies the traces of a run into their place.
#[derive(Debug)]
pub struct Carrier {
    process: Option<Pid>,
    /// It copies until this ends.
    goes_on: ChildStdin,
    /// What it says then.
    says: BufReader<ChildStdout>,
}

/// What has become of traces that were to be carried.
#[derive(Debug, PartialEq, Eq)]
pub enum Carried {
    /// All are in their place.
    All(Vec<PathBuf>),
    /// The place did not take them in time, or not at all, for this reason.
    NotAll(String),
}

impl Carrier {
    /// Begins to copy the traces in the folder of a run into their place.
    ///
    /// # Errors
    ///
    /// If no process can be started.
    pub fn begin(run: &Path, place: &TracePlace) -> io::Result<Carrier> {
        let (option, path) = match place {
            TracePlace::Files(path) => ("--file", path),
            TracePlace::Folder(path) => ("--folder", path),
        };
        let mut command = Command::new(env::current_exe()?);
        command.arg("carry").arg(run).arg(option).arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // What the terminal sends is for the program. This process starts the carrier and ends, so that it is none of the run.
        let mut child = command.stderr(Stdio::null()).process_group(0).spawn()?;
        let (goes_on, says) = (child.stdin.take(), child.stdout.take());
        child.wait()?;
        let missing = || io::Error::other("it has no pipes");
        let mut says = BufReader::new(says.ok_or_else(missing)?);
        let mut process = String::new();
        says.read_line(&mut process)?;
        Ok(Carrier {
            process: process.trim().parse().ok().and_then(Pid::from_raw),
            goes_on: goes_on.ok_or_else(missing)?,
            says,
        })
    }

    /// Has it copy the rest, and waits for it as long as a person may be expected to.
    pub fn end(self) -> Carried {
        let Carrier {
            process,
            goes_on,
            mut says,
        } = self;
        drop(goes_on);
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = says.read_to_end(&mut text);
            // Nobody may be waiting any more.
            let _ = tell.send(text);
        });
        if let Ok(text) = told.recv_timeout(PATIENCE) {
            return carried(&text);
        }
        // One that waits for the place ends when that answers.
        let _ = process.map(|it| kill_process(it, Signal::KILL));
        let seconds = PATIENCE.as_secs();
        Carried::NotAll(format!("it did not take them within {seconds} s"))
    }
}

/// What the carrier says at its end: a word, and then the paths, or the reason.
fn carried(text: &[u8]) -> Carried {
    let mut parts = text.split(|byte| *byte == 0);
    match parts.next() {
        Some(word) if word == carrier::ALL.as_bytes() => {
            let paths = parts.filter(|it| !it.is_empty());
            let path = |it: &[u8]| PathBuf::from(OsString::from_vec(it.to_vec()));
            Carried::All(paths.map(path).collect())
        }
        Some(reason) if !reason.is_empty() => {
            Carried::NotAll(String::from_utf8_lossy(reason).into_owned())
        }
        _ => Carried::NotAll("the process that copies them was ended".to_owned()),
    }
}
