//! The names of native functions, looked up after the run in the files that the program had loaded.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use cgsan_trace::{Trace, written};
use object::read::{Object as _, ObjectSymbol as _, ReadCache, ReadRef};

use crate::reach::Reach;

/// Names that are not found in this time stay numbers: PyTorch's libraries have millions of symbols.
const LIMIT: Duration = Duration::from_secs(5);

/// Bytes of the largest table of a file that is read at once.
const LARGEST_PART: u64 = 1 << 30;

/// The names of some addresses.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    names: BTreeMap<Address, String>,
}

/// A place in a file, as a native stack writes it: `file+0xoffset`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Address {
    module: String,
    offset: u64,
}

impl Symbols {
    /// The names of native frames, written `file+0xoffset`: those that are kept with the traces, else those of the files,
    /// unless every trace keeps names; the files may be others here than where it was recorded.
    pub(crate) fn of<'a>(
        traces: &[&Trace],
        frames: impl IntoIterator<Item = &'a String>,
        reach: &Reach,
    ) -> Self {
        let mut symbols = Self::default();
        let mut is_from_elsewhere = !traces.is_empty();
        for trace in traces {
            let kept = &trace.kept().native_names;
            is_from_elsewhere &= !kept.is_empty();
            for (&(module, offset), name) in kept {
                let module = trace.string(module).to_owned();
                symbols
                    .names
                    .insert(Address { module, offset }, name.clone());
            }
        }
        if !is_from_elsewhere {
            let unknown = frames.into_iter().filter(|it| symbols.name(it).is_none());
            let found = Self::look_up(unknown, reach);
            symbols.names.extend(found.names);
        }
        symbols
    }

    /// Looks up the functions of native frames, written `file+0xoffset`. Each file is read once.
    fn look_up<'a>(frames: impl IntoIterator<Item = &'a String>, reach: &Reach) -> Self {
        let mut modules: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for address in frames.into_iter().filter_map(|frame| Address::parse(frame)) {
            modules
                .entry(address.module)
                .or_default()
                .push(address.offset);
        }
        let begun = Instant::now();
        let mut symbols = Self::default();
        for (module, mut offsets) in modules {
            if !reach.holds(Path::new(&module)) {
                continue;
            }
            offsets.sort_unstable();
            offsets.dedup();
            for (offset, name) in functions_at(&module, &offsets, begun) {
                let module = module.clone();
                symbols.names.insert(Address { module, offset }, name);
            }
        }
        symbols
    }

    /// A native stack, innermost frame first, with the names that were found: `function (file+0xoffset)`, the file
    /// without its folder. Our own functions, which come first, and those of CUPTI that called them are left out: the
    /// program called those around them.
    pub(crate) fn readable(&self, stack: &[String]) -> Vec<String> {
        let named = stack.iter().map(|frame| self.frame(frame));
        named
            .skip_while(|frame| frame.starts_with("cgsan_") || frame.contains("libcupti.so"))
            .collect()
    }

    /// The function that a frame, written `file+0xoffset`, is in.
    pub(crate) fn name(&self, frame: &str) -> Option<&str> {
        self.names.get(&Address::parse(frame)?).map(String::as_str)
    }

    fn frame(&self, frame: &str) -> String {
        let Some(address) = Address::parse(frame) else {
            return frame.to_owned();
        };
        let file = Path::new(&address.module).file_name().unwrap_or_default();
        let place = format!("{}+{:#x}", file.to_string_lossy(), address.offset);
        match self.names.get(&address) {
            Some(name) => format!("{name} ({place})"),
            None => place,
        }
    }
}

impl Address {
    fn parse(frame: &str) -> Option<Self> {
        let (module, offset) = frame.rsplit_once("+0x")?;
        let offset = u64::from_str_radix(offset, 16).ok()?;
        Some(Self {
            module: module.to_owned(),
            offset,
        })
    }
}

