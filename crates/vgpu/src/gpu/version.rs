//! The version of the CUDA runtime that the program was built for, which decides the layout of some structures.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::device::DRIVER_VERSION;

/// 1000 × major + 10 × minor.
static RUNTIME: AtomicI32 = AtomicI32::new(DRIVER_VERSION);

/// Whether the program has said which version it was built for.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Sets the version from a text like `12.8`; a text that is none is ignored.
pub fn set_runtime(text: &str) {
    if let Some(version) = parse(text) {
        RUNTIME.store(version, Ordering::Relaxed);
        IS_SET.store(true, Ordering::Relaxed);
    }
}

/// Whether structures are laid out as another runtime of the program's expects, given its version. The first runtime decides
/// if PyTorch did not.
pub fn agree(version: i32) -> bool {
    if !IS_SET.swap(true, Ordering::Relaxed) {
        RUNTIME.store(version, Ordering::Relaxed);
    }
    runtime() / 1000 == version / 1000
}

/// The version (1000 × major + 10 × minor).
pub fn runtime() -> i32 {
    RUNTIME.load(Ordering::Relaxed)
}

/// Whether structures have the layout of CUDA 13.
pub fn is_13() -> bool {
    runtime() >= 13_000
}

fn parse(text: &str) -> Option<i32> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let (major, minor): (i32, i32) = (major.parse().ok()?, minor.parse().ok()?);
    ((8..100).contains(&major) && (0..100).contains(&minor)).then_some(major * 1000 + minor * 10)
}

#[cfg(test)]
mod tests {
    use super::{agree, parse};

    #[test]
    fn a_version_is_major_and_minor() {
        assert_eq!(parse("13.0"), Some(13_000));
        assert_eq!(parse("12.8"), Some(12_080));
        assert_eq!(parse("12"), Some(12_000));
    }

    #[test]
    fn runtimes_of_one_major_number_agree() {
        assert!(agree(13_020));
        assert!(agree(13_000));
        assert!(!agree(12_080));
    }

    #[test]
    fn anything_else_is_none() {
        for text in ["", "cpu", "12.x", "-3.0", "99999999999.1"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
