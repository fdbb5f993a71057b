//! The functions that a file names in its symbol table, those that only the linker sees included.
#![expect(unsafe_code, reason = "maps files")]

use std::fs::File;
use std::path::Path;

use memchr::memmem;
use memmap2::Mmap;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// The functions of a file by their offsets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Functions(Vec<(u64, String)>);

/// A function that every file with kernels calls when it is loaded (`crt/host_runtime.h` of the CUDA toolkit): who
/// has it has a runtime.
const OF_A_RUNTIME: &str = "__cudaRegisterFatBinary";

impl Functions {
    /// Those of a file with a CUDA runtime in it; `None` of any other file.
    pub fn of_runtime_in(path: &Path) -> Option<Functions> {
        let file = File::open(path).ok()?;
        // SAFETY: the file is a library that is about to be loaded, which is mapped in the same way.
        let bytes = unsafe { Mmap::map(&file) }.ok()?;
        Functions::read(&bytes)
    }

    fn read(bytes: &[u8]) -> Option<Functions> {
        let file = object::File::parse(bytes).ok()?;
        // Most files have no runtime, and some of them hundreds of thousands of symbols.
        let names = file.section_by_name(".strtab")?.data().ok()?;
        memmem::find(names, OF_A_RUNTIME.as_bytes())?;
        let mut functions: Vec<(u64, String)> = file
            .symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
            .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned())))
            .collect();
        functions.sort();
        let functions = Functions(functions);
        functions.offset(OF_A_RUNTIME)?;
        Some(functions)
    }

    /// The offset of the function called `name`.
    pub fn offset(&self, name: &str) -> Option<u64> {
        let found = self.0.iter().find(|(_, other)| other == name);
        found.map(|(offset, _)| *offset)
    }

    /// The name of the function at an offset.
    pub fn at(&self, offset: u64) -> Option<&str> {
        let first = self.0.partition_point(|(other, _)| *other < offset);
        let (found, name) = self.0.get(first)?;
        (*found == offset).then_some(name)
    }

    /// Each function's offset, its name, and how many bytes lie before the next one.
    pub fn with_room(&self) -> impl Iterator<Item = (u64, &str, u64)> {
        self.0.iter().enumerate().map(|(index, (offset, name))| {
            let behind = self.0[index..].iter().find(|(other, _)| other > offset);
            let room = behind.map_or(0, |(other, _)| other - offset);
            (*offset, name.as_str(), room)
        })
    }
}

#[cfg(test)]
mod tests {
    use object::write::{Object, StandardSection, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolScope};

    use super::*;

    /// A file of 64 bytes of code with functions at these places.
    fn file(functions: &[(&str, u64)]) -> Vec<u8> {
        let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let code = file.section_id(StandardSection::Text);
        file.append_section_data(code, &[0x90; 64], 16);
        for (name, value) in functions {
            file.add_symbol(Symbol {
                name: name.as_bytes().to_vec(),
                value: *value,
                size: 3,
                kind: SymbolKind::Text,
                scope: SymbolScope::Compilation,
                weak: false,
                section: SymbolSection::Section(code),
                flags: SymbolFlags::None,
            });
        }
        file.write().expect("an ELF file")
    }

    #[test]
    fn the_functions_of_a_file_with_a_runtime_are_found_by_name_and_by_offset() {
        let file = file(&[(OF_A_RUNTIME, 32), ("cudaStreamQuery", 16), ("main", 0)]);
        let functions = Functions::read(&file).expect("it has a runtime");
        assert_eq!(functions.offset("cudaStreamQuery"), Some(16));
        assert_eq!(functions.at(16), Some("cudaStreamQuery"));
        assert_eq!(functions.at(17), None);
        let with_room: Vec<_> = functions.with_room().collect();
        assert_eq!(
            with_room,
            [
                (0, "main", 16),
                (16, "cudaStreamQuery", 16),
                (32, OF_A_RUNTIME, 0)
            ]
        );
    }

    #[test]
    fn functions_of_the_same_names_are_no_runtime() {
        let file = file(&[("cudaStreamQuery", 16), ("main", 0)]);
        assert_eq!(Functions::read(&file), None);
    }

    #[test]
    fn a_file_without_a_runtime_is_left_alone() {
        let mut libraries = cgsan_observe::loaded_files().into_iter();
        let libc = libraries.find(|file| file.ends_with("libc.so.6"));
        assert!(libc.is_some(), "the C library is loaded");
        assert_eq!(libc.and_then(|file| Functions::of_runtime_in(&file)), None);
        assert_eq!(Functions::of_runtime_in(Path::new("Cargo.toml")), None);
        assert_eq!(Functions::of_runtime_in(Path::new("missing.so")), None);
    }
}
