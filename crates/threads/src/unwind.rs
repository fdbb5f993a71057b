//! Native frames, by the tables that the files of a process have for exceptions.

use std::fs::File;
use std::path::Path;

use cgsan_frames::Memory as _;
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder as _};
use object::read::{Object as _, ObjectSection as _, ObjectSegment as _, ReadCache, ReadRef};

use crate::maps::Maps;
use crate::remote::Remote;

/// The most frames that a native stack is given.
const DEEPEST: usize = 128;

/// The most bytes of a file's tables that are read.
const LARGEST: u64 = 256 << 20;

/// The unit in which memory is mapped, in bytes.
const PAGE: u64 = 4096;

/// Where a thread is.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The next instruction.
    pub instruction: u64,
    /// The innermost end of the stack.
    pub stack: u64,
    /// The frame pointer.
    pub frame: u64,
    /// Where what was copied of the stack begins.
    pub copied_from: u64,
}

/// Unwinds the stacks of one process.
pub struct Unwinder<'m> {
    maps: &'m Maps,
    memory: Remote,
    tables: UnwinderX86_64<Vec<u8>>,
    cache: CacheX86_64,
    /// The files that were looked at, with how far each lies from where it says; `None` for one without tables.
    loaded: Vec<(String, Option<u64>)>,
}

impl<'m> Unwinder<'m> {
    /// An unwinder for a process.
    pub fn new(memory: Remote, maps: &'m Maps) -> Unwinder<'m> {
        Unwinder {
            maps,
            memory,
            tables: UnwinderX86_64::new(),
            cache: CacheX86_64::new(),
            loaded: Vec::new(),
        }
    }

    /// The frames of a thread of which the stack was copied, innermost first, as `file+0xoffset`, and where each goes on.
    pub fn stack(&mut self, registers: Registers, copied: &[u8]) -> (Vec<String>, Vec<u64>) {
        let mut of_walk =
            UnwindRegsX86_64::new(registers.instruction, registers.stack, registers.frame);
        let mut address = FrameAddress::from_instruction_pointer(registers.instruction);
        let (mut frames, mut addresses) = (Vec::new(), Vec::new());
        let memory = self.memory;
        let mut read = |at: u64| {
            let in_copy = at.checked_sub(registers.copied_from);
            let in_copy = in_copy.and_then(|it| word(copied, it));
            let living = || memory.number::<u64>(usize::try_from(at).ok()?);
            in_copy.or_else(living).ok_or(())
        };
        while frames.len() < DEEPEST {
            frames.push(self.name(address.address_for_lookup()));
            addresses.push(address.address());
            let next = self
                .tables
                .unwind_frame(address, &mut of_walk, &mut self.cache, &mut read);
            let Some(caller) = next
                .ok()
                .flatten()
                .and_then(FrameAddress::from_return_address)
            else {
                break;
            };
            address = caller;
        }
        (frames, addresses)
    }

    /// The place of an address in its file, whose tables are read if they were not before.
    fn name(&mut self, address: u64) -> String {
        let Some(mapping) = self.maps.at(address) else {
            return format!("{address:#x}");
        };
        let file = mapping.file.as_str();
        if !file.starts_with('/') {
            return format!("{}+{:#x}", file, address - mapping.range.start);
        }
        let known = self.loaded.iter().find(|(known, _)| known == file);
        let bias = if let Some((_, bias)) = known {
            *bias
        } else {
            let bias = load(self.maps, file).map(|(module, bias)| {
                self.tables.add_module(module);
                bias
            });
            self.loaded.push((file.to_owned(), bias));
            bias
        };
        let place = bias.and_then(|bias| address.checked_sub(bias));
        format!(
            "{file}+{:#x}",
            place.unwrap_or(address - mapping.range.start + mapping.offset)
        )
    }
}

/// The number at a place in a copy.
fn word(copied: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let bytes = copied.get(at..at.checked_add(size_of::<u64>())?)?;
    bytes.try_into().ok().map(u64::from_ne_bytes)
}

fn load(maps: &Maps, file: &str) -> Option<(Module<Vec<u8>>, u64)> {
    let opened: File = cgsan_files::open(Path::new(file)).ok()?;
    let cache = ReadCache::new(opened);
    let object = object::File::parse(&cache).ok()?;
    let bias = bias(maps, file, &object)?;
    let start = maps.parts(file).map(|part| part.range.start).min()?;
    let end = maps.parts(file).map(|part| part.range.end).max()?;
    let section = |name: &str| {
        let section = object.section_by_name(name)?;
        if section.size() > LARGEST {
            return None;
        }
        let range = section.address()..section.address().checked_add(section.size())?;
        Some((range, section.data().ok()?.to_vec()))
    };
    let (frames, header) = (section(".eh_frame"), section(".eh_frame_hdr"));
    let sections = ExplicitModuleSectionInfo {
        base_svma: 0,
        eh_frame_svma: frames.as_ref().map(|(range, _)| range.clone()),
        eh_frame: frames.map(|(_, data)| data),
        eh_frame_hdr_svma: header.as_ref().map(|(range, _)| range.clone()),
        eh_frame_hdr: header.map(|(_, data)| data),
        ..ExplicitModuleSectionInfo::default()
    };
    Some((
        Module::new(file.to_owned(), start..end, bias, sections),
        bias,
    ))
}

/// How far from the addresses that it states a file was loaded.
pub fn bias<'a, R: ReadRef<'a>>(
    maps: &Maps,
    file: &str,
    object: &object::File<'a, R>,
) -> Option<u64> {
    let first = maps.parts(file).next()?;
    let mut segments = object.segments();
    let segment = segments.find(|segment| {
        let (offset, _) = segment.file_range();
        offset / PAGE * PAGE == first.offset
    })?;
    first
        .range
        .start
        .checked_sub(segment.address() / PAGE * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lies_where_its_symbols_are() {
        let maps = Maps::of(std::process::id());
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let cache = ReadCache::new(File::open(program).unwrap());
        let object = object::File::parse(&cache).unwrap();
        let bias = bias(&maps, program, &object).unwrap();
        let address = a_file_lies_where_its_symbols_are as fn() as usize as u64;
        let text = object.section_by_name(".text").unwrap();
        let range = text.address()..text.address() + text.size();
        assert!(range.contains(&(address - bias)));
    }
}
