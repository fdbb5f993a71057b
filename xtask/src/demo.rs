//! `cargo xtask demo`: cgsan on a failing program and on its repaired twin.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::process;
use crate::python;
use crate::readme;
use crate::recorded;
use crate::workspace;

/// The example that is shown.
const EXAMPLE: &str = "examples/cg105_stream_not_forked";

/// Its recorded trace, for machines without PyTorch and without a network.
pub const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// What `cargo xtask demo` understands.
#[derive(Args)]
pub struct Options {
    /// Record anew the trace that is shown where there is no PyTorch, and that README.md shows.
    #[arg(long)]
    record: bool,
}

/// Shows what cgsan does, on whatever this machine has.
pub fn run(options: &Options) -> Result<()> {
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    if options.record {
        return record(&cgsan, &python::for_tests()?);
    }
    match python::existing().map_or_else(python::for_tests, Ok) {
        Ok(python) => show_live(&cgsan, &python),
        Err(failure) => {
            eprintln!("note: {failure}");
            show_recorded(&cgsan)
        }
    }
}

fn show_live(cgsan: &Path, python: &Path) -> Result<()> {
    let failing = example("fails.py");
    let repaired = example("fixed.py");
    say(&format!(
        "A PyTorch program captures a CUDA graph, and dies in the middle of it. This is {failing}:"
    ));
    print_source(&failing)?;
    say(
        "Run as usual, PyTorch shows the last error and not the cause. `cgsan run` gives it a virtual GPU, \
         whether or not this machine has a real one, and explains the failure:",
    );
    let status = watch(cgsan, python, &failing)?;
    if status {
        return Err(Failure::new(format!("{failing} was expected to fail")));
    }
    say(&format!(
        "Its repaired twin, {repaired}, runs to its end, and cgsan has nothing to say:"
    ));
    print_source(&repaired)?;
    if !watch(cgsan, python, &repaired)? {
        return Err(Failure::new(format!("{repaired} was expected to succeed")));
    }
    say(
        "Next: `cgsan run -- python your_program.py` (built as target/debug/cgsan), \
         and examples/ for one such pair for every kind of failure.",
    );
    Ok(())
}

fn show_recorded(cgsan: &Path) -> Result<()> {
    say(&format!(
        "There is no PyTorch on this machine and none could be downloaded, so this diagnoses a recorded trace \
         of {}, which ships with the repository ({RECORDED}):",
        example("fails.py")
    ));
    announce(&format!("cgsan report {RECORDED}"));
    process::run(
        Command::new(cgsan)
            .args(["report", RECORDED])
            .current_dir(workspace::root()),
    )
}

fn record(cgsan: &Path, python: &Path) -> Result<()> {
    let trace = workspace::root().join(RECORDED);
    let temporary = workspace::target().join("tmp");
    for folder in [trace.parent().unwrap_or(workspace::root()), &temporary] {
        fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    }
    // The program fails, and with it the command: only the trace tells whether the recording went well.
    let _ = fs::remove_file(&trace);
    Command::new(cgsan)
        .args(["run", "--virtual", "--save", RECORDED, "--"])
        .arg(python)
        .arg(example("fails.py"))
        // So that the run directory, too, gets a name within the repository.
        .env("TMPDIR", &temporary)
        .current_dir(workspace::root())
        .status()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    recorded::neutralise(&trace, python)?;
    readme::write(cgsan)?;
    println!("recorded {RECORDED}, and wrote its finding into README.md");
    Ok(())
}

/// Runs a program under `cgsan run`, with everything it prints shown, and returns whether it succeeded.
fn watch(cgsan: &Path, python: &Path, program: &str) -> Result<bool> {
    announce(&format!("cgsan run --virtual -- python {program}"));
    let status = Command::new(cgsan)
        .args(["run", "--virtual", "--"])
        .arg(python)
        .arg(program)
        .current_dir(workspace::root())
        .status()
        .context(|| format!("cannot start {}", cgsan.display()))?;
    println!("(exit status {})", status.code().unwrap_or(-1));
    Ok(status.success())
}

fn example(file: &str) -> String {
    format!("{EXAMPLE}/{file}")
}

fn print_source(program: &str) -> Result<()> {
    let path: PathBuf = workspace::root().join(program);
    let source = fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))?;
    println!();
    for (number, line) in source.lines().enumerate() {
        println!("{:>4} │ {line}", number + 1);
    }
    Ok(())
}

fn say(text: &str) {
    println!("\n{text}");
}

fn announce(command: &str) {
    println!("\n$ {command}");
}
