//! `python -m cgsan.fleet` on the traces of many ranks, by each of its engines, and what it is made of.

mod support;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cgsan_model::{Call, CaptureMode, Device, ExecId, GraphId, Stream, ThreadId};
use cgsan_trace::ProcessInfo;
use serde_json::{Value, json};

use support::recorder::Recorder;
use support::{cgsan, fleet, python, root};

/// How many ranks there are, and of how many events each.
const RANKS: u32 = 24;
const EVENTS: usize = 150;

/// The trace at which a worker is killed.
const KILL_AT: &str = "node-1/trace-1003.cgsan";

/// Who is killed.
#[derive(Clone, Copy)]
enum Killed {
    /// The process of the engine that works.
    Worker,
    /// The command that it has started.
    Command,
}

/// The traces of a job below a folder, one of which cannot be read. Gives the folder's name.
fn traces(folder: &Path) -> String {
    let traces = folder.join("traces");
    fleet::write(&traces, RANKS, EVENTS);
    fs::write(traces.join("lost.cgsan"), "garbage").expect("a file");
    traces.display().to_string()
}

/// What a command that succeeded has printed, without the breaks of lines.
fn succeeded(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let words = String::from_utf8_lossy(&output.stdout);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json_in(file: &Path) -> Value {
    let text = fs::read_to_string(file).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// The interpreter with Ray and Spark.
fn python_of_fleets() -> OsString {
    std::env::var_os("CGSAN_TEST_FLEET_PYTHON")
        .expect("CGSAN_TEST_FLEET_PYTHON names an interpreter with Ray and Spark; `cargo xtask test` sets it")
}

/// Has workers analyse traces, of whom one is killed in the middle, and gives the folder with what they found.
fn analysed(
    folder: &Path,
    python: OsString,
    engine: &str,
    killed: Killed,
    traces: &str,
) -> PathBuf {
    let output = folder.join(engine);
    let mark = folder.join(format!("killed-{engine}"));
    let who = match killed {
        Killed::Worker => "worker",
        Killed::Command => "command",
    };
    let ran = Command::new("timeout")
        .args(["--kill-after=5", "240"])
        .arg(python)
        .args([
            "-m",
            "cgsan.fleet",
            "--engine",
            engine,
            "--workers",
            "2",
            "--output",
        ])
        .arg(&output)
        .arg(traces)
        .current_dir(folder)
        .env("PYTHONPATH", root().join("python/cgsan/library"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HOME", folder)
        .env(
            "CGSAN_COMMAND",
            root().join("tests/fleet/kills_its_worker.sh"),
        )
        .env("CGSAN_TEST_COMMAND", env!("CARGO_BIN_EXE_cgsan"))
        .env("CGSAN_TEST_KILL", who)
        .env("CGSAN_TEST_KILL_AT", KILL_AT)
        .env("CGSAN_TEST_KILLED", &mark)
        .output()
        .expect("`timeout` starts");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    assert!(mark.exists(), "nobody was killed");
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains("\nerror[CG101]"), "{text}");
    output
}

/// What `cgsan report` says of the traces.
fn reported(folder: &Path, traces: &str) -> Value {
    let text = succeeded(&cgsan(folder, &["report", "--json", traces]));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
#[ignore = "needs DuckDB; `cargo xtask test` runs it"]
fn this_machine_alone_finds_what_report_finds_and_answers_the_ready_queries() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let traces = traces(folder);
    let output = analysed(folder, python(), "local", Killed::Command, &traces);
    assert_eq!(
        json_in(&output.join("report.json")),
        reported(folder, &traces)
    );
    for page in ["report.html", "fleet.html"] {
        let page = fs::read_to_string(output.join(page)).expect("a page");
        assert!(page.starts_with("<!DOCTYPE html>"));
    }

    // The folder may be moved.
    let moved = folder.join("moved");
    fs::rename(&output, &moved).expect("a folder");
    let answers = Command::new(python())
        .arg(root().join("tests/fleet/queries.py"))
        .arg(&moved)
        .current_dir(&moved)
        .output()
        .expect("Python starts");
    let answers: Value = serde_json::from_str(&succeeded(&answers)).expect("JSON");
    assert_eq!(answers["rows"]["processes"], RANKS);
    assert_eq!(answers["failures"][0][0], "CG101");
    assert_eq!(
        answers["new_since"],
        json!([]),
        "nothing is new since itself"
    );
    // Rank 13 fails in its fourth capture.
    let first = &answers["parts_first"][0];
    assert_eq!(
        (&first[1], &first[4], &first[5]),
        (&json!(13), &json!("capture"), &json!(4))
    );
    assert_eq!(answers["unfinished"], json!([]));
}

#[test]
#[ignore = "needs Ray and Spark; `cargo xtask test` runs it"]
fn ray_and_spark_find_what_report_finds_though_a_worker_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let traces = traces(folder);
    let wanted = reported(folder, &traces);
    let ray = analysed(folder, python_of_fleets(), "ray", Killed::Worker, &traces);
    assert_eq!(json_in(&ray.join("report.json")), wanted);
    if Command::new("java").arg("-version").output().is_err() {
        eprintln!("no Java: Spark was not tried");
        return;
    }
    // By way of `fsspec`, which fetches them.
    let address = format!("file://{traces}");
    let spark = analysed(
        folder,
        python_of_fleets(),
        "spark",
        Killed::Worker,
        &address,
    );
    let mut found = json_in(&spark.join("report.json"));
    let note = found["notes"][0]["text"].take();
    assert!(
        note.as_str().is_some_and(|it| it.contains("lost.cgsan")),
        "{note}"
    );
    found["notes"] = wanted["notes"].clone();
    assert_eq!(found, wanted);
}

#[test]
#[ignore = "needs Python; `cargo xtask test` runs it"]
fn a_package_that_is_missing_is_named_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let traces = traces(folder.path());
    for (arguments, package) in [
        (["--engine", "spark", &traces], "pyspark"),
        (["--engine", "local", "s3://bucket/traces"], "fsspec"),
    ] {
        // Without the packages of the environment.
        let ran = Command::new(python())
            .args(["-S", "-m", "cgsan.fleet", "--no-tables", "--output", "out"])
            .args(arguments)
            .current_dir(folder.path())
            .env("PYTHONPATH", root().join("python/cgsan/library"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("Python starts");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("pip install {package}")), "{told}");
    }
}

#[test]
fn what_is_new_since_an_earlier_run_is_told_and_what_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // Ranks 13 and 7 are in the second job alone.
    fleet::write(&folder.join("yesterday"), 4, EVENTS);
    fleet::write(&folder.join("today"), RANKS, EVENTS);
    for name in ["yesterday", "today"] {
        let file = format!("{name}.json");
        succeeded(&cgsan(
            folder,
            &["report", "--json", "--output", &file, name],
        ));
        let file = format!("{name}.cgsan-summary");
        succeeded(&cgsan(folder, &["summarize", "--output", &file, name]));
    }
    for earlier in ["yesterday", "yesterday.json", "yesterday.cgsan-summary"] {
        let told = cgsan(
            folder,
            &["report", "--strict", "--json", "--since", earlier, "today"],
        );
        assert_eq!(told.status.code(), Some(1));
        let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        assert_eq!(
            told["findings"].as_array().map(Vec::len),
            Some(2),
            "{earlier}"
        );
    }
    for earlier in ["today", "today.json", "today.cgsan-summary"] {
        let told = cgsan(folder, &["report", "--strict", "--since", earlier, "today"]);
        let text = succeeded(&told);
        assert!(
            text.contains("2 findings left out by the earlier run today"),
            "{text}"
        );
        let told = cgsan(folder, &["report", "--since", earlier, "yesterday"]);
        let text = succeeded(&told);
        assert!(
            text.contains(&format!("2 findings are gone since {earlier}")),
            "{text}"
        );
        assert!(text.contains("CG101 at train.py:27"), "{text}");
    }
    fs::write(folder.join("other.json"), "{}").expect("a file");
    let other = cgsan(folder, &["report", "--since", "other.json", "today"]);
    assert_eq!(other.status.code(), Some(2));
}

