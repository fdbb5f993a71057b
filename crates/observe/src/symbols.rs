//! The symbols that a loaded file exports, found in its own tables.
#![expect(unsafe_code, reason = "reads the symbol tables of loaded files")]

use std::ffi::{CStr, c_char};

use libc::Elf64_Sym;

/// The symbol tables of a loaded file, with the hash table of the GNU tools.
pub struct SymbolTables {
    hash: *const u32,
    strings: *const c_char,
    symbols: *const Elf64_Sym,
}

impl SymbolTables {
    /// The tables of the file that was loaded at `base` and has its dynamic section at `section`; `None` if it lacks one of
    /// them.
    ///
    /// # Safety
    ///
    /// A file is loaded there.
    pub unsafe fn of(base: u64, section: u64) -> Option<SymbolTables> {
        const HASH: u64 = 0x6fff_fef5;
        const STRINGS: u64 = 5;
        const SYMBOLS: u64 = 6;

        let mut entry = section as *const [u64; 2];
        let (mut hash, mut strings, mut symbols) = (None, None, None);
        loop {
            // SAFETY: the dynamic section is an array of pairs that ends in a pair of zeros.
            let [tag, value] = unsafe { entry.read() };
            // The loader turns offsets into addresses in place, though not in every file.
            let address = if value < base {
                base.wrapping_add(value)
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
        Some(SymbolTables {
            hash: hash? as *const u32,
            strings: strings? as *const c_char,
            symbols: symbols? as *const Elf64_Sym,
        })
    }

    /// The value of the symbol called `name`, if it is defined here.
    ///
    /// # Safety
    ///
    /// The file is still loaded, and its tables are well-formed.
    pub unsafe fn find(&self, name: &CStr) -> Option<u64> {
        let wanted = name.to_bytes().iter().fold(5381u32, |hash, byte| {
            hash.wrapping_mul(33).wrapping_add(u32::from(*byte))
        });
        // The table: four numbers; a filter of 8-byte words, unused here; the buckets; a hash a symbol, whose lowest bit
        // marks the last one of its bucket.
        // SAFETY: by the contract of this function, the table begins so.
        let [buckets, first_symbol, filter_words, _] =
            unsafe { self.hash.cast::<[u32; 4]>().read() };
        if buckets == 0 {
            return None;
        }
        let bucket_table = self.hash.wrapping_add(4 + 2 * filter_words as usize);
        let hashes = bucket_table.wrapping_add(buckets as usize);
        // SAFETY: the table has this many buckets.
        let mut index = unsafe {
            bucket_table
                .wrapping_add((wanted % buckets) as usize)
                .read()
        };
        while index >= first_symbol {
            // SAFETY: a bucket holds the index of a symbol, and the last symbol of a bucket is marked, where this loop ends.
            let (hash, symbol) = unsafe {
                (
                    hashes.wrapping_add((index - first_symbol) as usize).read(),
                    self.symbols.wrapping_add(index as usize).read(),
                )
            };
            if hash | 1 == wanted | 1 && symbol.st_shndx != 0 {
                // SAFETY: the names of the symbols lie in the table of strings and end in a zero byte.
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
