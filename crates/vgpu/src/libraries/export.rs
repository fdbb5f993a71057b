//! How a library's entry point is declared, and what all of them have in common.

use std::ffi::c_int;

use cgsan_model::Code;

use crate::ffi::called;
use crate::gpu::process;

/// The result codes that all functions of a library share.
#[derive(Debug)]
pub struct Library {
    /// "That is not a handle of mine".
    pub invalid: c_int,
    /// "CUDA refused what I launched".
    pub failed: c_int,
}

/// What a function of a library returns when it does not succeed: one of the library's own result codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Library {
    /// "That is not a handle of mine".
    pub const fn invalid(&self) -> Status {
        Status(self.invalid)
    }

    /// The library's answer to what CUDA answered to it.
    pub fn launched(&self, code: Code) -> Result<(), Status> {
        expect(code, Status(self.failed))
    }
}

/// Turns CUDA's answer into `status` unless it is success.
pub fn expect(code: Code, status: Status) -> Result<(), Status> {
    if code.is_success() {
        Ok(())
    } else {
        Err(status)
    }
}

/// Runs the body of an entry point. While it runs, calls to CUDA are recorded as made by `name`.
///
/// A panic, and any call in the child of a fork, where CUDA cannot be used, return the library's "failed".
pub fn run(
    library: &Library,
    name: &'static str,
    body: impl FnOnce() -> Result<(), Status>,
) -> c_int {
    if !process::enter() {
        return library.failed;
    }
    crate::ffi::guard(library.failed, || {
        let _scope = cgsan_observe::library_scope(name);
        match body() {
            Ok(()) => {
                called::note(name);
                0
            }
            Err(Status(code)) => code,
        }
    })
}

/// Declares entry points that return a result code of their library. The body is a `Result<(), Status>`; names that
/// share a signature and a meaning share a body.
///
/// ```text
/// export! { CUBLAS;
///     fn cublasSetStream_v2(handle: usize, stream: StreamHandle) {
///         handle::set_stream(&CUBLAS, handle, stream)
///     }
/// }
/// ```
macro_rules! export {
    ($library:expr; $($(#[$attribute:meta])* fn $($name:ident),+ ($($parameters:tt)*) $body:block)*) => {
        $($crate::libraries::export::export! { @names $library; [$(#[$attribute])*] [$($name)+] ($($parameters)*) $body })*
    };
    (@names $library:expr; $attributes:tt [] $parameters:tt $body:block) => {};
    (@names $library:expr; [$(#[$attribute:meta])*] [$name:ident $($rest:ident)*] $parameters:tt $body:block) => {
        $crate::libraries::export::export! { @one $library; [$(#[$attribute])*] $name $parameters $body }
        $crate::libraries::export::export! { @names $library; [$(#[$attribute])*] [$($rest)*] $parameters $body }
    };
    (@one $library:expr; [$(#[$attribute:meta])*] $name:ident
        ($($parameter:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$attribute])*
        #[allow(unsafe_code, reason = "exports the function")]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the library's own name")]
        extern "C" fn $name($($parameter: $type),*) -> std::ffi::c_int {
            $crate::libraries::export::run(&$library, stringify!($name), || $body)
        }
    };
}

pub(crate) use export;

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: Library = Library {
        invalid: 1,
        failed: 13,
    };

    #[test]
    fn a_refusal_by_cuda_becomes_the_librarys_own_code() {
        assert_eq!(LIBRARY.launched(Code::SUCCESS), Ok(()));
        assert_eq!(
            LIBRARY.launched(Code::STREAM_CAPTURE_INVALIDATED),
            Err(Status(13))
        );
    }

    #[test]
    fn a_panic_becomes_the_librarys_failure() {
        let code = run(&LIBRARY, "cublasTest", || panic!("expected by the test"));
        assert_eq!(code, 13);
    }
}
