//! `cgsan summarize`, and reports on what it wrote: they are those on the traces.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use support::fleet::Fleet;
use support::{FOUR_RANKS, TWO_RANKS, cgsan, in_parallel, python, root};

/// How many events a rank has that is not recorded, but written.
const EVENTS: usize = 300;

/// Programs that are recorded, with the launcher that starts them.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&[], "examples/cg101_host_sync_in_capture/fails.py"),
    (&[], "examples/cg106_stream_not_rejoined/fails.py"),
    (&[], "examples/cg209_input_freed_after_capture/fails.py"),
    (&[], "examples/cg303_pool_per_graph/fails.py"),
    (
        TWO_RANKS,
        "examples/cg402_graph_outlives_process_group_at_exit/fails.py",
    ),
    (FOUR_RANKS, "tests/ranks/four/steps.py"),
];

/// What it prints, where it ends well.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = cgsan(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it says, where the arguments name what it does not take.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = cgsan(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A job of which one rank does something else.
fn job(ranks: u32, odd: u32) -> Fleet {
    Fleet {
        ranks,
        events: EVENTS,
        captures: support::fleet::CAPTURES,
        eager: true,
        odd: Some(odd),
        directory: support::fleet::DIRECTORY.to_owned(),
    }
}

#[test]
fn a_report_on_summaries_is_that_on_their_traces() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    support::fleet::write(&here.join("traces"), 24, EVENTS);
    fs::create_dir(here.join("summaries")).expect("a folder");
    for node in ["node-2", "node-0", "node-1"] {
        let output = format!("summaries/{node}.cgsan-summary");
        printed(
            here,
            &["summarize", "--output", &output, &format!("traces/{node}")],
        );
    }
    for form in [&["--json"][..], &["--stack"], &["--format", "sarif"]] {
        let of_traces = printed(here, &[&["report"], form, &["traces"]].concat());
        assert!(
            of_traces.contains("CG101") && of_traces.contains("CG403"),
            "{of_traces}"
        );
        let of_summaries = printed(here, &[&["report"], form, &["summaries"]].concat());
        assert_eq!(of_summaries, of_traces);
        // Each process counts once.
        let of_both = printed(
            here,
            &[&["report"], form, &["traces", "summaries"]].concat(),
        );
        assert_eq!(of_both, of_traces);
    }
    let again = ["summarize", "--output", "all.cgsan-summary", "summaries"];
    printed(here, &again);
    let report = |file: &str| printed(here, &["report", "--json", file]);
    assert_eq!(report("all.cgsan-summary"), report("traces"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    support::fleet::write(&here.join("traces"), 16, EVENTS);
    let with = |jobs: &str| {
        let report = printed(here, &["report", "--json", "--jobs", jobs, "traces"]);
        let summary = format!("{jobs}.cgsan-summary");
        printed(
            here,
            &["summarize", "--jobs", jobs, "--output", &summary, "traces"],
        );
        printed(
            here,
            &["export", "--jobs", jobs, "--output", jobs, "traces"],
        );
        let tables = ["processes", "events", "captures", "findings"];
        let tables = tables.map(|it| fs::read(here.join(format!("{jobs}/{it}.parquet"))));
        let tables = tables.map(|it| it.expect("a table"));
        (
            report,
            fs::read(here.join(summary)).expect("a summary"),
            tables,
        )
    };
    let alone = with("1");
    assert!(with("3") == alone && with("8") == alone);
}

#[test]
fn the_odd_rank_is_named_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    job(40, 17).write(&here.join("traces"));
    let text = printed(here, &["report", "traces"]);
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("ranks: rank 17 (node-2): CG101 at train.py:27")
    );
    assert_eq!(
        lines.next(),
        Some("ranks: 39 ranks did the same: 0 to 16 and 18 to 39")
    );
    assert!(text.contains("error[CG101]"), "{text}");
    let report: Value =
        serde_json::from_str(&printed(here, &["report", "--json", "traces"])).expect("JSON");
    assert_eq!(report["ranks"][0]["ranks"], serde_json::json!([17]));
    assert_eq!(report["findings"][0]["id"], "CG101");
}

