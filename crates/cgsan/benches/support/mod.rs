//! What a command costs.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

/// How many ticks the kernel counts in a second (`USER_HZ`, which is 100 on x86-64).
const TICKS: f64 = 100.0;

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

/// How long a process ran so far, in seconds of a CPU.
fn ran(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; of what follows, the times are the 12th and the 13th.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

/// The most that a process had resident so far, in KiB.
fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
