//! The functions that a file names in its symbol table, those that only the linker sees included.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use object::{Object as _, ObjectSymbol as _, ReadCache, SymbolKind};

/// The functions of a file by their offsets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Functions(Vec<(u64, String)>);

/// A function that every file with kernels calls when it is loaded (`crt/host_runtime.h` of the CUDA toolkit): who
/// has it has a runtime.
const OF_A_RUNTIME: &str = "__cudaRegisterFatBinary";

impl Functions {
    /// Those of a file with a CUDA runtime in it; `None` of any other file.
    pub fn of_runtime_in(path: &Path) -> Option<Functions> {
        Functions::read(File::open(path).ok()?)
    }

    fn read(file: impl Read + Seek) -> Option<Functions> {
        let cache = ReadCache::new(file);
        let file = object::File::parse(&cache).ok()?;
        let functions = || {
            file.symbols()
                .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
                .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?)))
        };
        functions().find(|(_, name)| *name == OF_A_RUNTIME)?;
        let mut functions: Vec<_> = functions()
            .map(|(offset, name)| (offset, name.to_owned()))
            .collect();
        functions.sort();
        Some(Functions(functions))
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
    use super::*;

    #[test]
    fn the_functions_of_a_file_with_a_runtime_are_found_by_name_and_by_offset() {
        let program = std::env::current_exe().expect("a path");
        let functions = Functions::of_runtime_in(&program).expect("it has this library in it");
        let offset = functions.offset("cudaStreamQuery").expect("a function");
        assert_eq!(functions.at(offset), Some("cudaStreamQuery"));
        assert_eq!(functions.at(offset + 1), None);
        let room = functions
            .with_room()
            .find_map(|(_, name, room)| (name == "cudaStreamQuery").then_some(room));
        assert!(room.is_some_and(|room| room >= 16), "{room:?}");
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
