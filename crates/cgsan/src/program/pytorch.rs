//! How to come by a PyTorch that can be watched, in the environment at hand.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// What PyTorch needs to start, beside NVIDIA's libraries.
const NEEDED: &str = "filelock fsspec jinja2 networkx numpy setuptools sympy typing-extensions";

/// Where an interpreter gets its packages from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Environment {
    /// Pip installs them.
    Pip(PathBuf),
    /// uv made it, and there is no pip in it.
    Uv(PathBuf),
    /// Conda installed its PyTorch, in this folder.
    Conda(PathBuf),
    /// Nothing is to be installed there: the reason.
    Fixed(&'static str),
}

/// What to do for a PyTorch built for CUDA, given the interpreter and the version that it has of another PyTorch.
pub fn how_to_get(python: &Path, installed: Option<&str>) -> String {
    advice(&Environment::of(python), installed)
}

impl Environment {
    /// That of an interpreter, by what lies around it.
    fn of(python: &Path) -> Self {
        let prefix = python.parent().and_then(Path::parent);
        let Some(prefix) = prefix.filter(|_| python.is_absolute()) else {
            return Self::Pip(python.to_owned());
        };
        let is_writable = |folder: &Path| rustix::fs::access(folder, Access::WRITE_OK).is_ok();
        let libraries = libraries(prefix);
        if libraries
            .iter()
            .any(|it| it.join("EXTERNALLY-MANAGED").exists())
        {
            return Self::Fixed("its packages are the system's");
        }
        let packages = libraries.iter().map(|it| it.join("site-packages"));
        if packages.clone().any(|it| it.exists()) && !packages.clone().any(|it| is_writable(&it)) {
            return Self::Fixed("its packages cannot be changed by you");
        }
        let configuration = fs::read_to_string(prefix.join("pyvenv.cfg")).unwrap_or_default();
        let is_of_uv = configuration.lines().any(|line| line.starts_with("uv = "));
        let has_pip = packages.clone().any(|it| it.join("pip").exists());
        if is_of_uv && !has_pip {
            return Self::Uv(python.to_owned());
        }
        if has_conda_torch(prefix) {
            return Self::Conda(prefix.to_owned());
        }
        Self::Pip(python.to_owned())
    }
}

/// The folders `lib/python3.X` of an installation.
fn libraries(prefix: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(prefix.join("lib")).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let is_python = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("python3.")
    };
    paths.filter(is_python).collect()
}

/// Whether Conda installed the PyTorch of an environment of its own.
fn has_conda_torch(prefix: &Path) -> bool {
    let entries = fs::read_dir(prefix.join("conda-meta"))
        .into_iter()
        .flatten();
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("pytorch-")
    })
}

fn advice(environment: &Environment, installed: Option<&str>) -> String {
    let install = match environment {
        Environment::Pip(python) => format!("{} -m pip install", python.display()),
        Environment::Uv(python) => format!("uv pip install --python {}", python.display()),
        Environment::Conda(prefix) => {
            return format!(
                "install a CUDA build of PyTorch in the environment {}: conda-forge calls it `pytorch-gpu`; without a GPU, set \
                 CONDA_OVERRIDE_CUDA to a version of CUDA, such as 12.9, meanwhile",
                prefix.display()
            );
        }
        Environment::Fixed(why) => {
            return format!(
                "{why}: make an environment of your own with `python3 -m venv .venv`, and install PyTorch there with \
                 `.venv/bin/python -m pip install torch`"
            );
        }
    };
    let Some(installed) = installed.filter(|it| !it.is_empty()) else {
        return format!(
            "install it with `{install} torch`; without a GPU, `{install} --no-deps torch` and `{install} {NEEDED}` are enough"
        );
    };
    let (version, _) = installed.split_once('+').unwrap_or((installed, ""));
    let is_release = version
        .split('.')
        .all(|part| part.bytes().all(|it| it.is_ascii_digit()));
    if !is_release {
        return "install a CUDA build of PyTorch in its place; pytorch.org/get-started names the command"
            .to_owned();
    }
    let again = match environment {
        Environment::Uv(_) => "--reinstall",
        _ => "--force-reinstall",
    };
    // NVIDIA's libraries are most of the download, and the virtual GPU stands in for them.
    format!(
        "put the CUDA build in its place, which is what PyPI has for Linux on x86-64: `{install} {again} torch=={version}`, \
         without a GPU also with `--no-deps`; if another index is configured, pytorch.org/get-started names the command"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn an_environment_is_known_by_what_lies_around_its_python() {
        let folder = tempfile::tempdir().expect("a folder");
        let python = folder.path().join("bin/python");
        let of = || Environment::of(&python);
        assert_eq!(of(), Environment::Pip(python.clone()));
        let library = folder.path().join("lib/python3.12");
        let configuration = folder.path().join("pyvenv.cfg");
        file(&configuration, "home = /usr/bin\nuv = 0.9.1\n");
        assert_eq!(of(), Environment::Uv(python.clone()));
        file(&library.join("site-packages/pip/__init__.py"), "");
        assert_eq!(of(), Environment::Pip(python.clone()));
        file(
            &folder.path().join("conda-meta/pytorch-2.11.0-cpu.json"),
            "",
        );
        assert_eq!(of(), Environment::Conda(folder.path().to_owned()));
        file(&library.join("EXTERNALLY-MANAGED"), "");
        assert_eq!(of(), Environment::Fixed("its packages are the system's"));
    }

    #[test]
    fn the_command_is_that_of_the_environment() {
        let pip = Environment::Pip("/e/bin/python".into());
        let uv = Environment::Uv("/e/bin/python".into());
        let cpu = Some("2.11.0+cpu");
        let told = [
            advice(&pip, None),
            advice(&uv, None),
            advice(&pip, cpu),
            advice(&uv, cpu),
            advice(&pip, Some("2.12.0.dev20261101+cpu")),
            advice(&Environment::Conda("/e".into()), cpu),
            advice(&Environment::Fixed("its packages are the system's"), cpu),
        ];
        insta::assert_snapshot!(told.join("\n"));
    }
}
