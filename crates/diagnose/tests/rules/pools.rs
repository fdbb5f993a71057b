//! `CG3xx`: memory that graphs hold, by what the allocator tells and what trials see.

use std::collections::BTreeSet;

use cgsan_diagnose::Diagnosis;
use cgsan_diagnose::trial::{Outcome, Reserved, Step, Trial};
use cgsan_finding::Report;
use cgsan_trace::{AgentEvent, DeviceMemory, MemoryMoment, PoolMemory, Record, Segment};

use crate::support::{ORIGIN, Program, exec, sized};

const MIB: u64 = 1 << 20;

/// What the allocator tells: pools with their sizes, all free, each one segment that begins at its number × 16 GiB.
fn memory(moment: MemoryMoment, pools: &[(u64, u64)], news: usize) -> AgentEvent {
    let reserved = pools.iter().map(|(_, bytes)| bytes).sum();
    let start = |pool: u64| pool << 34;
    AgentEvent::Memory {
        moment,
        devices: vec![DeviceMemory {
            reserved,
            reserved_peak: reserved,
            ..DeviceMemory::default()
        }],
        pools: Some(
            pools
                .iter()
                .map(|(pool, bytes)| PoolMemory {
                    pool: (*pool, 0),
                    segments: 1,
                    reserved: *bytes,
                    largest: *bytes,
                    ..PoolMemory::default()
                })
                .collect(),
        ),
        segments: pools[pools.len() - news..]
            .iter()
            .map(|(pool, bytes)| Segment {
                device: 0,
                address: start(*pool),
                bytes: *bytes,
                pool: (*pool, 0),
                stream: 16,
            })
            .collect(),
        gone: Vec::new(),
        pending: Vec::new(),
        settings: None,
        only: None,
    }
}

/// Two graphs at lines 4 and 8, each with a pool of its own and a temporary of this size in it.
fn two_graphs(bytes: u64) -> Program {
    let mut program = Program::on_virtual_gpu();
    let mut pools = Vec::new();
    for (number, line) in [(1, "train.py:4 <module>"), (2, "train.py:8 <module>")] {
        program.at(&[line]);
        program.agent(memory(MemoryMoment::BeforeCapture, &pools, 0));
        pools.push((number, bytes));
        let told = memory(MemoryMoment::CaptureEnds, &pools, 1);
        program.graph(number, |it| {
            let address = number << 34;
            it.begin_operator("mul", &[])
                .sized_block(address, bytes)
                .launch(ORIGIN)
                .end_operator(&[]);
            it.free(address);
            it.agent(told);
        });
        program.agent(AgentEvent::GraphCaptured {
            graph: number,
            pool: Some((number, 0)),
            names: Vec::new(),
        });
    }
    program
}

fn report(program: &mut Program, mut attempt: impl FnMut(&Trial) -> Outcome) -> Report {
    let trace = program.trace();
    let mut diagnosis = Diagnosis::new(true);
    diagnosis.add(&trace, &mut |_, trial| attempt(trial));
    diagnosis.finish()
}

/// A program that warms a step up at one line and captures it at another. In the capture, it keeps a temporary of 64 MiB; `sizes` are
/// those of the tensors, eagerly and captured.
fn warmed_up(sizes: [u64; 2]) -> Program {
    let mut program = Program::on_virtual_gpu();
    let step = |it: &mut Program, start: u64, size: u64, keeps: bool| {
        for (name, address) in [("mul", start), ("add", start + (64 * MIB))] {
            it.begin_operator(name, &[sized(1 << 30, &[size])])
                .sized_block(address, 64 * MIB)
                .launch(ORIGIN)
                .end_operator(&[sized(address, &[size])]);
        }
        if !keeps {
            it.free(start);
        }
        it.begin_operator("exp", &[sized(start + (64 * MIB), &[size])])
            .sized_block(start + (128 * MIB), 64 * MIB)
            .launch(ORIGIN)
            .end_operator(&[sized(start + (128 * MIB), &[size])]);
    };
    program.at(&["train.py:4 <module>", "train.py:2 step"]);
    step(&mut program, 1 << 33, sizes[0], false);
    program.line(8);
    program.agent(memory(MemoryMoment::BeforeCapture, &[], 0));
    program.graph(1, |it| {
        it.at(&["train.py:8 <module>", "train.py:2 step"]);
        step(it, 1 << 34, sizes[1], true);
        it.line(8);
        it.agent(memory(MemoryMoment::CaptureEnds, &[(1, 256 * MIB)], 1));
    });
    program
}

#[test]
fn the_peak_of_the_eager_run_stands_beside_that_of_the_capture() {
    let graph = |sizes| {
        let report = warmed_up(sizes).diagnose();
        report.memory.expect("what was held")[0].graphs[0].clone()
    };
    let same = graph([128, 128]);
    assert_eq!(same.peak, 192 * MIB);
    assert_eq!(same.eager_peak, Some(128 * MIB));
    // On tensors of other sizes, it is another run.
    assert_eq!(graph([64, 128]).eager_peak, None);
}

