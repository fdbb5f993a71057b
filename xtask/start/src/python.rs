//! Interpreters with the PyTorch of the Python package index, without NVIDIA's libraries.

use std::env;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::failure::{Failure, Result};

/// The PyTorch that cgsan is tested with.
pub const DEFAULT_TORCH: &str = "2.11.0";

/// What is installed with it alone: the Triton that it is published with, packages that the tests use, and what runs tests and
/// notebooks. CuPy compiles its kernels with the headers that come with NVIDIA's runtime.
const BESIDE_DEFAULT: &str = concat!(
    "triton==3.6.0\n",
    include_str!("../requirements/packages.txt"),
    include_str!("../requirements/consumers.txt"),
    include_str!("../requirements/runtimes.txt")
);

/// What `import torch` and `torch.nn` need besides, at versions that every supported Python can install.
const COMPANIONS: &str = include_str!("../requirements/torch.txt");

/// The interpreter that tests use: the one that `CGSAN_TEST_PYTHON` names, or our own.
pub fn for_tests() -> Result<PathBuf> {
    match chosen() {
        Some(python) if Path::new(&python).exists() => Ok(python),
        Some(python) => Err(Failure::new(format!(
            "CGSAN_TEST_PYTHON names {}, which does not exist; correct it, or unset it to have one made",
            python.display()
        ))),
        None => environment(DEFAULT_TORCH)?.make().map_err(|failure| {
            Failure::new(format!(
                "{failure} If this machine has an interpreter with PyTorch, name it in CGSAN_TEST_PYTHON."
            ))
        }),
    }
}

/// As [`for_tests`], if it is there without a download.
pub fn existing() -> Option<PathBuf> {
    chosen()
        .filter(|python| python.exists())
        .or_else(|| environment(DEFAULT_TORCH).ok()?.existing())
}

/// The interpreter with a version of PyTorch: that of the tests for the one that cgsan is tested with.
pub fn with_torch(version: &str) -> Result<PathBuf> {
    if version == DEFAULT_TORCH {
        for_tests()
    } else {
        environment(version)?.make()
    }
}

/// The interpreter of the demonstration: that of the tests if it is there, else one with PyTorch alone.
pub fn for_demo() -> Result<PathBuf> {
    existing().map_or_else(|| alone(DEFAULT_TORCH)?.make(), Ok)
}

fn chosen() -> Option<PathBuf> {
    env::var_os("CGSAN_TEST_PYTHON").map(PathBuf::from)
}

/// The environment with a version of PyTorch: for the one that cgsan is tested with, that of the tests.
pub fn environment(torch: &str) -> Result<Environment> {
    let alone = alone(torch)?;
    if torch != DEFAULT_TORCH {
        return Ok(alone);
    }
    Ok(Environment {
        name: format!("torch{torch}"),
        requirements: alone.requirements + BESIDE_DEFAULT,
        contents: "PyTorch and packages that use it",
        size: "1,150 MB",
    })
}

/// The environment with a version of PyTorch and what it needs, and nothing else.
fn alone(torch: &str) -> Result<Environment> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Failure::new(
            "PyTorch with CUDA is published for Linux x86-64 (and cgsan runs there only); use such a machine",
        ));
    }
    let plausible = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if torch.is_empty() || !torch.chars().all(plausible) {
        return Err(Failure::new(format!(
            "`{torch}` is not a version of PyTorch; write one such as {DEFAULT_TORCH}"
        )));
    }
    let (name, size) = if torch == DEFAULT_TORCH {
        (format!("torch{torch}-alone"), "560 MB")
    } else {
        (format!("torch{torch}"), "up to 950 MB")
    };
    Ok(Environment {
        name,
        requirements: format!("torch=={torch}\n{COMPANIONS}"),
        contents: "PyTorch",
        size,
    })
}
