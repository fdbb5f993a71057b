//! Every claim of the catalogue was executed: on a real GPU, and on the virtual one where that decides.

use cgsan_catalogue::{Entry, Program, entries};

/// The programs that no machine of a kind has run as they are now.
fn not_run_on(wanted: impl Fn(&Program) -> bool, is_real: bool) -> Vec<&'static str> {
    entries()
        .iter()
        .flat_map(Entry::programs)
        .filter(wanted)
        .filter(|program| !program.runs.iter().any(|run| (run.gpus > 0) == is_real))
        .map(|program| program.path)
        .collect()
}

#[test]
fn every_program_was_run_on_a_real_gpu() {
    let missing = not_run_on(|_| true, true);
    assert!(
        missing.is_empty(),
        "run `cargo xtask device-test` for these, or write `untested`, in both languages, in place of `program`:\n{}",
        missing.join("\n")
    );
}

#[test]
fn every_program_that_the_virtual_gpu_decides_was_run_there() {
    let missing = not_run_on(|program| program.is_decided_by(0), false);
    assert!(
        missing.is_empty(),
        "run `cargo xtask verify` for these:\n{}",
        missing.join("\n")
    );
}

#[test]
fn a_program_of_several_ranks_was_run_with_as_many_gpus() {
    for program in entries().iter().flat_map(Entry::programs) {
        for run in program.runs {
            assert!(
                program.is_decided_by(run.gpus),
                "{} on {}",
                program.path,
                run.machine
            );
        }
    }
}

#[test]
fn every_failure_mode_with_a_program_was_run_in_versions_of_pytorch() {
    let missing: Vec<&str> = entries()
        .iter()
        .filter(|entry| entry.no_program.is_none() && entry.seen().is_empty())
        .map(|entry| entry.id)
        .collect();
    assert!(
        missing.is_empty(),
        "run `cargo xtask matrix --torch 2.11.0` with these: {}",
        missing.join(" ")
    );
}
