//! `cargo xtask pytorch-tests`: PyTorch's own tests about CUDA or about the graphs of `torch.compile` on the virtual GPU, with values
//! computed; those about graphs also without values, and those about CUDA's also with the recording off.
//!
//! Where the virtual GPU computes nothing, most of these tests stop at a comparison of numbers; what they must not do is stop
//! somewhere else because cgsan records.

mod hardware;
mod one;
mod source;
mod table;

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::one::{Mode, Outcome, Test, Which};
use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::parallel;
use crate::pytest;
use crate::python;
use crate::workspace;

/// How many tests of compiled graphs share a process.
const TOGETHER: usize = 12;

/// What `cargo xtask pytorch-tests` understands.
#[derive(Args)]
pub struct Options {
    /// A folder with the sources of PyTorch 2.6, instead of Debian's source package
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
    /// Another command than that of this checkout, with its libraries beside it
    #[arg(long, value_name = "FILE")]
    cgsan: Option<PathBuf>,
    /// How many tests run at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Which tests run
    #[arg(long, value_enum, default_value_t = Tests::Cuda)]
    of: Tests,
    /// Write the table to its page in docs/measurements/ as well
    #[arg(long)]
    write: bool,
    /// Only tests whose names hold this text; writes nothing
    #[arg(value_name = "TEXT")]
    only: Option<String>,
}

/// Tests that have a page of their own.
#[derive(Clone, Copy, ValueEnum)]
enum Tests {
    /// `test/test_cuda.py`
    Cuda,
    /// `test/inductor/test_cudagraph_trees.py`
    Compiled,
}

impl Tests {
    const fn page(self) -> &'static str {
        match self {
            Self::Cuda => "docs/measurements/pytorch-tests.md",
            Self::Compiled => "docs/measurements/compiled-tests.md",
        }
    }
}

/// Runs the tests, and fails where a test does something else because it is recorded.
pub fn run(options: &Options) -> Result<()> {
    let bench = Bench::new(options)?;
    let hardware = hardware::outcomes()?;
    let none = || Failure::new("no test has such a name");
    let (text, changed) = match options.of {
        Tests::Cuda => {
            let graphs = every(options, &bench, Which::Graphs, |bench, test| {
                let (unrecorded, _) = one::run(bench, test, Mode::Unrecorded)?;
                Ok((unrecorded, Row::of(bench, test)?))
            })?;
            let others = every(options, &bench, Which::Others, |bench, test| {
                let (with_values, _) = one::run(bench, test, Mode::Values)?;
                Ok((test.clone(), with_values))
            })?;
            if graphs.is_empty() && others.is_empty() {
                return Err(none());
            }
            let text = table::of_cuda(&graphs, &others, &hardware);
            (text, names_of_changed(&graphs))
        }
        Tests::Compiled => {
            let tests = asked(options, &bench, Which::Compiled)?;
            if tests.is_empty() {
                return Err(none());
            }
            let (without, _) = compiled(options, &bench, &tests, Mode::Recorded)?;
            let (with, findings) = compiled(options, &bench, &tests, Mode::Values)?;
            let text = table::of_compiled(&tests, &without, &with, &findings, &hardware);
            (text, String::new())
        }
    };
    println!("{text}");
    if options.write && options.only.is_none() {
        let path = workspace::root().join(options.of.page());
        fs::write(&path, &text).context(|| format!("cannot write {}", path.display()))?;
    }
    if changed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "these tests do something else when they are recorded: {changed}"
        )))
    }
}

fn names_of_changed(graphs: &[Both]) -> String {
    let changed = graphs.iter().filter(|both| !is_unchanged(both));
    let names: Vec<&str> = changed.map(|(_, row)| row.test.name.as_str()).collect();
    names.join(", ")
}

/// Does something with each of the tests that are asked for, several at once.
fn every<T: Send>(
    options: &Options,
    bench: &Bench,
    which: Which,
    run: impl Fn(&Bench, &Test) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let tests = asked(options, bench, which)?;
    parallel::map(options.jobs, &tests, |index, test| {
        let done = run(bench, test)?;
        eprintln!("{:>3} of {}: {}", index + 1, tests.len(), test.name);
        Ok(done)
    })
}

/// The tests that are asked for.
fn asked(options: &Options, bench: &Bench, which: Which) -> Result<Vec<Test>> {
    let mut tests = one::collect(bench, which)?;
    if let Some(text) = &options.only {
        tests.retain(|test| test.name.contains(text));
    }
    Ok(tests)
}

/// How the tests of compiled graphs end in one of the ways, many in a process, and all ids that were found.
fn compiled(
    options: &Options,
    bench: &Bench,
    tests: &[Test],
    mode: Mode,
) -> Result<(Vec<Outcome>, Vec<String>)> {
    let parts: Vec<&[Test]> = tests.chunks(TOGETHER).collect();
    let ended = parallel::map(options.jobs, &parts, |index, part| {
        let ended = one::run_all(bench, part, mode)?;
        eprintln!("part {} of {}", index + 1, parts.len());
        Ok(ended)
    })?;
    let (outcomes, findings): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
    let mut findings = findings.concat();
    findings.sort_unstable();
    findings.dedup();
    Ok((outcomes.concat(), findings))
}

/// What every test needs.
pub struct Bench {
    cgsan: PathBuf,
    python: PathBuf,
    /// The folder with PyTorch's tests.
    tests: PathBuf,
    /// Where pytest and its kin lie.
    packages: PathBuf,
    /// Where reports and logs go.
    output: PathBuf,
}

impl Bench {
    fn new(options: &Options) -> Result<Self> {
        let output = workspace::target().join("pytorch-tests");
        fs::create_dir_all(&output).context(|| format!("cannot create {}", output.display()))?;
        let plugin = output.join("cgsan_pytorch_tests.py");
        fs::write(&plugin, include_str!("plugin.py"))
            .context(|| format!("cannot write {}", plugin.display()))?;
        Ok(Self {
            cgsan: match &options.cgsan {
                Some(given) => given.clone(),
                None => cargo::build_cgsan(Profile::Development)?,
            },
            python: python::for_tests()?,
            tests: source::folder_of_tests(options.source.as_deref())?,
            packages: pytest::packages()?,
            output,
        })
    }
}

/// What one test did.
pub struct Row {
    test: Test,
    recorded: Outcome,
    /// With values computed.
    with_values: Outcome,
    /// What cgsan found then.
    findings: Vec<String>,
}

impl Row {
    fn of(bench: &Bench, test: &Test) -> Result<Self> {
        let (recorded, _) = one::run(bench, test, Mode::Recorded)?;
        let (with_values, findings) = one::run(bench, test, Mode::Values)?;
        Ok(Self {
            test: test.clone(),
            recorded,
            with_values,
            findings,
        })
    }
}

/// What a test did with the recording off, and with it on.
type Both = (Outcome, Row);

fn is_unchanged((unrecorded, row): &Both) -> bool {
    unrecorded.is_like(&row.recorded)
}
