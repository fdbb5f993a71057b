//! `cargo xtask losses`: programs with other people's packages print losses and tokens, on the virtual GPU and on the CPU.

mod numbers;
mod table;

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Deserialize;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::parallel;
use crate::process;
use crate::workspace;

use numbers::Numbers;

/// What `cargo xtask losses` understands.
#[derive(Args)]
pub struct Options {
    /// An interpreter with PyTorch and the packages of tests/losses/requirements.txt
    #[arg(long, value_name = "PATH")]
    python: PathBuf,
    /// A cgsan that is built, beside the virtual GPU; builds everything if none is named
    #[arg(long, value_name = "PATH")]
    cgsan: Option<PathBuf>,
    /// Write the table to docs/measurements/losses.md as well
    #[arg(long)]
    write: bool,
    /// Only these programs of tests/losses; writes nothing
    #[arg(value_name = "NAME")]
    only: Vec<String>,
}

/// What programs.toml says of all programs.
#[derive(Deserialize)]
struct Programs {
    program: Vec<Program>,
}

/// A program, and how it is run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    package: String,
    /// Why it is not captured; a program that says nothing is.
    eager_only: Option<String>,
    #[serde(default = "one")]
    ranks: usize,
    /// By how much numbers may differ, relatively.
    #[serde(default = "thousandth")]
    tolerance: f64,
}

fn one() -> usize {
    1
}

fn thousandth() -> f64 {
    1e-3
}

/// What became of a program.
struct Row<'a> {
    program: &'a Program,
    version: String,
    /// What it does, in its own words.
    what: String,
    cpu: Duration,
    eager: Compared,
    captured: Option<Compared>,
}

/// A run on the virtual GPU, beside that on the CPU.
struct Compared {
    /// The largest relative difference, or what differs first.
    outcome: std::result::Result<f64, String>,
    not_computed: Vec<String>,
    took: Duration,
}

/// Runs the programs, and fails where numbers differ and nothing says so.
pub fn run(options: &Options) -> Result<()> {
    let folder = workspace::root().join("tests/losses");
    let text = read(&folder.join("programs.toml"))?;
    let Programs { program: programs } =
        toml::from_str(&text).context(|| "programs.toml cannot be understood".to_owned())?;
    let runner = Runner {
        cgsan: match &options.cgsan {
            Some(built) => built.clone(),
            None => cargo::build_cgsan(Profile::Development)?,
        },
        python: &options.python,
        folder,
        output: workspace::target().join("losses"),
    };
    fs::create_dir_all(&runner.output)
        .context(|| format!("cannot create {}", runner.output.display()))?;
    let chosen = |it: &&Program| options.only.is_empty() || options.only.contains(&it.name);
    let chosen: Vec<&Program> = programs.iter().filter(chosen).collect();
    let rows = parallel::map(parallel::workers(), &chosen, |_, &program| {
        let row = runner.row(program)?;
        eprintln!("{}", table::line(&row));
        Ok(row)
    })?;
    let text = table::of(&rows);
    println!("{text}");
    if options.write && options.only.is_empty() {
        let path = workspace::root().join("docs/measurements/losses.md");
        fs::write(&path, &text).context(|| format!("cannot write {}", path.display()))?;
    }
    let silent: Vec<&str> = rows
        .iter()
        .filter(|row| row.compared().any(Compared::is_wrong_in_silence))
        .map(|row| row.program.name.as_str())
        .collect();
    if silent.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "other numbers than on the CPU, of which nothing tells: {}",
            silent.join(", ")
        )))
    }
}

impl Row<'_> {
    fn compared(&self) -> impl Iterator<Item = &Compared> {
        [&self.eager].into_iter().chain(&self.captured)
    }
}

impl Compared {
    fn is_wrong_in_silence(&self) -> bool {
        self.outcome.is_err() && self.not_computed.is_empty()
    }
}

/// What every program needs.
struct Runner<'a> {
    cgsan: PathBuf,
    python: &'a Path,
    folder: PathBuf,
    output: PathBuf,
}

