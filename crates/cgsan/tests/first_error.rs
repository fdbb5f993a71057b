//! Of several errors, the first one is the cause, and the others are said to follow from it; what helps is said of the operator that
//! was called. The programs are those of `tests/first_error`.

mod support;

use std::fs;

use support::marked::Wanted;
use support::{in_parallel, watch_on};

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_first_error_wins() {
    let python = support::python();
    let programs = support::programs("tests/first_error");
    assert_eq!(programs.len(), 4);
    let problems = in_parallel(&programs, |program| {
        let watched = match watch_on(&python, 2, &[], program) {
            Ok(watched) => watched,
            Err(problem) => return vec![problem],
        };
        let mut problems = Wanted::of(program).problems(program, &watched.findings);
        let of_findings = watched.findings.iter().flat_map(|it| {
            let consequences = it.consequences.iter().map(|it| &it.text);
            it.notes.iter().chain(&it.help).chain(consequences)
        });
        let said: Vec<&String> = of_findings
            .chain(watched.notes.iter().map(|it| &it.text))
            .collect();
        let source = fs::read_to_string(program).expect("a program");
        for says in source
            .lines()
            .filter_map(|line| line.strip_prefix("# says: "))
        {
            if !said.iter().any(|it| it.contains(says)) {
                problems.push(format!(
                    "{}: does not say {says:?}: {said:?}",
                    program.display()
                ));
            }
        }
        problems
    });
    let problems = problems.concat();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
