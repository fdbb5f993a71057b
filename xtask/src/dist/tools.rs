//! What builds and packs wheels.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::{self, Environment};
use crate::failure::{Context, Result};
use crate::workspace;

/// maturin, and what packs a wheel again.
const WHEEL: &str = include_str!("../../requirements/wheel.txt");

/// A C compiler and linker that knows the symbols of every glibc.
const ZIG: &str = include_str!("../../requirements/zig.txt");

/// The tools for one kind of wheel.
pub struct Tools {
    /// An interpreter whose folder has maturin.
    python: PathBuf,
    /// An interpreter that has Zig, for a release.
    zig: Option<PathBuf>,
    /// A folder with libraries to use as they are.
    libraries: Option<PathBuf>,
}

impl Tools {
    /// What a release needs.
    pub fn for_release() -> Result<Self> {
        let zig = Environment {
            name: "zig".to_owned(),
            requirements: ZIG.to_owned(),
            contents: "Zig",
            size: "100 MB",
        };
        Ok(Self {
            python: python()?,
            zig: Some(zig.make()?),
            libraries: None,
        })
    }

    /// What the tests need, with the libraries in `built`.
    pub fn for_tests(built: &Path) -> Result<Self> {
        Ok(Self {
            python: python()?,
            zig: None,
            libraries: Some(built.to_owned()),
        })
    }

    /// What the linker adds of its own: the unwinder and the runtime that take the place of GCC's.
    pub fn linked(&self) -> Result<Vec<Linked>> {
        let Some(python) = &self.zig else {
            return Ok(Vec::new());
        };
        let zig = environment::packages_of(python)?.join("ziglang");
        let version = ZIG.trim().trim_start_matches("ziglang==");
        Ok(vec![
            Linked {
                name: "libunwind (of LLVM, with Zig)",
                version,
                license: "Apache-2.0 WITH LLVM-exception",
                text: zig.join("lib/libunwind/LICENSE.TXT"),
            },
            Linked {
                name: "compiler-rt (of Zig)",
                version,
                license: "MIT",
                text: zig.join("LICENSE"),
            },
        ])
    }

    /// maturin, to be run in the root of the repository.
    pub fn maturin(&self) -> Result<Command> {
        let mut command = Command::new(self.python.with_file_name("maturin"));
        command.current_dir(workspace::root());
        if let Some(libraries) = &self.libraries {
            command.env("CGSAN_BUNDLE", libraries);
        }
        if let Some(zig) = &self.zig {
            command.env("PATH", path_beginning_with(zig)?);
            // So that what is published does not name the folders of this machine.
            command.env("CARGO_ENCODED_RUSTFLAGS", remapped());
        }
        Ok(command)
    }

    /// The commands of the package `wheel`.
    pub fn wheel(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.args(["-I", "-m", "wheel"]);
        command
    }
}

/// Something that the linker adds to what it links.
pub struct Linked {
    /// What it is.
    pub name: &'static str,
    /// The version of the linker.
    pub version: &'static str,
    /// The SPDX expression of its license.
    pub license: &'static str,
    /// The file with the license.
    pub text: PathBuf,
}

fn python() -> Result<PathBuf> {
    let environment = Environment {
        name: "wheel".to_owned(),
        requirements: WHEEL.to_owned(),
        contents: "maturin",
        size: "11 MB",
    };
    environment.make()
}

/// `PATH` with the folder of an interpreter first.
fn path_beginning_with(python: &Path) -> Result<OsString> {
    let first = python.parent().map(Path::to_owned);
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(first.into_iter().chain(env::split_paths(&rest)))
        .context(|| "cannot put Zig on PATH".to_owned())
}

/// What tells the compiler to name files by their place in the repository, or in cargo's folder.
fn remapped() -> String {
    let cargo = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let folders = [
        (Some(workspace::root().to_owned()), "cgsan"),
        (cargo, "cargo"),
    ];
    let flags = folders.into_iter().filter_map(|(folder, name)| {
        Some(format!("--remap-path-prefix={}={name}", folder?.display()))
    });
    // Cargo takes flags that are separated so, as folders may have spaces in their names.
    flags.collect::<Vec<_>>().join("\x1f")
}
