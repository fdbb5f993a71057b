//! The programs of `tests/compiled/`, which compile kernels: `torch.compile` and Triton; and those of `tests/runtimes/`, which
//! bring a CUDA runtime of their own: CuPy and NVIDIA's `cuda.bindings` and `cuda.core`.

mod support;

use support::planted::Family;

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    Family::of("tests/compiled").check_marks();
    Family::of("tests/runtimes").check_marks();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn planted_faults_are_found_and_correct_programs_left_alone() {
    Family::of("tests/compiled").check();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_with_a_runtime_of_their_own_run_and_their_faults_are_found() {
    Family::of("tests/runtimes").check();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_skipped_capture_is_told_of_with_its_line() {
    let program = support::root().join("tests/compiled/skipped.py");
    let watched = support::watch(&support::python(), &program).expect("it runs");
    let source = std::fs::read_to_string(&program).expect("the program can be read");
    let mut lines = (1..).zip(source.lines());
    let wanted = lines.find_map(|(line, text)| text.ends_with("# skipped").then_some(line));
    let note = watched
        .notes
        .iter()
        .find(|note| note.text.contains("captures no graph here"));
    let note = note.unwrap_or_else(|| panic!("no note in {:?}", watched.notes));
    assert!(
        note.text.ends_with("mutated inputs (1 instances)"),
        "{note:?}"
    );
    assert_eq!(note.line_in(&program), wanted);
}
