//! The handles of the libraries: each has a stream, and a pointer mode.

use std::ffi::c_int;

use super::export::{Library, Status};
use super::object::Objects;
use super::own_memory::OwnMemory;
use crate::ffi::Out;
use crate::gpu::StreamHandle;

/// A handle of cuBLAS, cuDNN, cuSOLVER, cuSPARSE, cuRAND, or a plan of cuFFT.
#[derive(Debug, Default)]
pub struct Handle {
    /// The stream on which its work goes.
    stream: u64,
    /// Where scalars are: 0 on the host, 1 on the device.
    pointer_mode: c_int,
    /// `cublasMath_t`.
    math_mode: c_int,
    /// What the library allocated for it, freed when the handle is destroyed.
    memory: OwnMemory,
}

static HANDLES: Objects<Handle> = Objects::new();

/// Makes a handle that owns `memory`.
pub fn create(memory: OwnMemory) -> usize {
    HANDLES.add(Handle {
        memory,
        ..Handle::default()
    })
}

/// Makes a handle that the library numbers by itself, and that owns nothing.
pub fn create_as(name: usize) {
    HANDLES.add_as(name, Handle::default());
}

/// Destroys a handle and frees its memory.
pub fn destroy(library: &Library, handle: usize) -> Result<(), Status> {
    let handle = HANDLES.remove(handle).ok_or(library.invalid())?;
    handle.memory.free();
    Ok(())
}

/// The stream on which a handle's work goes.
pub fn stream(library: &Library, handle: usize) -> Result<StreamHandle, Status> {
    with(library, handle, |handle| StreamHandle(handle.stream))
}

/// Sets the stream on which a handle's work goes.
pub fn set_stream(library: &Library, handle: usize, stream: StreamHandle) -> Result<(), Status> {
    with(library, handle, |handle| handle.stream = stream.0)
}

/// Writes a handle's stream.
pub fn get_stream(library: &Library, handle: usize, stream: Out<u64>) -> Result<(), Status> {
    with(library, handle, |handle| {
        stream.put_if_wanted(handle.stream);
    })
}

/// Whether results go to the host.
pub fn results_to_host(library: &Library, handle: usize) -> Result<bool, Status> {
    with(library, handle, |handle| handle.pointer_mode == 0)
}

/// Sets where scalars are.
pub fn set_pointer_mode(library: &Library, handle: usize, mode: c_int) -> Result<(), Status> {
    with(library, handle, |handle| handle.pointer_mode = mode)
}

/// Writes where scalars are.
pub fn get_pointer_mode(library: &Library, handle: usize, mode: Out<c_int>) -> Result<(), Status> {
    with(library, handle, |handle| {
        mode.put_if_wanted(handle.pointer_mode);
    })
}

/// Sets the math mode.
pub fn set_math_mode(library: &Library, handle: usize, mode: c_int) -> Result<(), Status> {
    with(library, handle, |handle| handle.math_mode = mode)
}

/// Writes the math mode.
pub fn get_math_mode(library: &Library, handle: usize, mode: Out<c_int>) -> Result<(), Status> {
    with(library, handle, |handle| {
        mode.put_if_wanted(handle.math_mode);
    })
}

fn with<R>(
    library: &Library,
    handle: usize,
    use_it: impl FnOnce(&mut Handle) -> R,
) -> Result<R, Status> {
    HANDLES.with(handle, use_it).ok_or(library.invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: Library = Library {
        invalid: 1,
        failed: 13,
    };

    #[test]
    fn a_handle_keeps_its_stream() {
        let handle = create(OwnMemory::default());
        assert_eq!(stream(&LIBRARY, handle), Ok(StreamHandle(0)));
        assert_eq!(set_stream(&LIBRARY, handle, StreamHandle(0x40)), Ok(()));
        assert_eq!(stream(&LIBRARY, handle), Ok(StreamHandle(0x40)));
        assert_eq!(destroy(&LIBRARY, handle), Ok(()));
    }

    #[test]
    fn a_destroyed_handle_is_refused() {
        let handle = create(OwnMemory::default());
        assert_eq!(destroy(&LIBRARY, handle), Ok(()));
        assert_eq!(stream(&LIBRARY, handle), Err(LIBRARY.invalid()));
        assert_eq!(destroy(&LIBRARY, handle), Err(LIBRARY.invalid()));
    }
}
