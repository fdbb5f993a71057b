//! How long commands take on large captures, and how much memory.
//!
//! `cargo bench --package cgsan --bench captures -- [NODES…]` writes a trace of each pattern (`tests/support/large.rs`), of so many
//! nodes in three captures with half as many operators before them, and a file in DOT of so many nodes, and gives them to `cgsan`.
//! Time is that of one processor; divided by the nodes, it should be the same for all numbers of them.

#[path = "../tests/support/large.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod large;
#[path = "../tests/support/recorder.rs"]
#[allow(dead_code, reason = "other traces use what these do not")]
mod recorder;
mod support;

use std::path::Path;
use std::{env, fs};

use large::{Pattern, Size};

/// How many nodes there are unless asked otherwise.
const NODES: [usize; 2] = [20_000, 200_000];

fn main() {
    let words = env::args().skip(1);
    let asked: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
    let all = if asked.is_empty() {
        NODES.to_vec()
    } else {
        asked
    };
    println!("| what | nodes | command | CPU seconds | µs for a node | MB resident |");
    println!("|---|---|---|---|---|---|");
    for nodes in all {
        let folder = tempfile::tempdir().expect("a folder");
        for pattern in Pattern::ALL {
            of_pattern(pattern, nodes, folder.path());
        }
        of_dot(nodes, folder.path());
    }
}

fn of_pattern(pattern: Pattern, nodes: usize, folder: &Path) {
    let size = Size {
        nodes,
        captures: 3,
        eager: nodes / 2,
        pattern,
        ..Size::default()
    };
    let trace = folder.join("run.cgsan");
    fs::write(&trace, large::trace(size)).expect("a file");
    let trace = trace.display().to_string();
    let what = format!("{pattern:?}");
    measure(&what, nodes, "report", &["report", &trace]);
    if pattern != Pattern::Model {
        return;
    }
    let page = folder.join("page.html").display().to_string();
    let picture = folder.join("graph.svg").display().to_string();
    let [first, second] = [1, 2].map(|number| format!("{trace}#{number}"));
    let commands: [(&str, &[&str]); 5] = [
        ("report --html", &["report", &trace, "--html", &page]),
        ("report --graphs", &["report", &trace, "--graphs"]),
        ("report --memory", &["report", &trace, "--memory"]),
        ("graph --svg", &["graph", &first, "--svg", &picture]),
        ("diff", &["diff", &first, &second]),
    ];
    for (name, arguments) in commands {
        measure(&what, nodes, name, arguments);
    }
}

fn of_dot(nodes: usize, folder: &Path) {
    let file = folder.join("graph.dot");
    fs::write(&file, large::dot(nodes)).expect("a file");
    let file = file.display().to_string();
    let picture = folder.join("graph.svg").display().to_string();
    let commands: [(&str, &[&str]); 3] = [
        ("graph", &["graph", &file]),
        ("graph --svg", &["graph", &file, "--svg", &picture]),
        ("diff", &["diff", &file, &file]),
    ];
    for (name, arguments) in commands {
        measure("DOT", nodes, name, arguments);
    }
}

fn measure(what: &str, nodes: usize, name: &str, arguments: &[&str]) {
    let support::Cost { seconds, megabytes } = support::run(arguments);
    let nodes_in_millions = f64::from(u32::try_from(nodes).expect("memory for them")) / 1e6;
    let of_node = seconds / nodes_in_millions;
    println!("| {what} | {nodes} | `{name}` | {seconds:.2} | {of_node:.1} | {megabytes} |");
}
