//! What ran, on what, and how it ended.

use cgsan_finding::Environment;
use serde::{Serialize, Serializer};

/// What ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The command line.
    pub program: Vec<String>,
    /// How it ended; in JSON its exit status, null if it has none.
    #[serde(rename = "exit")]
    pub ending: Ending,
    /// What its processes ran on, each once.
    #[serde(skip)]
    pub environments: Vec<Environment>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// That is not known.
    #[default]
    Unknown,
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// cgsan ended it, since it made no progress, and itself exited with this status.
    NoProgress(u8),
}

impl Serialize for Ending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = match self {
            Self::Status(status) => Some(status),
            Self::Unknown | Self::Signal(_) | Self::NoProgress(_) => None,
        };
        status.serialize(serializer)
    }
}

impl Ending {
    /// After the name of the program: `exited with status 1`; `None` if it is not known.
    pub(crate) fn in_words(self) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Status(status) => Some(format!("exited with status {status}")),
            Self::Signal(signal) => Some(format!("ended by signal {signal}")),
            Self::NoProgress(status) => Some(format!(
                "made no progress and was ended by cgsan, which exited with status {status}"
            )),
        }
    }
}
