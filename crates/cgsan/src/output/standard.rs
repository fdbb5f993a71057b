//! Our own streams.

use std::fmt;
use std::io::{self, Write as _};

use cgsan_files::in_words;

use super::streams;

/// One of our two standard streams.
#[derive(Clone, Copy, Debug)]
pub enum Standard {
    /// What pipes take.
    Output = 1,
    /// What the program's own output stays apart from.
    Error = 2,
}

/// One takes nothing: it is closed, or its disk is full.
#[derive(Debug, thiserror::Error)]
#[error("{stream} cannot be written: {}", in_words(reason))]
pub struct Unwritten {
    stream: Standard,
    reason: io::Error,
}

impl fmt::Display for Standard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Output => "standard output",
            Self::Error => "standard error",
        })
    }
}

impl Standard {
    /// Writes all of `text`, which somebody waits for: that it cannot be written is a failure, unless the reader has gone away,
    /// as `head` does.
    pub fn tell(self, text: &str) -> Result<(), Unwritten> {
        match self.write(text) {
            Err(reason) if reason.kind() != io::ErrorKind::BrokenPipe => Err(Unwritten {
                stream: self,
                reason,
            }),
            _ => Ok(()),
        }
    }

    /// Writes all of `text`.
    pub fn write(self, text: &str) -> io::Result<()> {
        if streams::was_closed(self as i32) {
            return Err(rustix::io::Errno::BADF.into());
        }
        match self {
            Self::Output => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(text.as_bytes())?;
                stdout.flush()
            }
            Self::Error => io::stderr().lock().write_all(text.as_bytes()),
        }
    }
}
