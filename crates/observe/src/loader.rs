//! The loader's list of the files in this process.
//!
//! `dl_iterate_phdr` holds a lock of the loader that glibc does not renew in a forked child: a child that finds it taken
//! waits forever, in `dlopen` too. So no thread is inside it while this process forks ([`before_fork`]), and a child reads
//! the list as debuggers do, without the lock (`_r_debug`, `<link.h>`).
#![expect(unsafe_code, reason = "reads what the loader tells of files")]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::time::Duration;

use libc::{Elf64_Ehdr, Elf64_Phdr, dl_phdr_info};

use crate::memory::{Checked, Memory};

/// How often, and for how long at a time, a fork waits for the threads that are inside the list. It then goes on: one of
/// them may wait in turn for a lock that another library has taken for the fork.
const WAITS: u32 = 1000;
const WAIT: Duration = Duration::from_micros(100);

/// The most entries that are read in a child.
const LONGEST_LIST: usize = 1 << 16;

/// How many threads are inside the list.
static INSIDE: AtomicU32 = AtomicU32::new(0);
/// How many threads are about to fork.
static FORKING: AtomicU32 = AtomicU32::new(0);
static IN_CHILD: AtomicBool = AtomicBool::new(false);
/// The loader's `_r_debug`, once it was looked up.
static DEBUG: AtomicPtr<Debug> = AtomicPtr::new(ptr::null_mut());

/// The beginning of the loader's `struct r_debug`.
#[repr(C)]
struct Debug {
    version: c_int,
    first: *const LinkMap,
}

/// The public beginning of the loader's `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: u64,
    name: *const c_char,
    dynamic_section: *const c_void,
    next: *const LinkMap,
}

/// Shows the description of each loaded file to `see` until it breaks off. Shows none while this process forks.
pub fn visit<F: FnMut(&dl_phdr_info) -> ControlFlow<()>>(see: F) {
    if IN_CHILD.load(Ordering::Relaxed) {
        visit_in_child(see);
        return;
    }
    INSIDE.fetch_add(1, Ordering::SeqCst);
    if FORKING.load(Ordering::SeqCst) == 0 {
        visit_locked(see);
    }
    INSIDE.fetch_sub(1, Ordering::SeqCst);
}

/// The paths of the loaded files, as the loader has them; the program's own is empty.
#[must_use]
pub fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for _ in 0..WAITS {
        visit(|module| note(module, &mut files));
        if !files.is_empty() {
            return files;
        }
        std::thread::sleep(WAIT);
    }
    // That fork takes too long to wait for.
    visit_locked(|module| note(module, &mut files));
    files
}

fn note(module: &dl_phdr_info, files: &mut Vec<PathBuf>) -> ControlFlow<()> {
    if !module.dlpi_name.is_null() {
        // SAFETY: the loader's names end in a zero byte.
        let name = unsafe { CStr::from_ptr(module.dlpi_name) };
        files.push(PathBuf::from(OsStr::from_bytes(name.to_bytes())));
    }
    ControlFlow::Continue(())
}

/// A number that changes when a file is loaded.
pub fn loads() -> u64 {
    if IN_CHILD.load(Ordering::Relaxed) {
        return entries().count() as u64;
    }
    let mut loads = 0;
    visit(|module| {
        loads = module.dlpi_adds;
        ControlFlow::Break(())
    });
    loads
}

/// Looks up what children need. Call it before the first fork, holding no lock.
pub fn prepare() {
    // SAFETY: the name ends in a zero byte.
    let debug = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) };
    DEBUG.store(debug.cast(), Ordering::Relaxed);
}

/// Waits until no thread is inside the list, and keeps others out until [`after_fork`].
pub fn before_fork() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    for _ in 0..WAITS {
        if INSIDE.load(Ordering::SeqCst) == 0 {
            return;
        }
        std::thread::sleep(WAIT);
    }
}

/// Lets threads in again. For the parent.
pub fn after_fork() {
    FORKING.fetch_sub(1, Ordering::SeqCst);
}

/// From now on the list is read without the loader's lock. For the child.
pub fn in_child() {
    IN_CHILD.store(true, Ordering::Relaxed);
}

fn visit_locked<F: FnMut(&dl_phdr_info) -> ControlFlow<()>>(mut see: F) {
    extern "C" fn call<F: FnMut(&dl_phdr_info) -> ControlFlow<()>>(
        info: *mut dl_phdr_info,
        _size: usize,
        see: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a description that holds during the call, and the pointer that it was given below.
        let (info, see) = unsafe { (&*info, &mut *see.cast::<F>()) };
        c_int::from(see(info).is_break())
    }
    // SAFETY: `call` gets `see` back while this function waits. It does not unwind: the closures of this crate do not
    // panic.
    unsafe { libc::dl_iterate_phdr(Some(call::<F>), (&raw mut see).cast()) };
}

