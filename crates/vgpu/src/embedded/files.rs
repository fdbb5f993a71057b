//! The files of the program with a CUDA runtime in them.
#![expect(unsafe_code, reason = "loads files and calls their functions")]

use std::collections::BTreeSet;
use std::ffi::{CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cgsan_observe::jump;
use cgsan_observe::launches::Parameter;

use super::kernels::Kernels;
use super::redirect::{Redirection, redirect};
use super::symbols::Functions;
use crate::api::TABLE;
use crate::exports;
use crate::gpu::version;

/// What became of files that the program loads.
#[derive(Debug, Default)]
struct Files {
    seen: BTreeSet<PathBuf>,
    served: Vec<Served>,
    /// Those for which the virtual GPU could not stand in, as a note says.
    refused: BTreeSet<PathBuf>,
}

/// A file for whose runtime the virtual GPU stands in.
#[derive(Debug)]
struct Served {
    path: PathBuf,
    base: u64,
    functions: Functions,
    /// Those in it, once one was asked for.
    kernels: Arc<OnceLock<Kernels>>,
}

static FILES: Mutex<Files> = Mutex::new(Files {
    seen: BTreeSet::new(),
    served: Vec::new(),
    refused: BTreeSet::new(),
});

fn files() -> MutexGuard<'static, Files> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stands in for the CUDA runtime in a file that the program is about to load, if there is one.
pub fn stand_in(path: &Path) {
    if !files().seen.insert(path.to_owned()) {
        return;
    }
    let Some(functions) = Functions::of_runtime_in(path) else {
        return;
    };
    let Some(base) = load(path) else {
        // The program's own attempt will say why.
        return;
    };
    match serve(base, &functions) {
        Ok(()) => files().served.push(Served {
            path: path.to_owned(),
            base,
            functions,
            kernels: Arc::default(),
        }),
        Err(reason) => {
            files().refused.insert(path.to_owned());
            cgsan_observe::note(&format!(
                "{} has a CUDA runtime of its own, for which the virtual GPU cannot stand in: {reason}",
                path.display()
            ));
        }
    }
}

/// Whether a note says why the virtual GPU could not stand in for the runtime in a file.
pub fn is_explained(path: &Path) -> bool {
    files().refused.contains(path)
}

/// The name of the function at an address, if it lies in one of the files: kernels were registered with the file's own
/// runtime when the file was loaded, before the virtual GPU stood in for it, and go by the name of the function that
/// stands for them.
pub fn name_of(address: u64) -> Option<CString> {
    let files = files();
    let (_, name) = files
        .served
        .iter()
        .find_map(|file| file.function(address))?;
    CString::new(name).ok()
}

/// What the code in such a file tells of the kernel that the function at an address stands for.
pub fn parameters_of(address: u64) -> Option<Arc<[Parameter]>> {
    let files = files();
    let (file, name) = files
        .served
        .iter()
        .find_map(|file| file.function(address))?;
    let (path, name, kernels) = (file.path.clone(), name.to_owned(), file.kernels.clone());
    drop(files);
    let kernels = kernels.get_or_init(|| Kernels::of_file(&path));
    kernels.parameters(&name)
}

impl Served {
    fn function(&self, address: u64) -> Option<(&Served, &str)> {
        let offset = address.checked_sub(self.base)?;
        Some((self, self.functions.at(offset)?))
    }
}

/// Loads a file for good, and returns where it lies.
fn load(path: &Path) -> Option<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the program is about to load the same file, so its constructors run in any case.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    let mut entry: *const u64 = std::ptr::null();
    // SAFETY: the handle is valid, and this request writes a pointer to the loader's entry.
    let status = unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut entry).cast()) };
    // SAFETY: the entry, a `struct link_map` (`<link.h>`), begins with the file's base and lives as long as the file is loaded.
    (status == 0 && !entry.is_null()).then(|| unsafe { entry.read() })
}

fn serve(base: u64, functions: &Functions) -> Result<(), String> {
    let address = |offset: u64| usize::try_from(base.wrapping_add(offset)).unwrap_or(usize::MAX);
    if let Some(offset) = functions.offset("cudaRuntimeGetVersion") {
        let version = version_of(address(offset) as *const c_void);
        if !version::agree(version) {
            return Err(format!(
                "it is of CUDA {}, the program's PyTorch of CUDA {}; install both for the same CUDA",
                version / 1000,
                version::runtime() / 1000
            ));
        }
    }
    let redirections: Vec<Redirection> = functions
        .with_room()
        .filter(|(_, name, room)| *room >= jump::BYTES as u64 && is_of_runtime(name))
        .filter_map(|(offset, name, _)| {
            Some(Redirection {
                from: address(offset),
                to: exports::address(name)?.addr(),
            })
        })
        // The program may open the virtual GPU's own file.
        .filter(|it| it.from != it.to)
        .collect();
    // SAFETY: these are functions of a file that was loaded just now and stays loaded, with enough room before the next
    // one. Functions of these names have the signatures of the runtime's.
    unsafe { redirect(&redirections) }.map_err(|error| error.to_string())
}

fn is_of_runtime(name: &str) -> bool {
    TABLE
        .iter()
        .any(|function| function.library == "cudart" && function.name == name)
}

/// What the file's own `cudaRuntimeGetVersion` says, which needs no driver.
fn version_of(function: *const c_void) -> c_int {
    let mut version = 0;
    // SAFETY: the file's symbol table names the function so; it writes one number.
    unsafe {
        let function: extern "C" fn(*mut c_int) -> c_int = std::mem::transmute(function);
        function(&raw mut version);
    }
    version
}
