//! `cargo xtask operators`: PyTorch's own samples of its operators (`OpInfo`) on the virtual GPU with values, against the CPU.

mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde::Deserialize;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::parallel;
use crate::pytest;
use crate::python;
use crate::workspace;

/// What `cargo xtask operators` understands.
#[derive(Args)]
pub struct Options {
    /// How many samples of each operator and type run, at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    samples: usize,
    /// Write the table to docs/measurements/operators.md as well
    #[arg(long)]
    write: bool,
    /// Only these operators, as PyTorch's tests name them; writes nothing
    #[arg(value_name = "OPERATOR")]
    only: Vec<String>,
}

/// How the samples of one operator and type ended.
#[derive(Debug, Deserialize)]
pub struct Row {
    operator: String,
    dtype: String,
    counts: Counts,
    /// The first words about samples of some ends.
    words: Words,
}

/// How many samples ended in each way.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Counts {
    agrees: usize,
    differs: usize,
    /// Told of as not computed.
    named: usize,
    /// By the CPU.
    refused: usize,
    #[serde(rename = "refused here")]
    refused_here: usize,
    /// Random numbers, and memory that nobody has set.
    #[serde(rename = "not compared")]
    not_compared: usize,
}

/// What was said first of some ends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Words {
    differs: Option<String>,
    named: Option<String>,
    #[serde(rename = "refused here")]
    refused_here: Option<String>,
    #[serde(rename = "no sample")]
    no_sample: Option<String>,
}

/// Runs the samples in as many processes as there is room for, and fails where one gives other numbers without saying so.
pub fn run(options: &Options) -> Result<()> {
    let sweep = Sweep::new()?;
    let shards: Vec<usize> = (0..parallel::workers()).collect();
    let parts = parallel::map(shards.len(), &shards, |_, shard| {
        sweep.run(*shard, shards.len(), options)
    })?;
    let mut rows: Vec<Row> = parts.into_iter().flatten().collect();
    rows.sort_by(|a, b| (&a.operator, &a.dtype).cmp(&(&b.operator, &b.dtype)));
    let text = table::of(&rows);
    println!("{text}");
    if options.write && options.only.is_empty() {
        let path = workspace::root().join("docs/measurements/operators.md");
        fs::write(&path, &text).context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// What every process needs.
struct Sweep {
    cgsan: PathBuf,
    python: PathBuf,
    packages: PathBuf,
    output: PathBuf,
}

impl Sweep {
    fn new() -> Result<Sweep> {
        let output = workspace::target().join("operators");
        fs::create_dir_all(&output).context(|| format!("cannot create {}", output.display()))?;
        Ok(Sweep {
            cgsan: cargo::build_cgsan(Profile::Development)?,
            python: python::for_tests()?,
            packages: pytest::packages()?,
            output,
        })
    }

    fn run(&self, shard: usize, shards: usize, options: &Options) -> Result<Vec<Row>> {
        let results = self.output.join(format!("{shard}.jsonl"));
        let _ = fs::remove_file(&results);
        let status = Command::new(&self.cgsan)
            .args(["run", "--virtual", "--json", "--output"])
            .arg(self.output.join(format!("{shard}.json")))
            .arg("--")
            .arg(&self.python)
            .arg(workspace::root().join("xtask/src/operators/sweep.py"))
            .arg(&results)
            .args([shard, shards, options.samples].map(|it| it.to_string()))
            .args(&options.only)
            .env("PYTHONPATH", &self.packages)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // What runs beside it does not slow it down more than it gains.
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::null())
            .status()
            .context(|| format!("cannot start {}", self.cgsan.display()))?;
        let rows = read(&results)?;
        if status.success() {
            Ok(rows)
        } else {
            let last = rows.last().map_or("none", |row| &row.operator);
            Err(Failure::new(format!(
                "the samples ended with {status}, after the operator {last}"
            )))
        }
    }
}

fn read(results: &Path) -> Result<Vec<Row>> {
    let text =
        fs::read_to_string(results).context(|| format!("cannot read {}", results.display()))?;
    text.lines()
        .map(|line| {
            serde_json::from_str(line).context(|| format!("`{line}` is not what sweep.py writes"))
        })
        .collect()
}