/// The functions that contain `offsets` (sorted), as far as the file has their names.
fn functions_at(module: &str, offsets: &[u64], begun: Instant) -> Vec<(u64, String)> {
    let Ok(file) = cgsan_files::open(&written::file(Path::new(module))) else {
        return Vec::new();
    };
    let cache = ReadCache::new(file);
    let Ok(object) = object::File::parse(Bounded(&cache)) else {
        return Vec::new();
    };
    let mut found = BTreeMap::new();
    for (index, symbol) in object.dynamic_symbols().chain(object.symbols()).enumerate() {
        if index % 4096 == 0 && begun.elapsed() > LIMIT {
            break;
        }
        let start = symbol.address();
        let Some(end) = start.checked_add(symbol.size()) else {
            continue;
        };
        let first = offsets.partition_point(|offset| *offset < start);
        for offset in offsets[first..].iter().take_while(|offset| **offset < end) {
            if let Ok(name) = symbol.name() {
                found.entry(*offset).or_insert_with(|| readable(name));
            }
        }
    }
    found.into_iter().collect()
}

/// A file of which no more is read than there is: its tables may say that they are larger than it.
#[derive(Clone, Copy)]
struct Bounded<'a>(&'a ReadCache<File>);

impl<'a> ReadRef<'a> for Bounded<'a> {
    fn len(self) -> Result<u64, ()> {
        self.0.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        let end = offset.checked_add(size).ok_or(())?;
        if size > LARGEST_PART || end > self.0.len()? {
            return Err(());
        }
        self.0.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let end = range.end.min(self.0.len()?);
        if range.start >= end {
            return Err(());
        }
        self.0.read_bytes_at_until(range.start..end, delimiter)
    }
}

/// The name as the source has it, from C++ or Rust; others stay as they are.
pub(crate) fn readable(name: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return format!("{name:#}");
    }
    cpp_demangle::Symbol::new(name)
        .ok()
        .and_then(|symbol| symbol.demangle().ok())
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_a_file_has_them() {
        let library = libc();
        let bytes = std::fs::read(&library).expect("the C library");
        let object = object::File::parse(&*bytes).expect("an ELF file");
        let symbol = object
            .dynamic_symbols()
            .find(|symbol| symbol.name() == Ok("qsort"))
            .expect("every C library sorts");
        let inside = format!("{library}+{:#x}", symbol.address() + 1);
        let outside = format!("{library}+0x1");
        let stack = [inside, outside, "nowhere+0x10".to_owned()];
        let readable = Symbols::look_up(&stack, &Reach::OwnRun).readable(&stack);
        let offset = symbol.address() + 1;
        assert_eq!(readable[0], format!("qsort (libc.so.6+{offset:#x})"));
        assert_eq!(readable[1..], ["libc.so.6+0x1", "nowhere+0x10"]);
    }

    #[test]
    fn our_own_functions_are_left_out() {
        let stack = ["lib.so+0x10", "lib.so+0x20", "torch.so+0x30"].map(str::to_owned);
        let named = [(0x10, "cgsan_observe::native::take"), (0x20, "cudaMalloc")];
        let symbols = Symbols {
            names: named
                .into_iter()
                .map(|(offset, name)| {
                    let module = "lib.so".to_owned();
                    (Address { module, offset }, name.to_owned())
                })
                .collect(),
        };
        let readable = symbols.readable(&stack);
        assert_eq!(readable, ["cudaMalloc (lib.so+0x20)", "torch.so+0x30"]);
    }

    /// The C library of the test itself.
    fn libc() -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the maps");
        let path = maps
            .lines()
            .filter_map(|line| line.split_whitespace().nth(5))
            .find(|path| path.contains("libc.so.6"));
        path.expect("the test is dynamically linked").to_owned()
    }

    #[test]
    fn names_read_as_in_the_source() {
        assert_eq!(
            readable("_ZN3c104cuda18device_synchronizeEv"),
            "c10::cuda::device_synchronize()"
        );
        assert_eq!(
            readable("_ZN4core3fmt5write17h01234567890abcdeE"),
            "core::fmt::write"
        );
        assert_eq!(readable("PyEval_EvalCode"), "PyEval_EvalCode");
    }

    #[test]
    fn what_is_no_frame_stays_as_it_is() {
        let stack = ["", "libc.so", "libc.so+12", "libc.so+0xzz", "+"].map(str::to_owned);
        assert_eq!(
            Symbols::look_up(&stack, &Reach::OwnRun).readable(&stack),
            stack
        );
    }
}
