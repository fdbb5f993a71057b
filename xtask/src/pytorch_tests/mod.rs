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
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use self::one::{Mode, Outcome, Test, Which};
use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::parallel;
use crate::pytest;
use crate::python;
use crate::workspace;

/// What `cargo xtask pytorch-tests` understands.
#[derive(Args)]
pub struct Options {
    /// A folder with the sources of PyTorch 2.6, instead of Debian's source package
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
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
    let bench = Bench::new(options.source.as_deref())?;
    let hardware = hardware::outcomes()?;
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
            let text = table::of_cuda(&graphs, &others, &hardware);
            (text, names_of_changed(&graphs))
        }
        Tests::Compiled => {
            let rows = every(options, &bench, Which::Compiled, Row::of)?;
            (table::of_compiled(&rows, &hardware), String::new())
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
    let asked = |test: &Test| {
        let only = options.only.as_ref();
        only.is_none_or(|text| test.name.contains(text))
    };
    let tests: Vec<Test> = one::collect(bench, which)?
        .into_iter()
        .filter(asked)
        .collect();
    if tests.is_empty() && options.only.is_none() {
        return Err(Failure::new("pytest names no such tests"));
    }
    parallel::map(options.jobs, &tests, |index, test| {
        let done = run(bench, test)?;
        eprintln!("{:>3} of {}: {}", index + 1, tests.len(), test.name);
        Ok(done)
    })
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
    fn new(source: Option<&Path>) -> Result<Self> {
        let output = workspace::target().join("pytorch-tests");
        fs::create_dir_all(&output).context(|| format!("cannot create {}", output.display()))?;
        let plugin = output.join("cgsan_pytorch_tests.py");
        fs::write(&plugin, include_str!("plugin.py"))
            .context(|| format!("cannot write {}", plugin.display()))?;
        Ok(Self {
            cgsan: cargo::build_cgsan(Profile::Development)?,
            python: python::for_tests()?,
            tests: source::folder_of_tests(source)?,
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
