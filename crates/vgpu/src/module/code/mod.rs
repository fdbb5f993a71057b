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

    /// Those of the kernel that a function of the host of this name stands for.
    pub fn parameters_of_host(&self, name: &str) -> Option<Arc<[Parameter]>> {
        self.parameters(name).or_else(|| {
            let wanted = in_source(name)?;
            let mut alike = self
                .0
                .iter()
                .filter(|(it, _)| in_source(it).as_ref() == Some(&wanted));
            // Files may have one each.
            let (_, parameters) = alike.next().filter(|_| alike.next().is_none())?;
            Some(parameters.clone())
        })
    }
}

/// What a function of C++ is called in its source. That of a file's own has other mangled names on the host and on the GPU.
fn in_source(mangled: &str) -> Option<String> {
    cpp_demangle::Symbol::new(mangled).ok()?.demangle().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_the_host_may_have_another_name_than_its_kernel() {
        const OF_A_FILE: &str = "_ZN38_GLOBAL__N__a18cab56_6_big_cu_a9240fc45innerEPfi";
        let elf = cubin::tests::file(OF_A_FILE, &[(0, 8), (8, 4)]);
        let kernels = Kernels::of_file(&elf);
        let of_host = |name: &str| kernels.parameters_of_host(name).map(|it| it.len());
        assert_eq!(of_host("_ZN12_GLOBAL__N_15innerEPfi"), Some(2));
        assert_eq!(of_host("_ZN12_GLOBAL__N_15innerEPfj"), None);
        let elf = cubin::tests::file("_Z4statPfi", &[(0, 8), (8, 4)]);
        let kernels = Kernels::of_file(&elf);
        assert!(kernels.parameters_of_host("_ZL4statPfi").is_some());
        assert!(kernels.parameters_of_host("stat").is_none());
    }

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
