//! Leading functions of a loaded file elsewhere.
#![expect(unsafe_code, reason = "writes into loaded code")]

use std::io;
use std::ops::Range;

use cgsan_observe::jump::{self, BYTES};

/// A function, and the one that is to run in its place.
#[derive(Clone, Copy, Debug)]
pub struct Redirection {
    pub from: usize,
    pub to: usize,
}

/// Leads functions elsewhere: all, or none if it fails.
///
/// # Safety
///
/// Each function is code that stays loaded, of at least [`BYTES`] bytes, and runs in no thread. What it is led to has the
/// same signature.
pub unsafe fn redirect(functions: &[Redirection]) -> io::Result<()> {
    let Some(pages) = pages(functions) else {
        return Ok(());
    };
    protect(&pages, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
    let replace = |function: &Redirection, code: [u8; BYTES]| {
        let bytes = function.from as *mut [u8; BYTES];
        // SAFETY: the pages are writable now, and by the contract of this function the bytes are the function's.
        unsafe { bytes.replace(code) }
    };
    let lead = |function: &Redirection| replace(function, jump::to(function.to));
    let before: Vec<_> = functions.iter().map(lead).collect();
    let protected = protect(&pages, libc::PROT_READ | libc::PROT_EXEC);
    if protected.is_err() {
        // Two may lead the same function elsewhere.
        for (function, code) in functions.iter().zip(before).rev() {
            replace(function, code);
        }
        // Tried once more, so as not to leave them writable; the reason that is told is the first.
        let _ = protect(&pages, libc::PROT_READ | libc::PROT_EXEC);
    }
    protected
}

/// The pages that the functions lie in.
fn pages(functions: &[Redirection]) -> Option<Range<usize>> {
    const PAGE: usize = 4096;
    let first = functions.iter().map(|function| function.from).min()?;
    let last = functions.iter().map(|function| function.from).max()?;
    Some(first / PAGE * PAGE..(last + BYTES).next_multiple_of(PAGE))
}

fn protect(pages: &Range<usize>, access: libc::c_int) -> io::Result<()> {
    // SAFETY: by the contract of `redirect` the pages are code of one file; they stay readable and executable.
    let status = unsafe { libc::mprotect(pages.start as *mut libc::c_void, pages.len(), access) };
    if status == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn doubled(number: u32) -> u32 {
        number * 2
    }

    #[test]
    fn a_function_of_16_bytes_is_led_elsewhere() {
        const CODE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        const KIND: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: asks for a new page.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, CODE, KIND, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        // `mov %edi,%eax; ret`, and the same at the 16th byte.
        let code = [0x89, 0xf8, 0xc3, 0x90];
        for at in [0, 16] {
            // SAFETY: the page is writable and longer than that.
            unsafe { page.cast::<u8>().add(at).cast::<[u8; 4]>().write(code) };
        }
        let call = |at: usize| {
            // SAFETY: there is a function of this signature at the place.
            unsafe {
                let function: extern "C" fn(u32) -> u32 =
                    std::mem::transmute(page.cast::<u8>().add(at));
                function(21)
            }
        };
        assert_eq!((call(0), call(16)), (21, 21));
        let redirection = Redirection {
            from: page.addr(),
            to: doubled as extern "C" fn(u32) -> u32 as usize,
        };
        // SAFETY: the first function has 16 bytes to the next, and both take and return a number.
        unsafe { redirect(&[redirection]) }.expect("the page is ours");
        assert_eq!((call(0), call(16)), (42, 21));
    }
}
