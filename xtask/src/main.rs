//! What a developer of cgsan types: `cargo xtask demo`, `cargo xtask test`, and the smaller tasks they are made of.

mod asked;
mod bench;
mod conformance;
mod coverage;
mod cupy_tests;
mod demo;
mod device_test;
mod dist;
mod fleet;
mod fuse;
mod guide;
mod losses;
mod matrix;
mod operators;
mod outcome;
mod parallel;
mod published;
mod pytest;
mod python;
mod pytorch_tests;
mod readme;
mod recorded;
mod releases;
mod sanitize;
mod schemas;
mod site;
mod test;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask_start::{cargo, environment, failure, interpreter, process, workspace};

use crate::failure::Result;

/// The tasks of cgsan's developers.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and show cgsan on a failing program and on its repaired twin.
    Demo(demo::Options),
    /// Check format, lints, documentation and Python code, then run every test.
    Test(test::Options),
    /// Make a Python interpreter with PyTorch ready in the user's cache folder, and print its path.
    Python(python::Options),
    /// Make a Python interpreter with Ray and Spark ready in the user's cache folder, and print its path.
    Fleet,
    /// Measure what cgsan costs, as ratios.
    Bench(bench::Options),
    /// Run every program of tests/truth on a real GPU, with and without cgsan, and measure what cgsan costs there.
    DeviceTest(device_test::Options),
    /// Make a release: build the wheel and the command that needs no other file, check them, and list what is inside.
    Dist(dist::Options),
    /// Re-run recordings of a real driver through the model, and say how far it agrees.
    Conformance(conformance::Options),
    /// Write docs/coverage.md: the functions of the virtual GPU and which of them are implemented.
    Coverage(coverage::Options),
    /// Write which functions a release of PyTorch asks for (crates/vgpu/api/asked.txt).
    Asked(asked::Options),
    /// Write what the schemas of releases of PyTorch tell of its operators (crates/operators/facts.txt).
    Schemas(schemas::Options),
    /// Run PyTorch's own samples of its operators on the virtual GPU with values, and compare them with the CPU.
    Operators(operators::Options),
    /// Run programs with other people's packages on the virtual GPU and on the CPU, and compare the losses and tokens that they print.
    Losses(losses::Options),
    /// Run PyTorch's own tests of `test_cuda.py` on the virtual GPU: those about graphs also without values.
    PytorchTests(pytorch_tests::Options),
    /// Run CuPy's own tests about streams and graphs on the virtual GPU.
    CupyTests(cupy_tests::Options),
    /// Run the tests of the crates with unsafe code under `AddressSanitizer`
    Sanitize(sanitize::Options),
    /// Write docs/guide/cases.md: NVIDIA's guide case by case, with what cgsan says of a program for each.
    Guide(guide::cases::Options),
    /// Write the catalogue as a static site, with a search that works offline.
    Site(site::Options),
    /// Run the program of every fix and dead end of the catalogue on the virtual GPU, and keep what they did.
    Verify(verify::Options),
    /// Run the programs of examples/ on every version of PyTorch, and keep what each did.
    Matrix(matrix::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Demo(options) => demo::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Python(options) => python::run(&options),
        Task::Fleet => fleet::run(),
        Task::Bench(options) => bench::run(&options),
        Task::DeviceTest(options) => device_test::run(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Conformance(options) => conformance::run(&options),
        Task::Coverage(options) => coverage::run(&options),
        Task::Asked(options) => asked::run(&options),
        Task::Schemas(options) => schemas::run(&options),
        Task::Operators(options) => operators::run(&options),
        Task::Losses(options) => losses::run(&options),
        Task::PytorchTests(options) => pytorch_tests::run(&options),
        Task::CupyTests(options) => cupy_tests::run(&options),
        Task::Sanitize(options) => sanitize::run(&options),
        Task::Guide(options) => guide::cases::run(&options),
        Task::Site(options) => site::run(&options),
        Task::Verify(options) => verify::run(&options),
        Task::Matrix(options) => matrix::run(&options),
    }
}
