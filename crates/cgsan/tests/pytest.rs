//! `pytest --cgsan`, with the tests of `tests/pytest` as a project of its own.

mod support;

use std::process::Command;

use support::{python, root};

/// How each test ends. What the finding is, where there is one, is in the text of the failure.
const OUTCOMES: &[&str] = &[
    "ERROR test_graphs.py::test_fails_at_teardown",
    "FAILED test_graphs.py::TestOfUnittest::test_hides_a_failure",
    "FAILED test_graphs.py::test_allows_another",
    "FAILED test_graphs.py::test_fails_by_itself_alone",
    "FAILED test_graphs.py::test_fails_by_itself_as_well",
    "FAILED test_graphs.py::test_hides_a_failure",
    "FAILED test_graphs.py::test_hides_a_failure_beside_the_report",
    "FAILED test_graphs.py::test_parameters[True]",
    "FAILED test_graphs.py::test_starts_a_program",
    "FAILED test_graphs.py::test_takes_the_next_batch_under_the_captured_name",
    "PASSED test_graphs.py::TestOfUnittest::test_captures",
    "PASSED test_graphs.py::test_allows_it",
    "PASSED test_graphs.py::test_asks_for_the_report",
    "PASSED test_graphs.py::test_captures",
    "PASSED test_graphs.py::test_eager",
    "PASSED test_graphs.py::test_fails_at_teardown",
    "PASSED test_graphs.py::test_parameters[False]",
    "PASSED test_graphs.py::test_replays_a_graph_of_the_module",
    "PASSED test_graphs.py::test_replays_it_again",
    "PASSED test_graphs.py::test_without_a_gpu",
    "XFAIL test_graphs.py::test_is_expected_to_fail",
];

/// What a run of pytest came to.
struct Ran {
    status: Option<i32>,
    /// What it printed, errors behind the rest.
    text: String,
}

impl Ran {
    /// The lines of pytest's summary, sorted, without what follows the name of a test.
    fn outcomes(&self) -> Vec<&str> {
        let words = ["ERROR ", "FAILED ", "PASSED ", "XFAIL "];
        let lines = self.text.lines();
        let of_tests = lines
            .filter(|line| words.iter().any(|word| line.starts_with(word)) && line.contains("::"));
        let mut outcomes: Vec<&str> = of_tests
            .map(|line| line.split(" - ").next().unwrap_or(line))
            .collect();
        outcomes.sort_unstable();
        outcomes
    }
}

/// Runs pytest in a folder of the tests, with the plugin as pytest would find it in the wheel.
fn pytest(folder: &str, arguments: &[&str]) -> Ran {
    let output = Command::new("timeout")
        .args(["--kill-after=5", "300"])
        .arg(python())
        .args(["-m", "pytest", "-p", "cgsan.pytest_plugin", "-rA"])
        .args(["-p", "no:cacheprovider", "--strict-markers", "--rootdir=."])
        .args(arguments)
        .current_dir(root().join(folder))
        .env("PYTHONPATH", root().join("python/cgsan/library"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CGSAN_COMMAND", env!("CARGO_BIN_EXE_cgsan"))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("PYTEST_ADDOPTS")
        .output()
        .expect("`timeout` starts");
    let texts = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    Ran {
        status: output.status.code(),
        text: texts.concat(),
    }
}

#[test]
#[ignore = "needs PyTorch and pytest; `cargo xtask test` runs it"]
fn tests_with_findings_fail_by_the_finding() {
    let ran = pytest("tests/pytest", &["--cgsan", "-n", "2"]);
    assert_eq!(ran.outcomes(), OUTCOMES, "{}", ran.text);
    assert_eq!(ran.status, Some(1), "{}", ran.text);
    for text in [
        "\nCG101: a value is read from the GPU during a capture\n",
        "error[CG203]: the graph reads the old tensor of a name that was rebound",
        "AssertionError: of its own",
        "----- cgsan -----",
    ] {
        assert!(
            ran.text.contains(text),
            "{text} is missing in: {}",
            ran.text
        );
    }
}

#[test]
#[ignore = "needs PyTorch and pytest; `cargo xtask test` runs it"]
fn tests_can_be_chosen_and_ids_allowed() {
    let options = ["--cgsan-ignore=CG101", "-k"];
    let ran = pytest(
        "tests/pytest",
        &[&options[..], &["hides or captures"]].concat(),
    );
    let ends_well = |line: &&str| line.starts_with("PASSED ");
    assert!(ran.outcomes().iter().all(ends_well), "{}", ran.text);
    assert_eq!(ran.outcomes().len(), 5, "{}", ran.text);
    assert_eq!(ran.status, Some(0), "{}", ran.text);
}

#[test]
#[ignore = "needs pytest; `cargo xtask test` runs it"]
fn without_being_asked_the_plugin_does_nothing() {
    let ran = pytest("tests/pytest_plain", &[]);
    assert_eq!(
        ran.outcomes(),
        [
            "PASSED test_plain.py::test_computes_without_a_graph",
            "PASSED test_plain.py::test_imports_nothing",
        ],
        "{}",
        ran.text
    );
    assert!(ran.text.contains("2 passed, 1 skipped"), "{}", ran.text);
    assert!(ran.text.contains("needs `pytest --cgsan`"), "{}", ran.text);
}

#[test]
#[ignore = "needs pytest; `cargo xtask test` runs it"]
fn what_is_no_id_is_refused() {
    let ran = pytest("tests/pytest_plain", &["--cgsan-ignore=sync"]);
    assert_eq!(ran.status, Some(4), "{}", ran.text);
    assert!(
        ran.text.contains("`sync` is not the id of a finding"),
        "{}",
        ran.text
    );
}

#[test]
#[ignore = "needs pytest; `cargo xtask test` runs it"]
fn a_session_that_judges_nothing_fails_unless_that_is_allowed() {
    let options = ["--cgsan-virtual", "-k", "computes"];
    for parallel in [&[][..], &["-n", "2"]] {
        let ran = pytest("tests/pytest_plain", &[&options, parallel].concat());
        assert_eq!(ran.status, Some(1), "{}", ran.text);
        assert!(
            ran.text.contains("cgsan: nothing was judged"),
            "{}",
            ran.text
        );
        let allowed = [&options, parallel, &["--cgsan-allow-nothing"]].concat();
        let ran = pytest("tests/pytest_plain", &allowed);
        assert_eq!(ran.status, Some(0), "{}", ran.text);
        assert!(!ran.text.contains("nothing was judged"), "{}", ran.text);
    }
}