fn visit_in_child(mut see: impl FnMut(&dl_phdr_info) -> ControlFlow<()>) {
    let Ok(memory) = Checked::open() else { return };
    for entry in entries() {
        let Some(headers) = program_headers(&memory, entry.base) else {
            continue;
        };
        let info = dl_phdr_info {
            dlpi_addr: entry.base,
            dlpi_name: entry.name,
            dlpi_phdr: headers.as_ptr(),
            // The count was 16 bits wide in the file.
            dlpi_phnum: headers.len().try_into().unwrap_or(u16::MAX),
            dlpi_adds: 0,
            dlpi_subs: 0,
            dlpi_tls_modid: 0,
            dlpi_tls_data: ptr::null_mut(),
        };
        if see(&info).is_break() {
            return;
        }
    }
}

/// The loader's entries, in the order in which the files were loaded.
fn entries() -> impl Iterator<Item = &'static LinkMap> {
    let debug = DEBUG.load(Ordering::Relaxed);
    // SAFETY: null or the loader's own, which lives as long as the process.
    let first = unsafe { debug.as_ref() }.map_or(ptr::null(), |debug| debug.first);
    // SAFETY: the loader links an entry when it is complete, at the end of the list; the few programs that unload a file
    // in a child while another thread of theirs calls CUDA are not provided for.
    let entry = |entry: *const LinkMap| unsafe { entry.as_ref() };
    std::iter::successors(entry(first), move |last| entry(last.next)).take(LONGEST_LIST)
}

/// What the file that was loaded at `base` says of its parts. Files whose first part is not at their beginning are left
/// out, as programs are that cannot be moved.
fn program_headers(memory: &impl Memory, base: u64) -> Option<Vec<Elf64_Phdr>> {
    const MAGIC: [u8; 4] = *b"\x7fELF";
    let base = usize::try_from(base).ok().filter(|base| *base != 0)?;
    let mut magic = [0; MAGIC.len()];
    memory.bytes(base, &mut magic)?;
    if magic != MAGIC {
        return None;
    }
    let offset: u64 = memory.number(base + std::mem::offset_of!(Elf64_Ehdr, e_phoff))?;
    let count: u32 = memory.number(base + std::mem::offset_of!(Elf64_Ehdr, e_phnum))?;
    let first = base.checked_add(usize::try_from(offset).ok()?)?;
    // The number is 16 bits wide; the reader knows wider ones.
    (0..(count & 0xffff) as usize)
        .map(|index| program_header(memory, first + index * size_of::<Elf64_Phdr>()))
        .collect()
}

fn program_header(memory: &impl Memory, address: usize) -> Option<Elf64_Phdr> {
    let number = |offset| memory.number(address + offset);
    let wide = |offset| memory.number(address + offset);
    Some(Elf64_Phdr {
        p_type: number(std::mem::offset_of!(Elf64_Phdr, p_type))?,
        p_flags: number(std::mem::offset_of!(Elf64_Phdr, p_flags))?,
        p_offset: wide(std::mem::offset_of!(Elf64_Phdr, p_offset))?,
        p_vaddr: wide(std::mem::offset_of!(Elf64_Phdr, p_vaddr))?,
        p_paddr: wide(std::mem::offset_of!(Elf64_Phdr, p_paddr))?,
        p_filesz: wide(std::mem::offset_of!(Elf64_Phdr, p_filesz))?,
        p_memsz: wide(std::mem::offset_of!(Elf64_Phdr, p_memsz))?,
        p_align: wide(std::mem::offset_of!(Elf64_Phdr, p_align))?,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// What the walks say of a file: its name, its base, and the type and place of its parts.
    type Described = (Vec<u8>, u64, Vec<(u32, u64, u64)>);

    fn describe(info: &dl_phdr_info) -> Described {
        // SAFETY: a walk passes a name that ends in a zero byte and an array of that length.
        let (name, headers) = unsafe {
            (
                CStr::from_ptr(info.dlpi_name).to_bytes().to_vec(),
                std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()),
            )
        };
        let parts = headers
            .iter()
            .map(|header| (header.p_type, header.p_vaddr, header.p_memsz))
            .collect();
        (name, info.dlpi_addr, parts)
    }

    #[test]
    fn a_child_sees_the_same_files() {
        prepare();
        let (mut locked, mut unlocked) = (Vec::new(), Vec::new());
        visit_locked(|info| {
            locked.push(describe(info));
            ControlFlow::Continue(())
        });
        visit_in_child(|info| {
            unlocked.push(describe(info));
            ControlFlow::Continue(())
        });
        assert!(locked.len() > 2);
        assert_eq!(unlocked, locked);
        assert_eq!(entries().count(), locked.len());
    }

    #[test]
    fn what_is_no_file_has_no_headers() {
        let memory = Checked::open().unwrap();
        let zeros = [0u8; 64];
        assert!(program_headers(&memory, zeros.as_ptr() as u64).is_none());
        assert!(program_headers(&memory, 8).is_none());
        assert!(program_headers(&memory, 0).is_none());
    }
}
