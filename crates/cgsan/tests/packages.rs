//! The programs of `tests/packages/`, which use packages that most users have beside PyTorch, as they are on PyPI.

mod support;

use support::planted::Family;

fn without_values() -> Family {
    Family::of("tests/packages")
}

/// Those whose results decide how they go on.
fn with_values() -> Family {
    Family::of("tests/packages/values").with_values()
}

fn in_two_ranks() -> Family {
    Family::of("tests/packages/ranks").in_two_ranks()
}

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    for family in [without_values(), with_values(), in_two_ranks()] {
        family.check_marks();
    }
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn packages_are_served_and_what_is_planted_is_found() {
    without_values().check();
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn packages_whose_results_decide_are_served_with_values() {
    with_values().check();
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn packages_of_two_ranks_are_served_and_what_is_planted_is_found() {
    in_two_ranks().check();
}
