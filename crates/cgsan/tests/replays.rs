//! The larger programs of `tests/replays/`: the correct ones are left alone, and what is planted in the others is found.

mod support;

use support::planted::Family;

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    Family::of("tests/replays").check_marks();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn planted_faults_are_found_and_correct_programs_left_alone() {
    Family::of("tests/replays").together().check();
}
