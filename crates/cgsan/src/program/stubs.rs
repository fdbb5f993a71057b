//! Stand-ins for NVIDIA's libraries.
//!
//! PyTorch's libraries ask for `libcudart.so.13` and the like by name, along a path of their own that neither
//! `LD_LIBRARY_PATH` nor `PYTHONPATH` can change. But a library of the same SONAME that is already loaded satisfies
//! them. So each name gets the smallest shared library there can be: a SONAME, and the virtual GPU as its one
//! dependency. It defines no symbol and no version, so the dynamic linker finds the functions in the virtual GPU.

use std::ops::Range;

use object::LittleEndian as Le;
use object::endian::{I64, U16, U32, U64};
use object::{elf, pod};

/// The SONAME of the virtual GPU's library.
const VIRTUAL_GPU: &str = "libcgsan_vgpu.so";

/// The SONAME of the driver's library.
pub const DRIVER: &str = "libcuda.so.1";

/// The SONAMEs that PyTorch 2.6 to 2.15 with CUDA 12 or 13, and the libraries around it, ask for.
pub const SONAMES: &[&str] = &[
    "libcublas.so.12",
    "libcublas.so.13",
    "libcublasLt.so.12",
    "libcublasLt.so.13",
    DRIVER,
    "libcudart.so.12",
    "libcudart.so.13",
    "libcudnn.so.9",
    "libcudnn_adv.so.9",
    "libcudnn_cnn.so.9",
    "libcudnn_engines_precompiled.so.9",
    "libcudnn_engines_runtime_compiled.so.9",
    "libcudnn_graph.so.9",
    "libcudnn_heuristic.so.9",
    "libcudnn_ops.so.9",
    "libcufft.so.11",
    "libcufft.so.12",
    "libcufile.so.0",
    "libcupti.so.12",
    "libcupti.so.13",
    "libcurand.so.10",
    "libcusolver.so.11",
    "libcusolver.so.12",
    "libcusparse.so.12",
    "libcusparseLt.so.0",
    "libnccl.so.2",
    "libnvJitLink.so.12",
    "libnvJitLink.so.13",
    "libnvToolsExt.so.1",
    "libnvidia-ml.so.1",
    "libnvrtc.so.12",
    "libnvrtc.so.13",
    "libnvshmem_host.so.3",
];

/// The file name for the stand-in of `soname`: not the SONAME itself, because PyTorch looks for `libcudart.so` among
/// the names of the mapped files, and loads all of NVIDIA's wheels if it sees one.
pub fn file_name(soname: &str) -> &str {
    soname.strip_prefix("lib").unwrap_or(soname)
}

/// The content of a shared library (x86-64) with the SONAME `soname`.
///
/// Its parts, one after the other: the file header, the program headers, the symbol table with the one empty symbol
/// that each begins with, its hash table, the dynamic section, the names, and the section headers with their names. The
/// dynamic linker needs no sections, but Triton links with the driver's library: without them, GNU ld 2.42 says `file in
/// wrong format` (seen on Ubuntu 24.04), where 2.40 does not.
pub fn stub(soname: &str) -> Vec<u8> {
    let mut names = vec![0];
    let soname = append_name(&mut names, soname);
    let needed = append_name(&mut names, VIRTUAL_GPU);

    let symbols = size_of::<elf::FileHeader64<Le>>() + SEGMENTS * size_of::<Segment>();
    let hash = symbols + size_of::<Symbol>();
    let dynamic = hash + size_of_val(&EMPTY_HASH_TABLE);
    let names_at = dynamic + ENTRIES * size_of::<Entry>();
    let section_names_at = names_at + names.len();
    let end = (section_names_at + SECTION_NAMES.len()).next_multiple_of(ALIGNED);

    // The first is writable, because the dynamic linker turns the offsets in the dynamic section into addresses.
    // Without the last it would make the program's stacks executable.
    let segments: [Segment; SEGMENTS] = [
        segment(elf::PT_LOAD, 0..end, 0x1000),
        segment(elf::PT_DYNAMIC, dynamic..names_at, 8),
        segment(elf::PT_GNU_STACK, 0..0, 16),
    ];
    let entries: [Entry; ENTRIES] = [
        entry(elf::DT_NEEDED, needed),
        entry(elf::DT_SONAME, soname),
        entry(elf::DT_HASH, hash),
        entry(elf::DT_STRTAB, names_at),
        entry(elf::DT_STRSZ, names.len()),
        entry(elf::DT_SYMTAB, symbols),
        entry(elf::DT_SYMENT, size_of::<Symbol>()),
        entry(elf::DT_NULL, 0),
    ];
    let section_names = section_names_at..section_names_at + SECTION_NAMES.len();
    let sections: [Section; SECTIONS - 1] = [
        section(
            1,
            elf::SHT_DYNSYM,
            symbols..hash,
            STRINGS,
            size_of::<Symbol>(),
        ),
        section(9, elf::SHT_HASH, hash..dynamic, SYMBOLS, size_of::<u32>()),
        section(
            15,
            elf::SHT_DYNAMIC,
            dynamic..names_at,
            STRINGS,
            size_of::<Entry>(),
        ),
        section(24, elf::SHT_STRTAB, names_at..section_names_at, 0, 0),
        section(32, elf::SHT_STRTAB, section_names.clone(), 0, 0),
    ];
    [
        pod::bytes_of(&file_header(end)),
        pod::bytes_of_slice(&segments),
        &[0; size_of::<Symbol>()],
        pod::bytes_of_slice(&EMPTY_HASH_TABLE),
        pod::bytes_of_slice(&entries),
        &names,
        SECTION_NAMES,
        &[0; ALIGNED][..end - section_names.end],
        &[0; size_of::<Section>()],
        pod::bytes_of_slice(&sections),
    ]
    .concat()
}

