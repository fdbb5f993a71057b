//! What the agent in the Python interpreter calls in whichever library it has loaded.
#![expect(unsafe_code, reason = "reads the texts that the agent passes")]

use std::ffi::{CStr, c_char};

/// Exports the functions `cgsan_…` that the agent calls from the library that this is written in, once, at its root.
/// `cgsan_start` gives the configuration to `$start`, a function from a [`Config`](crate::Config) to a result; it returns
/// 0 if that succeeded. `$hold` keeps other threads out of the library, for as long as its result is kept, while the process is
/// copied for a sealed child.
#[macro_export]
macro_rules! export_agent_functions {
    ($start:path, $hold:expr) => {
        /// Starts recording. 0 if that worked.
        ///
        /// # Safety
        ///
        /// `config` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_start(
            config: *const ::std::ffi::c_char,
        ) -> ::std::ffi::c_int {
            // SAFETY: by the contract of this function.
            let config = unsafe { $crate::config_of_c(config) };
            let started = ::std::panic::catch_unwind(move || config.map($start));
            ::std::ffi::c_int::from(!matches!(started, Ok(Some(Ok(())))))
        }

        /// Records what the agent saw.
        ///
        /// # Safety
        ///
        /// `event` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_agent_event(event: *const ::std::ffi::c_char) {
            // SAFETY: by the contract of this function.
            if let Some(json) = unsafe { $crate::text_of_c(event) } {
                $crate::agent_event(&json);
            }
        }

        /// Begins to learn how PyTorch hands over operators. 1 if that is possible.
        ///
        /// # Safety
        ///
        /// `known` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_operators_probe(
            known: *const ::std::ffi::c_char,
        ) -> ::std::ffi::c_int {
            // SAFETY: by the contract of this function.
            let known = unsafe { $crate::text_of_c(known) };
            let probe = move || known.is_some_and(|known| $crate::operators_probe(&known));
            ::std::panic::catch_unwind(probe).map_or(0, ::std::ffi::c_int::from)
        }

        /// Ends what `cgsan_operators_probe` began. 1 if operators are recorded from now on.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_operators_ready() -> ::std::ffi::c_int {
            ::std::panic::catch_unwind($crate::operators_ready).map_or(0, ::std::ffi::c_int::from)
        }

        /// 1 if kernels that Python launches are recorded just now.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_takes_kernels() -> ::std::ffi::c_int {
            ::std::ffi::c_int::from($crate::takes_kernels())
        }

        /// Says that a kernel is about to be launched. A number for [`cgsan_kernel_ends`], 0 if it is not recorded.
        ///
        /// # Safety
        ///
        /// `launch` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_kernel_begins(launch: *const ::std::ffi::c_char) -> u64 {
            // SAFETY: by the contract of this function.
            let launch = unsafe { $crate::text_of_c(launch) };
            let begins = move || launch.map_or(0, |json| $crate::kernel_begins(&json));
            ::std::panic::catch_unwind(begins).unwrap_or(0)
        }

        /// Says that it was launched, and what it does through its pointers.
        ///
        /// # Safety
        ///
        /// `accesses` is null, or there are `count` bytes.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_kernel_ends(kernel: u64, accesses: *const u8, count: u64) {
            let count = usize::try_from(count).unwrap_or(0);
            let accesses = (!accesses.is_null())
                // SAFETY: by the contract of this function.
                .then(|| unsafe { ::std::slice::from_raw_parts(accesses, count) });
            let _ = ::std::panic::catch_unwind(move || $crate::kernel_ends(kernel, accesses));
        }

        /// Says that it was launched, and which tensors it gave, a list in JSON; it reads those that it was given.
        ///
        /// # Safety
        ///
        /// `results` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_kernel_gave(
            kernel: u64,
            results: *const ::std::ffi::c_char,
        ) {
            // SAFETY: by the contract of this function.
            let results = unsafe { $crate::text_of_c(results) };
            let gave = move || $crate::kernel_gave(kernel, results.as_deref().unwrap_or_default());
            let _ = ::std::panic::catch_unwind(gave);
        }

        /// Has it recorded when an operator is given a tensor that later work has overwritten, by its storage; not any more if its
        /// number is 0.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_tell_reads(storage: u64, output: u64) {
            let _ = ::std::panic::catch_unwind(move || $crate::tell_reads(storage, output));
        }

        /// Has operators recorded no longer, or again if `leave` is 0.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_operators_unrecorded(leave: ::std::ffi::c_int) {
            $crate::leave_operators_unrecorded(leave != 0);
        }

        /// Writes what the last capture that the calling thread ended has to do with. Returns how many there are.
        ///
        /// # Safety
        ///
        /// There is room for `capacity` storages at `out`.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_capture_storages(
            out: *mut $crate::Storage,
            capacity: u64,
        ) -> u64 {
            let Ok(storages) = ::std::panic::catch_unwind($crate::captured_storages) else {
                return 0;
            };
            let room = usize::try_from(capacity).unwrap_or(0);
            for (index, storage) in storages.iter().take(room).enumerate() {
                // SAFETY: by the contract of this function.
                unsafe { out.add(index).write(*storage) };
            }
            storages.len() as u64
        }

        /// Calls `agent` before the first replays of each executable graph, and then before each that is twice the last,
        /// with the executable and the number of the replay. Null ends that.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_call_at_replays(agent: ::std::option::Option<$crate::AtReplay>) {
            $crate::call_at_replays(agent);
        }

        /// How many captures were asked for and replays began so far.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_graph_work() -> u64 {
            $crate::graph_work()
        }

        /// Ends the clock.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_clock_stop() {
            $crate::clock::stop();
        }

        /// Notes on the clock that the program begins a step.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_clock_step() {
            $crate::clock::tick($crate::clock::Asked::Step, 0);
        }

        /// Says that a profiler is about to start or to end. 1 if it may.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_clock_may_change() -> ::std::ffi::c_int {
            ::std::ffi::c_int::from($crate::clock::may_change())
        }

        /// Says that it has.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_clock_changed() {
            $crate::clock::changed();
        }

        /// Makes a sealed child, which has the write end of a pipe `report` as its file 3, may take `bytes` more address space than
        /// there is now, and run for `seconds` on the processor. Its process id, 0 in the child, or a negative error number.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_sealed_clone(
            report: ::std::ffi::c_int,
            bytes: u64,
            seconds: u32,
        ) -> i64 {
            // The child does not get here by a panic: it ends.
            ::std::panic::catch_unwind(move || {
                let _held = $hold();
                $crate::sealed::clone(report, bytes, seconds)
            })
            .unwrap_or(-1)
        }

        /// Has a sealed child ended after so many milliseconds at the latest, and reaped when it ends. 1 if a thread does so.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_sealed_watch(pid: i64, milliseconds: u64) -> ::std::ffi::c_int {
            let longest = ::std::time::Duration::from_millis(milliseconds);
            let watched = ::std::panic::catch_unwind(move || $crate::sealed::watch(pid, longest));
            watched.map_or(0, ::std::ffi::c_int::from)
        }

        /// Reaps a sealed child, or ends it first unless `kill` is 0. 0 if it still runs, 1 if it is gone, 2 if it would have
        /// waited for ever, 3 if its time was up, 4 if it did what it must not do.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_sealed_end(pid: i64, kill: ::std::ffi::c_int) -> ::std::ffi::c_int {
            let asked = ::std::panic::catch_unwind(move || $crate::sealed::end(pid, kill != 0));
            asked.map_or(0, |asked| asked as ::std::ffi::c_int)
        }

        /// Says that Python is about to end, in the calling thread.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cgsan_python_ends() {
            let _ = ::std::panic::catch_unwind($crate::python_ends);
        }

        /// Names the calling thread.
        ///
        /// # Safety
        ///
        /// `name` is null or a string of C.
        #[allow(unsafe_code, reason = "exports a function of C")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn cgsan_thread_name(name: *const ::std::ffi::c_char) {
            // SAFETY: by the contract of this function.
            if let Some(name) = unsafe { $crate::text_of_c(name) } {
                $crate::thread_name(&name);
            }
        }
    };
}

/// The configuration that the agent passes, as JSON.
///
/// # Safety
///
/// `json` is null or a string of C.
pub unsafe fn config_of_c(json: *const c_char) -> Option<crate::Config> {
    // SAFETY: by the contract of this function.
    let json = unsafe { text_of_c(json) }?;
    serde_json::from_str(&json).ok()
}

/// A text that the agent passes; `None` if it is null.
///
/// # Safety
///
/// `text` is null or a string of C.
pub unsafe fn text_of_c(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the contract of this function.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_configuration_is_none() {
        // SAFETY: null or strings of C.
        let configurations = unsafe {
            [
                config_of_c(std::ptr::null()),
                config_of_c(c"no JSON".as_ptr()),
                config_of_c(c"{\"run_directory\": \"/run\"}".as_ptr()),
            ]
        };
        assert_eq!(
            configurations.map(|config| config.is_some()),
            [false, false, true]
        );
    }
}
