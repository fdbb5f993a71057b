//! When the program asks for work, for `cgsan perf`: launches, replays and copies, each with its time, in a file that the
//! command reads ([`cgsan_trace::clock`]).
//!
//! It is all there is while no profiler runs, so that steps are timed as they are without one. The agent ends it, and asks
//! before it starts or ends a profiler: that must not happen while something captures, since what a profiler does to get ready
//! is refused then, and would break the capture.
#![expect(unsafe_code, reason = "writes through a memory map")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

pub use cgsan_trace::clock::Asked;
use cgsan_trace::clock::{CAPACITY, COUNT_OFFSET, HEADER, LENGTH, SIGNATURE, TICK, file_name};
use memmap2::MmapOptions;

const NO_CLOCK: *mut Clock = ptr::null_mut();

/// How long the beginning of a capture waits for a profiler that starts or ends.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const WAIT: Duration = Duration::from_micros(50);

/// The file, as it is mapped.
#[repr(C)]
struct Clock {
    signature: AtomicU64,
    capacity: AtomicU64,
    count: AtomicU64,
    zeros: [AtomicU64; 5],
    ticks: [[AtomicU64; 2]; CAPACITY],
}

const _: () = {
    assert!(size_of::<Clock>() == LENGTH);
    assert!(std::mem::offset_of!(Clock, count) == COUNT_OFFSET);
    assert!(std::mem::offset_of!(Clock, ticks) == HEADER);
    assert!(size_of::<[AtomicU64; 2]>() == TICK);
};

/// Null while nothing is to be written.
static CLOCK: AtomicPtr<Clock> = AtomicPtr::new(NO_CLOCK);
/// How many captures run.
static CAPTURES: AtomicI32 = AtomicI32::new(0);
/// Whether a profiler starts or ends just now.
static CHANGING: AtomicBool = AtomicBool::new(false);

/// Notes that something is asked for.
#[inline]
pub fn tick(asked: Asked, value: u64) {
    let clock = CLOCK.load(Ordering::Acquire);
    // SAFETY: a clock stays mapped for as long as the process lives, and consists of atomic numbers.
    if let Some(clock) = unsafe { clock.as_ref() } {
        let place = clock.count.fetch_add(1, Ordering::Relaxed);
        let [time, word] = &clock.ticks[usize::try_from(place).unwrap_or(0) % CAPACITY];
        time.store(now_ns(), Ordering::Relaxed);
        word.store(asked.word(value), Ordering::Relaxed);
    }
}

/// A capture begins.
pub fn capture_begins() {
    CAPTURES.fetch_add(1, Ordering::SeqCst);
}

/// Waits until no profiler starts or ends, once a capture was said to begin.
pub fn wait_for_profiler() {
    let mut waited = Duration::ZERO;
    while CHANGING.load(Ordering::SeqCst) && waited < LONGEST_WAIT {
        std::thread::sleep(WAIT);
        waited += WAIT;
    }
}

/// It could not be begun.
pub fn capture_was_refused() {
    CAPTURES.fetch_sub(1, Ordering::SeqCst);
}

/// A call to end a capture returned this. With these errors, too, it has ended: it was invalidated, or its streams were not
/// joined.
pub fn capture_ends(result: i32) {
    if matches!(result, 0 | 901..=906) {
        CAPTURES.fetch_sub(1, Ordering::SeqCst);
    }
}

fn now_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: there is room for the time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default()
}

/// Makes the clock of this process, and starts it.
pub(crate) fn start(directory: &Path) -> io::Result<()> {
    let clock = map(&directory.join(file_name(std::process::id())))?;
    // SAFETY: the handler is a function of a library that is never unloaded, and stores one number.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    CLOCK.store(clock, Ordering::Release);
    Ok(())
}

fn map(path: &Path) -> io::Result<*mut Clock> {
    let file = cgsan_files::private_file(
        path,
        File::options().read(true).write(true).create_new(true),
    )?;
    // The blocks are reserved now, so that a full disk is an error here and no signal later.
    let length = libc::off_t::try_from(LENGTH).map_err(io::Error::other)?;
    // SAFETY: the file is open.
    let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
    if code != 0 {
        return Err(io::Error::from_raw_os_error(code));
    }
    // SAFETY: the file is this process's own, new, and its blocks are there.
    let mut map = unsafe { MmapOptions::new().len(LENGTH).map_mut(&file) }?;
    map[..SIGNATURE.len()].copy_from_slice(&SIGNATURE);
    let clock: *mut Clock = map.as_mut_ptr().cast();
    std::mem::forget(map);
    // SAFETY: it is mapped, aligned to a page, and of this size; any bytes are atomic numbers.
    unsafe { &*clock }
        .capacity
        .store(CAPACITY as u64, Ordering::Relaxed);
    Ok(clock)
}

/// Ends it. What was written stays.
pub fn stop() {
    CLOCK.store(NO_CLOCK, Ordering::Release);
}

/// Says that a profiler is about to start or to end. Whether it may: nothing captures, and no capture begins until [`changed`].
pub fn may_change() -> bool {
    CHANGING.store(true, Ordering::SeqCst);
    let may = CAPTURES.load(Ordering::SeqCst) == 0;
    if !may {
        changed();
    }
    may
}

/// Says that it has.
pub fn changed() {
    CHANGING.store(false, Ordering::SeqCst);
}

/// In a sealed child: nothing is noted, and no capture waits for a profiler that another thread of the parent was about to start.
pub(crate) fn seal() {
    stop();
    changed();
}

/// A forked child has a clock of its own, or none.
extern "C" fn in_child() {
    stop();
}
