//! The libraries inside the command.
//!
//! Cargo has no stable way to depend on another package's cdylib. So they are taken from the folder that `CGSAN_BUNDLE`
//! names, or built here by a cargo of our own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

/// The folder that has the libraries.
const GIVEN: &str = "CGSAN_BUNDLE";

/// The files, with the names of the constants that hold their hashes.
const LIBRARIES: [(&str, &str); 2] = [
    ("libcgsan_vgpu.so", "BUNDLED_VGPU"),
    ("libcgsan_inject.so", "BUNDLED_INJECT"),
];

/// Characters of a hash that name a folder: 64 bits.
const SHOWN: usize = 16;

/// Puts the libraries into `OUT_DIR`, and gives the compiler their hashes as environment variables.
pub fn emit() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed={GIVEN}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
    let folder = match env::var_os(GIVEN) {
        Some(folder) => given(PathBuf::from(folder)),
        None => build(&out.join("libraries"))?,
    };
    for (file, variable) in LIBRARIES {
        let path = folder.join(file);
        let bytes = fs::read(&path).map_err(|error| cannot_read(&path, &error))?;
        println!("cargo::rustc-env={variable}={}", hash(&bytes));
        let copy = out.join(file);
        fs::write(&copy, bytes).map_err(|error| format!("{}: {error}", copy.display()))?;
    }
    Ok(())
}

/// Has this script run again when a library in the folder changes.
fn given(folder: PathBuf) -> PathBuf {
    for (file, _) in LIBRARIES {
        println!("cargo::rerun-if-changed={}", folder.join(file).display());
    }
    folder
}

fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!(
        "{}: {error}; build it with `cargo build --package cgsan-vgpu --package cgsan-inject`, or unset {GIVEN}",
        path.display()
    )
}

fn hash(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text.truncate(SHOWN);
    text
}

/// Builds them as the command is built, and returns the folder that they are in. The folder is not the outer cargo's, which keeps
/// that locked.
fn build(folder: &Path) -> Result<PathBuf, String> {
    let variable = |name: &str| {
        env::var(name).map_err(|_| format!("cargo did not set {name} for a build script"))
    };
    let (target, is_debug) = (variable("TARGET")?, variable("PROFILE")? == "debug");
    let mut cargo = Command::new(variable("CARGO")?);
    cargo
        .args([
            "build",
            "--lib",
            "--package",
            "cgsan-vgpu",
            "--package",
            "cgsan-inject",
        ])
        .args([
            "--target",
            &target,
            "--profile",
            if is_debug { "dev" } else { "release" },
        ])
        .arg("--target-dir")
        .arg(folder);
    let status = cargo
        .status()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err("the libraries of cgsan cannot be built; see above".to_owned());
    }
    let built = folder
        .join(target)
        .join(if is_debug { "debug" } else { "release" });
    for (file, _) in LIBRARIES {
        watch_sources(&built.join(file).with_extension("d"), folder)?;
    }
    Ok(built)
}

/// Has this script run again when a source of a library changes. Cargo lists them in a rule of make's: `library: source source …`.
/// What a build makes in its own folder is newer than the start of this script, which would run for each build then.
fn watch_sources(rule: &Path, folder: &Path) -> Result<(), String> {
    let text = fs::read_to_string(rule).map_err(|error| format!("{}: {error}", rule.display()))?;
    let (_, sources) = text.split_once(": ").unwrap_or_default();
    for source in sources.trim_end().replace("\\ ", "\0").split(' ') {
        let source = source.replace('\0', " ");
        if !Path::new(&source).starts_with(folder) {
            println!("cargo::rerun-if-changed={source}");
        }
    }
    Ok(())
}
