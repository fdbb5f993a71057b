//! Why a file gives no timeline.

use std::io;

/// A file that cannot be read as a timeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system would not give it, or its compression is damaged.
    #[error("it cannot be read: {}", cgsan_files::in_words(.0))]
    Io(#[from] io::Error),
    /// Its JSON breaks off from the format.
    #[error("invalid JSON at byte {at}: {what}")]
    Json {
        /// How many bytes of the (uncompressed) file come before it.
        at: u64,
        /// What was wrong.
        what: &'static str,
    },
    /// Its database is damaged.
    #[error("invalid database: {0}")]
    Database(String),
    /// It has no list of events, or no table of calls.
    #[error("it has neither `traceEvents` nor calls to CUDA, so it is not a trace of a profiler")]
    NoEvents,
    /// It is none of the formats that are known.
    #[error(
        "it is neither a trace of torch.profiler (JSON), nor an export of Nsight Systems (SQLite), nor a trace of cgsan"
    )]
    Format,
}

impl Error {
    /// What a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the file; a `.gz` that was cut off can be exported again",
            Self::Json { .. } => {
                "export it again with `profile.export_chrome_trace(FILE)`; a name with a quotation mark in it makes such files"
            }
            Self::Database(_) => "export it again with `nsys export --type sqlite REPORT.nsys-rep`",
            Self::NoEvents | Self::Format => {
                "name a file of `profile.export_chrome_trace(FILE)`, or of `nsys export --type sqlite`"
            }
        }
    }
}
