//! The families of functions that `api/*.list` declares; `build/families.rs` generates their entry points.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::c_int;

use super::export::{Library, Status, run};
use super::{handle, object};
use crate::ffi::Out;
use crate::gpu::{self, StreamHandle};

/// How large a workspace each routine asks for, in bytes: enough to be allocated, too little to matter.
const WORKSPACE: u32 = 4096;

/// Where a function's work goes.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// To the stream of this handle.
    Handle(usize),
    /// To this stream.
    Stream(usize),
}

impl Place {
    fn stream(self, library: &Library) -> Result<StreamHandle, Status> {
        match self {
            Place::Handle(handle) => handle::stream(library, handle),
            Place::Stream(stream) => Ok(StreamHandle(stream as u64)),
        }
    }
}

/// Where a routine reports success, as numbers that are 0.
#[derive(Clone, Copy, Debug)]
struct Info {
    /// In device memory, in stream order: the address, and how many numbers.
    device: Option<(usize, usize)>,
    /// On the host, at once.
    host: Option<usize>,
}

impl Info {
    fn report(self, library: &Library, stream: StreamHandle) -> Result<(), Status> {
        if let Some(at) = self.host {
            out::<c_int>(at).put_if_wanted(0);
        }
        let Some((at, count)) = self.device else {
            return Ok(());
        };
        // The upper half of a register that holds an `int` means nothing.
        let bytes = (count & 0xffff_ffff) * size_of::<c_int>();
        if at == 0 || bytes == 0 {
            return Ok(());
        }
        let at = std::ptr::with_exposed_provenance_mut(at);
        library.launched(gpu::memset(stream, at, 0, bytes))
    }
}

/// Enqueues a kernel.
fn launch(
    library: &Library,
    name: &'static str,
    kernel: &'static str,
    place: Place,
    info: Info,
) -> c_int {
    run(library, name, || {
        let stream = place.stream(library)?;
        library.launched(gpu::launch(stream, kernel))?;
        info.report(library, stream)
    })
}

/// Enqueues a kernel and waits for it, as routines do that read a value back in the middle.
fn wait(
    library: &Library,
    name: &'static str,
    kernel: &'static str,
    place: Place,
    info: Info,
) -> c_int {
    run(library, name, || {
        let stream = place.stream(library)?;
        library.launched(gpu::launch(stream, kernel))?;
        library.launched(gpu::stream_synchronize(stream))?;
        info.report(library, stream)
    })
}

/// Enqueues a kernel; if the handle wants results on the host, waits for it and writes `bytes` zero bytes.
fn result(
    library: &Library,
    name: &'static str,
    kernel: &'static str,
    place: Place,
    at: &[usize],
    bytes: usize,
) -> c_int {
    run(library, name, || {
        let stream = place.stream(library)?;
        library.launched(gpu::launch(stream, kernel))?;
        let Place::Handle(handle) = place else {
            return Ok(());
        };
        if handle::results_to_host(library, handle)? {
            library.launched(gpu::stream_synchronize(stream))?;
            for address in at {
                out::<u8>(*address).put_all(std::iter::repeat(0), bytes);
            }
        }
        Ok(())
    })
}

/// Writes the size of a workspace, as an `int` or a `size_t`.
fn size(library: &Library, at: &[usize], bytes: usize) -> c_int {
    crate::ffi::guard(library.failed, || {
        for address in at {
            if bytes == 4 {
                out::<u32>(*address).put_if_wanted(WORKSPACE);
            } else {
                out::<u64>(*address).put_if_wanted(u64::from(WORKSPACE));
            }
        }
        0
    })
}

/// Hands out a pointer to nothing.
fn create(library: &Library, at: &[usize]) -> c_int {
    crate::ffi::guard(library.failed, || {
        for address in at {
            out::<usize>(*address).put_if_wanted(object::opaque());
        }
        0
    })
}

/// Where a function writes, by the address that its caller passed.
fn out<T>(address: usize) -> Out<T> {
    // SAFETY: `api/*.list` says of the parameter that the function writes a `T` there.
    unsafe { Out::new(std::ptr::with_exposed_provenance_mut(address)) }
}

/// The generated entry points and the libraries' result codes.
#[allow(
    non_snake_case,
    dead_code,
    reason = "the exported names are those of the libraries; not every library has a function that needs its codes"
)]
mod generated {
    use std::ffi::c_int;

    use super::{Info, Place, create, launch, result, size, wait};
    use crate::libraries::export::Library;

    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

pub use generated::{
    CUBLAS, CUBLASLT, CUDNN, CUFFT, CURAND, CUSOLVER, CUSPARSE, CUSPARSELT, NCCL, NVJITLINK, NVML,
    NVRTC,
};
