//! Modules and libraries of kernels loaded at run time. Of their code, the parameters of kernels are read.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_char, c_int, c_uint, c_void};

use cgsan_model::{Call, Code, Restricted};

use crate::ffi::{Out, Text, entry};
use crate::gpu::{self};
use crate::module::{self, Kernels};

entry! {
    /// Loads a module from a file, which must be there.
    fn cuModuleLoad(_this, out: Out<u64>, path: Text) {
        out.put(module::load(of_file(&path.get()?)?))
    }

    /// Loads a module.
    fn cuModuleLoadData, cuModuleLoadFatBinary(_this, out: Out<u64>, image: *const c_void) {
        out.put(module::load(of_image(image)?))
    }

    /// Loads a module with options.
    fn cuModuleLoadDataEx(
        _this, out: Out<u64>, image: *const c_void, _count: c_uint, _options: *const c_int,
        _values: *const *const c_void,
    ) {
        out.put(module::load(of_image(image)?))
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
        out.put(module::load(of_image(image)?))
    }

    /// Loads a library from a file, which must be there.
    fn cuLibraryLoadFromFile, cudaLibraryLoadFromFile(
        _this, out: Out<u64>, path: Text, _options: *const c_int, _values: *const *const c_void, _count: c_uint,
        _library_options: *const c_int, _library_values: *const *const c_void, _library_count: c_uint,
    ) {
        out.put(module::load(of_file(&path.get()?)?))
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
        out.put(module::linked::begin() as u64)
    }

    /// Adds code.
    fn cuLinkAddData_v2(
        _this, link: u64, _kind: c_int, data: *const c_void, bytes: usize, _name: *const c_char, _count: c_uint,
        _options: *const c_int, _values: *const *const c_void,
    ) {
        // SAFETY: there are so many bytes.
        let code = unsafe { module::linked::code(data, bytes) };
        module::linked::add(address(link), &code).ok_or(Code::INVALID_HANDLE)
    }

    /// Adds code from a file.
    fn cuLinkAddFile_v2(
        _this, _link: u64, _kind: c_int, _path: *const c_char, _count: c_uint, _options: *const c_int,
        _values: *const *const c_void,
    ) {
        Ok(())
    }

    /// Gives the linked code, which `cuModuleLoadData` takes: it lives as long as the link.
    fn cuLinkComplete(_this, link: u64, code: Out<*const c_void>, bytes: Out<usize>) {
        let (start, size) = module::linked::place(address(link)).ok_or(Code::INVALID_HANDLE)?;
        code.put(start.cast())?;
        bytes.put_if_wanted(size);
        Ok(())
    }

    /// Ends linking.
    fn cuLinkDestroy(_this, link: u64) {
        module::linked::end(address(link)).ok_or(Code::INVALID_HANDLE)
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

/// The kernels of a file, which must be there.
fn of_file(path: &str) -> Result<Kernels, Code> {
    let bytes = std::fs::read(path).map_err(|_| FILE_NOT_FOUND)?;
    Ok(Kernels::of_file(&bytes))
}

fn of_image(image: *const c_void) -> Result<Kernels, Code> {
    if image.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: not null, so code by the promise of the API.
    Ok(unsafe { Kernels::of_image(image) })
}

fn address(handle: u64) -> usize {
    usize::try_from(handle).unwrap_or_default()
}