type Segment = elf::ProgramHeader64<Le>;
type Section = elf::SectionHeader64<Le>;
type Symbol = elf::Sym64<Le>;
type Entry = elf::Dyn64<Le>;

const SEGMENTS: usize = 3;
const ENTRIES: usize = 8;
/// The empty one that each table begins with, and five others.
const SECTIONS: usize = 6;

/// The sections that others refer to, by their places among all.
const SYMBOLS: u32 = 1;
const STRINGS: u32 = 4;

/// The names of the sections, in their order; a section has the offset of its own.
const SECTION_NAMES: &[u8] = b"\0.dynsym\0.hash\0.dynamic\0.dynstr\0.shstrtab\0";

/// What the headers of sections are aligned to, in bytes.
const ALIGNED: usize = 8;

/// One bucket and one chain, which hold no symbol; little-endian like the rest.
const EMPTY_HASH_TABLE: [u32; 4] = [1u32.to_le(), 1u32.to_le(), 0, 0];

/// Appends `name` to a string table and returns where it begins.
fn append_name(names: &mut Vec<u8>, name: &str) -> usize {
    let at = names.len();
    names.extend_from_slice(name.as_bytes());
    names.push(0);
    at
}

fn file_header(sections: usize) -> elf::FileHeader64<Le> {
    elf::FileHeader64 {
        e_ident: elf::Ident {
            magic: elf::ELFMAG,
            class: elf::ELFCLASS64,
            data: elf::ELFDATA2LSB,
            version: elf::FileVersion(1),
            os_abi: elf::ELFOSABI_SYSV,
            abi_version: 0,
            padding: [0; 7],
        },
        e_type: U16::new(Le, elf::ET_DYN),
        e_machine: U16::new(Le, elf::EM_X86_64),
        e_version: U32::new(Le, 1),
        e_entry: U64::new(Le, 0),
        e_phoff: U64::new(Le, size_of::<elf::FileHeader64<Le>>() as u64),
        e_shoff: U64::new(Le, sections as u64),
        e_flags: U32::new(Le, elf::FileFlags(0)),
        e_ehsize: U16::new(Le, small(size_of::<elf::FileHeader64<Le>>())),
        e_phentsize: U16::new(Le, small(size_of::<Segment>())),
        e_phnum: U16::new(Le, small(SEGMENTS)),
        e_shentsize: U16::new(Le, small(size_of::<Section>())),
        e_shnum: U16::new(Le, small(SECTIONS)),
        e_shstrndx: U16::new(Le, elf::SymbolSection(small(SECTIONS - 1))),
    }
}

/// A readable and writable segment at the same place in memory as in the file.
fn segment(kind: elf::ProgramType, place: Range<usize>, alignment: u64) -> Segment {
    let start = U64::new(Le, place.start as u64);
    let size = U64::new(Le, place.len() as u64);
    elf::ProgramHeader64 {
        p_type: U32::new(Le, kind),
        p_flags: U32::new(Le, elf::PF_R | elf::PF_W),
        p_offset: start,
        p_vaddr: start,
        p_paddr: start,
        p_filesz: size,
        p_memsz: size,
        p_align: U64::new(Le, alignment),
    }
}

/// A section at the same place in memory as in the file. `link` is the section that it refers to, `entry` the size of what it is a
/// table of.
fn section(
    name: u32,
    kind: elf::SectionType,
    place: Range<usize>,
    link: u32,
    entry: usize,
) -> Section {
    let start = U64::new(Le, place.start as u64);
    let is_symbols = kind == elf::SHT_DYNSYM;
    elf::SectionHeader64 {
        sh_name: U32::new(Le, name),
        sh_type: U32::new(Le, kind),
        sh_flags: U64::new(Le, elf::SHF_ALLOC),
        sh_addr: start,
        sh_offset: start,
        sh_size: U64::new(Le, place.len() as u64),
        sh_link: U32::new(Le, link),
        // Of symbols, the first that is not local to the file.
        sh_info: U32::new(Le, u32::from(is_symbols)),
        sh_addralign: U64::new(Le, 1),
        sh_entsize: U64::new(Le, entry as u64),
    }
}

