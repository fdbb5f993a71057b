//! Launches in a child that runs a region again ([`cgsan_observe::sealed`]). It has no GPU, and the driver cannot launch anything there:
//! its functions for that are led to those below, which tell the agent what a kernel is given.
//!
//! Whoever launches has asked the driver for its functions before, so it is their code that is written over; in the child's memory, which
//! nobody else sees. The child may make no memory writable, so pages are replaced.
#![expect(unsafe_code, reason = "writes into loaded code")]

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cgsan_observe::jump;
use cgsan_observe::launches::{self, Given};
use cgsan_observe::sealed::is_sealed;

use crate::{driver, parameters};

const PAGE: usize = 4096;

/// `CU_GET_PROC_ADDRESS_LEGACY_STREAM`, `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const VARIANTS: [u64; 2] = [1, 2];
/// The oldest driver whose kernels' parameters are known.
const CUDA: c_int = 12_040;

/// `cuGetProcAddress_v2`.
type GetProcAddress = unsafe extern "C" fn(*const i8, *mut usize, c_int, u64, *mut c_uint) -> c_int;

/// The functions of the driver that launch kernels, each with the one below that takes its place.
static LAUNCHES: OnceLock<Vec<(usize, usize)>> = OnceLock::new();
/// Whether they were replaced in this process.
static IS_LED: AtomicBool = AtomicBool::new(false);

/// Looks up the functions that a child is to replace. Call it in its parent.
pub fn prepare() {
    LAUNCHES.get_or_init(find);
}

/// In a child that runs a region again: has the agent told of launches by a function, in place of the launches; with null, of none.
#[unsafe(no_mangle)]
extern "C" fn cgsan_follow_launches(follower: *mut c_void) {
    // In any other process, code that threads may run must stay as it is.
    if !is_sealed() {
        return;
    }
    let Some(launches) = LAUNCHES.get() else {
        return;
    };
    // SAFETY: the agent passes such a function, and keeps it.
    unsafe { launches::follow(follower) };
    // The first time: from then on, it goes on or stops.
    if !IS_LED.swap(true, Ordering::Relaxed) {
        // SAFETY: these are the driver's functions, which are loaded for good; a child has one thread, which runs this.
        let _ = unsafe { redirect(launches) };
    }
}

fn find() -> Vec<(usize, usize)> {
    let stands: [(&CStr, &CStr, usize); 3] = [
        (
            c"cuLaunchKernel",
            c"cuLaunchKernel_ptsz",
            launch as *const () as usize,
        ),
        (
            c"cuLaunchCooperativeKernel",
            c"cuLaunchCooperativeKernel_ptsz",
            launch_cooperative as *const () as usize,
        ),
        (
            c"cuLaunchKernelEx",
            c"cuLaunchKernelEx_ptsz",
            launch_with_config as *const () as usize,
        ),
    ];
    // SAFETY: functions of these names have these types, of which one is an address for now.
    let (by_symbol, get) = unsafe {
        let by_symbol = |name: &CStr| driver::function::<usize>(name);
        let get = driver::function::<GetProcAddress>(c"cuGetProcAddress_v2");
        (by_symbol, get)
    };
    let by_name = |name: &CStr, variant: u64| {
        let (mut address, mut status) = (0, 0);
        // SAFETY: the function writes an address and a number.
        let result = unsafe {
            get?(
                name.as_ptr(),
                &raw mut address,
                CUDA,
                variant,
                &raw mut status,
            )
        };
        (result == 0 && address != 0).then_some(address)
    };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (name, of_thread, stand) in stands {
        let symbols = [name, of_thread].into_iter().filter_map(by_symbol);
        let asked = VARIANTS.into_iter().filter_map(|it| by_name(name, it));
        for address in symbols.chain(asked) {
            if seen.insert(address) {
                found.push((address, stand));
            }
        }
    }
    found
}

