//! The blocks of PyTorch's allocator.
//!
//! The allocator reports each block that it gives out and takes back to PyTorch's profiler, through a function of `libc10`.
//! A library that exports a function of this name and is loaded before PyTorch gets the report first; see
//! [`export_memory_reports!`](crate::export_memory_reports).
#![expect(unsafe_code, reason = "calls functions of PyTorch's")]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::sealed::is_sealed;
use crate::{modules, state};

/// `c10::Device`: its type in the lower byte, its index in the upper one.
const CUDA: u16 = 1;

type Report = extern "C" fn(*mut c_void, i64, usize, usize, u16);

const LIBRARY: &str = "libc10.so";
const NAME: &CStr = c"_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";

/// Exports `c10::reportMemoryUsageToProfiler` from the library that this is written in, once, at its root.
///
/// `$given_out` is called for each block that the allocator gives out, with its address and its size in bytes, before
/// anyone can use it.
#[macro_export]
macro_rules! export_memory_reports {
    () => {
        $crate::export_memory_reports!(|_, _| ());
    };
    ($given_out:expr) => {
        /// Notes a block of PyTorch's allocator, then reports it as the allocator asked.
        #[unsafe(export_name = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE")]
        pub extern "C" fn report_memory_usage(
            address: *mut ::std::ffi::c_void,
            bytes: i64,
            allocated: usize,
            reserved: usize,
            device: u16,
        ) {
            $crate::memory_reported(address, bytes, allocated, reserved, device, $given_out);
        }
    };
}

/// Notes a block and passes the report on. What [`export_memory_reports!`](crate::export_memory_reports) exports calls this.
pub fn memory_reported(
    address: *mut c_void,
    bytes: i64,
    allocated: usize,
    reserved: usize,
    device: u16,
    given_out: impl FnOnce(u64, u64),
) {
    // There, looking for PyTorch's own function would open a file, and no profiler listens.
    if is_sealed() {
        return;
    }
    if device & 0xff == CUDA && bytes != 0 {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let (address, size) = (address as u64, bytes.unsigned_abs());
            if bytes > 0 {
                given_out(address, size);
            }
            if !state::is_recording() {
                return;
            }
            state::with(|recorder| {
                if bytes > 0 {
                    recorder.block_allocated(address, size);
                } else {
                    recorder.block_freed(address);
                }
            });
        }));
    }
    if let Some(report) = real() {
        report(address, bytes, allocated, reserved, device);
    }
}

/// PyTorch's own function.
fn real() -> Option<Report> {
    static REAL: OnceLock<Option<Report>> = OnceLock::new();
    *REAL.get_or_init(|| {
        let address = modules::symbol(LIBRARY, NAME)?;
        // SAFETY: the mangled name says that it is a function with these parameters.
        Some(unsafe { std::mem::transmute::<usize, Report>(address) })
    })
}

/// Ranges of device memory by their first byte.
#[derive(Debug, Default)]
pub struct Ranges {
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Adds a range of this size.
    pub fn insert(&mut self, address: u64, bytes: u64) {
        let end = self.ends.entry(address).or_default();
        *end = (*end).max(address.saturating_add(bytes));
    }

    /// Removes the range that begins there, and gives its size.
    pub fn remove(&mut self, address: u64) -> Option<u64> {
        self.ends.remove(&address).map(|end| end - address)
    }

    /// Whether an address lies in a range.
    pub fn contains(&self, address: u64) -> bool {
        self.touches(address, 1)
    }

    /// Whether so many bytes share one with a range. Ranges do not overlap but in memory that was given out anew.
    pub fn touches(&self, address: u64, bytes: u64) -> bool {
        let before = self.ends.range(..address.saturating_add(bytes)).next_back();
        before.is_some_and(|(_, end)| *end > address)
    }

    /// The ranges: first bytes and sizes.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ends
            .iter()
            .map(|(address, end)| (*address, end - address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_know_what_lies_in_them() {
        let mut ranges = Ranges::default();
        ranges.insert(100, 50);
        assert!(ranges.contains(100) && ranges.contains(149));
        assert!(!ranges.contains(99) && !ranges.contains(150));
        assert!(ranges.touches(90, 11) && !ranges.touches(90, 10));
        assert_eq!(ranges.remove(100), Some(50));
        assert!(!ranges.contains(120));
    }
}
