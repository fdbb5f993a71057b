//! Fat binaries: one code for several GPUs, as ELF files and as PTX, which `nvcc` packs and may compress.
//!
//! The format has no documentation. What is read here is what `fatbinary` of CUDA 12.4 to 13.0 writes; a part that looks otherwise is
//! left out. All files of one binary have the same kernels; PTX tells most of them.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::borrow::Cow;
use std::ffi::c_void;
use std::io::Read as _;
use std::ops::Range;

/// How a fat binary begins.
const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
/// How what programs register begins, which points to one (`fatbinary_section.h`).
const WRAPPER: [u8; 4] = 0x4662_43b1_u32.to_le_bytes();
/// Where the pointer is in it.
const POINTER: usize = 8;
/// Before its parts: the magic, a version, the size of this head, and the bytes behind it.
const HEAD: usize = 16;
/// The smallest head of a part.
const PART: usize = 64;
/// More bytes than any has; and than one of its parts has when it is not compressed.
const LARGEST: usize = 1 << 30;
const LARGEST_PART: usize = 256 << 20;

/// How a part may be compressed.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text of PTX.
    Ptx,
    /// An ELF file.
    Elf,
}

/// A part of a fat binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// What it is.
    pub kind: Kind,
    bytes: &'a [u8],
    flags: u64,
    plain_size: usize,
}

/// The bytes of a fat binary in memory, or of the one that a wrapper points to; `None` if there is none.
///
/// # Safety
///
/// `image` points to code as the driver takes it, or to the wrapper that programs register, which lives as long as `'a`.
pub unsafe fn bytes<'a>(image: *const c_void) -> Option<&'a [u8]> {
    // SAFETY: by the contract of this function; a text that differs before its end has each byte up to there.
    let begins = |magic: [u8; 4]| unsafe { begins(image, magic) };
    let start = if begins(WRAPPER) {
        // SAFETY: the wrapper has a pointer there.
        unsafe {
            image
                .byte_add(POINTER)
                .cast::<*const c_void>()
                .read_unaligned()
        }
    } else if begins(MAGIC) {
        image
    } else {
        return None;
    };
    // SAFETY: a wrapper points to a fat binary.
    if start.is_null() || !unsafe { self::begins(start, MAGIC) } {
        return None;
    }
    // SAFETY: a fat binary has a head.
    let head = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), HEAD) };
    let size = size(head)?;
    // SAFETY: by its head, it has so many bytes.
    Some(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) })
}

unsafe fn begins(image: *const c_void, magic: [u8; 4]) -> bool {
    let first = image.cast::<u8>();
    let mut places = magic.iter().enumerate();
    // SAFETY: by the contract of `bytes`, there is a byte unless another before it was zero.
    places.all(|(place, byte)| unsafe { first.add(place).read() } == *byte)
}

/// The places of all fat binaries that lie in these bytes, such as a section of a file.
pub fn places(section: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let starts = memchr::memmem::find_iter(section, &MAGIC);
    starts.filter_map(|start| {
        let end = start.checked_add(size(&section[start..])?)?;
        (end <= section.len()).then_some(start..end)
    })
}

/// The fat binary that a file is.
pub fn whole(file: &[u8]) -> Option<&[u8]> {
    file.get(..size(file)?)
}

/// The size of the fat binary that begins so, with its head.
fn size(head: &[u8]) -> Option<usize> {
    let start = usize::from(u16::from_le_bytes(at(head, 6)?));
    let behind = usize::try_from(u64::from_le_bytes(at(head, 8)?)).ok()?;
    let size = start.checked_add(behind)?;
    (head.starts_with(&MAGIC) && start >= HEAD && size <= LARGEST).then_some(size)
}

/// The parts of a fat binary, up to the first that is not whole.
pub fn parts(binary: &[u8]) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut rest = at(binary, 6)
        .map(u16::from_le_bytes)
        .and_then(|start| binary.get(usize::from(start)..))
        .unwrap_or_default();
    while let Some((part, behind)) = part(rest) {
        found.extend(part);
        rest = behind;
    }
    found
}

/// The first part, if it is code of a kind that is read, and what is behind it.
fn part(rest: &[u8]) -> Option<(Option<Part<'_>>, &[u8])> {
    let kind = match u16::from_le_bytes(at(rest, 0)?) {
        1 => Some(Kind::Ptx),
        2 => Some(Kind::Elf),
        _ => None,
    };
    let head = usize::try_from(u32::from_le_bytes(at(rest, 4)?)).ok()?;
    let padded = usize::try_from(u64::from_le_bytes(at(rest, 8)?)).ok()?;
    let compressed = usize::try_from(u32::from_le_bytes(at(rest, 16)?)).ok()?;
    let flags = u64::from_le_bytes(at(rest, 40)?);
    let plain_size = usize::try_from(u64::from_le_bytes(at(rest, 56)?)).ok()?;
    let end = head.checked_add(padded)?;
    let padded = rest.get(head..end).filter(|_| head >= PART)?;
    let bytes = if flags & (LZ4 | ZSTD) == 0 {
        padded
    } else {
        padded.get(..compressed)?
    };
    let part = kind.map(|kind| Part {
        kind,
        bytes,
        flags,
        plain_size,
    });
    Some((part, &rest[end..]))
}

