//! Which file lies where in a process.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;

/// The most bytes of the list that are read, by the kernel's own word for it.
const LONGEST: usize = 64 << 20;

/// What is mapped into a process.
#[derive(Debug, Default)]
pub struct Maps(Vec<Mapping>);

/// A part of a process's memory that is a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Its addresses.
    pub range: Range<u64>,
    /// Where it begins in the file.
    pub offset: u64,
    /// Whether it holds code.
    pub is_code: bool,
    /// The number of the file in its file system; 0 for memory of no file.
    pub inode: u64,
    /// The file, by a name that leads to it here; empty for memory of no file.
    pub file: String,
}

impl Maps {
    /// What is mapped now; nothing if the process is gone or may not be looked at.
    pub fn of(pid: u32) -> Maps {
        let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST)]);
        let mut maps = Maps(text.lines().filter_map(parse).collect());
        if sees_other_files(pid) {
            maps.lead_through(&format!("/proc/{pid}/root"));
        }
        maps
    }

    /// Names the files by how a process with another root, or in another mount namespace, sees them, where that is the mapped file.
    fn lead_through(&mut self, root: &str) {
        let mut known: HashMap<String, Option<String>> = HashMap::new();
        for mapping in self.0.iter_mut().filter(|it| it.file.starts_with('/')) {
            let (file, inode) = (&mapping.file, mapping.inode);
            let name = known.entry(file.clone()).or_insert_with(|| {
                let name = format!("{root}{file}");
                let is_it = fs::metadata(&name).is_ok_and(|it| it.ino() == inode);
                is_it.then_some(name)
            });
            if let Some(name) = name {
                mapping.file.clone_from(name);
            }
        }
    }

    /// What holds an address.
    pub fn at(&self, address: u64) -> Option<&Mapping> {
        let behind = self.0.partition_point(|it| it.range.start <= address);
        let mapping = self.0.get(behind.checked_sub(1)?)?;
        mapping.range.contains(&address).then_some(mapping)
    }

    /// The parts of a file, in order.
    pub fn parts<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Mapping> {
        self.0.iter().filter(move |mapping| mapping.file == file)
    }

    /// The files with code, each once, in the order of their addresses.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = Vec::new();
        for mapping in self.0.iter().filter(|it| it.is_code) {
            if mapping.file.starts_with('/') && !files.contains(&mapping.file.as_str()) {
                files.push(&mapping.file);
            }
        }
        files
    }
}

/// Whether names of files mean other files to a process than to this one.
pub fn sees_other_files(pid: u32) -> bool {
    let differs = |link: &str| {
        let [own, other] = ["self".to_owned(), pid.to_string()]
            .map(|it| fs::read_link(format!("/proc/{it}/{link}")).ok());
        other.is_some() && own != other
    };
    differs("ns/mnt") || differs("root")
}

fn parse(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let permissions = words.next()?;
    let offset = words.next()?;
    let inode = words.nth(1)?.parse().ok()?;
    let file = words.next().unwrap_or_default().trim_start();
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        range: number(start)?..number(end)?,
        offset: number(offset)?,
        is_code: permissions.contains('x'),
        inode,
        file: file.trim_end_matches(" (deleted)").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let line = "7f00-7f80 r-xp 00001000 08:01 12345      /lib/a b.so (deleted)";
        let mapping = parse(line).unwrap();
        assert_eq!(mapping.range, 0x7f00..0x7f80);
        assert_eq!((mapping.offset, mapping.is_code), (0x1000, true));
        assert_eq!(mapping.inode, 12345);
        assert_eq!(mapping.file, "/lib/a b.so");
        assert_eq!(parse("7f00-7f80 rw-p 00000000 00:00 0").unwrap().file, "");
        assert_eq!(parse(""), None);
    }

    #[test]
    fn this_code_is_in_this_program() {
        let maps = Maps::of(std::process::id());
        let address = this_code_is_in_this_program as fn() as usize as u64;
        let program = std::env::current_exe().unwrap();
        assert_eq!(maps.at(address).unwrap().file, program.to_str().unwrap());
        assert!(maps.files().contains(&program.to_str().unwrap()));
        assert!(maps.at(0).is_none());
    }

    #[test]
    fn another_name_counts_only_if_it_leads_to_the_mapped_file() {
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let mut maps = Maps::of(std::process::id());
        maps.lead_through("/proc/self/root");
        assert!(
            maps.files()
                .contains(&&*format!("/proc/self/root{program}"))
        );
        let mut maps = Maps::of(std::process::id());
        maps.lead_through("/no/such/root");
        assert!(maps.files().contains(&program));
    }
}