/// An entry of the dynamic section.
fn entry(tag: elf::DynamicTag, value: usize) -> Entry {
    elf::Dyn64 {
        d_tag: I64::new(Le, tag),
        d_val: U64::new(Le, value as u64),
    }
}

const fn small(size: usize) -> u16 {
    assert!(size <= u16::MAX as usize);
    #[allow(
        clippy::cast_possible_truncation,
        reason = "checked in the line before"
    )]
    {
        size as u16
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use std::process::Command;

    use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};

    use object::{Object as _, ObjectSection as _};

    use super::*;

    #[test]
    fn a_stub_has_its_name_and_one_dependency_and_no_symbol() {
        let bytes = stub("libcudart.so.13");
        let file = ElfFile64::<Le>::parse(&*bytes).expect("an ELF file");
        let headers = file
            .elf_header()
            .program_headers(Le, &*bytes)
            .expect("program headers");
        let (entries, strings) = headers
            .iter()
            .find_map(|header| header.dynamic(Le, &*bytes).expect("a dynamic section"))
            .map(|entries| (entries, names(entries, &bytes)))
            .expect("a dynamic section");
        let named = |tag| -> Vec<&str> {
            entries
                .iter()
                .filter(|entry| entry.tag(Le) == tag)
                .map(|entry| {
                    let name = entry.string(Le, strings).expect("a name");
                    std::str::from_utf8(name).expect("text")
                })
                .collect()
        };
        assert_eq!(named(elf::DT_SONAME), ["libcudart.so.13"]);
        assert_eq!(named(elf::DT_NEEDED), [VIRTUAL_GPU]);
        assert!(
            entries.iter().all(|entry| entry.tag(Le) != elf::DT_VERDEF),
            "a version would have to be the one that PyTorch asks for"
        );
    }

    #[test]
    fn the_sections_of_a_stub_are_what_its_dynamic_section_points_at() {
        let bytes = stub(DRIVER);
        let file = ElfFile64::<Le>::parse(&*bytes).expect("an ELF file");
        let sections: Vec<(&str, &[u8])> = file
            .sections()
            .map(|it| (it.name().expect("a name"), it.data().expect("data")))
            .collect();
        let known: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            known,
            [".dynsym", ".hash", ".dynamic", ".dynstr", ".shstrtab"]
        );
        let (_, strings) = sections[3];
        assert!(strings.starts_with(b"\0libcuda.so.1\0"));
        assert!(sections[4].1.ends_with(b".shstrtab\0"));
        assert_eq!(file.dynamic_symbols().count(), 0);
    }

    #[test]
    fn a_linker_takes_a_stub_for_the_library_that_it_stands_in_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, content: &[u8]| {
            std::fs::write(folder.path().join(name), content).expect("a file");
        };
        write(DRIVER, &stub(DRIVER));
        write(
            "a.c",
            b"int cuInit(unsigned); int a(void) { return cuInit(0); }",
        );
        let linked = Command::new("cc")
            .args([
                "a.c",
                "-shared",
                "-fPIC",
                "-o",
                "a.so",
                "-L.",
                "-Wl,--no-as-needed",
                "-l:libcuda.so.1",
            ])
            .current_dir(folder.path())
            .status()
            .expect("a C compiler, as Triton needs it");
        assert!(linked.success());
        let bytes = std::fs::read(folder.path().join("a.so")).expect("a library");
        let needs = bytes
            .windows(DRIVER.len())
            .any(|it| it == DRIVER.as_bytes());
        assert!(needs, "the library names what it was linked with");
    }

    /// The string table that the dynamic section points at.
    fn names<'a>(entries: &[Entry], bytes: &'a [u8]) -> object::StringTable<'a> {
        let value = |tag| {
            entries
                .iter()
                .find(|entry| entry.tag(Le) == tag)
                .map(|entry| entry.val(Le))
                .expect("an entry")
        };
        let start = value(elf::DT_STRTAB);
        object::StringTable::new(bytes, start, start + value(elf::DT_STRSZ))
    }

    #[test]
    fn every_soname_has_a_file_of_its_own_that_pytorch_does_not_take_for_nvidias() {
        let files: BTreeSet<&str> = SONAMES.iter().map(|soname| file_name(soname)).collect();
        assert_eq!(files.len(), SONAMES.len());
        assert!(files.iter().all(|file| !file.contains("libcudart.so")));
        assert_eq!(file_name("libcudart.so.13"), "cudart.so.13");
    }
}