#[test]
fn what_an_executable_graph_takes_is_that_of_its_capture() {
    let taken = |measured: &[(u64, u64)]| {
        let mut program = two_graphs(MIB);
        for (before, after) in measured {
            program.push(Record::ExecutableMemory {
                exec: exec(2),
                before: *before,
                after: *after,
            });
        }
        let report = program.diagnose();
        let graphs = &report.memory.expect("what was held")[0].graphs;
        [graphs[0].executable, graphs[1].executable]
    };
    assert_eq!(taken(&[]), [None, None]);
    // The upload gave something back that somebody else had.
    let measured = [(1_000, 400), (400, 500), (500, 450)];
    assert_eq!(taken(&measured), [None, Some(650)]);
}

#[test]
fn the_timeline_follows_blocks() {
    let report = two_graphs(256 * MIB).diagnose();
    let timeline = &report.memory.expect("what was held")[0].timeline;
    assert_eq!(timeline.pools, [(0, 0), (1, 0), (2, 0)]);
    let course = timeline.changes.iter();
    let course: Vec<(usize, u64, u64)> = course
        .map(|it| (it.pool, it.reserved / MIB, it.held / MIB))
        .collect();
    assert_eq!(
        course,
        [(1, 256, 256), (1, 256, 0), (2, 256, 256), (2, 256, 0)]
    );
    let captures: Vec<usize> = timeline.captures.iter().map(|it| it.graph).collect();
    assert_eq!(captures, [1, 2]);
    for (capture, change) in timeline.captures.iter().zip([0, 2]) {
        let step = timeline.changes[change].step;
        assert!(capture.begins < step && step < capture.ends);
    }
    let most = timeline.most_held.as_ref().expect("something was held");
    assert_eq!(most.bytes, 256 * MIB);
    assert_eq!(most.location.as_ref().map(|it| it.line), Some(4));
    assert_eq!(timeline.reserved_peak, 512 * MIB);
    assert!(timeline.steps.is_sorted());
}

#[test]
fn where_the_allocator_was_asked_the_timeline_has_its_word() {
    let report = warmed_up([128, 128]).diagnose();
    let timeline = &report.memory.expect("what was held")[0].timeline;
    let of_pool = |pool: usize| {
        let changes = timeline.changes.iter().filter(move |it| it.pool == pool);
        changes.map(|it| (it.reserved / MIB, it.held / MIB))
    };
    // It told of no eager blocks before the capture, and of none in the graph's pool after it.
    let eager = [(64, 64), (128, 128), (128, 64), (128, 128), (0, 0)];
    assert_eq!(of_pool(0).collect::<Vec<_>>(), eager);
    let captured = [(64, 64), (128, 128), (192, 192), (256, 0)];
    assert_eq!(of_pool(1).collect::<Vec<_>>(), captured);
}

fn looks(of_graphs: [u64; 2]) -> Vec<Reserved> {
    let look = |of_graphs| Reserved {
        all: of_graphs,
        of_graphs,
    };
    of_graphs.map(look).to_vec()
}

#[test]
fn a_saving_that_was_tried_is_told() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        let pools = trial.runs.iter().map(|run| {
            let begins = run.steps.iter().filter_map(|step| match step {
                Step::Begin { pool, .. } => Some(*pool),
                _ => None,
            });
            begins.collect::<BTreeSet<_>>().len()
        });
        assert_eq!(pools.collect::<Vec<_>>(), [2, 1, 1]);
        let recorded = looks([256 * MIB, 512 * MIB]);
        let shared = looks([256 * MIB, 256 * MIB]);
        Some(vec![recorded, shared.clone(), shared])
    });
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(finding.id, "CG303");
    assert_eq!(finding.location.as_ref().map(|it| it.line), Some(8));
    let note = &finding.notes[0];
    assert!(
        note.contains("saves 256 MiB, 50 %") && note.contains("tried"),
        "{note}"
    );
    let held = report.memory.expect("what was held");
    assert_eq!(held[0].moments.len(), 4);
    assert_eq!(held[0].moments[3].reserved, 512 * MIB);
    assert_eq!(held[0].graphs[1].peak, 256 * MIB);
}

#[test]
fn a_change_that_saves_nothing_is_not_told() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        let same = looks([256 * MIB, 512 * MIB]);
        Some(vec![same; trial.runs.len()])
    });
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn where_the_recorded_sequence_reserves_something_else_the_sizes_of_blocks_count() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        Some(vec![looks([MIB, MIB]); trial.runs.len()])
    });
    let notes = &report.findings[0].notes;
    assert!(
        notes[0].contains("up to 256 MiB") && notes[0].contains("not tried"),
        "{notes:?}"
    );
}

#[test]
fn small_graphs_with_pools_of_their_own_are_left_alone() {
    let report = report(&mut two_graphs(2 * MIB), |_| {
        panic!("nothing is worth a trial")
    });
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
