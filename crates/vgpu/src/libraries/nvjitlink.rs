//! nvJitLink: links anything, to a module that has each function it is asked for.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::export::{Status, export};
use super::family::NVJITLINK;
use crate::ffi::{InOut, Out};
use crate::gpu::version;
use crate::module::linked;

/// `NVJITLINK_ERROR_INVALID_INPUT`.
const INVALID_INPUT: Status = Status(3);

export! { NVJITLINK;
    fn nvJitLinkVersion(major: Out<c_uint>, minor: Out<c_uint>) {
        let runtime = version::runtime().unsigned_abs();
        major.put_if_wanted(runtime / 1000);
        minor.put_if_wanted(runtime % 1000 / 10);
        Ok(())
    }

    fn nvJitLinkCreate, __nvJitLinkCreate_12_8, __nvJitLinkCreate_13_0(
        link: Out<usize>, _count: c_uint, _options: usize,
    ) {
        link.put_if_wanted(linked::begin());
        Ok(())
    }

    fn nvJitLinkDestroy, __nvJitLinkDestroy_12_8, __nvJitLinkDestroy_13_0(link: InOut<usize>) {
        let pointer = link.get().map_err(|_| INVALID_INPUT)?;
        linked::end(pointer).ok_or(NVJITLINK.invalid())?;
        link.set(0);
        Ok(())
    }

    fn nvJitLinkAddData, __nvJitLinkAddData_12_8, __nvJitLinkAddData_13_0(
        link: usize, _kind: c_int, data: *const c_void, bytes: usize, _name: usize,
    ) {
        // SAFETY: not null, so there are so many bytes by the promise of the API.
        let code = (!data.is_null()).then(|| unsafe { linked::code(data, bytes) });
        linked::add(link, &code.ok_or(INVALID_INPUT)?).ok_or(NVJITLINK.invalid())
    }

    fn nvJitLinkAddFile, __nvJitLinkAddFile_12_8, __nvJitLinkAddFile_13_0(
        link: usize, _kind: c_int, path: usize,
    ) {
        known(link)?;
        if path == 0 { Err(INVALID_INPUT) } else { Ok(()) }
    }

    fn nvJitLinkComplete, __nvJitLinkComplete_12_8, __nvJitLinkComplete_13_0(link: usize) {
        known(link)
    }

    fn nvJitLinkGetLinkedCubinSize, __nvJitLinkGetLinkedCubinSize_12_8, __nvJitLinkGetLinkedCubinSize_13_0,
        nvJitLinkGetLinkedPtxSize, __nvJitLinkGetLinkedPtxSize_12_8, __nvJitLinkGetLinkedPtxSize_13_0(
        link: usize, size: Out<usize>,
    ) {
        size.put_if_wanted(linked(link)?.len());
        Ok(())
    }

    fn nvJitLinkGetLinkedCubin, __nvJitLinkGetLinkedCubin_12_8, __nvJitLinkGetLinkedCubin_13_0,
        nvJitLinkGetLinkedPtx, __nvJitLinkGetLinkedPtx_12_8, __nvJitLinkGetLinkedPtx_13_0(
        link: usize, image: Out<u8>,
    ) {
        let code = linked(link)?;
        let bytes = code.len();
        image.put_all(code, bytes);
        Ok(())
    }

    fn nvJitLinkGetErrorLogSize, __nvJitLinkGetErrorLogSize_12_8, __nvJitLinkGetErrorLogSize_13_0,
        nvJitLinkGetInfoLogSize, __nvJitLinkGetInfoLogSize_12_8, __nvJitLinkGetInfoLogSize_13_0(
        link: usize, size: Out<usize>,
    ) {
        known(link)?;
        size.put_if_wanted(1);
        Ok(())
    }

    fn nvJitLinkGetErrorLog, __nvJitLinkGetErrorLog_12_8, __nvJitLinkGetErrorLog_13_0,
        nvJitLinkGetInfoLog, __nvJitLinkGetInfoLog_12_8, __nvJitLinkGetInfoLog_13_0(
        link: usize, log: Out<c_char>,
    ) {
        known(link)?;
        log.put_if_wanted(0);
        Ok(())
    }
}

fn known(link: usize) -> Result<(), Status> {
    linked(link).map(drop)
}

fn linked(link: usize) -> Result<Vec<u8>, Status> {
    linked::bytes(link).ok_or(NVJITLINK.invalid())
}