#[test]
fn lines_of_source_come_with_the_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let source: Vec<String> = (1..80).map(|it| format!("line_{it} = {it}")).collect();
    fs::create_dir(here.join("job")).expect("a folder");
    fs::write(here.join("job/train.py"), source.join("\n")).expect("a file");
    let traces = here.join("traces");
    let job = Fleet {
        directory: here.join("job").to_string_lossy().into_owned(),
        ..job(3, 1)
    };
    job.write(&traces);
    let of_traces = printed(here, &["report", "traces"]);
    assert!(of_traces.contains("line_27 = 27"), "{of_traces}");
    printed(
        here,
        &["summarize", "--output", "all.cgsan-summary", "traces"],
    );
    fs::remove_dir_all(here.join("job")).expect("it is there");
    assert_eq!(printed(here, &["report", "all.cgsan-summary"]), of_traces);
    let without = printed(here, &["report", "traces"]);
    assert!(!without.contains("line_27 = 27"));
}

#[test]
fn what_is_no_summary_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    job(3, 1).write(&here.join("traces"));
    printed(
        here,
        &["summarize", "--output", "good.cgsan-summary", "traces"],
    );
    let good = fs::read_to_string(here.join("good.cgsan-summary")).expect("a file");
    let lines: Vec<&str> = good.lines().collect();
    assert_eq!(lines.len(), 4);
    let half = &lines[2][..lines[2].len() / 2];
    let with = |name: &str, text: String| {
        fs::write(here.join(name), text).expect("a file");
        refused(here, &["report", name])
    };
    let newer = good.replace("\"version\":1", "\"version\":2");
    let told = with("newer.cgsan-summary", newer);
    assert!(told.contains("version 2"), "{told}");
    let told = with("half.cgsan-summary", [lines[0], lines[1], half].join("\n"));
    assert!(told.contains("line 3 of half.cgsan-summary"), "{told}");
    let told = with("other.cgsan-summary", good.replace("CG101", "CG999"));
    assert!(told.contains("CG999"), "{told}");
    let told = refused(
        here,
        &["export", "--output", "tables", "good.cgsan-summary"],
    );
    assert!(told.contains("not a trace"), "{told}");

    // In a folder, what cannot be read is told, and the rest is reported on.
    fs::create_dir(here.join("folder")).expect("a folder");
    fs::copy(
        here.join("good.cgsan-summary"),
        here.join("folder/good.cgsan-summary"),
    )
    .expect("a file");
    fs::copy(
        here.join("half.cgsan-summary"),
        here.join("folder/half.cgsan-summary"),
    )
    .expect("a file");
    let text = printed(here, &["report", "folder"]);
    assert!(
        text.contains("CG101") && text.contains("half.cgsan-summary"),
        "{text}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn reports_on_what_programs_recorded_are_the_same_of_summaries() {
    let python = python();
    let root = root();
    let problems = in_parallel(PROGRAMS, |(launcher, program)| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("traces")).expect("a folder");
        let program = root.join(program);
        let ran = Command::new("timeout")
            .args([
                "--kill-after=5",
                "300",
                env!("CARGO_BIN_EXE_cgsan"),
                "run",
                "--virtual",
            ])
            .args(["--gpus", "4", "--save", "traces", "--"])
            .arg(&python)
            .args(*launcher)
            .arg(&program)
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("it starts");
        let name = program.display();
        if ran.status.code() == Some(124) {
            return vec![format!("{name}: still running")];
        }
        differences(folder.path(), &root)
            .into_iter()
            .map(|form| format!("{name}: {form} differs"))
            .collect()
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The forms in which a report on the traces of a folder is another one than that on their summaries.
fn differences(folder: &Path, sources: &Path) -> Vec<String> {
    let sources = sources.to_string_lossy();
    printed(
        folder,
        &[
            "summarize",
            "--sources",
            &sources,
            "--output",
            "all.cgsan-summary",
            "traces",
        ],
    );
    let forms = [&["--json"][..], &["--stack"], &["--format", "markdown"]];
    let differs = forms.into_iter().filter(|form| {
        let of = |named: &str| {
            printed(
                folder,
                &[&["report", "--sources", &sources], *form, &[named]].concat(),
            )
        };
        of("traces") != of("all.cgsan-summary")
    });
    differs.map(|form| form.join(" ")).collect()
}
