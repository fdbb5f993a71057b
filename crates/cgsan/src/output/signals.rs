//! What signals do to cgsan itself.

#![expect(unsafe_code, reason = "gives a signal its default effect back")]

use std::fs;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;
use signal_hook::low_level;

/// Lets a file that outgrows the limit of `ulimit -f` be an error to tell of, as any other, and not the end of cgsan.
pub fn survive_limits() {
    if !is_ignored(SIGXFSZ) {
        // Programs that are started have it as it was: a handler does not outlive `exec`.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}

/// Whether cgsan was started to ignore a signal, as under `nohup`: a handler of ours would take the program's immunity away.
pub fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored_signals(&status) & (1 << (signal - 1)) != 0
}

/// The set of ignored signals, a bit each, from the text of `/proc/PID/status`.
fn ignored_signals(status: &str) -> u64 {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok())
        .unwrap_or(0)
}

/// Lets a signal do what it does to programs that do not expect it.
pub fn by_default(signal: i32) {
    if real_time().contains(&signal) {
        // SAFETY: no code runs at the signal from here on.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        let _ = low_level::raise(signal);
    } else {
        let _ = low_level::emulate_default_handler(signal);
    }
}

/// The real-time signals that the C library leaves to programs, whose default `signal_hook` does not know.
pub fn real_time() -> RangeInclusive<i32> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::SIGHUP;

    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_kernels_text() {
        let status =
            "Name:\tcgsan\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert_eq!(ignored_signals(status), 1 << 12 | 1 << (SIGHUP - 1));
        assert_eq!(ignored_signals(""), 0);
    }
}
