//! Looking functions up by name.

use std::ffi::{c_int, c_uint, c_void};

use cgsan_model::Code;

use crate::api::TABLE;
use crate::device::DRIVER_VERSION;
use crate::exports::address;
use crate::ffi::{Out, Text, entry};
use crate::gpu::version;

entry! {
    /// Gives the driver's function of a name, as of a version of CUDA.
    fn cuGetProcAddress_v2(
        _this, name: Text, out: Out<*mut c_void>, cuda_version: c_int, flags: u64, status: Out<c_int>,
    ) {
        let found = find(&name.get()?, cuda_version, flags)?;
        status.put_if_wanted(found.status());
        out.put(found.address())
    }

    /// Gives the driver's function of a name, as of a version of CUDA; without a status, a failure is an error.
    fn cuGetProcAddress(_this, name: Text, out: Out<*mut c_void>, cuda_version: c_int, flags: u64) {
        let found = find(&name.get()?, cuda_version, flags)?;
        out.put(found.address())?;
        if found.address().is_null() { Err(Code::NOT_FOUND) } else { Ok(()) }
    }

    /// Gives the driver's function of a name, as of the runtime's version of CUDA.
    fn cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz(
        this, name: Text, out: Out<*mut c_void>, flags: u64, status: Out<c_int>,
    ) {
        let flags = if this.per_thread_default { flags | PER_THREAD } else { flags };
        let found = find(&name.get()?, version::runtime(), flags)?;
        status.put_if_wanted(found.status());
        out.put(found.address())
    }

    /// Gives the driver's function of a name, as of a version of CUDA.
    fn cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz(
        this, name: Text, out: Out<*mut c_void>, cuda_version: c_uint, flags: u64, status: Out<c_int>,
    ) {
        let flags = if this.per_thread_default { flags | PER_THREAD } else { flags };
        let cuda_version = c_int::try_from(cuda_version).map_err(|_| Code::INVALID_VALUE)?;
        let found = find(&name.get()?, cuda_version, flags)?;
        status.put_if_wanted(found.status());
        out.put(found.address())
    }
}

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD: u64 = 2;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Function(*mut c_void),
    /// There is no function of that name.
    Nothing,
    /// There is one, in a later version of CUDA than was asked for.
    Later,
}

impl Found {
    fn address(self) -> *mut c_void {
        match self {
            Found::Function(address) => address,
            Found::Nothing | Found::Later => std::ptr::null_mut(),
        }
    }

    /// `CUdriverProcAddressQueryResult`.
    fn status(self) -> c_int {
        match self {
            Found::Function(_) => 0,
            Found::Nothing => 1,
            Found::Later => 2,
        }
    }
}

fn find(name: &str, cuda_version: c_int, flags: u64) -> Result<Found, Code> {
    // The driver takes the version of a program built for a later CUDA of the same major number.
    if cuda_version < 0 || cuda_version / 1000 > DRIVER_VERSION / 1000 || flags & !3 != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let Some(exported) = exported_name(name, cuda_version) else {
        let later = exported_name(name, c_int::MAX).is_some();
        return Ok(if later { Found::Later } else { Found::Nothing });
    };
    let per_thread = (flags & PER_THREAD != 0)
        .then(|| {
            ["_ptsz", "_ptds"]
                .into_iter()
                .find_map(|suffix| address(&format!("{exported}{suffix}")))
        })
        .flatten();
    Ok(per_thread
        .or_else(|| address(exported))
        .map_or(Found::Nothing, Found::Function))
}

/// The exported name of a function: that of its newest version which the version of CUDA has.
fn exported_name(name: &str, cuda_version: c_int) -> Option<&'static str> {
    TABLE
        .iter()
        .filter(|function| function.library == "cuda" && base(function.name) == name)
        .filter_map(|function| Some((function.since?, function.name)))
        .filter(|(since, _)| i64::from(*since) <= i64::from(cuda_version))
        .max_by_key(|(since, _)| *since)
        .map(|(_, name)| name)
}

/// A name without the suffix of its version.
fn base(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((base, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{base, exported_name};

    #[test]
    fn a_version_of_cuda_decides_the_version_of_the_function() {
        assert_eq!(exported_name("cuMemAlloc", 13_000), Some("cuMemAlloc_v2"));
        let info = |version| exported_name("cuStreamGetCaptureInfo", version);
        assert_eq!(info(3020), None);
        assert_eq!(info(10_010), Some("cuStreamGetCaptureInfo"));
        assert_eq!(info(12_000), Some("cuStreamGetCaptureInfo_v2"));
        assert_eq!(info(13_000), Some("cuStreamGetCaptureInfo_v3"));
    }

    #[test]
    fn a_suffix_is_digits() {
        assert_eq!(base("cuMemAlloc_v2"), "cuMemAlloc");
        assert_eq!(base("cuTensorMapEncode_view"), "cuTensorMapEncode_view");
    }
}
