//! The programs of `tests/values/`, which check numbers of the virtual GPU by themselves.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use support::marked::Wanted;
use support::{TWO_RANKS, watch_scheduled, watch_with};

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
    problems.extend(watched.intrusions());
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
        let named = ["through_float8", "rounded_up"]
            .map(|kernel| format!("Triton's kernel {kernel} is not computed"));
        assert_eq!(notes.len(), named.len(), "{schedule}: {notes:?}");
        for (note, named) in notes.iter().zip(&named) {
            assert!(note.text.starts_with(named), "{}", note.text);
        }
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn operators_are_computed_whoever_calls_them() {
    for schedule in ["eager", "lazy"] {
        let notes = check("whoever_calls.py", schedule);
        assert!(notes.is_empty(), "{schedule}: {notes:?}");
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
fn what_waits_for_all_it_needs_prints_the_same_under_every_schedule() {
    let program = support::root().join("tests/values/in_any_order.py");
    let printed = |schedule: &str| {
        let watched =
            watch_scheduled(&support::python(), schedule, &[], &program).expect("it runs");
        assert_eq!(watched.exit, Some(0), "{schedule}: {}", watched.stderr);
        assert!(watched.findings.is_empty(), "{:?}", watched.findings);
        watched.stdout
    };
    let wanted = printed("eager");
    assert_eq!(wanted.lines().count(), 21, "{wanted}");
    let seeds = (1..=6).map(|seed| format!("random:{seed}"));
    for schedule in seeds.chain(["lazy".to_owned()]) {
        assert_eq!(printed(&schedule), wanted, "{schedule}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn collectives_take_their_turn_and_what_they_send_is_computed() {
    for schedule in SCHEDULES {
        let notes = check_launched("two_ranks.py", schedule, TWO_RANKS);
        let not_computed = notes.iter().find(|note| note.text.contains("comput"));
        assert!(not_computed.is_none(), "{schedule}: {not_computed:?}");
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
fn replays_and_operators_of_which_none_waits_for_the_other_are_told_of() {
    let program = support::root().join("tests/values/unordered_replay.py");
    let text = std::fs::read_to_string(&program).expect("the program can be read");
    let marked = |mark: &str| {
        let at = text.lines().position(|line| line.ends_with(mark));
        u32::try_from(at.expect("a line is marked") + 1).expect("it is short")
    };
    let notes = check("unordered_replay.py", "lazy");
    let expected = [
        (
            "nothing orders this replay after `add_`",
            "# too early",
            "# input",
        ),
        ("nothing orders `copy_` ", "# overtakes", "# overtaken"),
        ("nothing orders `add` ", "# result", "# awaited too early"),
    ];
    assert_eq!(notes.len(), expected.len(), "{notes:?}");
    for (note, (begin, line, other)) in notes.iter().zip(expected) {
        assert!(note.text.starts_with(begin), "{note:?}");
        assert_eq!(note.line_in(&program), Some(marked(line)), "{note:?}");
        let other = format!("{}:{})", program.display(), marked(other));
        assert!(note.text.contains(&other), "{note:?}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn captures_end_as_on_a_gpu() {
    let folder = support::root().join("tests/values");
    let recorded = folder.join("recorded/captured_operators.txt");
    let recorded = std::fs::read_to_string(recorded).expect("the recording can be read");
    let watched = watch_with(
        &["--twin", "never"],
        &support::python(),
        &[],
        &folder.join("captured_operators.py"),
    )
    .expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    let differing: Vec<_> = recorded
        .lines()
        .zip(watched.stdout.lines())
        .filter(|(recorded, printed)| recorded != printed)
        .collect();
    assert!(differing.is_empty(), "{differing:#?}");
    assert_eq!(recorded.lines().count(), watched.stdout.lines().count());
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn each_form_that_waits_is_named_and_the_other_is_captured() {
    let program = support::root().join("tests/values/sync_free.py");
    let watched = watch_with(&["--twin", "never"], &support::python(), &[], &program);
    let watched = watched.expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    assert_eq!(watched.stdout, "");
    let text = fs::read_to_string(&program).expect("it can be read");
    let marked = text.lines().zip(1..).filter_map(|(line, number)| {
        let (_, id) = line.rsplit_once("  # CG")?;
        Some((number, format!("CG{id}")))
    });
    let wanted: Vec<(u32, String)> = marked.collect();
    let found = watched.findings.iter();
    let mut found: Vec<(u32, String)> = found
        .map(|it| (it.line_in(&program).unwrap_or_default(), it.id.clone()))
        .collect();
    found.sort();
    assert_eq!(found, wanted);
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
fn what_a_kernel_refuses_ends_the_use_of_the_device_as_on_a_gpu() {
    for schedule in ["eager", "lazy"] {
        let notes = check("device_asserts.py", schedule);
        for operator in ["aten.index.Tensor", "aten.index_select.default"] {
            let failed = format!("the kernel of {operator} failed an assertion");
            let is_named = notes.iter().any(|note| note.text.contains(&failed));
            assert!(is_named, "{schedule}: {operator}: {notes:?}");
        }
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn an_illegal_access_of_a_kernel_ends_the_use_of_the_device_as_on_a_gpu() {
    for schedule in ["eager", "lazy"] {
        let notes = check("illegal_accesses.py", schedule);
        for access in ["it reads", "it writes", "before `", "behind `given`"] {
            let is_named = notes
                .iter()
                .any(|note| note.text.contains("Triton's kernel") && note.text.contains(access));
            assert!(is_named, "{schedule}: {access}: {notes:?}");
        }
        assert!(
            notes.iter().all(|note| note.location.is_some()),
            "{notes:?}"
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_not_computed_is_named_with_its_line() {
    for schedule in SCHEDULES {
        named_with_its_line(&check("not_computed.py", schedule));
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_left_out_is_named_with_its_line() {
    let program = support::root().join("tests/values/left_out.py");
    for schedule in ["eager", "lazy"] {
        let watched =
            watch_scheduled(&support::python(), schedule, &[], &program).expect("it runs");
        assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
        let wrong: Vec<u32> = watched
            .stdout
            .lines()
            .map(|line| line.parse().expect("a line"))
            .collect();
        assert!(wrong.len() > 2, "{}", watched.stdout);
        for line in wrong {
            let named = |note: &&support::Note| {
                note.line_in(&program) == Some(line) && note.text.contains("is not computed")
            };
            let note = watched.notes.iter().find(named);
            assert!(
                note.is_some(),
                "{schedule}: line {line}: {:?}",
                watched.notes
            );
        }
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn that_nothing_is_computed_is_said() {
    let program = support::root().join("tests/values/not_begun.py");
    let watched = watch_scheduled(&support::python(), "lazy", &[], &program).expect("it runs");
    assert_eq!(watched.exit, Some(0), "{}", watched.stderr);
    let told = |note: &support::Note| {
        note.text
            .contains("what PyTorch's operators compute is not computed")
    };
    assert!(watched.notes.iter().any(told), "{:?}", watched.notes);
}

fn named_with_its_line(notes: &[support::Note]) {
    let named = |operator: &str| {
        let note = notes.iter().find(|note| note.text.starts_with(operator));
        note.unwrap_or_else(|| panic!("no note on {operator} in {notes:?}"))
    };
    let program = support::root().join("tests/values/not_computed.py");
    assert_eq!(
        named("aten._cslt_compress.default").line_in(&program),
        Some(13)
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn secrets_bytes_and_signals_of_a_program_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).expect("a folder");
    let program = odd.join(OsStr::from_bytes(b"program\xfe.py"));
    fs::copy(support::root().join("tests/values/private.py"), &program).expect("a file");
    let ran = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["run", "--virtual", "--save", "t.cgsan"])
        .args(["--html", "page.html", "--also-json", "report.json", "--"])
        .arg(support::python())
        .arg(&program)
        .args(["--password=hunter2", "--token", "hunter3"])
        .arg(OsStr::from_bytes(b"\xfd"))
        .current_dir(folder.path())
        .env("TMPDIR", &odd)
        .output()
        .expect("cgsan starts");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    let threads = String::from_utf8_lossy(&ran.stdout);
    let is_blocked = |line: &str| line.starts_with("cgsan-") && line.ends_with(" blocked");
    assert!(
        !threads.is_empty() && threads.lines().all(is_blocked),
        "{threads}"
    );
    for name in ["t.cgsan", "page.html", "report.json"] {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).expect("it is written");
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("hunter2") && !text.contains("hunter3"),
            "{name}"
        );
    }
    let trace = fs::metadata(folder.path().join("t.cgsan")).expect("a trace");
    assert_eq!(trace.permissions().mode() & 0o777, 0o600);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn arguments_are_in_no_file_if_they_are_not_to_be() {
    for (option, is_kept) in [(None, true), (Some("--no-arguments"), false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let ran = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["run", "--virtual", "--save", "t.cgsan"])
            .args(["--html", "page.html", "--also-json", "report.json"])
            .args(option)
            .arg("--")
            .arg(support::python())
            .arg(support::root().join("examples/cg101_host_sync_in_capture/fixed.py"))
            .arg("unmistakable")
            .current_dir(folder.path())
            .output()
            .expect("cgsan starts");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{told}");
        for name in ["t.cgsan", "page.html", "report.json"] {
            let path = folder.path().join(name);
            let bytes = fs::read(&path).expect("it is written");
            let is_in = String::from_utf8_lossy(&bytes).contains("unmistakable");
            assert_eq!(is_in, is_kept, "{name} {option:?}");
        }
    }
}
