//! The sources of PyTorch 2.6, from Debian's source package `pytorch`. They are kept in the cache folder, never committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::workspace;

/// The release of Debian whose `pytorch` is 2.6.
const RELEASE: &str = "trixie";

/// The folder that holds `test_cuda.py`: below `given`, or of Debian's package, downloaded if need be.
pub fn folder_of_tests(given: Option<&Path>) -> Result<PathBuf> {
    let source = match given {
        Some(folder) => folder.to_owned(),
        None => downloaded()?,
    };
    let tests = source.join("test");
    if tests.join("test_cuda.py").is_file() {
        Ok(tests)
    } else {
        Err(Failure::new(format!(
            "{} holds no test/test_cuda.py; name the root of PyTorch's sources",
            source.display()
        )))
    }
}

fn downloaded() -> Result<PathBuf> {
    let folder = workspace::cache()?.join("pytorch-source");
    if let Some(source) = unpacked(&folder) {
        return Ok(source);
    }
    fs::create_dir_all(folder.join("lists/partial"))
        .context(|| format!("cannot create {}", folder.display()))?;
    eprintln!("downloading Debian's source package of PyTorch (50 MB, once)");
    let sources = folder.join("debian.sources");
    fs::write(
        &sources,
        format!(
            "Types: deb-src\nURIs: {}\nSuites: {RELEASE}\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n",
            mirror()?
        ),
    )
    .context(|| format!("cannot write {}", sources.display()))?;
    process::run(apt(&folder, &sources).arg("update"))?;
    process::run(apt(&folder, &sources).args(["source", "--download-only", "pytorch"]))?;
    let archive = files(&folder)
        .find(|path| path.to_string_lossy().contains(".orig.tar"))
        .ok_or_else(|| Failure::new("Debian's source package of PyTorch holds no .orig.tar"))?;
    process::run(
        Command::new("tar")
            .args(["--extract", "--wildcards", "--file"])
            .arg(&archive)
            .arg("*/test/*.py")
            .current_dir(&folder),
    )?;
    unpacked(&folder)
        .ok_or_else(|| Failure::new(format!("{} holds no test/test_cuda.py", archive.display())))
}

/// The folder in which `test/test_cuda.py` lies.
fn unpacked(folder: &Path) -> Option<PathBuf> {
    files(folder).find(|path| path.join("test/test_cuda.py").is_file())
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
}

/// Where this machine gets Debian's packages from.
fn mirror() -> Result<String> {
    let asked = process::output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
    ]));
    asked
        .ok()
        .and_then(|answer| {
            answer
                .lines()
                .find(|line| line.trim_end_matches('/').ends_with("/debian"))
                .map(str::to_owned)
        })
        .ok_or_else(|| {
            Failure::new(
                "this machine has no mirror of Debian among apt's sources; unpack PyTorch 2.6 and name its folder with --source",
            )
        })
}

/// `apt-get` with lists and sources of its own, so that the machine's stay as they are.
fn apt(folder: &Path, sources: &Path) -> Command {
    let mut command = Command::new("apt-get");
    let option = |name: &str, path: &Path| format!("{name}={}", path.display());
    command
        .current_dir(folder)
        .arg("-o")
        .arg(option("Dir::Etc::sourcelist", sources))
        .args(["-o", "Dir::Etc::sourceparts=-", "-o"])
        .arg(option("Dir::State::lists", &folder.join("lists")));
    command
}
