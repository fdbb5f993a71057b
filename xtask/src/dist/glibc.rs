//! Which glibc the binaries of a release need.

use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader as _;

use crate::failure::{Context, Failure, Result};

/// How an ELF file begins that is of 64 bits and little-endian.
const MAGIC: &[u8] = b"\x7fELF\x02\x01\x01";

/// The command and the two libraries inside it.
const BINARIES: usize = 3;

/// The newest version that a wheel of [`super::wheel::PLATFORM`] may ask for.
const NEWEST: Version = (2, 17);

/// What stands before the number in the name of a version.
const PREFIX: &str = "GLIBC_";

/// A version of glibc.
type Version = (u32, u32);

/// Fails if the command or a library inside it needs a newer glibc than the wheel promises.
pub fn check(command: &Path) -> Result<()> {
    let bytes = fs::read(command).context(|| format!("cannot read {}", command.display()))?;
    let needed: Vec<Version> = begins(&bytes)
        .filter_map(|begin| newest_needed(&bytes[begin..]))
        .collect();
    if needed.len() != BINARIES {
        return Err(Failure::new(format!(
            "{} holds {} programs and libraries instead of {BINARIES}",
            command.display(),
            needed.len()
        )));
    }
    match needed.into_iter().max() {
        Some((major, minor)) if (major, minor) > NEWEST => Err(Failure::new(format!(
            "a binary of the release needs glibc {major}.{minor}, which is newer than the tag of the wheel says"
        ))),
        _ => Ok(()),
    }
}

/// Where an ELF file may begin.
fn begins(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let windows = bytes.windows(MAGIC.len()).enumerate();
    windows.filter_map(|(at, window)| (window == MAGIC).then_some(at))
}

/// The newest version of glibc that an ELF file needs, if it is one that needs glibc.
fn newest_needed(file: &[u8]) -> Option<Version> {
    let header = FileHeader64::<Endianness>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, file).ok()?;
    let (mut needs, link) = sections.gnu_verneed(endian, file).ok()??;
    let names = sections.strings(endian, file, link).ok()?;
    let mut newest = None;
    while let Some((_, mut versions)) = needs.next().ok()? {
        while let Some(version) = versions.next().ok()? {
            let name = version.name(endian, names).ok()?;
            newest = newest.max(std::str::from_utf8(name).ok().and_then(number));
        }
    }
    newest
}

/// The number of `GLIBC_2.17`. A third part says nothing about the platforms of wheels.
fn number(name: &str) -> Option<Version> {
    let mut numbers = name.strip_prefix(PREFIX)?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(number("GLIBC_2.2.5"), Some((2, 2)));
        assert!(number("GLIBC_2.9") < number("GLIBC_2.17"));
        assert_eq!(number("GLIBC_PRIVATE"), None);
        assert_eq!(number("GCC_3.0"), None);
    }

    #[test]
    fn a_program_that_was_linked_here_needs_a_glibc() {
        let program = fs::read(std::env::current_exe().expect("a program")).expect("a file");
        let inside: Vec<Version> = begins(&program)
            .filter_map(|begin| newest_needed(&program[begin..]))
            .collect();
        assert_eq!(inside.len(), 1, "{inside:?}");
        assert!(inside[0] >= (2, 2), "{inside:?}");
    }
}
