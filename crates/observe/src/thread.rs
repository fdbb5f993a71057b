//! What is known of the calling thread.
#![expect(unsafe_code, reason = "asks the C library for threads")]

use std::cell::Cell;

use cgsan_model::ThreadId;

thread_local! {
    // None of these has a destructor, so that a thread can make calls until its very end.
    static ID: Cell<u32> = const { Cell::new(0) };
    static RECORDING: Cell<bool> = const { Cell::new(false) };
    static INTRODUCED: Cell<bool> = const { Cell::new(false) };
    static OF_AUTOGRAD: Cell<Option<bool>> = const { Cell::new(None) };
    static LIBRARY: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The calling thread, as the operating system numbers it. The number is cached, so this costs next to nothing.
pub fn current_thread() -> ThreadId {
    ID.with(|id| {
        if id.get() == 0 {
            // The C library has a function for it since glibc 2.30 only.
            // SAFETY: gettid has no precondition.
            let number = unsafe { libc::syscall(libc::SYS_gettid) };
            id.set(u32::try_from(number).unwrap_or_default());
        }
        ThreadId(id.get())
    })
}

/// Says that the calling thread is inside `name`, an entry point of a library, until the guard is dropped. Only the
/// outermost name counts.
pub fn library_scope(name: &'static str) -> LibraryScope {
    let outermost = LIBRARY.get().is_none();
    if outermost {
        LIBRARY.set(Some(name));
    }
    LibraryScope { outermost }
}

/// Ends the scope of a library's entry point when dropped; see [`library_scope`].
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped"]
pub struct LibraryScope {
    outermost: bool,
}

impl Drop for LibraryScope {
    fn drop(&mut self) {
        if self.outermost {
            LIBRARY.set(None);
        }
    }
}

/// The outermost entry point of a library that the calling thread is inside of.
pub(crate) fn library() -> Option<&'static str> {
    LIBRARY.get()
}

/// Marks the calling thread as recording; `None` if it is doing so already, which a signal handler can bring about.
pub(crate) fn recording() -> Option<Recording> {
    (!RECORDING.replace(true)).then_some(Recording(()))
}

/// Ends the mark of [`recording`] when dropped.
pub(crate) struct Recording(());

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.set(false);
    }
}

/// Whether this is the first time that the calling thread asks.
pub(crate) fn introduce() -> bool {
    !INTRODUCED.replace(true)
}

/// Whether the calling thread is one of autograd's, which work for the thread that waits in `backward()`. They have their
/// names before they work.
pub(crate) fn is_of_autograd() -> bool {
    OF_AUTOGRAD.get().unwrap_or_else(|| {
        let is_it = system_name().starts_with("pt_autograd");
        OF_AUTOGRAD.set(Some(is_it));
        is_it
    })
}

/// Forgets what a forked child's only thread inherited from the thread of its parent.
pub(crate) fn reset_after_fork() {
    ID.set(0);
    RECORDING.set(false);
    INTRODUCED.set(false);
    OF_AUTOGRAD.set(None);
}

/// The name that the operating system knows the calling thread by.
pub(crate) fn system_name() -> String {
    // PR_GET_NAME writes at most 16 bytes, the last of them zero.
    let mut name = [0u8; 16];
    // SAFETY: the buffer has the size that the call asks for.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..length]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_library_counts() {
        let outer = library_scope("cublasSgemm_v2");
        let inner = library_scope("cublasSetStream_v2");
        assert_eq!(library(), Some("cublasSgemm_v2"));
        drop(inner);
        assert_eq!(library(), Some("cublasSgemm_v2"));
        drop(outer);
        assert_eq!(library(), None);
    }

    #[test]
    fn a_thread_records_one_thing_at_a_time() {
        let first = recording();
        assert!(first.is_some() && recording().is_none());
        drop(first);
        assert!(recording().is_some());
    }
}
