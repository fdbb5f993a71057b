//! What the code of a module tells of its kernels: their parameters, and what they do through pointers.

pub mod binary;
mod cubin;
mod fatbin;
mod numbers;
mod ptx;
pub mod signature;
mod uses;

use std::ffi::c_void;
use std::sync::Arc;

use cgsan_observe::launches::Parameter;
use rustc_hash::FxHashMap;

/// The parameters of kernels, by name.
#[derive(Debug, Default)]
pub struct Kernels(FxHashMap<String, Arc<[Parameter]>>);

impl Kernels {
    /// Those of an image that a program loads.
    ///
    /// # Safety
    ///
    /// `image` points to code as the driver takes it: a text that ends in a null byte, an ELF file, a fat binary; or to what programs
    /// register of one.
    #[expect(unsafe_code, reason = "reads what the API promises of its parameters")]
    pub unsafe fn of_image(image: *const c_void) -> Kernels {
        // SAFETY: by the contract of this function.
        unsafe {
            if cubin::begins(image) {
                Kernels::of_file(cubin::bytes(image))
            } else if let Some(binary) = fatbin::bytes(image) {
                Kernels(binary::kernels(binary))
            } else if let Some(text) = ptx::text(image) {
                Kernels(ptx::kernels(text))
            } else {
                Kernels::default()
            }
        }
    }

    /// Those of a file, or of other bytes of which the number is known.
    pub fn of_file(bytes: &[u8]) -> Kernels {
        if let Some(binary) = fatbin::whole(bytes) {
            Kernels(binary::kernels(binary))
        } else {
            Kernels::of_code(bytes)
        }
    }

    fn of_code(code: &[u8]) -> Kernels {
        let text = || std::str::from_utf8(code).ok();
        if code.starts_with(cubin::MAGIC) {
            Kernels(cubin::kernels(code).unwrap_or_default())
        } else {
            Kernels(text().map(ptx::kernels).unwrap_or_default())
        }
    }

    /// The parameters of the kernel of this name, if they are known.
    pub fn parameters(&self, name: &str) -> Option<Arc<[Parameter]>> {
        self.0.get(name).cloned()
    }
}
