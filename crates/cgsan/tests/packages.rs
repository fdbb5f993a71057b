//! The programs of `tests/packages/`, which use packages that most users have beside PyTorch, as they are on PyPI.

mod support;

use support::planted::Family;

fn packages() -> Family {
    Family::of("tests/packages")
}

fn in_two_ranks() -> Family {
    Family::of("tests/packages/ranks").in_two_ranks()
}

#[test]
fn each_planted_fault_is_marked_with_the_id_of_its_name() {
    for family in [packages(), in_two_ranks()] {
        family.check_marks();
    }
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn packages_are_served_and_what_is_planted_is_found() {
    packages().check();
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn packages_of_two_ranks_are_served_and_what_is_planted_is_found() {
    in_two_ranks().check();
}