/// The trace of a process that replays a graph in some steps, or calls a collective, and waits a millisecond for the GPU in each.
fn steps_of(pid: u32, replays: bool, collectives: bool) -> Vec<u8> {
    let process = ProcessInfo {
        pid,
        started: 1_790_000_000,
        ..ProcessInfo::default()
    };
    let mut recorder = Recorder::new(process, ThreadId(100));
    let code = recorder.code("/job/train.py", "step");
    let frame = recorder.frame(None, code, 7);
    let stream = Stream::Created(0x10);
    let (graph, exec) = (GraphId(1), ExecId(1));
    let create = Call::StreamCreate {
        stream,
        device: Device(0),
        non_blocking: true,
        priority: 0,
    };
    let begin = Call::StreamBeginCapture {
        stream,
        mode: CaptureMode::Global,
    };
    let end = Call::StreamEndCapture { stream, graph };
    let instantiate = Call::GraphInstantiate {
        graph,
        exec,
        auto_free: true,
    };
    for (function, call) in [
        ("cuStreamCreateWithPriority", create),
        ("cuStreamBeginCapture_v2", begin),
        ("cuStreamEndCapture", end),
        ("cuGraphInstantiateWithFlags", instantiate),
    ] {
        assert!(recorder.call(frame, function, call));
    }
    for _ in 0..4 {
        if replays {
            let launch = Call::GraphLaunch { exec, stream };
            assert!(recorder.call(frame, "cuGraphLaunch", launch));
        }
        if collectives {
            recorder.begin(frame, "c10d::allreduce_", Vec::new());
            recorder.end(&[]);
        }
        recorder.time_ns += 1_000_000;
        recorder.call(
            frame,
            "cuStreamSynchronize",
            Call::StreamSynchronize { stream },
        );
    }
    recorder.finish()
}

