//! The programs of `tests/values/`, which check numbers of the virtual GPU by themselves.

mod support;

use support::marked::Wanted;
use support::{TWO_RANKS, watch_scheduled};

/// The schedules under which what is right stays right.
const SCHEDULES: [&str; 4] = ["eager", "lazy", "random:1", "random:2"];

/// Runs a program with values under a schedule, and returns what cgsan said of the run as a whole.
fn check(name: &str, schedule: &str) -> Vec<support::Note> {
    check_launched(name, schedule, &[])
}

/// As [`check`], for a program that Python launches by these arguments.
fn check_launched(name: &str, schedule: &str, launcher: &[&str]) -> Vec<support::Note> {
    let program = support::root().join("tests/values").join(name);
    let watched =
        watch_scheduled(&support::python(), schedule, launcher, &program).expect("it runs");
    let mut problems = watched.did_not_end_well();
    problems.extend(Wanted::of(&program).problems(&program, &watched.findings));
    assert!(problems.is_empty(), "{schedule}:\n{}", problems.join("\n"));
    watched.notes
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn operators_are_computed_eagerly_and_at_replays() {
    for schedule in SCHEDULES {
        let notes = check("computed.py", schedule);
        assert!(notes.is_empty(), "{schedule}: {notes:?}");
    }
}

#[test]
#[ignore = "needs PyTorch, Triton and a C compiler; `cargo xtask test` runs it"]
fn kernels_of_triton_are_computed_by_its_interpreter() {
    for schedule in ["eager", "lazy"] {
        let notes = check("triton_kernels.py", schedule);
        let [note] = &notes[..] else {
            panic!("{schedule}: {notes:?}")
        };
        assert!(
            note.text
                .starts_with("Triton's kernel through_bfloat16 is not computed"),
            "{}",
            note.text
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn random_numbers_are_those_of_a_gpu() {
    check("random_table.py", "lazy");
}

#[test]
#[ignore = "needs PyTorch and packages; `cargo xtask test` runs it"]
fn training_and_decoding_go_as_on_a_gpu() {
    check("curves.py", "lazy");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_replay_computes_with_what_was_captured() {
    for schedule in SCHEDULES {
        check("stale_input.py", schedule);
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn streams_are_in_order_and_races_are_seen() {
    for schedule in SCHEDULES {
        check("streams.py", schedule);
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn collectives_take_their_turn_and_what_they_send_is_computed() {
    for schedule in SCHEDULES {
        check_launched("two_ranks.py", schedule, TWO_RANKS);
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn two_runs_part_where_nothing_orders_two_operators() {
    for name in [
        "missing_wait",
        "freed_memory",
        "pinned_memory",
        "early_read",
    ] {
        let name = format!("races/{name}.py");
        let program = support::root().join("tests/values").join(&name);
        let text = std::fs::read_to_string(&program).expect("the program can be read");
        let marked = |mark: &str| {
            let at = text.lines().position(|line| line.ends_with(mark));
            u32::try_from(at.expect("a line is marked") + 1).expect("it is short")
        };
        let notes = check(&name, "race");
        let [race] = notes.as_slice() else {
            panic!("{name}: {notes:?}");
        };
        let writer = format!("{}:{}", program.display(), marked("# writes"));
        assert_eq!(race.line_in(&program), Some(marked("# reads")), "{race:?}");
        assert!(race.text.contains(&writer), "{race:?}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn two_runs_of_a_program_in_order_are_the_same() {
    let notes = check("ordered.py", "race");
    assert!(notes.is_empty(), "{notes:?}");
    let notes = check_launched("two_ranks.py", "race", TWO_RANKS);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_not_computed_is_named_with_its_line() {
    for schedule in SCHEDULES {
        named_with_its_line(&check("not_computed.py", schedule));
    }
}

fn named_with_its_line(notes: &[support::Note]) {
    let named = |operator: &str| {
        let note = notes.iter().find(|note| note.text.starts_with(operator));
        note.unwrap_or_else(|| panic!("no note on {operator} in {notes:?}"))
    };
    let program = support::root().join("tests/values/not_computed.py");
    assert_eq!(named("mine.doubled.default").line_in(&program), Some(12));
}
