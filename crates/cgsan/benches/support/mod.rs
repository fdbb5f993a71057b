//! What a command costs.

mod resources;

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use resources::{ran, resident};

/// What a run of cgsan took.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds of a processor.
    pub seconds: f64,
    /// The most memory that was resident at once, in MB.
    pub megabytes: u64,
}

/// Runs cgsan, and throws away what it prints. That it reports a difference is no failure.
pub fn run(arguments: &[impl AsRef<OsStr>]) -> Cost {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgsan"));
    command.args(arguments).stdout(Stdio::null());
    let mut child = command.spawn().expect("cgsan starts");
    let (mut seconds, mut most) = (0.0_f64, 0);
    let status = loop {
        seconds = ran(child.id()).unwrap_or_default().max(seconds);
        most = resident(child.id()).unwrap_or_default().max(most);
        match child.try_wait().expect("it is our child") {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(matches!(status.code(), Some(0 | 1)), "{command:?} failed");
    Cost {
        seconds,
        megabytes: most >> 10,
    }
}
