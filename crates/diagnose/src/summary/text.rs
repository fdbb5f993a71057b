//! Summaries as lines of a file: first a header that names the format and its version, then one line of JSON for each process.

use cgsan_trace::ProcessInfo;
use serde::{Deserialize, Serialize};

use super::Summary;
use super::wire::{WireProcess, WireSummary};
use crate::ranks::Unfit;

/// The name of the format.
const FORMAT: &str = "cgsan-summary";

/// How a header begins.
const BEGINS: &str = "{\"format\":\"cgsan-summary\"";

/// The version of the format. Fields may be added to a version; one that is removed or changes its meaning makes a new one.
const VERSION: u32 = 1;

/// Why a line of a file is not a summary that this cgsan can read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The first line is another.
    #[error("it is not a file of summaries; give one that `cgsan summarize` wrote")]
    Foreign,
    /// Another version of cgsan wrote them.
    #[error(
        "it has version {found} of the format, and this cgsan reads version {VERSION}; read it with the cgsan that wrote it"
    )]
    Version {
        /// The version that the header names.
        found: u32,
    },
    /// It is not JSON, or has other fields than a summary.
    #[error("it is damaged: {0}")]
    Shape(#[from] serde_json::Error),
    /// It has a finding that the catalogue does not have.
    #[error(
        "it has a finding {id}, which this cgsan does not know; read it with the cgsan that wrote it"
    )]
    Id {
        /// The id.
        id: String,
    },
    /// It has a capture of a mode that there is not.
    #[error("it is damaged: a capture has the mode {mode}")]
    Mode {
        /// The mode.
        mode: String,
    },
    /// It refers to what it does not have.
    #[error("it is damaged: it refers to an entry of a list that is not there")]
    Reference,
    /// It is longer than what is read.
    #[error("it has more collectives than are read of one process")]
    Calls,
}

impl Unreadable {
    pub(super) fn of_ranks(unfit: Unfit) -> Unreadable {
        match unfit {
            Unfit::Reference => Unreadable::Reference,
            Unfit::Calls => Unreadable::Calls,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The first line of a file of summaries, without its line break.
pub fn header() -> String {
    format!("{BEGINS},\"version\":{VERSION}}}")
}

/// Whether bytes are the beginning of a file of summaries, of whichever version.
pub fn is_header(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINS.as_bytes())
}

/// Whether a first line is that of summaries which this cgsan reads.
///
/// # Errors
///
/// If it is not.
pub fn check_header(line: &str) -> Result<(), Unreadable> {
    let header: Header = serde_json::from_str(line).map_err(|_| Unreadable::Foreign)?;
    if header.format != FORMAT {
        return Err(Unreadable::Foreign);
    }
    if header.version != VERSION {
        return Err(Unreadable::Version {
            found: header.version,
        });
    }
    Ok(())
}

/// The process that the summary in a line is of, without reading more of it.
///
/// # Errors
///
/// If the line is not a summary.
pub fn process_in(line: &str) -> Result<ProcessInfo, Unreadable> {
    let line: WireProcess = serde_json::from_str(line)?;
    Ok(line.process)
}

impl Summary {
    /// As a line, without its line break. Who held memory and the captured graphs are left out.
    ///
    /// # Errors
    ///
    /// Never in practice: everything in it can be written.
    pub fn to_line(&self) -> Result<String, Unreadable> {
        Ok(serde_json::to_string(&self.to_wire())?)
    }

    /// The summary in a line.
    ///
    /// # Errors
    ///
    /// If the line is not a summary.
    pub fn from_line(line: &str) -> Result<Summary, Unreadable> {
        serde_json::from_str::<WireSummary>(line)?.read()
    }
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Basis, Confidence, Finding, Location, Note, Observed, Process, Report};
    use cgsan_trace::{ProcessInfo, Rank};

    use super::*;

    fn summary() -> Summary {
        let info = ProcessInfo {
            pid: 7,
            arguments: vec!["python".to_owned(), "train.py".to_owned()],
            host: Some("node-1".to_owned()),
            ..ProcessInfo::default()
        };
        let rank = Rank {
            rank: 3,
            local_rank: Some(1),
            world_size: Some(8),
        };
        let location = Location {
            file: "train.py".into(),
            line: 7,
            function: "main".to_owned(),
            ..Location::default()
        };
        let process = Process {
            count: 2,
            ..crate::process::known_by(&info, Some(rank), 1)
        };
        let finding = Finding {
            id: "CG101",
            title: "a title".to_owned(),
            confidence: Confidence::Confirmed,
            location: Some(location.clone()),
            labels: Vec::new(),
            notes: vec!["a note".to_owned()],
            help: Vec::new(),
            basis: Basis::Run(Box::new(Observed {
                count: 2,
                processes: vec![process],
                ..Observed::default()
            })),
        };
        let report = Report {
            findings: vec![finding],
            notes: vec![Note::new("a remark", Some(location))],
            ..Report::default()
        };
        Summary::of_running(info, Some(rank), report)
    }

    #[test]
    fn a_summary_is_read_as_it_was_written() {
        let written = summary();
        let line = written.to_line().expect("it can be written");
        assert!(!line.contains('\n'));
        assert_eq!(Summary::from_line(&line).expect("a summary"), written);
        assert_eq!(process_in(&line).expect("a summary"), written.info);
    }

    #[test]
    fn a_header_names_the_format_and_its_version() {
        assert!(is_header(header().as_bytes()));
        check_header(&header()).expect("our own");
        let other = |line: &str| check_header(line).expect_err("another").to_string();
        let newer = other("{\"format\":\"cgsan-summary\",\"version\":9}");
        assert!(newer.contains("version 9"), "{newer}");
        for foreign in ["", "{}", "{\"format\":\"x\",\"version\":1}", "\u{7f}ELF"] {
            assert!(other(foreign).contains("not a file of summaries"));
        }
    }

    #[test]
    fn what_this_cgsan_does_not_know_is_told() {
        let line = summary().to_line().expect("it can be written");
        let read = |line: &str| {
            Summary::from_line(line)
                .expect_err("no summary")
                .to_string()
        };
        assert!(read(&line.replace("CG101", "CG999")).contains("CG999"));
        assert!(read(&line[..line.len() / 2]).contains("damaged"));
    }
}
