//! The programs of `tests/compiled/`, which compile kernels: `torch.compile` and Triton; those of `tests/kernels/`, whose mistakes
//! with graphs are in kernels that they launch past PyTorch's operators; and those of `tests/runtimes/`, which
//! bring a CUDA runtime or kernels of their own: CuPy, numba, NVIDIA's `cuda.bindings` and `cuda.core`, and what `nvcc` builds.

mod support;

use support::marked::Wanted;
use support::planted::Family;

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    Family::of("tests/compiled").check_marks();
    Family::of("tests/kernels").check_marks();
    Family::of("tests/runtimes").check_marks();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn planted_faults_are_found_and_correct_programs_left_alone() {
    Family::of("tests/compiled").check();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn mistakes_in_kernels_are_found_and_correct_ones_left_alone() {
    Family::of("tests/kernels").together().check();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_with_a_runtime_of_their_own_run_and_their_faults_are_found() {
    Family::of("tests/runtimes").check();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_skipped_capture_is_told_of_with_its_line() {
    let skipped = "mutated inputs (1 instances)";
    notes_the_marked_line("skipped", "captures no graph here", skipped);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_capture_that_is_made_again_and_again_is_told_of_with_its_line() {
    let elsewhere = "lies elsewhere than when it was captured";
    notes_the_marked_line("recorded_again", "captured this 5 more times", elsewhere);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_pytorch_refuses_to_read_is_found_where_it_ends_the_program() {
    let program = support::root().join("tests/compiled/refused/used_after_the_next_call.py");
    let watched = support::watch(&support::python(), &program).expect("it runs");
    assert_eq!(watched.exit, Some(1), "{}", watched.stderr);
    let problems = Wanted::of(&program).problems(&program, &watched.findings);
    assert!(problems.is_empty(), "{problems:?}");
}

/// Whether the line that ends with the name of its program is in a note of these words.
fn notes_the_marked_line(name: &str, words: &str, end: &str) {
    let program = support::root().join(format!("tests/compiled/{name}.py"));
    let watched = support::watch(&support::python(), &program).expect("it runs");
    let source = std::fs::read_to_string(&program).expect("the program can be read");
    let mut lines = (1..).zip(source.lines());
    let mark = format!("# {name}");
    let wanted = lines.find_map(|(line, text)| text.ends_with(&mark).then_some(line));
    let note = watched.notes.iter().find(|note| note.text.contains(words));
    let note = note.unwrap_or_else(|| panic!("no note in {:?}", watched.notes));
    assert!(note.text.ends_with(end), "{note:?}");
    assert_eq!(note.line_in(&program), wanted);
}
