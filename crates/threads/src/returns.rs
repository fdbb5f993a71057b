//! Whether a thread comes back to an address: counted by the processor, while the thread runs as it would.
//!
//! A hardware breakpoint of the kernel's performance counters counts how often one thread executes the instruction at an address.
//! Nothing of the process is changed for it, and it is not stopped.
#![expect(unsafe_code, reason = "calls perf_event_open")]

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::FromRawFd as _;

/// How often a thread has come to an address since this was made.
#[derive(Debug)]
pub struct Returns(File);

/// `struct perf_event_attr` as it was first made to hold breakpoints (`PERF_ATTR_SIZE_VER1`).
#[repr(C)]
#[derive(Default)]
struct Attributes {
    of_type: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
    bp_len: u64,
}

const PERF_TYPE_BREAKPOINT: u32 = 5;
const HW_BREAKPOINT_X: u32 = 4;

/// In the flags: always counting, or an error; not in the kernel, not in the hypervisor.
const PINNED: u64 = 1 << 2;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;

const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;

impl Returns {
    /// Begins to count.
    ///
    /// # Errors
    ///
    /// If that is not permitted, or the processor watches as many addresses as it can.
    pub fn count(thread: u32, address: u64) -> io::Result<Returns> {
        let attributes = Attributes {
            of_type: PERF_TYPE_BREAKPOINT,
            size: u32::try_from(size_of::<Attributes>()).unwrap_or_default(),
            flags: PINNED | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            bp_type: HW_BREAKPOINT_X,
            bp_addr: address,
            bp_len: size_of::<libc::c_long>() as u64,
            ..Attributes::default()
        };
        let (any_processor, no_group) = (-1, -1);
        // SAFETY: the attributes are as long as they say, and are only read.
        let file = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                thread.cast_signed(),
                any_processor,
                no_group,
                PERF_FLAG_FD_CLOEXEC,
            )
        };
        match i32::try_from(file) {
            Ok(file) if file >= 0 => {
                // SAFETY: the descriptor was just made, and nobody else has it.
                Ok(Returns(unsafe { File::from_raw_fd(file) }))
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// How often it came there until now; `None` if that was not counted all the time.
    pub fn until_now(&mut self) -> Option<u64> {
        let mut count = [0; size_of::<u64>()];
        self.0.read_exact(&mut count).ok()?;
        Some(u64::from_ne_bytes(count))
    }
}