#[test]
fn a_step_says_what_its_thread_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, replays, collectives, told) in [
        ("graphs", true, true, "<td>4</td><td>4.0"),
        ("collectives", false, true, "<td>4</td><td>4.0"),
        ("neither", false, false, "<td>0</td><td>0.00 ns"),
    ] {
        let trace = format!("{name}.cgsan");
        fs::write(folder.join(&trace), steps_of(7, replays, collectives)).expect("a file");
        succeeded(&cgsan(folder, &["export", "--output", name, &trace]));
        succeeded(&cgsan(
            folder,
            &["export", "--format", "page", "--output", "page.html", name],
        ));
        let page = fs::read_to_string(folder.join("page.html")).expect("a page");
        let row = format!("<th scope=\"row\">waits for the GPU</th>{told}");
        assert!(page.contains(&row), "{name}: {row} is not in {page}");
        assert_eq!(page.contains("train.py:7 in step"), replays || collectives);
    }
}

#[test]
fn tables_of_machines_are_put_into_one_folder_and_the_page_is_made_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fleet::write(&folder.join("traces"), RANKS, EVENTS);
    let export = ["export", "--partitioned", "--output", "tables", "traces"];
    succeeded(&cgsan(folder, &export));
    let of_node = folder.join("tables/steps/job=10.0.0.1%3A29500/host=node-1");
    assert_eq!(fs::read_dir(&of_node).expect("a folder").count(), 8);
    let again = cgsan(folder, &export);
    assert_eq!(
        again.status.code(),
        Some(2),
        "rows of two exports would be one table's"
    );

    let page = [
        "export",
        "--format",
        "page",
        "--output",
        "fleet.html",
        "tables",
    ];
    succeeded(&cgsan(folder, &page));
    let page = fs::read_to_string(folder.join("fleet.html")).expect("a page");
    assert!(
        page.contains("<h1>24 ranks, steps up to "),
        "{}",
        &page[..20_000]
    );
    let nothing = cgsan(
        folder,
        &[
            "export", "--format", "page", "--output", "no.html", "traces",
        ],
    );
    assert_eq!(nothing.status.code(), Some(2));
    assert!(!folder.join("no.html").exists());
}
