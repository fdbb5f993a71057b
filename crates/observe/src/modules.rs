//! The files that are loaded into this process.
//!
//! Symbols are looked up here by hand, and not with `dlopen` and `dlsym`: those wait for the loader's lock, which another
//! thread may hold while the constructors of a library call CUDA and so wait for the caller of this crate.
#![expect(unsafe_code, reason = "reads the loader's tables")]

use std::ffi::{CStr, OsStr};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;

use cgsan_trace::written::shown;
use libc::{Elf64_Phdr, dl_phdr_info};

use crate::loader;
use crate::symbols::SymbolTables;

/// A file that is loaded into this process.
pub struct Module<'a>(&'a dl_phdr_info);

/// Shows each loaded file to `see` until it breaks off; none while this process forks.
pub fn visit(mut see: impl FnMut(&Module<'_>) -> ControlFlow<()>) {
    loader::visit(|info| see(&Module(info)));
}

/// The address of `symbol` in the loaded file called `name`.
pub fn symbol(name: &str, symbol: &CStr) -> Option<usize> {
    first(
        |module| module.is_called(name),
        |module| module.symbol(symbol),
    )
    .flatten()
}

/// The address of `symbol` in the loaded file that lies around `address`.
pub fn symbol_around(address: usize, symbol: &CStr) -> Option<usize> {
    first(
        |module| module.contains(address as u64),
        |module| module.symbol(symbol),
    )
    .flatten()
}

/// Whether the loaded file called `name` can be used already. While a file is being loaded it is listed before the loader
/// has filled in the addresses that its code needs; having done so, the loader makes them read-only.
pub fn is_relocated(name: &str) -> bool {
    let relocated = first(
        |module| module.is_called(name),
        |module| {
            module
                .filled_in()
                .is_none_or(|address| !is_writable(address))
        },
    );
    relocated == Some(true)
}

/// Whether the memory at `address` may be written.
fn is_writable(address: u64) -> bool {
    // A line begins with the range and the permissions: `7f0c8e200000-7f0c8e400000 rw-p`.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| {
        let number = |text| u64::from_str_radix(text, 16).unwrap_or(0);
        let Some((range, permissions)) = line.split_once(' ') else {
            return false;
        };
        range.split_once('-').is_some_and(|(start, end)| {
            (number(start)..number(end)).contains(&address) && permissions.starts_with("rw")
        })
    })
}

/// What `tell` says of the first loaded file that `is_it` picks.
fn first<T>(
    mut is_it: impl FnMut(&Module<'_>) -> bool,
    mut tell: impl FnMut(&Module<'_>) -> T,
) -> Option<T> {
    let mut told = None;
    visit(|module| {
        if !is_it(module) {
            return ControlFlow::Continue(());
        }
        told = Some(tell(module));
        ControlFlow::Break(())
    });
    told
}

impl Module<'_> {
    /// The path that it was loaded from.
    pub fn path(&self) -> String {
        if self.name().is_empty() {
            // The loader does not name the program itself.
            return std::env::current_exe()
                .map(|program| shown(program.as_os_str()))
                .unwrap_or_default();
        }
        shown(OsStr::from_bytes(self.name()))
    }

    fn name(&self) -> &[u8] {
        if self.0.dlpi_name.is_null() {
            return &[];
        }
        // SAFETY: the loader's names end in a zero byte and hold as long as the description.
        unsafe { CStr::from_ptr(self.0.dlpi_name) }.to_bytes()
    }

    fn is_called(&self, name: &str) -> bool {
        self.name().rsplit(|byte| *byte == b'/').next() == Some(name.as_bytes())
    }

    /// What its addresses are relative to.
    pub fn base(&self) -> u64 {
        self.0.dlpi_addr
    }

    /// Whether it was loaded over `address`.
    pub fn contains(&self, address: u64) -> bool {
        self.headers().iter().any(|header| {
            let start = self.base().wrapping_add(header.p_vaddr);
            header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz
        })
    }

    fn headers(&self) -> &[Elf64_Phdr] {
        if self.0.dlpi_phdr.is_null() {
            return &[];
        }
        // SAFETY: the loader describes an array of this length.
        unsafe { std::slice::from_raw_parts(self.0.dlpi_phdr, self.0.dlpi_phnum.into()) }
    }

    /// Where the addresses lie that the loader fills in and then protects, if the file has such a part.
    fn filled_in(&self) -> Option<u64> {
        let header = self
            .headers()
            .iter()
            .find(|header| header.p_type == libc::PT_GNU_RELRO)?;
        Some(self.base().wrapping_add(header.p_vaddr))
    }

    /// The address of a function or object that the file exports.
    fn symbol(&self, name: &CStr) -> Option<usize> {
        let section = self
            .headers()
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let section = self.base().wrapping_add(section.p_vaddr);
        // SAFETY: the loader describes a loaded file, whose symbols it looks up in the same way.
        let value = unsafe { SymbolTables::of(self.base(), section)?.find(name) }?;
        usize::try_from(self.base().wrapping_add(value)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_where_the_loader_finds_them() {
        for name in [c"getpid", c"getppid", c"sysconf"] {
            // SAFETY: the name ends in a zero byte.
            let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            assert_eq!(symbol("libc.so.6", name), Some(expected as usize));
        }
        assert_eq!(symbol("libc.so.6", c"no_such_function"), None);
        assert_eq!(symbol("no_such_library.so", c"getpid"), None);
    }

    #[test]
    fn a_library_in_use_is_relocated() {
        assert!(is_relocated("libc.so.6"));
        assert!(!is_relocated("no_such_library.so"));
    }

    #[test]
    fn memory_is_writable_or_not() {
        let local = 0;
        assert!(is_writable(&raw const local as u64));
        assert!(!is_writable(is_writable as *const () as u64));
        assert!(!is_writable(0));
    }
}