/// Leads functions elsewhere. Whether that is possible: if not, those that were not reached stay as they are.
///
/// # Safety
///
/// Each is a function with at least [`jump::BYTES`] bytes, and nobody runs code of its pages.
unsafe fn redirect(functions: &[(usize, usize)]) -> bool {
    functions.iter().all(|(from, to)| {
        let first = from / PAGE * PAGE;
        let bytes = (from + jump::BYTES).next_multiple_of(PAGE) - first;
        // SAFETY: by the contract of this function, all of it is code.
        let mut code = unsafe { std::slice::from_raw_parts(first as *const u8, bytes) }.to_vec();
        code[from - first..][..jump::BYTES].copy_from_slice(&jump::to(*to));
        // SAFETY: the pages get their old contents but for the jump, before anybody runs them.
        unsafe { replace(first, &code) }
    })
}

/// Puts pages of code in place of those at an address. Whether that is possible.
///
/// # Safety
///
/// The pages are code that nobody runs meanwhile.
unsafe fn replace(first: usize, code: &[u8]) -> bool {
    const ACCESS: c_int = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    const KIND: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let place = first as *mut c_void;
    // SAFETY: by the contract of this function; what was there is written again.
    unsafe {
        let pages = libc::mmap(place, code.len(), ACCESS, KIND, -1, 0);
        if pages != place {
            return false;
        }
        std::ptr::copy_nonoverlapping(code.as_ptr(), pages.cast(), code.len());
        libc::mprotect(place, code.len(), libc::PROT_READ | libc::PROT_EXEC) == 0
    }
}

/// The beginning of `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
}

/// `cuLaunchKernel`.
unsafe extern "C" fn launch(
    function: u64,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    _shared: c_uint,
    _stream: u64,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> c_int {
    let shape = [[grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
    // SAFETY: by the promise of the API.
    unsafe { tell(function, shape, Given { arguments, extra }) }
}

/// `cuLaunchCooperativeKernel`.
unsafe extern "C" fn launch_cooperative(
    function: u64,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    _shared: c_uint,
    _stream: u64,
    arguments: *mut *mut c_void,
) -> c_int {
    let shape = [[grid_x, grid_y, grid_z], [block_x, block_y, block_z]];
    // SAFETY: by the promise of the API.
    unsafe { tell(function, shape, Given::one_by_one(arguments)) }
}

/// `cuLaunchKernelEx`.
unsafe extern "C" fn launch_with_config(
    config: *const Config,
    function: u64,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> c_int {
    // SAFETY: by the promise of the API.
    unsafe {
        let Config { grid, block } = config.read();
        tell(function, [grid, block], Given { arguments, extra })
    }
}

/// Tells of a launch, which succeeds.
///
/// # Safety
///
/// This is what the program passed to the launch of that kernel.
unsafe fn tell(function: u64, shape: [[u32; 3]; 2], given: Given) -> c_int {
    // SAFETY: by the contract of this function; the driver knows the kernel's parameters.
    let tell = || unsafe { given.tell(|| parameters::of(function), &shape) };
    let _ = catch_unwind(tell);
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_led_elsewhere_on_pages_of_its_own() {
        const ACCESS: c_int = libc::PROT_READ | libc::PROT_WRITE;
        const KIND: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        extern "C" fn other(number: u32) -> u32 {
            number * 2
        }
        // SAFETY: asks for new pages.
        let pages = unsafe { libc::mmap(std::ptr::null_mut(), 2 * PAGE, ACCESS, KIND, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        // `mov %edi,%eax; ret`, across the end of the first page and before it.
        let at = |offset: usize| pages.cast::<u8>().wrapping_add(offset);
        for offset in [PAGE - 32, PAGE - 3] {
            // SAFETY: the pages are writable.
            unsafe { at(offset).cast::<[u8; 3]>().write([0x89, 0xf8, 0xc3]) };
        }
        let readable = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the pages are ours.
        unsafe { libc::mprotect(pages, 2 * PAGE, readable) };
        let call = |offset: usize| {
            // SAFETY: there is a function of this type.
            unsafe {
                let function: extern "C" fn(u32) -> u32 = std::mem::transmute(at(offset));
                function(21)
            }
        };
        assert_eq!([call(PAGE - 32), call(PAGE - 3)], [21, 21]);
        let functions = [(at(PAGE - 3).addr(), other as *const () as usize)];
        // SAFETY: nobody else runs it, and there is room behind it.
        assert!(unsafe { redirect(&functions) });
        assert_eq!([call(PAGE - 32), call(PAGE - 3)], [21, 42]);
    }
}
