//! The eager twin: which regions are run again, and that the world does not notice.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;

use cgsan_trace::{AgentEvent, Trace};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// Runs a program of `tests/twin` on the virtual GPU. What it printed, and what the agent told.
fn run(program: &str) -> (String, Vec<AgentEvent>) {
    let python = env::var_os("CGSAN_TEST_PYTHON")
        .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it");
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("run.cgsan");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/twin");
    let output = Command::new(CGSAN)
        .args(["run", "--virtual", "--twin", "always", "--save"])
        .arg(&trace)
        .arg("--")
        .arg(python)
        .arg(programs.join(program))
        .output()
        .expect("cgsan starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let trace = Trace::read(&trace).expect("a trace");
    let events = trace.agent_events().map(|(_, event)| event.clone());
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        events.collect(),
    )
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn regions_of_all_forms_are_run_again_and_do_the_same() {
    let (printed, events) = run("forms.py");
    let graphs: Vec<&str> = printed.lines().collect();
    let mut compared: BTreeMap<u64, u64> = BTreeMap::new();
    for event in &events {
        match event {
            AgentEvent::TwinCompared {
                graph,
                operators,
                differences,
                stopped,
                ..
            } => {
                assert!(differences.is_empty() && stopped.is_none(), "{event:?}");
                compared.insert(*graph, *operators);
            }
            AgentEvent::TwinsLeftOut { graphs } => panic!("{graphs:?}"),
            _ => {}
        }
    }
    // A loop has left the second of its graphs before the replay.
    assert_eq!(compared.len(), graphs.len() - 1, "{compared:?}");
    assert!(
        compared.values().all(|operators| *operators > 0),
        "{compared:?}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_a_region_does_to_the_world_its_twin_does_not() {
    let (printed, _) = run("harmless.py");
    insta::assert_snapshot!(printed);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn graphs_die_with_the_modules_that_captured_them() {
    let (printed, events) = run("let_go.py");
    assert_eq!(
        printed,
        "at once [None]\nof_a_module [None, None]\nof_exec [None, None]\n"
    );
    let compared: BTreeSet<u64> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::TwinCompared { graph, .. } => Some(*graph),
            _ => None,
        })
        .collect();
    assert_eq!(compared.len(), 5, "{events:?}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_graph_without_a_twin_is_told_with_the_reason() {
    let (_, events) = run("begun_by_calls.py");
    let left_out = events.iter().find_map(|event| match event {
        AgentEvent::TwinsLeftOut { graphs } => Some(graphs.as_slice()),
        _ => None,
    });
    let reason = "no block of its code begins and ends the capture";
    assert_eq!(left_out, Some(&[(3, reason.to_owned())][..]));
    let differing = events.iter().filter_map(|event| match event {
        AgentEvent::TwinCompared {
            graph, differences, ..
        } if !differences.is_empty() => Some(*graph),
        _ => None,
    });
    let differing: BTreeSet<u64> = differing.collect();
    assert_eq!(differing, BTreeSet::from([1, 2]));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_twin_goes_on_when_the_thread_of_its_replay_has_ended() {
    let (printed, events) = run("threads.py");
    assert_eq!(printed, "4\n");
    let mut compared = BTreeSet::new();
    for event in &events {
        match event {
            AgentEvent::TwinCompared { graph, stopped, .. } => {
                assert_eq!(*stopped, None);
                compared.insert(*graph);
            }
            AgentEvent::TwinsLeftOut { graphs } => panic!("{graphs:?}"),
            _ => {}
        }
    }
    assert_eq!(compared, BTreeSet::from([1, 2, 3, 4]));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_number_that_changes_is_seen_at_the_replay_wherever_it_is() {
    let (printed, events) = run("changes.py");
    let names: Vec<&str> = printed.lines().collect();
    let mut differing: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for event in &events {
        if let AgentEvent::TwinCompared {
            graph,
            replay,
            differences,
            ..
        } = event
            && !differences.is_empty()
        {
            differing.entry(*graph).or_default().insert(*replay);
        }
    }
    for (graph, name) in (1..).zip(names) {
        let replays = differing.remove(&graph).unwrap_or_default();
        assert_eq!(replays, BTreeSet::from([6]), "{name}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn results_that_lie_nowhere_have_the_forms_of_a_gpu() {
    let (printed, _) = run("nowhere.py");
    assert_eq!(printed, "29\n");
}

/// How an example of CG202 is reported where nothing is computed, as on a real GPU.
fn without_values(program: &str) -> String {
    let python = env::var_os("CGSAN_TEST_PYTHON")
        .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/cg202_capture_changes_the_computation");
    let output = Command::new(CGSAN)
        .args(["run", "--virtual", "--no-values", "--width", "1000", "--"])
        .arg(python)
        .arg(folder.join(program))
        .output()
        .expect("cgsan starts");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn where_nothing_is_computed_what_the_host_looks_at_leaves_it_open() {
    for (program, is_found, is_open) in [
        ("variant_counts_in_eager_calls.py", true, false),
        ("fails.py", false, true),
        ("lookalike_masked_in_capture.py", false, true),
        ("lookalike_second_stream_by_size.py", false, false),
        ("lookalike_staging_buffer.py", false, false),
    ] {
        let report = without_values(program);
        assert_eq!(report.contains("CG202"), is_found, "{program}: {report}");
        let left_open = "what 1 graph would do if no capture ran";
        assert_eq!(report.contains(left_open), is_open, "{program}: {report}");
    }
}
