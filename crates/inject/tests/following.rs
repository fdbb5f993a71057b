//! Launches in a child that runs a region again, under a made-up driver: the agent is told of them, and nothing is launched.
#![allow(
    unsafe_code,
    reason = "calls exported functions as the driver and the agent do"
)]

use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

// Only so that the library is linked.
use cgsan_inject as _;

unsafe extern "C" {
    fn cgsan_capture_announced();
    fn cgsan_follow_launches(follower: *mut c_void);
    fn cgsan_sealed_clone(report: c_int, bytes: u64, seconds: u32) -> i64;
}

/// What a launch is told as: numbers of the kind, of what is done, the value, and where that stands.
#[repr(C)]
struct Use {
    kind: c_uint,
    does: c_uint,
    value: u64,
    field: c_uint,
    parameter: c_uint,
}

type LaunchKernel = unsafe extern "C" fn(
    u64,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    u64,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// Set where the test runs itself.
const FOLDER: &str = "CGSAN_TEST_FOLDER";
/// The child's descriptor of the pipe to its parent.
const REPORT: c_int = 3;
/// What the made-up driver returns.
const REFUSED: c_int = 719;

#[test]
fn a_launch_in_a_child_is_told_and_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fake_driver(), folder.path().join("libcuda.so.1")).unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "follows"])
        .env(FOLDER, folder.path())
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

#[test]
#[ignore = "run by the other test, in a process of its own"]
fn follows() {
    if env::var_os(FOLDER).is_none() {
        return;
    }
    let launch = launch_kernel();
    let mut pipe = [0; 2];
    // SAFETY: there is room for two descriptors, and the functions ask nothing of their caller. In this process, nothing is replaced.
    let child = unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        cgsan_capture_announced();
        cgsan_follow_launches(tell as *mut c_void);
        assert_eq!(launch_scale(launch), REFUSED);
        cgsan_sealed_clone(pipe[1], 1 << 30, 5)
    };
    if child == 0 {
        // SAFETY: the follower is a function of that type; nobody but the parent waits for this process.
        unsafe {
            cgsan_follow_launches(tell as *mut c_void);
            libc::_exit(launch_scale(launch));
        }
    }
    assert!(child > 0, "{child}");
    let mut told = [0_u8; 512];
    // SAFETY: there is room for so many bytes; the child is this process's own.
    let (length, status) = unsafe {
        libc::close(pipe[1]);
        let length = libc::read(pipe[0], told.as_mut_ptr().cast(), told.len());
        let mut status = 0;
        // Its end sends no signal.
        libc::waitpid(i32::try_from(child).unwrap(), &raw mut status, libc::__WALL);
        (usize::try_from(length).unwrap_or_default(), status)
    };
    let told = String::from_utf8_lossy(&told[..length]);
    assert_eq!(
        told,
        "_Z5scalePKffi [[4, 2, 1], [128, 1, 1]] (0, 0): (3, 1, 7f0000000200) (1, 0): (2, 0, 3fe0000000000000) (2, 0): (1, 0, ffffffffffffffff)"
    );
    assert_eq!(status, 0, "the launch succeeds");
}

/// `scale<<<(4, 2), 128>>>(x, 0.5, -1)`
fn launch_scale(launch: LaunchKernel) -> c_int {
    let (mut x, mut factor, mut count) = (0x7f00_0000_0200_u64, 0.5_f32, -1_i32);
    let mut arguments: [*mut c_void; 3] = [
        (&raw mut x).cast(),
        (&raw mut factor).cast(),
        (&raw mut count).cast(),
    ];
    let (arguments, extra) = (arguments.as_mut_ptr(), std::ptr::null_mut());
    // SAFETY: these are the parameters of the kernel, and live until it returns.
    unsafe { launch(0x1234, 4, 2, 1, 128, 1, 1, 0, 0, arguments, extra) }
}

/// The agent's: writes what it is told to the parent.
unsafe extern "C" fn tell(
    name: *const c_char,
    shape: *const [[c_uint; 3]; 2],
    words: *const Use,
    count: usize,
) {
    // SAFETY: by the promise of the caller.
    let (name, shape, words) = unsafe {
        let words = std::slice::from_raw_parts(words, count);
        (CStr::from_ptr(name), shape.read(), words)
    };
    let mut text = format!("{} {shape:?}", name.to_string_lossy());
    for it in words {
        let (kind, does, value) = (it.kind, it.does, it.value);
        let place = (it.parameter, it.field);
        let _ = write!(text, " {place:?}: ({kind}, {does}, {value:x})");
    }
    // SAFETY: these are so many bytes.
    unsafe { libc::write(REPORT, text.as_ptr().cast(), text.len()) };
}

fn launch_kernel() -> LaunchKernel {
    // SAFETY: the names end in zero bytes, and the function has this type.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        assert!(!driver.is_null(), "no driver");
        let launch = libc::dlsym(driver, c"cuLaunchKernel".as_ptr());
        std::mem::transmute::<*mut c_void, LaunchKernel>(launch)
    }
}

/// Cargo builds examples for tests, beside them.
fn fake_driver() -> PathBuf {
    let tests = env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    folder.join("examples/libfake_cupti.so")
}
