//! The kernels whose code is in a file: what `nvcc` links into a library lies in one section, a fat binary for each source.
#![expect(unsafe_code, reason = "maps files")]

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cgsan_observe::launches::Parameter;
use memmap2::Mmap;
use object::{Object as _, ObjectSection as _};
use rustc_hash::FxHashMap;

use crate::module::binary;

/// Where `nvcc` puts fat binaries, and the most bytes of them that are read.
const SECTION: &str = ".nv_fatbin";
const MOST: usize = 256 << 20;

/// The kernels of a file, each with the place of its binary in the section.
#[derive(Debug, Default)]
pub struct Kernels {
    path: PathBuf,
    places: FxHashMap<String, Range<usize>>,
}

impl Kernels {
    /// Those of a file; none if it cannot be read.
    pub fn of_file(path: &Path) -> Kernels {
        let places = with_section(path, |section| {
            let named = |place: Range<usize>| {
                let names = binary::names(&section[place.clone()]);
                names.into_iter().map(move |name| (name, place.clone()))
            };
            binary::places(section).flat_map(named).collect()
        });
        Kernels {
            path: path.to_owned(),
            places: places.unwrap_or_default(),
        }
    }

    /// The parameters of the kernel that a function of the host stands for.
    pub fn parameters(&self, function: &str) -> Option<Arc<[Parameter]>> {
        let (name, place) = self.kernel_of(function)?;
        let read = |section: &[u8]| binary::parameters(section.get(place.clone())?, name);
        with_section(&self.path, read)?
    }

    fn kernel_of(&self, function: &str) -> Option<(&str, &Range<usize>)> {
        let kernel = self.places.get_key_value(function).or_else(|| {
            let wanted = in_source(function)?;
            let is_it = |kernel: &&String| in_source(kernel).as_ref() == Some(&wanted);
            let mut alike = self.places.keys().filter(is_it);
            // Several sources may have one each.
            let kernel = alike.next().filter(|_| alike.next().is_none())?;
            self.places.get_key_value(kernel)
        });
        kernel.map(|(name, place)| (name.as_str(), place))
    }
}

/// What a function of C++ is called in its source. That of a source's own has other mangled names on the host and on the GPU.
fn in_source(mangled: &str) -> Option<String> {
    cpp_demangle::Symbol::new(mangled).ok()?.demangle().ok()
}

fn with_section<R>(path: &Path, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
    let file = File::open(path).ok()?;
    // SAFETY: the file is a loaded library, which is mapped in the same way.
    let bytes = unsafe { Mmap::map(&file) }.ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let section = file.section_by_name(SECTION)?.data().ok()?;
    (section.len() <= MOST).then(|| read(section))
}

#[cfg(test)]
mod tests {
    use object::write::{Object, StandardSegment};
    use object::{Architecture, BinaryFormat, Endianness, SectionKind};

    use super::*;
    use crate::module::binary::tests::of_kernel;

    #[test]
    fn a_function_of_the_host_may_have_another_name_than_its_kernel() {
        let mut library = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let segment = library.segment_name(StandardSegment::Data).to_vec();
        let section = library.add_section(segment, SECTION.into(), SectionKind::Data);
        for kernel in [
            "_Z3addPKfi",
            "_Z4statPfi",
            "_ZN38_GLOBAL__N__a18cab56_6_big_cu_a9240fc45innerEPfi",
        ] {
            library.append_section_data(section, &of_kernel(kernel, &[(0, 8), (8, 4)]), 8);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.so");
        std::fs::write(&path, library.write().unwrap()).unwrap();
        let kernels = Kernels::of_file(&path);
        for function in ["_Z3addPKfi", "_ZL4statPfi", "_ZN12_GLOBAL__N_15innerEPfi"] {
            let parameters = kernels.parameters(function);
            assert_eq!(parameters.map(|it| it.len()), Some(2), "{function}");
        }
        for function in ["add", "stat", "_ZN12_GLOBAL__N_15innerEPfj"] {
            assert_eq!(kernels.parameters(function), None, "{function}");
        }
        assert_eq!(
            Kernels::of_file(folder.path()).parameters("_Z3addPKfi"),
            None
        );
    }
}
