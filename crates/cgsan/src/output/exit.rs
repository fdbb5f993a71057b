//! How `cgsan` ends: as the program it ran did.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};

use cgsan_render::Ending;
use rustix::process::{Resource, Rlimit};

use super::signals;

/// How the command is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this status.
    Status(u8),
    /// By this signal, which ended the program.
    Signal(i32),
}

/// How a program ended.
pub fn ending(status: ExitStatus) -> Ending {
    let signal = status.signal().map(Ending::Signal);
    let code = status.code().map(Ending::Status);
    signal.or(code).unwrap_or_default()
}

impl Exit {
    /// The end of a program, made a failure by `findings` where `strict` asks for it.
    pub fn of_program(status: ExitStatus, strict: bool, findings: bool) -> Self {
        if let Some(signal) = status.signal() {
            return Self::Signal(signal);
        }
        match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(0) => Self::of_findings(strict, findings),
            Some(code) => Self::Status(code),
            None => Self::Status(1),
        }
    }

    /// Success, unless `strict` asks for more.
    pub fn of_findings(strict: bool, findings: bool) -> Self {
        Self::Status(u8::from(strict && findings))
    }

    /// This one if it is a failure, else another.
    pub fn or(self, other: Self) -> Self {
        if self == Self::Status(0) { other } else { self }
    }

    /// Ends the process by the signal, or returns the status for `main`.
    pub fn leave(self) -> ExitCode {
        match self {
            Self::Status(status) => ExitCode::from(status),
            Self::Signal(signal) => {
                // The program has left its core dump, if it leaves one; ours would only hide it.
                let nothing = Rlimit {
                    current: Some(0),
                    maximum: Some(0),
                };
                let _ = rustix::process::setrlimit(Resource::Core, nothing);
                signals::by_default(signal);
                // It is blocked or ignored: the status that a shell would report.
                ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_status_wins_over_strict() {
        let ended = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Exit::of_program(ended(0), false, true), Exit::Status(0));
        assert_eq!(Exit::of_program(ended(0), true, false), Exit::Status(0));
        assert_eq!(Exit::of_program(ended(0), true, true), Exit::Status(1));
        assert_eq!(Exit::of_program(ended(3), true, true), Exit::Status(3));
        assert_eq!(
            Exit::of_program(ExitStatus::from_raw(9), true, true),
            Exit::Signal(9)
        );
    }
}
