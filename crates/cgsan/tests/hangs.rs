//! Programs that stand still are reported while they run, with their line and their reason; programs that are only slow are not.

mod support;

use std::fs;
use std::path::Path;

use support::{Watched, in_parallel, programs, watch_hangs};

/// For how long nothing may go on, in seconds.
const LIMIT: u32 = 3;

/// The exit status of a program that was ended for it.
const ENDED: i32 = 123;

/// Runs all programs of a folder, and fails with what is wrong with any.
fn judge_all(folder: &str, on_hang: &str, judge: impl Fn(&Path, &Watched) -> Vec<String> + Sync) {
    let python = support::python();
    let problems = in_parallel(
        &programs(Path::new("tests/hangs").join(folder)),
        |program| {
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            let problems = match watch_hangs(&python, LIMIT, on_hang, program) {
                Err(problem) => vec![problem],
                Ok(watched) => judge(program, &watched),
            };
            let named = problems.into_iter();
            named
                .map(|problem| format!("{name}: {problem}"))
                .collect::<Vec<_>>()
        },
    );
    let problems = problems.concat();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn each_way_to_stand_still_is_named_with_its_line() {
    judge_all("stuck", "kill", |program, watched| {
        let mut problems = Vec::new();
        let source = fs::read_to_string(program).expect("a program");
        if watched.exit != Some(ENDED) {
            problems.push(format!("ended with {:?}: {}", watched.exit, watched.stderr));
        }
        let [finding] = watched.findings.as_slice() else {
            problems.push(format!("found {:?}", watched.findings));
            return problems;
        };
        let marked = source
            .lines()
            .position(|line| line.ends_with("# cgsan: CG405"));
        let line = marked.map(|line| line + 1);
        if finding.id != "CG405" || finding.line_in(program).map(|line| line as usize) != line {
            problems.push(format!("found {} at {}", finding.id, finding.place()));
        }
        for says in source
            .lines()
            .filter_map(|line| line.strip_prefix("# says: "))
        {
            // At once, and in the report.
            if !watched.stderr.contains(says) || !finding.notes.iter().any(|it| it.contains(says)) {
                problems.push(format!("does not say {says:?}: {}", watched.stderr));
            }
        }
        let has_stacks = |native: &str| watched.stderr.contains(native);
        if !has_stacks("Py_RunMain") && !has_stacks("python") {
            problems.push(format!("shows no native stack: {}", watched.stderr));
        }
        problems
    });
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_may_go_on_is_told_and_left_alone() {
    judge_all("passing", "kill", |program, watched| {
        let mut problems = watched.did_not_end_well();
        let found = watched.findings.iter();
        problems.extend(found.map(|it| format!("found {} at {}", it.id, it.place())));
        let source = fs::read_to_string(program).expect("a program");
        for says in source
            .lines()
            .filter_map(|line| line.strip_prefix("# says: "))
        {
            if !watched.stderr.contains(says)
                || !watched.notes.iter().any(|it| it.text.contains(says))
            {
                problems.push(format!("does not say {says:?}: {}", watched.stderr));
            }
        }
        problems
    });
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_is_only_slow_is_left_alone() {
    judge_all("slow", "kill", |_, watched| {
        let mut problems = watched.did_not_end_well();
        problems.extend(
            watched
                .findings
                .iter()
                .map(|it| format!("found {} at {}", it.id, it.place())),
        );
        if watched.stderr.contains("no progress") {
            problems.push(watched.stderr.clone());
        }
        problems
    });
}
