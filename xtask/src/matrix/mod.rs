//! `cargo xtask matrix`: runs the programs of `examples/` on every version of PyTorch that cgsan supports, and keeps what each
//! did as the catalogue's table of versions.
//!
//! The virtual GPU answers the calls, so what differs between two versions is what PyTorch itself does.

mod case;
mod table;

use std::path::Path;
use std::process::Command;

use clap::Args;

use self::case::Case;
pub use self::table::Table;
use self::table::Version;
use crate::cargo::{self, Profile};
use crate::failure::{Failure, Result};
use crate::outcome::{Outcome, Watcher};
use crate::parallel;
use crate::process;
use crate::python;
use crate::releases;

/// How many programs share an import of PyTorch.
const TOGETHER: usize = 12;

/// The options for programs that may hang: two virtual GPUs, and after three seconds without progress the run ends.
const MAY_HANG: &[&str] = &["--gpus", "2", "--hang-timeout", "3", "--on-hang", "kill"];

/// Prints the versions of CUDA and of Python. Importing PyTorch would need a GPU's libraries.
const VERSIONS: &str = "
import importlib.metadata, platform, runpy
file = importlib.metadata.distribution('torch').locate_file('torch/version.py')
print(runpy.run_path(str(file))['cuda'], '.'.join(platform.python_version_tuple()[:2]))
";

/// What `cargo xtask matrix` understands.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if a program did something else than examples/versions.toml says
    #[arg(long)]
    check: bool,

    /// Only this version of PyTorch, e.g. `2.11.0`; what the others did is kept. May be given several times
    #[arg(long, value_name = "VERSION")]
    torch: Vec<String>,

    /// Only where the table does not say yet what the program, as it is now, does in a version
    #[arg(long, conflicts_with = "check")]
    missing: bool,

    /// Only the programs of these failure modes, e.g. `CG106`; what the others did is kept
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

/// Runs the programs, and writes or checks the table.
pub fn run(options: &Options) -> Result<()> {
    let releases = wanted(&options.torch)?;
    let cases: Vec<Case> = case::all()?
        .into_iter()
        .filter(|case| options.ids.is_empty() || options.ids.contains(&case.id))
        .collect();
    if cases.is_empty() {
        return Err(Failure::new(
            "no program of these failure modes can run on the virtual GPU; write ids such as CG106",
        ));
    }
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    let kept = Table::read()?;
    let mut table = kept.clone();
    for release in releases {
        let asked: Vec<&Case> = cases
            .iter()
            .filter(|case| !options.missing || !table.has(release, case))
            .collect();
        if asked.is_empty() {
            continue;
        }
        let python = python::with_torch(release)?;
        let version = version(release, &python)?;
        eprintln!("PyTorch {release}: {} programs", asked.len());
        let outcomes = outcomes(&cgsan, &python, &asked)?;
        table.put(version, asked.into_iter().zip(outcomes));
        if !options.check {
            // What a version took minutes for is not lost if a later one cannot be had.
            table.write()?;
        }
    }
    if options.check && table != kept {
        return Err(Failure::new(format!(
            "the programs do something else than {} says; run `cargo xtask matrix`",
            table::FILE
        )));
    }
    Ok(())
}

/// The releases to run, in ascending order.
fn wanted(asked: &[String]) -> Result<Vec<&'static str>> {
    let known: Vec<&str> = releases::all().collect();
    if let Some(unknown) = asked.iter().find(|it| !known.contains(&it.as_str())) {
        return Err(Failure::new(format!(
            "{unknown} is not in crates/vgpu/api/releases.txt, which has {}",
            known.join(", ")
        )));
    }
    let is_asked = |release: &&str| asked.is_empty() || asked.iter().any(|it| it == release);
    Ok(known.into_iter().filter(is_asked).collect())
}

fn version(release: &str, python: &Path) -> Result<Version> {
    let versions = process::output(Command::new(python).args(["-I", "-c", VERSIONS]))?;
    let (cuda, python) = versions
        .split_once(' ')
        .ok_or_else(|| Failure::new(format!("PyTorch {release} does not say its versions")))?;
    Ok(Version {
        pytorch: release.to_owned(),
        cuda: cuda.to_owned(),
        python: python.to_owned(),
    })
}

/// What the programs did, in order. Several share an import of PyTorch; one that then does something unexpected runs once more
/// alone, as some change what PyTorch reads when it is imported.
fn outcomes(cgsan: &Path, python: &Path, cases: &[&Case]) -> Result<Vec<Outcome>> {
    let watcher = Watcher {
        cgsan,
        python,
        options: &["--gpus", "1"],
    };
    let hanging = Watcher {
        options: MAY_HANG,
        ..watcher
    };
    let groups: Vec<&[&Case]> = cases
        .chunk_by(|a, b| !a.may_hang() && !b.may_hang())
        .flat_map(|group| group.chunks(TOGETHER))
        .collect();
    let workers = parallel::workers();
    let shared = parallel::map(workers, &groups, |_, group| {
        let paths: Vec<&str> = group.iter().map(|case| case.path.as_str()).collect();
        match group {
            [case] if case.may_hang() => Ok(vec![Some(hanging.one(&case.path)?)]),
            // What no group can tell, a run of its own does.
            _ => Ok(watcher
                .together(&paths)
                .unwrap_or_else(|_| paths.iter().map(|_| None).collect())),
        }
    })?;
    let shared: Vec<(&Case, Option<Outcome>)> = cases
        .iter()
        .copied()
        .zip(shared.into_iter().flatten())
        .collect();
    parallel::map(workers, &shared, |_, (case, shared)| match shared {
        Some(outcome) if case.may_hang() || case.is_expected(outcome) => Ok(outcome.clone()),
        _ => watcher.one(&case.path),
    })
}
