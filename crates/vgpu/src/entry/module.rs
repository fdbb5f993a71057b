//! Modules and libraries of kernels loaded at run time. Their code is not read.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use cgsan_model::{Call, Code, Restricted};

use crate::ffi::{Out, Text, entry};
use crate::gpu::{self};
use crate::module;

entry! {
    /// Loads a module from a file, which must be there.
    fn cuModuleLoad(_this, out: Out<u64>, path: Text) {
        if !std::path::Path::new(&path.get()?).exists() {
            return Err(FILE_NOT_FOUND);
        }
        out.put(module::load())
    }

    /// Loads a module.
    fn cuModuleLoadData, cuModuleLoadFatBinary(_this, out: Out<u64>, image: *const c_void) {
        check(image)?;
        out.put(module::load())
    }

    /// Loads a module with options.
    fn cuModuleLoadDataEx(
        _this, out: Out<u64>, image: *const c_void, _count: c_uint, _options: *const c_int,
        _values: *const *const c_void,
    ) {
        check(image)?;
        out.put(module::load())
    }

    /// Unloads a module.
    fn cuModuleUnload(this, module: u64) {
        gpu::perform(this, &Call::Restricted(Restricted::ModuleUnload), |_, _| module::unload(module))
    }

    /// Gives a module's function.
    fn cuModuleGetFunction, cuLibraryGetKernel, cudaLibraryGetKernel(
        _this, out: Out<u64>, module: u64, name: Text,
    ) {
        out.put(module::function_in_module(module, &name.get_bytes()?)?)
    }

    /// Gives a module's variable.
    fn cuModuleGetGlobal_v2, cuLibraryGetGlobal, cudaLibraryGetGlobal(
        _this, address: Out<u64>, bytes: Out<usize>, module: u64, name: Text,
    ) {
        let (start, size) = module::variable_in_module(module, &name.get_bytes()?)?;
        address.put_if_wanted(start);
        bytes.put_if_wanted(size);
        Ok(())
    }

    /// Says that code is loaded when it is first used.
    fn cuModuleGetLoadingMode(_this, mode: Out<c_int>) {
        mode.put(2)
    }

    /// Loads a library.
    fn cuLibraryLoadData, cudaLibraryLoadData(
        _this, out: Out<u64>, image: *const c_void, _options: *const c_int, _values: *const *const c_void,
        _count: c_uint, _library_options: *const c_int, _library_values: *const *const c_void, _library_count: c_uint,
    ) {
        check(image)?;
        out.put(module::load())
    }

    /// Loads a library from a file, which must be there.
    fn cuLibraryLoadFromFile, cudaLibraryLoadFromFile(
        _this, out: Out<u64>, path: Text, _options: *const c_int, _values: *const *const c_void, _count: c_uint,
        _library_options: *const c_int, _library_values: *const *const c_void, _library_count: c_uint,
    ) {
        if !std::path::Path::new(&path.get()?).exists() {
            return Err(FILE_NOT_FOUND);
        }
        out.put(module::load())
    }

    /// Unloads a library.
    fn cuLibraryUnload, cudaLibraryUnload(this, library: u64) {
        gpu::perform(this, &Call::Restricted(Restricted::ModuleUnload), |_, _| module::unload(library))
    }

    /// Gives a library's module: itself.
    fn cuLibraryGetModule(_this, out: Out<u64>, library: u64) {
        out.put(library)
    }

    /// Gives a kernel's function: itself.
    fn cuKernelGetFunction(_this, out: Out<u64>, kernel: u64) {
        module::resolve(kernel).ok_or(Code::INVALID_HANDLE)?;
        out.put(kernel)
    }

    /// Loads a function's code, which changes nothing.
    fn cuFuncLoad(_this, function: u64) {
        module::resolve(function).map(drop).ok_or(Code::INVALID_HANDLE)
    }

    /// Says that a function's code is loaded.
    fn cuFuncIsLoaded(_this, state: Out<c_int>, function: u64) {
        module::resolve(function).ok_or(Code::INVALID_HANDLE)?;
        state.put(1)
    }

    /// Begins to link code.
    fn cuLinkCreate_v2(
        _this, _count: c_uint, _options: *const c_int, _values: *const *const c_void, out: Out<u64>,
    ) {
        out.put(module::load())
    }

    /// Adds code.
    fn cuLinkAddData_v2(
        _this, _link: u64, _kind: c_int, _data: *const c_void, _bytes: usize, _name: *const c_char, _count: c_uint,
        _options: *const c_int, _values: *const *const c_void,
    ) {
        Ok(())
    }

    /// Adds code from a file.
    fn cuLinkAddFile_v2(
        _this, _link: u64, _kind: c_int, _path: *const c_char, _count: c_uint, _options: *const c_int,
        _values: *const *const c_void,
    ) {
        Ok(())
    }

    /// Gives the linked code: a stand-in, which `cuModuleLoadData` takes.
    fn cuLinkComplete(_this, _link: u64, code: Out<*const c_void>, bytes: Out<usize>) {
        code.put(LINKED.as_ptr().cast())?;
        bytes.put_if_wanted(LINKED.count_bytes() + 1);
        Ok(())
    }

    /// Ends linking.
    fn cuLinkDestroy(_this, link: u64) {
        module::unload(link)
    }

    /// Writes where a variable lies on the device.
    fn cudaGetSymbolAddress(_this, out: Out<u64>, symbol: *const c_void) {
        out.put(module::address_of_variable(symbol)?)
    }

    /// Writes the size of a variable.
    fn cudaGetSymbolSize(_this, bytes: Out<usize>, symbol: *const c_void) {
        bytes.put(module::size_of_variable(symbol)?)
    }
}

/// `cudaErrorFileNotFound`.
const FILE_NOT_FOUND: Code = Code(301);

/// What linking makes.
const LINKED: &CStr = c"linked by the virtual GPU";

fn check(image: *const c_void) -> Result<(), Code> {
    if image.is_null() {
        Err(Code::INVALID_VALUE)
    } else {
        Ok(())
    }
}
