//! The memory that the child shares: what it writes there, others would see.

use std::ffi::{CStr, c_int, c_void};

use super::files::{self, Descriptor, number};
use super::{Failure, checked};

/// The name of files in memory of which a sealed child is to have its own copy, as it has of private memory: their maps are the
/// memory of the virtual GPU, which its calls write to.
pub const PRIVATE_MEMORY: &CStr = c"cgsan-vgpu";

/// So much of a line is kept: what comes before the path, and its beginning.
const LONGEST: usize = 256;

/// Where files in memory, and no devices, are below `/dev`.
const MEMORY: [&[u8]; 4] = [
    b"/dev/shm/",
    b"/dev/zero",
    b"/dev/hugepages",
    b"/dev/mqueue/",
];
/// Below what paths devices are, and objects of the kernel's.
const DEVICES: [&[u8]; 5] = [b"/dev/", b"/sys/", b"/dmabuf", b"anon_inode:", b"socket:"];
/// How the path of a file in memory begins.
const IN_MEMORY: &[u8] = b"/memfd:";

/// A line of `/proc/self/maps`.
#[derive(Debug, PartialEq, Eq)]
struct Map<'a> {
    start: u64,
    end: u64,
    /// For example `rw-s`.
    permissions: &'a [u8],
    offset: u64,
    device: (u32, u32),
    inode: u64,
    path: &'a [u8],
}

/// What becomes of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Leave,
    /// It cannot be read either: a device may act on that.
    Hide,
    /// It can be read.
    Freeze,
    /// It becomes a copy that is written to as before.
    Own,
}

/// Sees to it that no shared memory can be written to. That it stays so is the filter's business.
pub fn protect() -> Result<(), Failure> {
    let file = Descriptor::open(c"/proc/self/maps", libc::O_RDONLY).or(Err(Failure::Maps))?;
    let mut last = None;
    each_line(&file, |line| {
        let map = Map::parse(line).ok_or(Failure::Maps)?;
        match map.treatment() {
            Treatment::Leave => Ok(()),
            Treatment::Hide => map.change(libc::PROT_NONE),
            Treatment::Freeze => map.freeze(),
            Treatment::Own => map.become_own(&mut last),
        }
    })
}

/// Shows each line to `see`, of long ones the beginning. The kernel goes on behind the last map that it has told of, so that maps
/// may change meanwhile.
fn each_line(
    file: &Descriptor,
    mut see: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut buffer = [0; 4096];
    let mut line = [0; LONGEST];
    let mut length = 0;
    loop {
        let bytes = file.read(&mut buffer).ok_or(Failure::Maps)?;
        if bytes.is_empty() {
            return Ok(());
        }
        for byte in bytes {
            if *byte == b'\n' {
                see(&line[..length])?;
                length = 0;
            } else if length < LONGEST {
                line[length] = *byte;
                length += 1;
            }
        }
    }
}

/// A file in memory by its device and inode, and an open descriptor of it.
type Found = ((u32, u32), u64, c_int);