impl Runner<'_> {
    fn row<'a>(&self, program: &'a Program) -> Result<Row<'a>> {
        let source = read(&self.file(program))?;
        let what = source.lines().next().unwrap_or_default();
        let (expected, cpu) = self.run(program, "cpu", "eager")?;
        let expected = expected
            .map_err(|words| Failure::new(format!("{} fails on the CPU: {words}", program.name)))?;
        Ok(Row {
            version: self.version(&program.package)?,
            what: what.trim_matches('"').to_owned(),
            cpu,
            eager: self.compared(program, "eager", &expected)?,
            captured: match program.eager_only {
                None => Some(self.compared(program, "captured", &expected)?),
                Some(_) => None,
            },
            program,
        })
    }

    fn compared(&self, program: &Program, way: &str, expected: &Numbers) -> Result<Compared> {
        let (found, took) = self.run(program, "cuda", way)?;
        let report = read(&self.report(program, "cuda", way))?;
        Ok(Compared {
            outcome: found.and_then(|found| expected.compared(&found, program.tolerance)),
            not_computed: not_computed(&report)?,
            took,
        })
    }

    /// The numbers that a program prints, or why it failed, and how long it took.
    fn run(
        &self,
        program: &Program,
        device: &str,
        way: &str,
    ) -> Result<(std::result::Result<Numbers, String>, Duration)> {
        let report = self.report(program, device, way);
        let errors = report.with_extension("txt");
        let file =
            File::create(&errors).context(|| format!("cannot create {}", errors.display()))?;
        let mut command = Command::new(&self.cgsan);
        command
            .args(["run", "--virtual", "--json", "--output"])
            .arg(&report)
            .arg("--")
            .arg(self.python);
        if program.ranks > 1 {
            command
                .args([
                    "-m",
                    "torch.distributed.run",
                    "--standalone",
                    "--nproc-per-node",
                ])
                .arg(program.ranks.to_string());
        }
        command
            .arg(self.file(program))
            .args([device, way])
            .envs([
                ("PYTHONDONTWRITEBYTECODE", "1"),
                ("OMP_NUM_THREADS", "1"),
                ("HF_HUB_OFFLINE", "1"),
            ])
            .stdin(Stdio::null())
            .stderr(file);
        // Packages look for tools that came with others.
        if let (Some(tools), Some(path)) = (self.python.parent(), env::var_os("PATH")) {
            let folders = [tools.to_owned()]
                .into_iter()
                .chain(env::split_paths(&path));
            command.env("PATH", env::join_paths(folders).unwrap_or(path.clone()));
        }
        if device == "cpu" {
            command.env("CUDA_VISIBLE_DEVICES", "");
        }
        let begin = Instant::now();
        let output = command
            .output()
            .context(|| format!("cannot start {}", self.cgsan.display()))?;
        let took = begin.elapsed();
        let numbers = if output.status.success() {
            Ok(Numbers::printed(&String::from_utf8_lossy(&output.stdout)))
        } else {
            Err(format!(
                "{}, after: {}",
                output.status,
                last_error(&read(&errors)?)
            ))
        };
        Ok((numbers, took))
    }

    fn file(&self, program: &Program) -> PathBuf {
        self.folder.join(format!("{}.py", program.name))
    }

    fn report(&self, program: &Program, device: &str, way: &str) -> PathBuf {
        self.output
            .join(format!("{}-{device}-{way}.json", program.name))
    }

    fn version(&self, package: &str) -> Result<String> {
        let question = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))";
        process::output(Command::new(self.python).args(["-I", "-c", question, package]))
    }
}

/// What a report says is not computed.
fn not_computed(report: &str) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Report {
        notes: Vec<Note>,
    }
    #[derive(Deserialize)]
    struct Note {
        text: String,
    }
    let report: Report = serde_json::from_str(report)
        .context(|| "cgsan's report cannot be understood".to_owned())?;
    let mut names: Vec<String> = report
        .notes
        .iter()
        .filter_map(|note| Some(note.text.split_once(" is not computed")?.0.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The last line in which Python names an exception.
fn last_error(errors: &str) -> String {
    let line = errors.lines().rev().find(|line| line.contains("Error"));
    line.unwrap_or("no exception").chars().take(200).collect()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).context(|| format!("cannot read {}", path.display()))
}
