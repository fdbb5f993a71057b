//! What must hold of a wheel before anybody gets it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure, Result};
use crate::workspace;

use super::wheel::{PLATFORM, Unpacked};

/// Bytes of the largest wheel.
const LARGEST: u64 = 15_000_000;

/// What lies below `share`, beside the pages of the subcommands.
const SHARED: [&str; 4] = [
    "bash-completion/completions/cgsan",
    "fish/vendor_completions.d/cgsan.fish",
    "man/man1/cgsan.1",
    "zsh/site-functions/_cgsan",
];

/// What describes the package.
const INFORMATION: [&str; 9] = [
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE-APACHE",
    "licenses/LICENSE-MIT",
    "licenses/RUST-STANDARD-LIBRARY.html",
    "licenses/THIRD-PARTY.txt",
    "sboms/cgsan.cyclonedx.json",
];

/// Fails if the wheel is too large.
pub fn check_size(wheel: &Path) -> Result<()> {
    let size = size_of(wheel)?;
    if size <= LARGEST {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} has {size} bytes, more than {LARGEST}",
        wheel.display()
    )))
}

/// Fails if the wheel does not say that it is for every Python and for the platform of a release.
pub fn check_tag(wheel: &Path, unpacked: &Unpacked) -> Result<()> {
    let path = unpacked.information().join("WHEEL");
    let text = fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))?;
    let tag = format!("py3-none-{PLATFORM}_x86_64");
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    let is_named = name.contains("-py3-none-") && name.contains(&format!("{PLATFORM}_x86_64"));
    if is_named && text.lines().any(|line| line == format!("Tag: {tag}")) {
        return Ok(());
    }
    Err(Failure::new(format!("{name} is not tagged {tag}:\n{text}")))
}

/// Fails if a file is missing in the wheel, or if there is one that nobody put there.
pub fn check_contents(unpacked: &Unpacked) -> Result<()> {
    let found: BTreeSet<PathBuf> = files(unpacked.folder())?.into_iter().collect();
    let expected = expected(unpacked)?;
    let is_page = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("cgsan-") && name.ends_with(".1")
    };
    let missing: Vec<_> = expected.difference(&found).collect();
    let unknown: Vec<_> = found
        .difference(&expected)
        .filter(|it| !is_page(it))
        .collect();
    if missing.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the wheel does not have what it should: missing {missing:?}, unknown {unknown:?}"
    )))
}

/// The files of a wheel, but for the pages of the subcommands.
fn expected(unpacked: &Unpacked) -> Result<BTreeSet<PathBuf>> {
    let library = workspace::root().join("python/cgsan/library");
    let mut expected: BTreeSet<PathBuf> = files(&library)?
        .into_iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|it| it == "py" || it == "typed")
        })
        .collect();
    let data = in_wheel(unpacked, &unpacked.data());
    let information = in_wheel(unpacked, &unpacked.information());
    expected.insert(in_wheel(unpacked, &unpacked.command()));
    expected.extend(SHARED.map(|file| data.join("data/share").join(file)));
    expected.extend(INFORMATION.map(|file| information.join(file)));
    Ok(expected)
}

fn in_wheel(unpacked: &Unpacked, path: &Path) -> PathBuf {
    let inside = path.strip_prefix(unpacked.folder());
    inside.unwrap_or(path).to_owned()
}

/// What is in the wheel, for the person who publishes it.
pub fn list(wheel: &Path, unpacked: &Unpacked) -> Result<String> {
    let mut text = String::new();
    let mut sum = 0;
    for file in files(unpacked.folder())? {
        let size = size_of(&unpacked.folder().join(&file))?;
        sum += size;
        let _ = writeln!(text, "{size:>12}  {}", file.display());
    }
    let packed = size_of(wheel)?;
    let _ = writeln!(text, "{sum:>12}  bytes, {packed} in the wheel");
    Ok(text)
}

fn size_of(file: &Path) -> Result<u64> {
    let about = fs::metadata(file).context(|| format!("cannot read {}", file.display()))?;
    Ok(about.len())
}

/// The files below a folder, by their paths in it, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let reading = || format!("cannot read {}", folder.display());
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).context(reading)? {
            let path = entry.context(reading)?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder).context(reading)?.to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}
