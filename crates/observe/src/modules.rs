//! The files that are loaded into this process.
//!
//! Symbols are looked up here by hand, and not with `dlopen` and `dlsym`: those wait for the loader's lock, which another
//! thread may hold while the constructors of a library call CUDA and so wait for the caller of this crate.

use std::ffi::{CStr, c_int, c_void};
use std::ops::ControlFlow;

use libc::{Elf64_Phdr, Elf64_Sym, dl_phdr_info};

/// A file that is loaded into this process.
pub struct Module<'a>(&'a dl_phdr_info);

/// Shows each loaded file to `see` until it breaks off.
pub fn visit<F: FnMut(&Module<'_>) -> ControlFlow<()>>(mut see: F) {
    extern "C" fn call<F: FnMut(&Module<'_>) -> ControlFlow<()>>(
        info: *mut dl_phdr_info,
        _size: usize,
        see: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a description that holds during the call, and the pointer that `visit` gave it.
        let (module, see) = unsafe { (Module(&*info), &mut *see.cast::<F>()) };
        c_int::from(see(&module).is_break())
    }
    // SAFETY: `call` gets `see` back while this function waits. It does not unwind: the closures of this crate do not
    // panic.
    unsafe { libc::dl_iterate_phdr(Some(call::<F>), (&raw mut see).cast()) };
}

/// How many files were ever loaded. While it stays the same, a symbol that was not there is still not there.
pub fn loads() -> u64 {
    let mut loads = 0;
    visit(|module| {
        loads = module.0.dlpi_adds;
        ControlFlow::Break(())
    });
    loads
}

/// The address of `symbol` in the loaded file called `name`.
pub fn symbol(name: &str, symbol: &CStr) -> Option<usize> {
    let mut found = None;
    visit(|module| {
        if module.name().rsplit(|byte| *byte == b'/').next() != Some(name.as_bytes()) {
            return ControlFlow::Continue(());
        }
        found = module.symbol(symbol);
        ControlFlow::Break(())
    });
    found
}

/// The address of `symbol` in the loaded file that lies around `address`.
pub fn symbol_around(address: usize, symbol: &CStr) -> Option<usize> {
    let mut found = None;
    visit(|module| {
        if !module.contains(address as u64) {
            return ControlFlow::Continue(());
        }
        found = module.symbol(symbol);
        ControlFlow::Break(())
    });
    found
}

impl Module<'_> {
    /// The path that it was loaded from.
    pub fn path(&self) -> String {
        if self.name().is_empty() {
            // The loader does not name the program itself.
            return std::env::current_exe()
                .map(|program| program.to_string_lossy().into_owned())
                .unwrap_or_default();
        }
        String::from_utf8_lossy(self.name()).into_owned()
    }

    fn name(&self) -> &[u8] {
        if self.0.dlpi_name.is_null() {
            return &[];
        }
        // SAFETY: the loader's names end in a zero byte and hold as long as the description.
        unsafe { CStr::from_ptr(self.0.dlpi_name) }.to_bytes()
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

    /// The address of a function or object that the file exports.
    fn symbol(&self, name: &CStr) -> Option<usize> {
        let tables = self.tables()?;
        // SAFETY: the tables are those of a loaded file, which the loader itself looks symbols up in.
        let value = unsafe { tables.find(name) }?;
        usize::try_from(self.base().wrapping_add(value)).ok()
    }

    /// The tables that the loader looks symbols up in.
    fn tables(&self) -> Option<Tables> {
        const HASH: u64 = 0x6fff_fef5;
        const STRINGS: u64 = 5;
        const SYMBOLS: u64 = 6;

        let header = self
            .headers()
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = self.base().wrapping_add(header.p_vaddr) as *const [u64; 2];
        let (mut hash, mut strings, mut symbols) = (None, None, None);
        loop {
            // SAFETY: the dynamic section is an array of pairs that ends in a pair of zeros.
            let [tag, value] = unsafe { entry.read() };
            // The loader turns offsets into addresses in place, though not in every file.
            let address = if value < self.base() {
                self.base() + value
            } else {
                value
            };
            match tag {
                0 => break,
                HASH => hash = Some(address),
                STRINGS => strings = Some(address),
                SYMBOLS => symbols = Some(address),
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        Some(Tables {
            hash: hash? as *const u32,
            strings: strings? as *const libc::c_char,
            symbols: symbols? as *const Elf64_Sym,
        })
    }
}

/// The symbol tables of a loaded file, with the hash table of the GNU tools.
struct Tables {
    hash: *const u32,
    strings: *const libc::c_char,
    symbols: *const Elf64_Sym,
}

impl Tables {
    /// The value of the symbol called `name`, if it is defined here.
    ///
    /// # Safety
    ///
    /// The tables are well-formed.
    unsafe fn find(&self, name: &CStr) -> Option<u64> {
        let wanted = name.to_bytes().iter().fold(5381u32, |hash, byte| {
            hash.wrapping_mul(33).wrapping_add(u32::from(*byte))
        });
        // The table: four numbers; a filter of 8-byte words, unused here; the buckets; a hash a symbol, whose lowest bit
        // marks the last one of its bucket.
        // SAFETY: by the contract of this function, for this block and the ones below.
        let [buckets, first_symbol, filter_words, _] =
            unsafe { self.hash.cast::<[u32; 4]>().read() };
        if buckets == 0 {
            return None;
        }
        let bucket_table = self.hash.wrapping_add(4 + 2 * filter_words as usize);
        let hashes = bucket_table.wrapping_add(buckets as usize);
        // SAFETY: see above.
        let mut index = unsafe {
            bucket_table
                .wrapping_add((wanted % buckets) as usize)
                .read()
        };
        while index >= first_symbol {
            // SAFETY: see above.
            let (hash, symbol) = unsafe {
                (
                    hashes.wrapping_add((index - first_symbol) as usize).read(),
                    &*self.symbols.wrapping_add(index as usize),
                )
            };
            if hash | 1 == wanted | 1 && symbol.st_shndx != 0 {
                // SAFETY: see above.
                let text =
                    unsafe { CStr::from_ptr(self.strings.wrapping_add(symbol.st_name as usize)) };
                if text == name {
                    return Some(symbol.st_value);
                }
            }
            if hash & 1 == 1 {
                return None;
            }
            index += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_where_the_loader_finds_them() {
        for name in [c"getpid", c"malloc", c"printf"] {
            // SAFETY: the name ends in a zero byte.
            let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            assert_eq!(symbol("libc.so.6", name), Some(expected as usize));
        }
        assert_eq!(symbol("libc.so.6", c"no_such_function"), None);
        assert_eq!(symbol("no_such_library.so", c"getpid"), None);
    }

    #[test]
    fn loading_a_library_counts() {
        let before = loads();
        assert!(before > 0);
        // SAFETY: libutil has no constructors.
        let handle = unsafe { libc::dlopen(c"libutil.so.1".as_ptr(), libc::RTLD_NOW) };
        assert!(handle.is_null() || loads() > before);
    }
}
