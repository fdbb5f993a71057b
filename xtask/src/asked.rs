//! `cargo xtask asked`: which functions PyTorch's libraries leave for CUDA's to define, as `crates/vgpu/api/asked.txt` has it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use object::{Object as _, ObjectSymbol as _};

use crate::failure::{Context, Failure, Result};
use crate::releases::{self, minor};
use crate::{python, workspace};

const FILE: &str = "crates/vgpu/api/asked.txt";

/// How the names of functions of CUDA's libraries begin; PyTorch's libraries leave those of C, C++ and Python as well.
const FAMILIES: &[&str] = &[
    "__cuda",
    "cublas",
    "cuda",
    "cudnn",
    "cufft",
    "cupti",
    "curand",
    "cusolver",
    "cusparse",
    "nccl",
    "nvJitLink",
    "nvml",
    "nvrtc",
    "nvshmem",
    "nvtx",
];

/// What `cargo xtask asked` understands.
#[derive(Args)]
pub struct Options {
    /// The release to look at, one of crates/vgpu/api/releases.txt, e.g. `2.11.0`
    #[arg(value_name = "VERSION")]
    release: String,

    /// Write nothing; fail if the release asks for something else than the file says
    #[arg(long)]
    check: bool,
}

/// Looks at the libraries of a release, and writes or checks the file.
pub fn run(options: &Options) -> Result<()> {
    let release = options.release.as_str();
    let known: Vec<&str> = releases::all().collect();
    let place = known.iter().position(|it| *it == release);
    let (Some(place), Some(number)) = (place, minor(release)) else {
        return Err(Failure::new(format!(
            "{release} is not in crates/vgpu/api/releases.txt, which has {}; add its line there first",
            known.join(", ")
        )));
    };
    let before = place.checked_sub(1).and_then(|it| minor(known[it]));
    let seen = Seen {
        minor: number,
        before: before.unwrap_or(number),
        is_newest: place + 1 == known.len(),
        asked: functions(&python::with_torch(release)?)?,
    };
    let path = workspace::root().join(FILE);
    let kept = fs::read_to_string(&path).context(|| format!("cannot read {FILE}"))?;
    let text = seen.put_into(&kept, release);
    if options.check && text != kept {
        return Err(Failure::new(format!(
            "PyTorch {release} asks for other functions than {FILE} says; run `cargo xtask asked {release}`"
        )));
    }
    if !options.check {
        fs::write(&path, text).context(|| format!("cannot write {FILE}"))?;
    }
    eprintln!("PyTorch {release} asks for {} functions", seen.asked.len());
    Ok(())
}

/// What the libraries of one release leave undefined.
struct Seen {
    minor: u32,
    /// The version before it.
    before: u32,
    is_newest: bool,
    asked: BTreeSet<String>,
}

impl Seen {
    /// The file with what was seen. A function stands there with the first and the last version that asks for it, without the last one if
    /// the newest does.
    fn put_into(&self, kept: &str, release: &str) -> String {
        let (head, lines) = kept.split_once("\n\n").unwrap_or((kept, ""));
        let mut functions: BTreeMap<&str, (u32, Option<u32>)> = BTreeMap::new();
        for line in lines.lines() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let mut number = || words.next().and_then(|it| it.parse().ok());
            functions.insert(name, (number().unwrap_or(self.minor), number()));
        }
        for name in &self.asked {
            let last = (!self.is_newest).then_some(self.minor);
            let (from, until) = functions.entry(name).or_insert((self.minor, last));
            *from = self.minor.min(*from);
            *until = until.filter(|it| *it > self.minor || !self.is_newest);
            *until = until.map(|it| it.max(self.minor));
        }
        if self.is_newest {
            for (name, (_, until)) in &mut functions {
                if until.is_none() && !self.asked.contains(*name) {
                    *until = Some(self.before);
                }
            }
        }
        let mut text = head.to_owned();
        if !head.contains(release) {
            text = format!("{}, {release}.", head.trim_end_matches('.'));
        }
        text.push_str("\n\n");
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_by_key(|(name, _)| name.trim_start_matches('_'));
        for (name, (from, until)) in functions {
            let until = until.map_or_else(String::new, |it| format!(" {it}"));
            let _ = writeln!(text, "{name} {from}{until}");
        }
        text
    }
}

/// The functions of CUDA's that the libraries beside a Python's PyTorch need and none of them defines.
fn functions(python: &Path) -> Result<BTreeSet<String>> {
    let environment = python.ancestors().nth(2).unwrap_or(python);
    let folder = libraries(environment).ok_or_else(|| {
        Failure::new(format!(
            "{} has no PyTorch of its own; unset CGSAN_TEST_PYTHON to have an environment made",
            environment.display()
        ))
    })?;
    let mut asked = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for file in fs::read_dir(&folder).context(|| format!("cannot read {}", folder.display()))? {
        let path = file.context(|| "cannot read a folder".to_owned())?.path();
        if !path.is_file() || !path.to_string_lossy().contains(".so") {
            continue;
        }
        let bytes = fs::read(&path).context(|| format!("cannot read {}", path.display()))?;
        let Ok(library) = object::File::parse(&*bytes) else {
            continue;
        };
        for symbol in library.dynamic_symbols() {
            let Ok(name) = symbol.name() else { continue };
            let side = if symbol.is_undefined() {
                &mut asked
            } else {
                &mut defined
            };
            side.insert(name.to_owned());
        }
    }
    let is_of_cuda = |name: &String| {
        let driver = name
            .strip_prefix("cu")
            .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_uppercase()));
        driver || FAMILIES.iter().any(|it| name.starts_with(it))
    };
    asked.retain(|name| is_of_cuda(name) && !defined.contains(name));
    Ok(asked)
}

/// Where an environment has PyTorch's libraries.
fn libraries(environment: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(environment.join("lib")).ok()?;
    let folders = versions.filter_map(|it| Some(it.ok()?.path().join("site-packages/torch/lib")));
    folders.into_iter().find(|it| it.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = "# Measured on 2.14.1, 2.15.0.\n\ncuA 6\ncuB 6 14\ncuC 15\n";

    fn seen(minor: u32, is_newest: bool, asked: &[&str]) -> Seen {
        Seen {
            minor,
            before: minor - 1,
            is_newest,
            asked: asked.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn a_new_release_changes_what_is_new_or_gone() {
        let text = seen(16, true, &["cuB", "cuC", "cuD"]).put_into(KEPT, "2.16.0");
        assert_eq!(
            text,
            "# Measured on 2.14.1, 2.15.0, 2.16.0.\n\ncuA 6 15\ncuB 6\ncuC 15\ncuD 16\n"
        );
    }

    #[test]
    fn an_older_one_widens_what_is_there() {
        let text = seen(14, false, &["cuA", "cuB", "cuC", "cuD"]).put_into(KEPT, "2.14.1");
        assert_eq!(
            text,
            "# Measured on 2.14.1, 2.15.0.\n\ncuA 6\ncuB 6 14\ncuC 14\ncuD 14 14\n"
        );
    }
}
