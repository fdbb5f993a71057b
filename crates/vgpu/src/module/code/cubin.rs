//! Parameters in ELF files for a GPU: sections `.nv.info.KERNEL` have a list of attributes, one for each parameter (CUDA Binary
//! Utilities, `cuobjdump -elf`).
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::c_void;
use std::sync::Arc;

use cgsan_observe::launches::{Parameter, declared_parameters};
use object::elf;
use object::read::elf::{ElfFile64, ElfSection64, FileHeader as _};
use object::{Endianness, Object as _, ObjectSection as _};
use rustc_hash::FxHashMap;

/// How an ELF file begins.
pub const MAGIC: &[u8] = b"\x7fELF";

const SECTION: &str = ".nv.info.";
/// `EIATTR_KPARAM_INFO`, and what CUDA 12.1 and later write of kernels with more than 4 KiB of parameters.
const PARAMETER: u8 = 0x17;
const PARAMETER_OF_MANY: u8 = 0x45;
/// An attribute with a payload, and how many bytes that has.
const WITH_PAYLOAD: u8 = 4;
const PAYLOAD: usize = 12;
/// Where the size of a parameter lies in its last word; of one among many, it is the lower half.
const SIZE_AT: u32 = 18;
const SIZE_OF_MANY: u32 = 0xffff;
/// More bytes than any file of kernels has.
const LARGEST: usize = 1 << 30;

/// Whether there is an ELF file.
///
/// # Safety
///
/// As for [`Kernels::of_image`](super::Kernels::of_image).
pub unsafe fn begins(image: *const c_void) -> bool {
    let first = image.cast::<u8>();
    let places = MAGIC.iter().enumerate();
    // SAFETY: a text that differs before its end has each byte up to there.
    places
        .into_iter()
        .all(|(place, byte)| unsafe { first.add(place).read() } == *byte)
}

/// All bytes of an ELF file, as far as its tables tell.
///
/// # Safety
///
/// There is one.
pub unsafe fn bytes<'a>(image: *const c_void) -> &'a [u8] {
    const HEADER: usize = size_of::<elf::FileHeader64<Endianness>>();
    // SAFETY: an ELF file has a header.
    let header = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), HEADER) };
    let end = end_of_tables(header).filter(|end| *end <= LARGEST);
    // SAFETY: its tables are in it, and all that is looked at lies before their end or is not found.
    unsafe { std::slice::from_raw_parts(image.cast::<u8>(), end.unwrap_or(HEADER)) }
}

/// Where the table of sections ends, or that of segments, which `ptxas` 13.0 writes behind it.
fn end_of_tables(header: &[u8]) -> Option<usize> {
    let header = elf::FileHeader64::<Endianness>::parse(header).ok()?;
    let endian = header.endian().ok()?;
    let end = |start: u64, entries: u16, entry: u16| {
        let start = usize::try_from(start).ok()?;
        start.checked_add(usize::from(entries) * usize::from(entry))
    };
    let sections = end(
        header.e_shoff.get(endian),
        header.e_shnum.get(endian),
        header.e_shentsize.get(endian),
    )?;
    let segments = end(
        header.e_phoff.get(endian),
        header.e_phnum.get(endian),
        header.e_phentsize.get(endian),
    )?;
    Some(sections.max(segments))
}

type Section<'a, 'b> = ElfSection64<'a, 'b, Endianness>;

/// The parameters of each kernel of a file.
pub fn kernels(file: &[u8]) -> Option<FxHashMap<String, Arc<[Parameter]>>> {
    let file = ElfFile64::<Endianness>::parse(file).ok()?;
    let of_section = |section: Section<'_, '_>| {
        let parameters = parameters(&section)?;
        Some((kernel_of(&section)?.to_owned(), parameters))
    };
    Some(file.sections().filter_map(of_section).collect())
}

/// The parameters of the kernel of this name.
pub fn kernel_called(file: &[u8], wanted: &str) -> Option<Arc<[Parameter]>> {
    let file = ElfFile64::<Endianness>::parse(file).ok()?;
    let is_wanted = |section: &Section<'_, '_>| kernel_of(section) == Some(wanted);
    parameters(&file.sections().find(is_wanted)?)
}

/// The names of the kernels of a file.
pub fn names(file: &[u8]) -> Option<Vec<String>> {
    let file = ElfFile64::<Endianness>::parse(file).ok()?;
    let name = |section: Section<'_, '_>| kernel_of(&section).map(str::to_owned);
    Some(file.sections().filter_map(name).collect())
}

/// The kernel whose attributes a section has.
fn kernel_of<'a>(section: &Section<'a, '_>) -> Option<&'a str> {
    section.name().ok()?.strip_prefix(SECTION)
}