impl<'a> Part<'a> {
    /// The code, which is not compressed any more.
    pub fn code(&self) -> Option<Cow<'a, [u8]>> {
        if self.flags & (LZ4 | ZSTD) == 0 {
            return Some(Cow::Borrowed(self.bytes));
        }
        if self.plain_size > LARGEST_PART {
            return None;
        }
        if self.flags & LZ4 != 0 {
            let plain = lz4_flex::block::decompress(self.bytes, self.plain_size).ok()?;
            return Some(Cow::Owned(plain));
        }
        let mut plain = Vec::with_capacity(self.plain_size);
        let limit = u64::try_from(self.plain_size).ok()?;
        let decoder = ruzstd::decoding::StreamingDecoder::new(self.bytes).ok()?;
        decoder.take(limit).read_to_end(&mut plain).ok()?;
        Some(Cow::Owned(plain))
    }
}

/// So many bytes at a place.
fn at<const COUNT: usize>(bytes: &[u8], place: usize) -> Option<[u8; COUNT]> {
    bytes.get(place..place.checked_add(COUNT)?)?.try_into().ok()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A part as `fatbinary` of CUDA 13.0 writes it.
    fn written(kind: u16, flags: u64, bytes: &[u8], plain_size: usize) -> Vec<u8> {
        let padded = bytes.len().next_multiple_of(8);
        let is_compressed = flags & (LZ4 | ZSTD) != 0;
        let compressed = if is_compressed { bytes.len() } else { 0 };
        let mut part = Vec::new();
        part.extend(kind.to_le_bytes());
        part.extend(0x101_u16.to_le_bytes());
        part.extend(64_u32.to_le_bytes());
        part.extend((padded as u64).to_le_bytes());
        part.extend(u32::try_from(compressed).unwrap().to_le_bytes());
        part.extend([0; 20]);
        part.extend((flags | 0x11).to_le_bytes());
        part.extend([0; 8]);
        part.extend((if is_compressed { plain_size } else { 0 } as u64).to_le_bytes());
        part.extend(bytes);
        part.resize(64 + padded, 0);
        part
    }

    /// A fat binary of these parts, each of its kind.
    pub fn binary(parts: &[(Kind, &[u8])]) -> Vec<u8> {
        let parts = parts.iter().map(|(kind, bytes)| match kind {
            Kind::Ptx => written(1, 0, bytes, 0),
            Kind::Elf => written(2, 0, bytes, 0),
        });
        packed(&parts.collect::<Vec<_>>().concat())
    }

    fn packed(parts: &[u8]) -> Vec<u8> {
        let mut binary = MAGIC.to_vec();
        binary.extend(1_u16.to_le_bytes());
        binary.extend(16_u16.to_le_bytes());
        binary.extend((parts.len() as u64).to_le_bytes());
        binary.extend(parts);
        binary
    }

    fn codes(binary: &[u8]) -> Vec<(Kind, Option<Vec<u8>>)> {
        let code = |it: Part<'_>| (it.kind, it.code().map(Cow::into_owned));
        parts(binary).into_iter().map(code).collect()
    }

    #[test]
    fn parts_are_read_whether_compressed_or_not() {
        const TEXT: &[u8] = b".version 9.0 .version 9.0 .version 9.0 .version 9.0";
        let with_lz4 = lz4_flex::block::compress(TEXT);
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let with_zstd = ruzstd::encoding::compress_to_vec(TEXT, level);
        let all = packed(
            &[
                written(1, 0, TEXT, 0),
                written(64, 0, b"of another kind", 0),
                written(1, LZ4, &with_lz4, TEXT.len()),
                written(2, ZSTD, &with_zstd, TEXT.len()),
                written(2, ZSTD, b"not compressed so", 17),
            ]
            .concat(),
        );
        let plain = TEXT.to_vec();
        let mut found = codes(&all);
        // The first one is padded.
        let first = found.remove(0);
        assert!(first.1.is_some_and(|it| it.starts_with(TEXT)));
        assert_eq!(
            found,
            [
                (Kind::Ptx, Some(plain.clone())),
                (Kind::Elf, Some(plain)),
                (Kind::Elf, None),
            ]
        );
        for end in 0..all.len() {
            assert!(parts(&all[..end]).len() < 4, "{end}");
        }
    }

    #[test]
    fn binaries_are_found_in_a_section_and_through_what_is_registered() {
        let binary = binary(&[(Kind::Ptx, b"text")]);
        let section = [&[0; 8], &binary[..], &[0; 24], &binary, &binary[..20]].concat();
        let found: Vec<&[u8]> = places(&section).map(|it| &section[it]).collect();
        assert_eq!(found, [&binary, &binary]);
        // SAFETY: these are fat binaries, wrappers and a text.
        let read = |image: *const c_void| unsafe { bytes(image) };
        assert_eq!(read(binary.as_ptr().cast()), Some(&binary[..]));
        let wrapper = (WRAPPER, 1_u32, binary.as_ptr());
        assert_eq!(read((&raw const wrapper).cast()), Some(&binary[..]));
        assert_eq!(read(c"text".as_ptr().cast()), None);
        let of_nothing = (WRAPPER, 1_u32, c"text".as_ptr());
        assert_eq!(read((&raw const of_nothing).cast()), None);
    }
}
