//! What captures recorded, as text.

use cgsan_finding::{
    CaptureEvent, CapturedGraph, Direction, EventKind, GraphNode, GraphShape, Location, Outcome,
    Parameters, Process,
};
use cgsan_render::{Options, graphs};

/// A line of the program.
fn line(line: u32) -> Location {
    Location {
        file: "/home/user/project/train.py".into(),
        line,
        span: None,
        cell: None,
        function: "step".to_owned(),
    }
}

/// A graph of two streams: the second one forks behind the first node, and the last node waits for both.
pub fn two_streams() -> CapturedGraph {
    let node = |kind, operator: &str, stream, depends_on: &[u32]| GraphNode {
        kind,
        name: Some(format!("{operator}_kernel")),
        operator: Some(operator.to_owned()),
        stream: Some(stream),
        depends_on: depends_on.to_vec(),
        place: Some(0),
        parameters: Some(match kind {
            "kernel" => Parameters::Launch {
                grid: [8, 1, 1],
                block: [128, 1, 1],
                shared: 0,
            },
            _ => Parameters::Copy {
                direction: Direction::HostToDevice,
                bytes: 4_000,
            },
        }),
    };
    let event = |kind, after_nodes, stream, waits_for, text: &str| CaptureEvent {
        kind,
        after_nodes,
        stream: Some(stream),
        waits_for,
        text: text.to_owned(),
        place: Some(1),
    };
    CapturedGraph {
        process: Process {
            pid: 7,
            command: vec!["python".to_owned(), "train.py".to_owned()],
            rank: Some(0),
            count: 1,
            ..Process::default()
        },
        graph: 1,
        location: Some(line(19)),
        mode: "global",
        outcome: Outcome::Captured,
        replays: 5,
        streams: vec!["stream 2 (non-blocking)".to_owned(), "stream 3".to_owned()],
        places: vec![line(21), line(20)],
        nodes: vec![
            node("memcpy", "copy_", 0, &[]),
            node("kernel", "sin", 1, &[0]),
            node("kernel", "cos", 0, &[0]),
            node("kernel", "add", 0, &[2, 1]),
        ],
        events: vec![
            event(
                EventKind::Begin,
                0,
                0,
                None,
                "the capture begins, mode `global`",
            ),
            event(
                EventKind::Fork,
                1,
                1,
                Some(0),
                "stream 3 waits for stream 2",
            ),
            event(
                EventKind::Join,
                3,
                0,
                Some(1),
                "stream 2 waits for stream 3",
            ),
            event(EventKind::End, 4, 0, None, "the capture ends"),
        ],
        shape: Some(GraphShape {
            critical_path: 3,
            width_at_least: 2,
            width_at_most: 2,
            redundant_edges: Some(0),
        }),
    }
}

fn shown(several_processes: bool, all: &[CapturedGraph]) -> String {
    let options = Options {
        directory: Some("/home/user/project".to_owned()),
        several_processes,
        ..Options::default()
    };
    graphs(all, &options)
}

#[test]
fn streams_and_nodes_are_counted() {
    insta::assert_snapshot!(shown(false, &[two_streams()]));
}

#[test]
fn a_width_that_is_not_known_exactly_is_a_range() {
    let shape = GraphShape {
        critical_path: 1,
        width_at_least: 2,
        width_at_most: 4,
        redundant_edges: Some(1),
    };
    let graph = CapturedGraph {
        shape: Some(shape),
        ..two_streams()
    };
    let text = shown(false, &[graph]);
    let line = text.lines().nth(2).expect("a line");
    assert_eq!(
        line,
        "  the longest path has 1 node; 2 to 4 nodes may run at once; 1 edge says nothing new"
    );
}

#[test]
fn a_capture_without_an_end_and_of_a_rank() {
    let empty = CapturedGraph {
        outcome: Outcome::Unfinished,
        location: None,
        streams: vec!["the default stream".to_owned()],
        nodes: Vec::new(),
        events: Vec::new(),
        shape: None,
        ..two_streams()
    };
    insta::assert_snapshot!(shown(true, &[empty]));
    insta::assert_snapshot!(shown(false, &[]));
}