fn parameters(section: &Section<'_, '_>) -> Option<Arc<[Parameter]>> {
    let places = places(section.data().ok()?)?;
    Some(declared_parameters(kernel_of(section)?, &places).into())
}

/// The offsets and the sizes of parameters among the attributes of a kernel, in their order; `None` if they are written down in
/// another way.
fn places(mut attributes: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    while let [format, kind, low, high, rest @ ..] = attributes {
        let bytes = if *format == WITH_PAYLOAD {
            usize::from(u16::from_le_bytes([*low, *high]))
        } else {
            0
        };
        let payload = rest.get(..bytes)?;
        let is_parameter = matches!(*kind, PARAMETER | PARAMETER_OF_MANY);
        if is_parameter && bytes == PAYLOAD {
            let ordinal = u16::from_le_bytes([payload[4], payload[5]]);
            let offset = u16::from_le_bytes([payload[6], payload[7]]);
            let last = u32::from_le_bytes(payload[8..].try_into().ok()?);
            let bytes = if *kind == PARAMETER {
                last >> SIZE_AT
            } else {
                last & SIZE_OF_MANY
            };
            let bytes = usize::try_from(bytes).ok()?;
            found.push((ordinal, usize::from(offset), bytes));
        }
        attributes = &rest[bytes..];
    }
    found.sort_unstable();
    let mut is_complete = found.iter().enumerate();
    if !is_complete.all(|(place, (ordinal, ..))| usize::from(*ordinal) == place) {
        return None;
    }
    let places = found.into_iter();
    Some(places.map(|(_, offset, bytes)| (offset, bytes)).collect())
}

#[cfg(test)]
pub mod tests {
    use cgsan_observe::launches::ParameterKind;
    use object::write::{Object, StandardSegment};
    use object::{Architecture, BinaryFormat, SectionKind};

    use super::*;

    /// A file with one kernel, whose parameters have these offsets and sizes.
    pub fn file(kernel: &str, places: &[(u16, u32)]) -> Vec<u8> {
        let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let name = format!("{SECTION}{kernel}").into_bytes();
        let segment = file.segment_name(StandardSegment::Data).to_vec();
        let section = file.add_section(segment, name, SectionKind::Other);
        let attributes = places.iter().enumerate().map(|(ordinal, (offset, bytes))| {
            let ordinal = u16::try_from(ordinal).unwrap();
            attribute(ordinal, *offset, bytes << SIZE_AT | 0x1_f000)
        });
        let attributes = attributes.collect::<Vec<_>>().concat();
        file.append_section_data(section, &attributes, 4);
        file.write().unwrap()
    }

    /// An attribute for a parameter, as `ptxas` 12.8 and 13.0 write it.
    fn attribute(ordinal: u16, offset: u16, last: u32) -> Vec<u8> {
        attribute_of(PARAMETER, ordinal, offset, last)
    }

    fn attribute_of(kind: u8, ordinal: u16, offset: u16, last: u32) -> Vec<u8> {
        let mut attribute = vec![WITH_PAYLOAD, kind, 12, 0, 0, 0, 0, 0];
        attribute.extend(ordinal.to_le_bytes());
        attribute.extend(offset.to_le_bytes());
        attribute.extend(last.to_le_bytes());
        attribute
    }

    #[test]
    fn a_name_of_cpp_tells_what_parameters_are() {
        let kernels = kernels(&file("_Z1fPKfi", &[(0, 8), (8, 4)])).unwrap();
        let kinds: Vec<_> = kernels["_Z1fPKfi"].iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [ParameterKind::Integer; 2]);
        let file = file("_Z1fPKfi", &[(0, 8), (8, 4)]);
        assert_eq!(
            kernel_called(&file, "_Z1fPKfi").as_ref(),
            kernels.get("_Z1fPKfi")
        );
        assert_eq!(kernel_called(&file, "_Z1fPKf"), None);
    }

    #[test]
    fn parameters_are_found_among_other_attributes() {
        let mut attributes = vec![3, 0x1b, 0xff, 0];
        attributes.extend(attribute(1, 8, 0x0011_f000));
        attributes.extend([4, 0x37, 4, 0, 1, 2, 3, 4]);
        attributes.extend(attribute(0, 0, 0x0021_f000));
        assert_eq!(places(&attributes), Some(vec![(0, 8), (8, 4)]));
        let of_many = [
            attribute_of(PARAMETER_OF_MANY, 1, 0x13a0, 0x0500_0008),
            attribute_of(PARAMETER_OF_MANY, 0, 0, 0x13a0),
        ];
        assert_eq!(
            places(&of_many.concat()),
            Some(vec![(0, 0x13a0), (0x13a0, 8)])
        );
        let second = attribute(1, 8, 0x0011_f000);
        assert_eq!(places(&second), None, "one is missing");
        assert_eq!(places(&attributes[..20]), None, "it is cut off");
    }
}
