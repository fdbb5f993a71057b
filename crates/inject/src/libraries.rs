//! Functions that stand before those of NVIDIA's libraries.
//!
//! PyTorch is linked to the CUDA runtime and to NCCL. This library is loaded before, with its symbols for all to use, so PyTorch
//! gets its functions in place of those of the same names; [`passed_on!`] makes them, and each passes its call on.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::loaded;

/// The major version of PyTorch's CUDA.
static CUDA: OnceLock<String> = OnceLock::new();

/// A library that PyTorch is linked to.
#[derive(Clone, Copy, Debug)]
pub enum Library {
    /// The CUDA runtime.
    Runtime,
    /// NCCL.
    Nccl,
}

impl Library {
    /// What a function returns that the loaded library does not have. Nobody could have called it.
    pub const fn missing(self) -> c_int {
        match self {
            // `cudaErrorInitializationError`
            Self::Runtime => 3,
            // `ncclInvalidUsage`
            Self::Nccl => 5,
        }
    }

    fn handle(self) -> Option<*mut c_void> {
        match self {
            Self::Runtime => runtime(),
            Self::Nccl => loaded::handle(named(&loaded::files(), "libnccl.so")?),
        }
    }
}

/// Functions of a library's. Each is passed on by a closure, which is given the call.
macro_rules! passed_on {
    ($library:ident: $($name:ident($($parameter:ident: $type:ty),*) => $through:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, for the program.")]
        ///
        /// # Safety
        ///
        /// As the library demands.
        #[allow(unsafe_code, reason = "exports the function")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($parameter: $type),*) -> ::std::ffi::c_int {
            const LIBRARY: $crate::libraries::Library = $crate::libraries::Library::$library;
            type Real = unsafe extern "C" fn($($type),*) -> ::std::ffi::c_int;
            static REAL: ::std::sync::OnceLock<Option<Real>> = ::std::sync::OnceLock::new();
            let name = concat!(stringify!($name), "\0");
            // SAFETY: the library's function of this name has this type (`cuda_runtime_api.h`, `nccl.h`).
            let real = *REAL.get_or_init(|| unsafe { $crate::libraries::function(LIBRARY, name) });
            let Some(real) = real else { return LIBRARY.missing() };
            // SAFETY: the arguments are passed on as they came.
            $through(|| unsafe { real($($parameter),*) })
        }
    )*};
}
pub(crate) use passed_on;

/// The version of CUDA that PyTorch was built for, as `13.0`.
pub fn is_of_cuda(version: &str) {
    let major = version.split('.').next().unwrap_or_default();
    if !major.is_empty() {
        // The first to say so is the agent, before CUDA starts.
        let _ = CUDA.set(major.to_owned());
    }
}

/// A function of a loaded library.
///
/// # Safety
///
/// `F` is the type of the function pointer that `name`, which ends in a zero byte, stands for.
pub unsafe fn function<F: Copy>(library: Library, name: &'static str) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    // SAFETY: the library is loaded, and the name ends in a zero byte.
    let address = unsafe { libc::dlsym(library.handle()?, name.as_ptr()) };
    // SAFETY: by the contract of this function; the sizes are equal.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// The CUDA runtime: of several, PyTorch's. Streams and graphs are the driver's, and any runtime takes them.
fn runtime() -> Option<*mut c_void> {
    let files = loaded::files();
    let pytorchs = CUDA.get();
    let pytorchs = pytorchs.and_then(|major| named(&files, &format!("libcudart.so.{major}")));
    // Older wheels of PyTorch bring it under a name of their own, as `libcudart-9335f6a2.so.12`.
    loaded::handle(pytorchs.or_else(|| named(&files, "libcudart"))?)
}

/// The first file whose name begins so.
fn named<'a>(files: &'a [PathBuf], beginning: &str) -> Option<&'a Path> {
    let mut paths = files.iter().map(PathBuf::as_path);
    paths.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(beginning))
    })
}
