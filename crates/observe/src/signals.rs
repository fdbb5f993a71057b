//! Threads of cgsan's take none of the program's signals: one that the program waits for, or has a handler for in another
//! thread, would be lost or end it.
#![expect(unsafe_code, reason = "changes the calling thread's mask")]

use std::mem::MaybeUninit;

/// Signals that a thread raises by its own mistakes, which stay what they are.
const OWN_FAULTS: [libc::c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
];

/// Calls `start` with all signals blocked, so that threads which it starts take none. Every thread that runs in the program is
/// started through this.
pub fn without_signals<R>(start: impl FnOnce() -> R) -> R {
    let _blocked = Blocked::begin();
    start()
}

/// The calling thread's mask as it was; restored when dropped.
struct Blocked(libc::sigset_t);

impl Blocked {
    fn begin() -> Blocked {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: each set is filled before it is read; the calls write nothing else, and fail for no set.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for fault in OWN_FAULTS {
                libc::sigdelset(all.as_mut_ptr(), fault);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr());
            Blocked(before.assume_init())
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set is the one that the mask was.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
        };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The signals that the calling thread blocks, a bit for each.
    fn blocked() -> u64 {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        u64::from_str_radix(mask.unwrap().trim(), 16).unwrap()
    }

    #[test]
    fn a_thread_takes_no_signals_and_who_starts_it_does() {
        let before = blocked();
        let thread = without_signals(|| std::thread::spawn(blocked));
        assert_eq!(blocked(), before);
        let blocked = thread.join().unwrap();
        for signal in (1..=31).chain(34..=64) {
            let is_excepted =
                OWN_FAULTS.contains(&signal) || [libc::SIGKILL, libc::SIGSTOP].contains(&signal);
            assert_eq!(blocked >> (signal - 1) & 1 == 0, is_excepted, "{signal}");
        }
    }
}
