//! What the code of a module tells of its kernels: their parameters, and what they do through pointers.

mod cubin;
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
    /// `image` points to code as the driver takes it: a text that ends in a null byte, or an ELF file.
    #[expect(unsafe_code, reason = "reads what the API promises of its parameters")]
    pub unsafe fn of_image(image: *const c_void) -> Kernels {
        // SAFETY: by the contract of this function.
        unsafe {
            if cubin::begins(image) {
                Kernels::of_file(cubin::bytes(image))
            } else if let Some(text) = ptx::text(image) {
                Kernels(ptx::kernels(text))
            } else {
                Kernels::default()
            }
        }
    }

    /// Those of a file, or of other bytes of which the number is known.
    pub fn of_file(bytes: &[u8]) -> Kernels {
        let text = || std::str::from_utf8(bytes).ok();
        if bytes.starts_with(cubin::MAGIC) {
            Kernels(cubin::kernels(bytes).unwrap_or_default())
        } else {
            Kernels(text().map(ptx::kernels).unwrap_or_default())
        }
    }

    /// The parameters of the kernel of this name, if they are known.
    pub fn parameters(&self, name: &str) -> Option<Arc<[Parameter]>> {
        self.0.get(name).cloned()
    }
}
