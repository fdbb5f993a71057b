//! What a process takes, by what the kernel says of it.

use std::fs;

/// How many ticks the kernel counts in a second (`USER_HZ`, which is 100 on x86-64).
const TICKS: f64 = 100.0;

/// How long a process ran so far, in seconds of a CPU.
pub fn ran(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything; of what follows, the times are the 12th and the 13th.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

/// The most that a process had resident so far, in KiB.
pub fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
