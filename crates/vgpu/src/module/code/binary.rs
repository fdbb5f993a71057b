//! The kernels of fat binaries, one by one: a library may have thousands, and a program launches few. PTX tells most of them; where
//! there is none, all ELF files tell the same.

use std::sync::Arc;

use cgsan_observe::launches::Parameter;
use rustc_hash::FxHashMap;

use super::fatbin::{self, Kind};
use super::{cubin, ptx};

pub use super::fatbin::{bytes, places};

/// The names of the kernels of a binary.
pub fn names(binary: &[u8]) -> Vec<String> {
    first(binary, |kind, code| {
        let names = match kind {
            Kind::Ptx => ptx::names(std::str::from_utf8(code).ok()?),
            Kind::Elf => cubin::names(code)?,
        };
        (!names.is_empty()).then_some(names)
    })
    .unwrap_or_default()
}

/// The parameters of all kernels of a binary.
pub fn kernels(binary: &[u8]) -> FxHashMap<String, Arc<[Parameter]>> {
    first(binary, |kind, code| {
        let kernels = match kind {
            Kind::Ptx => ptx::kernels(std::str::from_utf8(code).ok()?),
            Kind::Elf => cubin::kernels(code)?,
        };
        (!kernels.is_empty()).then_some(kernels)
    })
    .unwrap_or_default()
}

/// The parameters of a kernel of a binary, if they are known.
pub fn parameters(binary: &[u8], kernel: &str) -> Option<Arc<[Parameter]>> {
    first(binary, |kind, code| match kind {
        Kind::Ptx => ptx::kernel_called(std::str::from_utf8(code).ok()?, kernel),
        Kind::Elf => cubin::kernel_called(code, kernel),
    })
}

/// What the first part tells that tells anything.
fn first<R>(binary: &[u8], tell: impl Fn(Kind, &[u8]) -> Option<R>) -> Option<R> {
    let parts = fatbin::parts(binary);
    let of_kind = |kind: Kind| parts.iter().filter(move |part| part.kind == kind);
    let mut in_order = of_kind(Kind::Ptx).chain(of_kind(Kind::Elf));
    in_order.find_map(|part| tell(part.kind, &part.code()?))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A binary with the ELF file of one kernel, whose parameters have these offsets and sizes.
    pub fn of_kernel(kernel: &str, places: &[(u16, u32)]) -> Vec<u8> {
        let elf = cubin::tests::file(kernel, places);
        fatbin::tests::binary(&[(Kind::Elf, &elf)])
    }

    #[test]
    fn of_a_binary_its_ptx_tells_most() {
        const TEXT: &[u8] = b".version 8.0\n.entry f(.param .u64 p) { ret; } .entry g ( ) { }\0";
        let elf = cubin::tests::file("_Z1hPKf", &[(0, 8)]);
        let both = fatbin::tests::binary(&[(Kind::Elf, &elf), (Kind::Ptx, TEXT)]);
        assert_eq!(names(&both), ["f", "g"]);
        assert_eq!(parameters(&both, "f").map(|it| it.len()), Some(1));
        assert_eq!(parameters(&both, "g").map(|it| it.len()), Some(0));
        let only = of_kernel("_Z1hPKf", &[(0, 8)]);
        assert_eq!(names(&only), ["_Z1hPKf"]);
        assert_eq!(parameters(&only, "_Z1hPKf").map(|it| it.len()), Some(1));
        assert_eq!(parameters(&only, "f"), None);
        for (binary, count) in [(both, 2), (only, 1), (Vec::new(), 0)] {
            assert_eq!(kernels(&binary).len(), count);
        }
    }
}
