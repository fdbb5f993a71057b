//! The licenses of what is inside, with their texts.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment;
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::test;
use crate::workspace;

use super::inside::Package;
use super::tools::Linked;

/// How the names of files with licenses begin, in small letters.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// What the compiler comes with about its standard library, below its own folder.
const STANDARD_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// How the names of the packages begin that are published without the license of their repository, which Ruff is published with.
const OF_RUFF: &str = "ruff_";

/// Writes the licenses of the packages, of what the linker added and of Rust's standard library into a folder.
pub fn write(packages: &[Package], linked: &[Linked], folder: &Path) -> Result<()> {
    let writing = || format!("cannot write into {}", folder.display());
    fs::create_dir_all(folder).context(writing)?;
    fs::write(folder.join("THIRD-PARTY.txt"), text(packages, linked)?).context(writing)?;
    let standard = sysroot()?.join(STANDARD_LIBRARY);
    fs::copy(&standard, folder.join("RUST-STANDARD-LIBRARY.html"))
        .map(drop)
        .context(|| {
            format!(
                "cannot copy {}, which comes with the compiler",
                standard.display()
            )
        })
}

/// The version of the compiler, e.g. `1.95.0`.
pub fn compiler_version() -> Result<String> {
    let version = process::output(Command::new(rustc()).arg("--version"))?;
    let number = version.split(' ').nth(1);
    number.map(str::to_owned).ok_or_else(|| {
        Failure::new(format!(
            "`rustc --version` printed `{version}`, which has no version"
        ))
    })
}

fn sysroot() -> Result<PathBuf> {
    process::output(Command::new(rustc()).args(["--print", "sysroot"])).map(PathBuf::from)
}

fn rustc() -> std::ffi::OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// A list of the packages, and each text once, with those that it is of.
fn text(packages: &[Package], linked: &[Linked]) -> Result<String> {
    let mut list = String::from(
        "What is inside cgsan beside its own code, and under which licenses.\n\
         The standard library of Rust is inside, too: see RUST-STANDARD-LIBRARY.html.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !package.is_ours()) {
        let name = format!("{} {}", package.name, package.version);
        let repository = package.repository.as_deref().unwrap_or_default();
        let _ = writeln!(list, "{name:<32} {:<44} {repository}", package.license);
        for text in texts_of(package)? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for linked in linked {
        let name = format!("{} {}", linked.name, linked.version);
        let _ = writeln!(list, "{name:<32} {}", linked.license);
        texts.entry(read(&linked.text)?).or_default().push(name);
    }
    for (text, packages) in texts {
        let _ = write!(
            list,
            "\n{}\n{}\n\n{text}\n",
            "=".repeat(100),
            packages.join(", ")
        );
    }
    Ok(list)
}

/// Whether one may choose the Apache license, whose text is the same for all.
fn offers_apache(expression: &str) -> bool {
    expression.split(" OR ").any(|it| it == "Apache-2.0")
}

/// The texts that a package is published with.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    let mut files = Vec::new();
    collect(&package.folder, &mut files)?;
    if files.is_empty() && package.name.starts_with(OF_RUFF) {
        collect(
            &environment::packages_of(&test::linters().make()?)?,
            &mut files,
        )?;
        files.retain(|file| file.to_string_lossy().contains("/ruff-"));
    }
    if files.is_empty() && offers_apache(&package.license) {
        files.push(workspace::root().join("LICENSE-APACHE"));
    }
    if files.is_empty() {
        return Err(Failure::new(format!(
            "{} {} is published without the text of its license; say in xtask/src/dist/licenses.rs where it is",
            package.name, package.version
        )));
    }
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Result<String> {
    let bytes = fs::read(file).context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    Ok(text.trim().to_owned())
}

/// Adds the files with licenses below a folder, in the order of their names. That of C code lies in folders below.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let reading = || format!("cannot read {}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).context(reading)? {
        entries.push(entry.context(reading)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().context(reading)?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && is_license(&name) {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_license(name: &str) -> bool {
    let is_code = [".rs", ".py", ".json"]
        .iter()
        .any(|end| name.ends_with(end));
    !is_code && NAMES.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::is_license;

    #[test]
    fn files_with_licenses_are_told_by_their_names() {
        for name in ["license", "license-mit", "licence.txt", "copying", "notice"] {
            assert!(is_license(name), "{name}");
        }
        for name in ["licenses.rs", "readme.md", "relicensing.md"] {
            assert!(!is_license(name), "{name}");
        }
    }
}
