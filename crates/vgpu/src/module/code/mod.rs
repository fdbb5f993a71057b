//! What the code of a module tells of its kernels: their parameters, and what they do through pointers.

mod cubin;
mod fatbin;
mod ptx;
pub mod signature;
mod uses;

use std::ffi::c_void;
use std::sync::Arc;

use cgsan_observe::launches::Parameter;
use rustc_hash::FxHashMap;

use self::fatbin::Kind;

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
                Kernels::of_binary(binary)
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
            Kernels::of_binary(binary)
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

    /// Those of all fat binaries that lie in these bytes.
    pub fn of_section(section: &[u8]) -> Kernels {
        let mut all = Kernels::default();
        for binary in fatbin::all(section) {
            all.0.extend(Kernels::of_binary(binary).0);
        }
        all
    }

    /// Those of a fat binary: as its PTX tells them, or else one of its ELF files.
    fn of_binary(binary: &[u8]) -> Kernels {
        let parts = fatbin::parts(binary);
        let of_kind = |kind: Kind| parts.iter().filter(move |part| part.kind == kind);
        let in_order = of_kind(Kind::Ptx).chain(of_kind(Kind::Elf));
        let mut kernels = in_order.map(|part| part.code().map(|code| Kernels::of_code(&code)));
        let with_any = kernels.find_map(|it| it.filter(|it| !it.0.is_empty()));
        with_any.unwrap_or_default()
    }

    /// The parameters of the kernel of this name, if they are known.
    pub fn parameters(&self, name: &str) -> Option<Arc<[Parameter]>> {
        self.0.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_fat_binary_its_ptx_tells_most() {
        const TEXT: &[u8] = b".version 8.0\n.entry f(.param .u64 p) { ret; }";
        let elf = cubin::tests::file("_Z1gPKf", &[(0, 8)]);
        let both = fatbin::tests::binary(&[(Kind::Elf, &elf), (Kind::Ptx, TEXT)]);
        let kernels = Kernels::of_file(&both);
        assert!(kernels.parameters("f").is_some() && kernels.parameters("_Z1gPKf").is_none());
        let only = fatbin::tests::binary(&[(Kind::Elf, &elf)]);
        let section = [&only[..], &both[..]].concat();
        let kernels = Kernels::of_section(&section);
        assert!(kernels.parameters("f").is_some() && kernels.parameters("_Z1gPKf").is_some());
    }
}
