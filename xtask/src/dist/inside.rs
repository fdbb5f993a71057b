//! Which packages of Rust are inside the command and the libraries.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cargo;
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::workspace;

/// What is built for users.
const BUILT: [&str; 3] = ["cgsan", "cgsan-vgpu", "cgsan-inject"];

/// The platform that it is built for.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A package that is linked into a binary of a release.
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SPDX expression of its licenses.
    pub license: String,
    /// Where its source is developed.
    pub repository: Option<String>,
    /// The SHA-256 of the archive that it was published as; none for our own.
    pub checksum: Option<String>,
    /// The folder with its source.
    pub folder: PathBuf,
    /// Name and version of those that it uses.
    pub dependencies: Vec<(String, String)>,
}

impl Package {
    /// Whether it is one of this repository.
    pub fn is_ours(&self) -> bool {
        self.folder.starts_with(workspace::root())
    }
}

/// All of them, by name and version: with the features that they are built with, without what only runs in a build.
pub fn packages() -> Result<Vec<Package>> {
    let linked = linked()?;
    let checksums = checksums()?;
    let metadata: Metadata = serde_json::from_str(&process::output(&mut cargo::command(&[
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        TARGET,
    ]))?)
    .context(|| "cannot read what `cargo metadata` says".to_owned())?;

    let keys: BTreeMap<&str, Key> = metadata
        .packages
        .iter()
        .map(|it| (it.id.as_str(), (it.name.clone(), it.version.clone())))
        .collect();
    let uses: BTreeMap<&str, &[Use]> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node.deps.as_slice()))
        .collect();
    let mut packages = Vec::new();
    for described in &metadata.packages {
        let key = (described.name.clone(), described.version.clone());
        if !linked.contains(&key) {
            continue;
        }
        let dependencies: BTreeSet<Key> = uses
            .get(described.id.as_str())
            .copied()
            .unwrap_or_default()
            .iter()
            .filter(|it| it.dep_kinds.iter().any(|kind| kind.kind.is_none()))
            .filter_map(|it| keys.get(it.pkg.as_str()).cloned())
            .filter(|it| linked.contains(it))
            .collect();
        packages.push(Package {
            license: license_of(described)?,
            repository: described.repository.clone(),
            checksum: checksums.get(&key).cloned(),
            folder: described
                .manifest_path
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned(),
            dependencies: dependencies.into_iter().collect(),
            name: key.0,
            version: key.1,
        });
    }
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    if packages.len() == linked.len() {
        Ok(packages)
    } else {
        Err(Failure::new(format!(
            "cargo lists {} packages that are linked, and describes {} of them",
            linked.len(),
            packages.len()
        )))
    }
}

/// A name and a version.
type Key = (String, String);

/// What a build of a release links, as cargo resolves it.
fn linked() -> Result<BTreeSet<Key>> {
    let mut tree = cargo::command(&["tree", "--locked", "--target", TARGET]);
    tree.args(["--edges", "normal,no-proc-macro"])
        .args(["--features", "cgsan/bundled"])
        .args(["--prefix", "none", "--format", "{p}"]);
    for package in BUILT {
        tree.args(["--package", package]);
    }
    let text = process::output(&mut tree)?;
    // `name v1.2.3`, and what follows says where it lies, or that it was listed before.
    let packages = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let version = words.next()?.strip_prefix('v')?;
        Some((name.to_owned(), version.to_owned()))
    });
    Ok(packages.collect())
}

fn license_of(package: &Described) -> Result<String> {
    let license = package.license.as_ref().ok_or_else(|| {
        Failure::new(format!(
            "{} {} names no license; replace it, or find out",
            package.name, package.version
        ))
    })?;
    // How it was written before SPDX.
    Ok(license.replace('/', " OR "))
}

/// The checksums in Cargo.lock.
fn checksums() -> Result<BTreeMap<Key, String>> {
    let path = workspace::root().join("Cargo.lock");
    let reading = || format!("cannot read {}", path.display());
    let text = fs::read_to_string(&path).context(reading)?;
    let lock: Lock = toml::from_str(&text).context(reading)?;
    let packages = lock.package.into_iter();
    Ok(packages
        .filter_map(|it| Some(((it.name, it.version), it.checksum?)))
        .collect())
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The part of what `cargo metadata` says that is asked for.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Described>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Described {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Use>,
}

#[derive(Deserialize)]
struct Use {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

/// For what a package is used: for building and testing it has a name, else none.
#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}
