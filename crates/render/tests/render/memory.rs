//! Who holds memory, as tables.

use cgsan_finding::{
    CaptureSpan, GraphMemory, Holder, MemoryAt, MemoryTimeline, MemoryUse, MostHeld, PoolAt,
    PoolChange, Process,
};
use cgsan_render::{Options, memory};

use crate::sample::place;

pub const MIB: u64 = 1 << 20;

fn graph(graph: usize, line: u32) -> GraphMemory {
    GraphMemory {
        graph,
        location: Some(place("train.py", line, "<module>")),
        pool: Some((0, graph as u64)),
        captured: true,
        peak: 192 * MIB,
        eager_peak: Some(128 * MIB),
        inputs: 64 * MIB,
        outputs: 8 * MIB,
        executable: None,
        replays: 5,
    }
}

/// A process on the virtual GPU that captured two graphs, the second one in vain.
pub fn two_graphs() -> MemoryUse {
    let change = |step, pool, reserved: u64, held: u64| PoolChange {
        step,
        pool,
        reserved: reserved * MIB,
        held: held * MIB,
    };
    let pool = |pool, reserved: u64, allocated: u64| PoolAt {
        pool,
        reserved: reserved * MIB,
        allocated: allocated * MIB,
        pending: 0,
        split: 0,
    };
    MemoryUse {
        process: Process {
            pid: 7,
            command: vec!["python".to_owned(), "train.py".to_owned()],
            count: 1,
            ..Process::default()
        },
        virtual_gpu: true,
        moments: vec![MemoryAt {
            moment: "capture_ends",
            graph: Some(1),
            reserved: 448 * MIB,
            allocated: 256 * MIB,
            pending: 0,
            split: MIB / 2,
            reserved_peak: 448 * MIB,
            pools: vec![pool((0, 0), 128, 128), pool((0, 1), 320, 128)],
        }],
        graphs: vec![
            graph(1, 14),
            GraphMemory {
                captured: false,
                eager_peak: None,
                ..graph(2, 20)
            },
        ],
        holders: vec![Holder {
            location: Some(place("train.py", 11, "<module>")),
            pool: Some((0, 0)),
            bytes: 128 * MIB,
            blocks: 2,
        }],
        timeline: MemoryTimeline {
            pools: vec![(0, 0), (0, 1), (0, 2)],
            steps: (0..12).map(|it| it * 25_000_000).collect(),
            changes: vec![
                change(0, 0, 64, 64),
                change(1, 0, 128, 128),
                change(3, 1, 192, 192),
                change(4, 1, 320, 320),
                change(5, 1, 320, 128),
                change(8, 2, 96, 96),
                change(9, 2, 96, 0),
                change(11, 0, 128, 32),
            ],
            captures: vec![
                CaptureSpan {
                    graph: 1,
                    begins: 2,
                    ends: 6,
                },
                CaptureSpan {
                    graph: 2,
                    begins: 7,
                    ends: 10,
                },
            ],
            most_held: Some(MostHeld {
                step: 4,
                bytes: 448 * MIB,
                location: Some(place("train.py", 15, "<module>")),
            }),
            reserved_peak: 560 * MIB,
        },
    }
}

fn shown(one: MemoryUse) -> String {
    let options = Options {
        directory: Some("/home/user/project".to_owned()),
        ..Options::default()
    };
    memory(&[one], &options)
}

#[test]
fn tables_on_the_virtual_gpu() {
    insta::assert_snapshot!(shown(two_graphs()));
}

#[test]
fn what_executable_graphs_take_stands_where_it_was_measured() {
    let on_real_gpu = |executable| {
        let mut one = two_graphs();
        one.virtual_gpu = false;
        one.graphs[0].executable = executable;
        shown(one)
    };
    let measured = on_real_gpu(Some(2 * MIB));
    assert!(measured.contains("executable"), "{measured}");
    assert!(!measured.contains("what executable graphs"), "{measured}");
    let not_measured = on_real_gpu(None);
    assert!(not_measured.contains("was not measured"), "{not_measured}");
}

#[test]
fn a_column_that_nothing_is_known_for_is_left_out() {
    let mut one = two_graphs();
    one.graphs[0].eager_peak = None;
    let text = shown(one);
    assert!(!text.contains("eager peak"), "{text}");
}
