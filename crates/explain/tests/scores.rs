//! What real GPUs printed, given to the search: the right entry comes first wherever the text alone can decide, and among the
//! first three otherwise.
//!
//! The table is printed: `cargo test -p cgsan-explain --test scores -- --nocapture`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_explain::Explanation;
use serde_json::Value;

/// A recorded text and the entry that it is about.
struct Recorded {
    name: String,
    id: String,
    text: String,
}

/// The texts, by name, whose right entry did not come first, and those in which it was not among the first three.
#[derive(Debug, Default, PartialEq, Eq)]
struct Missed<'a> {
    first: Vec<&'a str>,
    first_three: Vec<&'a str>,
}

fn truth() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/truth")
}

/// The ids of an `expected.toml`, by case.
fn expected(file: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(file).expect("it is in the repository");
    let table: toml::Table = toml::from_str(&text).expect("it is TOML");
    table
        .into_iter()
        .filter_map(|(case, facts)| Some((case, facts.get("id")?.as_str()?.to_owned())))
        .filter(|(_, id)| id != "none")
        .collect()
}

/// One field of every line of a file of raw recordings, where it is not empty.
fn raw(file: &str, field: &str, ids: &BTreeMap<String, String>) -> Vec<Recorded> {
    let lines = fs::read_to_string(truth().join(file)).expect("it is in the repository");
    lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"))
        .filter_map(|record| {
            let name = record["case"].as_str()?.to_owned();
            let id = ids.get(&name)?.clone();
            let text = record[field].as_str()?.to_owned();
            (!text.trim().is_empty()).then_some(Recorded { name, id, text })
        })
        .collect()
}

fn explain(text: &str) -> Explanation {
    cgsan_explain::text(text).expect("it is a text")
}

/// Prints how each text fared.
fn missed<'a>(what: &str, texts: &'a [Recorded]) -> Missed<'a> {
    let mut missed = Missed::default();
    println!("{what}: {} texts", texts.len());
    for Recorded { name, id, text } in texts {
        let candidates = explain(text).candidates;
        let place = candidates
            .iter()
            .position(|candidate| candidate.entry.id == id);
        if place != Some(0) {
            missed.first.push(name);
        }
        if place.is_none_or(|place| place >= 3) {
            missed.first_three.push(name);
        }
        let first: Vec<String> = candidates
            .iter()
            .take(4)
            .map(|candidate| format!("{} {}", candidate.entry.id, candidate.score))
            .collect();
        let place = place.map_or("-".to_owned(), |place| (place + 1).to_string());
        println!("  {place:>2}  {id}  {name:<34} {}", first.join(", "));
    }
    println!(
        "  not first: {}, not among the first three: {}",
        missed.first.len(),
        missed.first_three.len()
    );
    missed
}

/// The ids of the programs that fail by a call: wrong numbers and wasted memory say nothing of it.
fn failing() -> BTreeMap<String, String> {
    let mut ids = expected(&truth().join("expected.toml"));
    ids.retain(|_, id| !id.starts_with("CG2") && !id.starts_with("CG3"));
    ids
}

#[test]
fn what_an_h100_printed() {
    let texts = raw("h100_torch2.11_cu130.jsonl", "stderr", &failing());
    // In these the text does not decide: who made a node, and what another thread did, is not in it. With one rank, nothing was printed.
    let missed = missed("standard error, H100", &texts);
    let expected = Missed {
        first: vec!["c15_ddp", "c18_bg_pin", "h01_destroy_before_graph"],
        first_three: vec!["h01_destroy_before_graph"],
    };
    assert_eq!(missed, expected);
}

#[test]
fn what_the_driver_logged() {
    let texts = raw("h100_torch2.11_cu130.jsonl", "cuda_log", &failing());
    let missed = missed("driver's log, H100", &texts);
    // PyTorch refused these before CUDA was asked, or nothing was refused, so the log has nothing on them.
    let unasked = [
        "c21_custom_gen",
        "c24_reentrant_mgc",
        "c35_replay_in_capture",
        "h01_destroy_before_graph",
    ];
    let undecided = ["c15_ddp", "c20_nccl_watchdog_ok", "c32_nested_capture"];
    let mut first = [&unasked[..], &undecided[..]].concat();
    first.sort_unstable();
    let expected = Missed {
        first,
        first_three: unasked.to_vec(),
    };
    assert_eq!(missed, expected);
}

#[test]
fn what_two_ranks_printed() {
    let ids = [
        ("d02_allreduce_lazy_comm", "CG113"),
        ("d03_destroy_live_graph", "CG401"),
        ("d04_class_attr_graph_exit", "CG402"),
        ("d06_wrong_device", "CG206"),
        ("d07_rank_skips_replay", "CG403"),
        ("d08_one_rank_eager", "CG403"),
        ("d09_capture_error_then_collective", "CG404"),
    ];
    let ids = ids.map(|(case, id)| (case.to_owned(), id.to_owned()));
    let texts = raw("multi/h200x2_torch2.11.jsonl", "stderr", &ids.into());
    // What d08 and d09 printed is what a run without fault prints.
    let missed = missed("standard error, two H200", &texts);
    let silent = vec!["d08_one_rank_eager", "d09_capture_error_then_collective"];
    let expected = Missed {
        first: silent.clone(),
        first_three: silent,
    };
    assert_eq!(missed, expected);
}

#[test]
fn the_first_line_alone() {
    let ids = expected(&truth().join("more/expected.toml"));
    let json =
        fs::read_to_string(truth().join("more/truth.json")).expect("it is in the repository");
    let records: Vec<Value> = serde_json::from_str(&json).expect("it is JSON");
    let texts: Vec<Recorded> = records
        .iter()
        .filter_map(|record| {
            let name = record["case"].as_str()?.to_owned();
            let id = ids.get(&name)?.clone();
            let text = format!(
                "{}: {}",
                record["error_type"].as_str()?,
                record["error"].as_str()?
            );
            Some(Recorded { name, id, text })
        })
        .collect();
    let missed = missed("the exception alone, H100", &texts);
    let expected = Missed {
        first: vec![
            "capture_inside_capture_cached",
            "caught_inside",
            "default_stream_wait",
            "gloo_all_reduce_cuda_tensor",
            "graph_del_in_capture",
            "graph_gc_in_capture",
            "graph_reset_in_capture",
            "instantiate_in_capture",
            "keep_graph_replay_inside",
            "logging_thread_pool",
            "mgc_inside_capture",
            "nccl_new_group_in_capture",
            "nccl_second_group_cold",
            "nested_same_graph",
            "raw_host_alloc",
            "side_stream_preallocated",
            "stream_query_relaxed_capturing",
            "weakref_finalizer_destroys_graph",
            "worker_cuda_malloc",
            "worker_pin_global",
            "worker_synchronize",
        ],
        first_three: vec![
            "capture_inside_capture_cached",
            "caught_inside",
            "graph_del_in_capture",
            "graph_gc_in_capture",
            "graph_reset_in_capture",
            "instantiate_in_capture",
            "keep_graph_replay_inside",
            "mgc_inside_capture",
            "nccl_new_group_in_capture",
            "nccl_second_group_cold",
            "nested_same_graph",
            "raw_host_alloc",
            "stream_query_relaxed_capturing",
            "weakref_finalizer_destroys_graph",
        ],
    };
    assert_eq!(missed, expected);
}
