//! Traces that a killed run left, and traces of several runs in one folder.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use cgsan_model::ThreadId;
use cgsan_trace::{Entry, ProcessInfo, Record, format};

use super::{cgsan, names, output, stderr, stdout};

/// Writes the trace of a process that is of a run; whether it used CUDA is what it remarked.
fn write_trace(path: &Path, run: &str, used_cuda: bool) {
    let process = Record::Process(ProcessInfo {
        run: Some(run.to_owned()),
        arguments: vec![format!("program-of-{run}")],
        ..ProcessInfo::default()
    });
    let text = "something".to_owned();
    let remark = used_cuda.then_some(Record::Note { text });
    let records = [process].into_iter().chain(remark);
    let entries = records.map(|record| Entry {
        time_ns: 0,
        thread: ThreadId(1),
        record,
    });
    let entries: Vec<Entry> = entries.collect();
    fs::write(path, format::encode_all(&entries)).expect("a file");
}

#[test]
fn traces_of_a_killed_run_are_told_of_once_and_stay_for_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let temporary = folder.path().join("temporary");
    let [killed, unused] = ["cgsan-run-killed", "cgsan-run-unused"].map(|it| temporary.join(it));
    for (run, used_cuda) in [(&killed, true), (&unused, false)] {
        fs::create_dir_all(run.join("agent")).expect("a folder");
        fs::write(run.join("status-7.json"), "{}").expect("a file");
        write_trace(&run.join("trace-7.cgsan"), "killed", used_cuda);
    }
    let next = || {
        let mut run = cgsan(folder.path(), &["run", "--", "true"]);
        run.env("TMPDIR", &temporary);
        stderr(&output(run))
    };
    let told = next();
    let shown_by = format!("`cgsan report {}`", killed.display());
    assert!(
        told.contains("a run that was killed 0 seconds ago left a trace"),
        "{told}"
    );
    assert!(told.contains(&shown_by), "{told}");
    assert_eq!(names(&temporary), ["cgsan-run-killed"]);
    assert_eq!(names(&killed), ["told", "trace-7.cgsan"]);
    let report = cgsan(folder.path(), &["report", &killed.display().to_string()]);
    assert!(output(report).status.success());

    assert!(!next().contains("killed"), "it was told");
    assert_eq!(names(&killed), ["told", "trace-7.cgsan"]);
    let yesterday = SystemTime::now() - Duration::from_hours(25);
    let marker = File::options().write(true).open(killed.join("told"));
    marker
        .and_then(|it| it.set_modified(yesterday))
        .expect("it is ours");
    assert!(!next().contains("killed"), "it was told");
    assert_eq!(names(&temporary), Vec::<String>::new());
}

#[test]
fn several_runs_are_one_report_only_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, run) in [("a.cgsan", "1"), ("b.cgsan", "2"), ("c.cgsan", "1")] {
        write_trace(&folder.path().join(name), run, true);
    }
    let report = |options: &[&str]| {
        let arguments = [&["report"], options].concat();
        output(cgsan(folder.path(), &arguments))
    };
    let shown = report(&["."]);
    let text = stdout(&shown);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    for heading in ["run 1 of 2, begun ", ", 2 processes: program-of-1\n"] {
        assert!(text.contains(heading), "{text}");
    }
    assert!(text.contains(", 1 process: program-of-2\n"), "{text}");

    for options in [
        &["--json", "."][..],
        &["--html", "page.html", "."],
        &["--output", "out", "."],
    ] {
        let refused = report(options);
        assert_eq!(refused.status.code(), Some(2), "{options:?}");
        let why = stderr(&refused);
        assert!(
            why.contains("of 2 runs") && why.contains("--merge"),
            "{why}"
        );
        assert!(why.contains("./a.cgsan ./c.cgsan\n"), "{why}");
    }
    for options in [
        &["--json", "--merge", "."][..],
        &["--json", "a.cgsan", "c.cgsan"],
    ] {
        assert!(report(options).status.success(), "{options:?}");
    }
    assert_eq!(names(folder.path()), ["a.cgsan", "b.cgsan", "c.cgsan"]);
}

#[test]
fn files_that_were_written_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    write_trace(&folder.path().join("a.cgsan"), "1", true);
    let options = [
        "report", "--html", "x.html", "--json", "-o", "y.json", "a.cgsan",
    ];
    let written = output(cgsan(folder.path(), &options));
    assert_eq!(stderr(&written), "cgsan: written: x.html, y.json\n");
    let exported = output(cgsan(folder.path(), &["export", "a.cgsan", "-o", "tables"]));
    let told = stderr(&exported);
    assert!(
        told.contains("cgsan: written: tables/processes.parquet, "),
        "{told}"
    );
}
