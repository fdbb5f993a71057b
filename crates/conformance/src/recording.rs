//! Recordings, and how they are read.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// A recording, by what it holds.
#[derive(Debug)]
pub enum Recording {
    /// Random programs.
    Programs {
        /// What the first line says of the machine and the recorder.
        header: Header,
        /// The programs, in the order of the file.
        programs: Vec<Program>,
    },
    /// Single calls while a stream captures.
    Probes {
        /// What the first line says of the machine and the recorder.
        header: Header,
        /// The probes, in the order of the file.
        probes: Vec<Probe>,
    },
}

impl Recording {
    /// What the first line says of the machine and the recorder.
    pub fn header(&self) -> &Header {
        match self {
            Recording::Programs { header, .. } | Recording::Probes { header, .. } => header,
        }
    }
}

/// Where and how a recording was made. Older recordings have no header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The GPU's name.
    pub gpu: String,
    /// The driver's version, e.g. `580.159.04`.
    pub driver: String,
    /// The version of CUDA that the driver supports, e.g. 13000.
    pub cuda_driver: i32,
    /// The version of the CUDA runtime that the recorder was built with.
    pub cuda_runtime: i32,
    /// The recorder's version.
    pub recorder: u32,
    /// How many devices the programs use.
    pub devices: u32,
    /// The events that were created with timing.
    pub timed_events: Vec<i64>,
}

impl Header {
    /// The GPU, driver and CUDA version, to be read by a person.
    pub fn machine(&self) -> String {
        if self.gpu.is_empty() {
            return "a machine that the recording does not name".to_owned();
        }
        let (major, minor) = (self.cuda_driver / 1000, self.cuda_driver % 1000 / 10);
        format!("{}, driver {}, CUDA {major}.{minor}", self.gpu, self.driver)
    }
}

/// One random program.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    /// What the program was made from.
    pub seed: u64,
    /// Its operations, in the order they were made.
    pub ops: Vec<Op>,
}

/// One operation: what was done, and what came back.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "RecordedOp")]
pub struct Op {
    /// The thread, from 0.
    pub thread: u32,
    /// What was done; `recorder/operations.cpp` says what that is.
    pub name: String,
    /// The first argument, mostly a stream; -1 for none.
    pub a0: i64,
    /// The second argument; -1 for none.
    pub a1: i64,
    /// What the call returned (`cudaError_t`).
    pub code: i32,
    /// What else came back.
    pub extra: Value,
    /// Of each created stream: the result of asking for its capture, the status, the number of dependencies.
    pub states: Vec<State>,
}

/// The result of asking for a stream's capture, the status, the number of dependencies.
pub type State = (i32, i32, usize);

#[derive(Deserialize)]
struct RecordedOp(u32, String, i64, i64, i32, Value, Vec<State>);

impl From<RecordedOp> for Op {
    fn from(RecordedOp(thread, name, a0, a1, code, extra, states): RecordedOp) -> Op {
        Op {
            thread,
            name,
            a0,
            a1,
            code,
            extra,
            states,
        }
    }
}

/// One call while a stream captures.
#[derive(Clone, Debug, Deserialize)]
pub struct Probe {
    /// The call: `name`, or `name@stream` where a stream matters.
    pub api: String,
    /// The mode of the capture: 0 global, 1 thread-local, 2 relaxed.
    pub mode: i64,
    /// `own` if the thread that began the capture calls, or `other`.
    pub thread: String,
    /// The mode of the calling thread.
    pub exchange: i64,
    /// `NB` if the capturing stream is non-blocking, or `BL`.
    pub capture_stream: String,
    /// What beginning the capture returned.
    pub begin: i32,
    /// What the call returned. A recorder that could not make the call wrote a text.
    pub rc: Value,
    /// What ending the capture returned.
    pub end: i32,
    /// How many nodes were captured; -1 if there was no graph.
    pub nodes: i64,
    /// The capture status that the call returned.
    pub val: Option<String>,
}

/// Read a recording, plain or compressed.
///
/// # Errors
/// Fails if the file cannot be read, or if a line is not what a recording holds.
pub fn read(path: &Path) -> Result<Recording, Error> {
    let unreadable = |source| Error::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut magic = [0; 2];
    let is_compressed = file.read(&mut magic).map_err(unreadable)? == 2 && magic == [0x1f, 0x8b];
    file.rewind().map_err(unreadable)?;
    let text: Box<dyn Read> = if is_compressed {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };

    let mut header = Header::default();
    let (mut programs, mut probes) = (Vec::new(), Vec::new());
    for (index, line) in BufReader::new(text).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        match parse(&line) {
            Ok(Line::Header(read)) => header = read,
            Ok(Line::Program(program)) => programs.push(program),
            Ok(Line::Probe(probe)) => probes.push(probe),
            Err(error) => {
                let (path, line) = (path.to_owned(), index + 1);
                let reason = error.to_string();
                return Err(if error.is_eof() {
                    Error::Truncated { path, line }
                } else {
                    Error::Foreign { path, line, reason }
                });
            }
        }
        if !programs.is_empty() && !probes.is_empty() {
            return Err(Error::Mixed {
                path: path.to_owned(),
                line: index + 1,
            });
        }
    }
    if !programs.is_empty() {
        Ok(Recording::Programs { header, programs })
    } else if !probes.is_empty() {
        Ok(Recording::Probes { header, probes })
    } else {
        Err(Error::Empty {
            path: path.to_owned(),
        })
    }
}

enum Line {
    Header(Header),
    Program(Program),
    Probe(Probe),
}

fn parse(line: &str) -> Result<Line, serde_json::Error> {
    if line.starts_with("{\"recording\"") {
        serde_json::from_str(line).map(Line::Header)
    } else if line.contains("\"ops\"") {
        serde_json::from_str(line).map(Line::Program)
    } else {
        serde_json::from_str(line).map(Line::Probe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &[u8]) -> Result<Recording, Error> {
        let path =
            std::env::temp_dir().join(format!("cgsan-recording-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let recording = read(&path);
        std::fs::remove_file(&path).unwrap();
        recording
    }

    #[test]
    fn the_content_says_which_kind_it_is() {
        let program = br#"{"seed":1,"threads":1,"ops":[[0,"memset",1,-1,0,null,[[0,0,0]]]]}"#;
        assert!(
            matches!(read_text("programs", program), Ok(Recording::Programs { programs, .. }) if programs.len() == 1)
        );
        let probe = br#"{"api":"cudaMalloc","mode":0,"thread":"own","exchange":0,"capture_stream":"NB","begin":0,"rc":900,"end":901,"nodes":-1,"val":null}"#;
        assert!(
            matches!(read_text("probes", probe), Ok(Recording::Probes { probes, .. }) if probes.len() == 1)
        );
    }

    #[test]
    fn what_is_no_recording_is_named_with_its_line() {
        let foreign = read_text("foreign", b"\n# Some other text\n")
            .unwrap_err()
            .to_string();
        assert!(foreign.contains("line 2: neither a program"), "{foreign}");
        assert!(matches!(
            read_text("binary", &[0x1f, 0x8b, 3]),
            Err(Error::Unreadable { .. })
        ));
        assert!(matches!(read_text("empty", b""), Err(Error::Empty { .. })));
        let cut = read_text("cut", br#"{"seed":1,"ops":[[0,"mem"#);
        assert!(matches!(cut, Err(Error::Truncated { line: 1, .. })));
        let missing = read(Path::new("no such file")).unwrap_err().to_string();
        assert!(missing.contains("no such file"), "{missing}");
    }
}