impl<'a> Map<'a> {
    fn parse(line: &'a [u8]) -> Option<Map<'a>> {
        let (start, rest) = number(line, 16)?;
        let (end, rest) = number(rest.strip_prefix(b"-")?, 16)?;
        let (permissions, rest) = rest.strip_prefix(b" ")?.split_at_checked(4)?;
        let (offset, rest) = number(rest.strip_prefix(b" ")?, 16)?;
        let (major, rest) = number(rest.strip_prefix(b" ")?, 16)?;
        let (minor, rest) = number(rest.strip_prefix(b":")?, 16)?;
        let (inode, rest) = number(rest.strip_prefix(b" ")?, 10)?;
        Some(Map {
            start,
            end,
            permissions,
            offset,
            device: (u32::try_from(major).ok()?, u32::try_from(minor).ok()?),
            inode,
            path: rest.trim_ascii_start(),
        })
    }

    fn treatment(&self) -> Treatment {
        if self.permissions[3] != b's' {
            return Treatment::Leave;
        }
        let begins = |beginnings: &[&[u8]]| beginnings.iter().any(|it| self.path.starts_with(it));
        if begins(&DEVICES) && !begins(&MEMORY) {
            return Treatment::Hide;
        }
        if self.permissions[1] != b'w' {
            return Treatment::Leave;
        }
        let name = self.path.strip_prefix(IN_MEMORY);
        if name.is_some_and(|name| name.starts_with(PRIVATE_MEMORY.to_bytes())) {
            Treatment::Own
        } else {
            Treatment::Freeze
        }
    }

    fn bytes(&self) -> usize {
        usize::try_from(self.end - self.start).unwrap_or(0)
    }

    fn address(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(usize::try_from(self.start).unwrap_or(0))
    }

    /// Code that is there still runs.
    fn freeze(&self) -> Result<(), Failure> {
        let run = if self.permissions[2] == b'x' {
            libc::PROT_EXEC
        } else {
            0
        };
        self.change(libc::PROT_READ | run)
    }

    fn change(&self, protection: c_int) -> Result<(), Failure> {
        // SAFETY: takes rights away. Whoever uses them is in this process, and is to end.
        let answer = unsafe { libc::mprotect(self.address(), self.bytes(), protection) };
        checked(answer, Failure::Maps)?;
        Ok(())
    }

    /// Maps the same file privately, if it is open still; the file that was found `last` is most often that of the next map, too.
    fn become_own(&self, last: &mut Option<Found>) -> Result<(), Failure> {
        let known =
            last.filter(|(device, inode, _)| (*device, *inode) == (self.device, self.inode));
        let file = known
            .map(|(.., file)| file)
            .or_else(|| files::with_inode(self.device, self.inode));
        let (Some(file), Ok(offset)) = (file, libc::off_t::try_from(self.offset)) else {
            return self.freeze();
        };
        *last = Some((self.device, self.inode, file));
        let read = if self.permissions[0] == b'r' {
            libc::PROT_READ
        } else {
            0
        };
        // SAFETY: replaces a map by one of the same file and size, in which the same is read.
        let mapped = unsafe {
            libc::mmap(
                self.address(),
                self.bytes(),
                read | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE,
                file,
                offset,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(Failure::Maps);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treatment(line: &str) -> Treatment {
        Map::parse(line.as_bytes()).unwrap().treatment()
    }

    #[test]
    fn a_line_is_read() {
        let line =
            b"7f0c8e200000-7f0c8e400000 rw-s 00002000 103:0b 4711   /dev/shm/a file (deleted)";
        let map = Map::parse(line).unwrap();
        assert_eq!((map.start, map.end), (0x7f0c_8e20_0000, 0x7f0c_8e40_0000));
        assert_eq!(
            (map.offset, map.device, map.inode),
            (0x2000, (0x103, 0xb), 4711)
        );
        assert_eq!(map.path, b"/dev/shm/a file (deleted)");
        assert_eq!(Map::parse(b"1000-2000 rw-s"), None);
    }

    #[test]
    fn devices_are_hidden_and_shared_memory_is_frozen() {
        let of = |permissions: &str, path: &str| {
            treatment(&format!("1000-2000 {permissions} 00000000 00:01 7 {path}"))
        };
        for memory in [
            "/dev/shm/torch_1",
            "/dev/zero (deleted)",
            "/memfd:other (deleted)",
            "/SYSV00000000 (deleted)",
            "/home/a/file",
        ] {
            assert_eq!(of("rw-s", memory), Treatment::Freeze, "{memory}");
            assert_eq!(of("r--s", memory), Treatment::Leave, "{memory}");
            assert_eq!(of("rw-p", memory), Treatment::Leave, "{memory}");
        }
        for device in [
            "/dev/nvidiactl",
            "/dev/nvidia-uvm",
            "anon_inode:[io_uring]",
            "/sys/bus/pci/devices/0000:00:04.0/resource0",
        ] {
            assert_eq!(of("rw-s", device), Treatment::Hide, "{device}");
            assert_eq!(of("r--s", device), Treatment::Hide, "{device}");
        }
        let own = "/memfd:cgsan-vgpu (deleted)";
        assert_eq!(of("rw-s", own), Treatment::Own);
    }
}
