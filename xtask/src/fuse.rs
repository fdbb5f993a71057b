//! An interpreter that can serve a file system, for tests of mounts that do not answer.

use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::failure::Result;

/// The variable that names the interpreter to the tests.
pub const VARIABLE: &str = "CGSAN_TEST_FUSE_PYTHON";

/// Where a machine that has FUSE offers it.
const DEVICE: &str = "/dev/fuse";

const REQUIREMENTS: &str = include_str!("../requirements/fuse.txt");

/// The interpreter: the one that the variable names, or our own; none on a machine without FUSE, where these tests do nothing.
pub fn python() -> Result<Option<PathBuf>> {
    if std::env::var_os(VARIABLE).is_none() && !Path::new(DEVICE).exists() {
        return Ok(None);
    }
    let environment = Environment {
        name: "fuse".to_owned(),
        requirements: REQUIREMENTS.to_owned(),
        contents: "mfusepy",
        size: "28 kB",
    };
    environment.named_by_or_made(VARIABLE).map(Some)
}
