//! Building the wheel, and packing it again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::Profile;
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::workspace;

use super::tools::Tools;

/// The platform of a release: the oldest glibc that Rust supports.
pub const PLATFORM: &str = "manylinux_2_17";

/// The folder with the files of a wheel.
pub struct Unpacked {
    folder: PathBuf,
    /// `cgsan-` and the version.
    name: String,
}

impl Unpacked {
    /// The version of the package.
    pub fn version(&self) -> &str {
        self.name.trim_start_matches("cgsan-")
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command.
    pub fn command(&self) -> PathBuf {
        self.data().join("scripts/cgsan")
    }

    /// What is installed beside Python's packages: `scripts` into `bin`, `data` into the environment.
    pub fn data(&self) -> PathBuf {
        self.folder.join(format!("{}.data", self.name))
    }

    /// What describes the package.
    pub fn information(&self) -> PathBuf {
        self.folder.join(format!("{}.dist-info", self.name))
    }
}

/// Has maturin build the wheel into a folder, and returns its path.
pub fn build(tools: &Tools, folder: &Path, profile: Profile) -> Result<PathBuf> {
    let mut maturin = tools.maturin()?;
    maturin.args(["build", "--out"]).arg(folder);
    match profile {
        Profile::Release => maturin.args(["--release", "--zig", "--compatibility", PLATFORM]),
        // What the tests were built with is used again.
        Profile::Development => maturin.args([
            "--profile",
            "dev",
            "--auditwheel",
            "skip",
            "--features",
            "bundled,as-tested",
        ]),
    };
    process::run(&mut maturin)?;
    only(folder, is_wheel)
}

/// Unpacks a wheel into a folder.
pub fn unpack(tools: &Tools, wheel: &Path, folder: &Path) -> Result<Unpacked> {
    process::output(
        tools
            .wheel()
            .args(["unpack", "--dest"])
            .arg(folder)
            .arg(wheel),
    )?;
    let folder = only(folder, Path::is_dir)?;
    let name = folder.file_name().unwrap_or_default();
    Ok(Unpacked {
        name: name.to_string_lossy().into_owned(),
        folder,
    })
}

/// Packs the files into a wheel in `place`, with the list of them that installers check, and returns its path.
pub fn pack(tools: &Tools, unpacked: &Unpacked, place: &Path) -> Result<PathBuf> {
    let mut pack = tools.wheel();
    pack.arg("pack")
        .arg(&unpacked.folder)
        .arg("--dest-dir")
        .arg(place);
    if let Some(time) = time_of_commit() {
        // The files of a wheel bear times. That of the commit makes two wheels of it alike.
        pack.env("SOURCE_DATE_EPOCH", time);
    }
    process::output(&mut pack)?;
    only(place, is_wheel)
}

/// In seconds since 1970, if git is there and this is a checkout.
fn time_of_commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"])
        .current_dir(workspace::root());
    let output = git.output().ok().filter(|it| it.status.success())?;
    let time = String::from_utf8(output.stdout).ok()?;
    Some(time.trim().to_owned())
}

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "whl")
}

/// The one entry of a folder that is wanted.
fn only(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<PathBuf> {
    let reading = || format!("cannot read {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).context(reading)? {
        let path = entry.context(reading)?.path();
        if is_wanted(&path) {
            found.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([path]) => Ok(path),
        Err(found) => Err(Failure::new(format!(
            "one wheel was expected in {}, and there are {}",
            folder.display(),
            found.len()
        ))),
    }
}
